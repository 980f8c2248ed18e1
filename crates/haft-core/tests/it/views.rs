//! Toolkits seen otherwise: every name that is listed reaches its tool, and what the host sets stays set.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use haft_core::{
    AnswerFuture, Answerer, ApprovalDecision, ApprovalNeed, ApprovalRequest, Args, BuildError, BuildProblem,
    CallContext, Dispatcher, EntryBody, ErrorBody, Journal, Json, MemoryJournal, Tool, ToolCall,
    ToolRegistry, ToolResult, ToolSource, Toolkit, TurnOutcome, canonical,
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use crate::script::runner;

/// A tool that says what it is, whatever it is called.
fn says(name: &str, what: &str) -> Tool {
    let what = what.to_owned();
    Tool::builder(name).description("Says what it is.").run_sync(move || what.clone()).unwrap()
}

/// A tool of this schema that gives back its effective arguments.
fn echo(schema: Value) -> Tool {
    Tool::builder("echo")
        .description("Echoes.")
        .schema(schema)
        .run_sync(|Args(all): Args<Value>| Json(all))
        .unwrap()
}

fn build(toolkit: Toolkit) -> Result<ToolRegistry, BuildError> {
    ToolRegistry::builder().toolkit(toolkit).build()
}

fn call(registry: &ToolRegistry, name: &str, arguments: &str) -> ToolResult {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let dispatcher = Dispatcher::new(registry.clone());
    runtime.block_on(dispatcher.call(name, arguments, CallContext::new())).unwrap()
}

fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.iter().map(|tool| tool.name().to_owned()).collect()
}

#[derive(Debug, Clone)]
enum View {
    Prefix(&'static str),
    Rename(usize, String),
    Filter(char),
    Approve,
    Describe(usize),
}

fn view() -> impl Strategy<Value = View> {
    prop_oneof![
        prop::sample::select(vec!["a_", "b_", "x"]).prop_map(View::Prefix),
        (0..4_usize, "[abx_]{1,4}").prop_map(|(tool, name)| View::Rename(tool, name)),
        prop::sample::select(vec!['a', 'b', 'x']).prop_map(View::Filter),
        Just(View::Approve),
        (0..4_usize).prop_map(View::Describe),
    ]
}

/// What a tool is called now, what it was called before, and what it says.
#[derive(Debug, Clone)]
struct Shown {
    name: String,
    before: Vec<String>,
    says: String,
}

fn look(toolkit: Toolkit, shown: &mut Vec<Shown>, view: &View) -> Toolkit {
    let rename = |tool: &mut Shown, name: String| {
        let before = std::mem::replace(&mut tool.name, name);
        tool.before.push(before);
    };
    match view {
        View::Prefix(prefix) => {
            for tool in shown.iter_mut() {
                let name = format!("{prefix}{}", tool.name);
                rename(tool, name);
            }
            toolkit.prefixed(prefix)
        }
        // A name of which there are two is nobody's in particular.
        View::Rename(tool, name) if !shown.iter().any(|other| other.name == *name) => {
            let Some(tool) = shown.get_mut(*tool) else { return toolkit };
            let from = tool.name.clone();
            rename(tool, name.clone());
            toolkit.renamed(&from, name)
        }
        View::Rename(..) => toolkit,
        View::Filter(letter) => {
            shown.retain(|tool| !tool.name.starts_with(*letter));
            let letter = *letter;
            toolkit.filtered(move |definition| !definition.name.as_str().starts_with(letter))
        }
        View::Approve => toolkit.approved_if(|_, _| false),
        View::Describe(tool) => match shown.get(*tool) {
            Some(tool) => toolkit.described(&tool.name, "Is described."),
            None => toolkit,
        },
    }
}

/// B28 of views: what is listed can be called by exactly that name, and by each name from before that is nobody else's.
#[test]
fn every_listed_name_reaches_its_tool() {
    let stacks = vec((vec(prop::sample::select(vec!["a", "b", "ab", "x"]), 0..4), vec(view(), 0..5)), 1..4);
    runner(300)
        .run(&stacks, |stacks| {
            let mut whole = Toolkit::new("whole");
            let mut all: Vec<Shown> = Vec::new();
            for (index, (tools, views)) in stacks.iter().enumerate() {
                let mut tools = tools.clone();
                tools.dedup();
                tools.sort_unstable();
                tools.dedup();
                let what = |name: &str| format!("{index}: {name}");
                let mut toolkit = Toolkit::new(index.to_string());
                toolkit = toolkit.tools(tools.iter().map(|name| says(name, &what(name))));
                let mut shown: Vec<Shown> = tools
                    .iter()
                    .map(|name| Shown { name: (*name).to_owned(), before: Vec::new(), says: what(name) })
                    .collect();
                for view in views {
                    toolkit = look(toolkit, &mut shown, view);
                }
                whole = whole.including(toolkit);
                all.extend(shown);
            }
            let mut count: BTreeMap<&str, usize> = BTreeMap::new();
            for tool in &all {
                *count.entry(&tool.name).or_default() += 1;
            }
            let built = build(whole);
            if count.values().any(|count| *count > 1) {
                let error = built.unwrap_err();
                let two = |problem: &BuildProblem| matches!(problem, BuildProblem::DuplicateTool { .. });
                assert!(error.problems().iter().all(two), "{error}");
                return Ok(());
            }
            let registry = built.unwrap();
            let wanted: Vec<&str> = all.iter().map(|tool| tool.name.as_str()).collect();
            assert_eq!(names(&registry), wanted, "the order is that of registration");
            for tool in &all {
                let result = call(&registry, &tool.name, "");
                assert_eq!(
                    (result.text(), result.tool_name()),
                    (tool.says.as_str().into(), tool.name.as_str())
                );
                for before in &tool.before {
                    let had = |other: &&Shown| other.name == *before || other.before.contains(before);
                    match all.iter().filter(had).collect::<Vec<_>>().as_slice() {
                        [_] => assert_eq!(call(&registry, before, "").text(), tool.says.as_str()),
                        several if several.iter().any(|other| other.name == *before) => {}
                        _ => assert!(!registry.contains(before), "{before} is ambiguous"),
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

fn order() -> Value {
    json!({
        "type": "object",
        "properties": {
            "tenant": {"type": "string", "minLength": 2},
            "text": {"type": "string"},
            "limit": {"type": "integer", "default": 10, "maximum": 50},
            "place": {"$ref": "#/$defs/Place"},
        },
        "required": ["tenant", "text"],
        "$defs": {"Place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zone": {"type": "string", "default": "CET"}},
            "required": ["city"],
        }},
    })
}

/// One row a mistake: its number, and all that its message has to name.
#[test]
fn every_mistake_of_a_view_is_told_and_names_both_sides() {
    let kit = || Toolkit::new("kit").tool(echo(order())).tool(says("search", "found"));
    let parts = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "allOf": [{"properties": {"tenant": {"type": "string"}}, "required": ["tenant"]}],
    });
    let of_parts = json!({
        "type": "object",
        "properties": {"text": {"type": "string"}, "tenant": {"type": "string"}},
        "allOf": [{"required": ["tenant"]}],
    });
    let remote = |schema: Value| {
        let builder = Tool::builder("echo").description("Echoes.").source(ToolSource::Mcp).schema(schema);
        Toolkit::new("kit").tool(builder.run_sync(|| ""))
    };
    let stated = json!({"type": "object", "properties": {"a": {"default": 1}}, "required": ["a"]});
    let local = |schema: Value| Toolkit::new("kit").tool(echo(schema));
    let long = "x".repeat(60);
    let rows: Vec<(Toolkit, u16, &[&str])> = vec![
        (kit().prefixed(&long), 2001, &["\"kit\"", "prefixed(", "xsearch", "64 are allowed"]),
        (kit().prefixed("a.b"), 2001, &["\"a.becho\"", "'.'", "\"a_becho\" would do"]),
        (kit().renamed("echo", "an echo"), 2001, &["renamed(\"echo\", \"an echo\")", "\"an_echo\" would do"]),
        (kit().renamed("serach", "find"), 2211, &["\"kit\"", "renamed(\"serach\"", "mean \"search\"?"]),
        (kit().described("none", "Text."), 2211, &["described(\"none\", …)", "no tool \"none\""]),
        (kit().described("echo", " "), 2212, &["described(\"echo\"", "what the tool does"]),
        (kit().pinned("ehco", "tenant", "acme"), 2211, &["pinned(\"ehco\"", "mean \"echo\"?"]),
        (kit().pinned("echo", "tennant", "acme"), 2213, &["\"echo\"", "\"tennant\"", "mean \"tenant\"?"]),
        (kit().pinned("echo", "tenant", 5), 2215, &["\"echo\"", "\"tenant\"", "expected string", "got 5"]),
        (kit().pinned("echo", "tenant", "a"), 2215, &["tenant", "got \"a\""]),
        (kit().pinned("echo", "place", json!({"city": 1})), 2215, &["place.city", "expected string"]),
        (kit().pinned("echo", "limit", 99), 2215, &["limit", "≤ 50"]),
        (kit().pinned("echo", "tenant", "acme").pinned("echo", "tenant", "acme"), 2213, &["\"tenant\""]),
        (kit().hidden("echo", "text"), 2216, &["\"echo\"", "requires \"text\"", "pin it"]),
        (kit().hidden("echo", "texts"), 2213, &["mean \"text\"?"]),
        (kit().hidden("search", "text"), 2213, &["\"search\" has no argument \"text\""]),
        (local(parts.clone()).pinned("echo", "tenant", "acme"), 2214, &["\"tenant\"", "`allOf`"]),
        (local(of_parts.clone()).pinned("echo", "tenant", "acme"), 2214, &["\"tenant\"", "`allOf`"]),
        (remote(of_parts).pinned("echo", "tenant", "acme"), 2214, &["\"tenant\"", "`allOf`"]),
        (remote(parts).hidden("echo", "tenant"), 2216, &["requires \"tenant\""]),
        // Defaults of remote schemas are not filled.
        (remote(stated).hidden("echo", "a"), 2216, &["requires \"a\""]),
        (kit().renamed("echo", "search"), 2201, &["\"search\"", "once \"echo\"", "rename one"]),
    ];
    for (toolkit, code, says) in rows {
        let error = build(toolkit).unwrap_err();
        let told: Vec<(u16, String)> =
            error.problems().iter().map(|problem| (problem.code(), problem.to_string())).collect();
        let told_of =
            |(told, text): &(u16, String)| *told == code && says.iter().all(|says| text.contains(says));
        assert!(told.iter().any(told_of), "{code} {says:?}: {told:?}");
    }
}

#[test]
fn all_mistakes_of_views_are_told_at_once() {
    let one = Toolkit::new("one").tool(says("a", "")).renamed("b", "c").pinned("a", "x", 1);
    let error = build(Toolkit::new("two").including(one).described("a", "")).unwrap_err();
    let told: Vec<&str> = error
        .problems()
        .iter()
        .map(|problem| match problem {
            BuildProblem::View { toolkit, .. } => toolkit.as_str(),
            _ => "?",
        })
        .collect();
    assert_eq!(told, ["one", "one", "two"]);
    // What is wrong with a tool is told once.
    let faulty =
        Toolkit::new("one").tool(Tool::builder("a").run_sync(|| "")).renamed("a", "b").described("a", "Is.");
    assert_eq!(build(faulty).unwrap_err().problems().len(), 1);
}

/// A model that sends what the host has set is refused, also where the schema is open for more.
#[test]
fn a_pinned_argument_is_the_hosts_alone() {
    for open in [false, true] {
        let mut schema = order();
        if open {
            schema["additionalProperties"] = json!(true);
        }
        let kit =
            Toolkit::new("kit").tool(echo(schema)).pinned("echo", "tenant", "acme").hidden("echo", "limit");
        let registry = build(kit.pinned("echo", "place", json!({"city": "Oslo"}))).unwrap();
        let tool = registry.get("echo").unwrap();
        assert_eq!(tool.definition().input.fields(), ["text"]);
        let published = tool.definition().input.published();
        assert_eq!((&published["required"], published["properties"].get("tenant")), (&json!(["text"]), None));
        assert_eq!(tool.definition().host_arguments().collect::<Vec<_>>(), ["tenant", "place", "limit"]);

        let effective =
            json!({"limit": 10, "place": {"city": "Oslo", "zone": "CET"}, "tenant": "acme", "text": "hi"});
        let result = call(&registry, "echo", r#"{"text": "hi"}"#);
        assert_eq!(serde_json::from_str::<Value>(&result.text()).unwrap(), effective);
        let validation = registry.validate(&ToolCall::new("1", "echo", r#"{"text": "hi"}"#)).unwrap();
        assert_eq!(validation.arguments, Some(effective));

        for sent in [
            r#"{"text": "hi", "tenant": "evil"}"#,
            r#"{"text": "hi", "tenant": "acme"}"#,
            r#"{"text": "hi", "limit": 50}"#,
            r#"{"text": "hi", "place": {"city": "Oslo"}}"#,
        ] {
            let validation = registry.validate(&ToolCall::new("1", "echo", sent)).unwrap();
            assert!(!validation.valid, "{sent}");
            let message = &validation.issues[0].message;
            assert!(message.starts_with("unknown field `") && message.contains("`text`"), "{message}");
            assert!(!message.contains("acme"));
            let body = ErrorBody::new("echo", &validation.error.unwrap()).to_json();
            assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["fields"], json!(["text"]));
        }
    }
}

/// All arguments together are checked against the tool's own schema, and a refusal says nothing of the host's.
#[test]
fn what_is_set_and_what_is_sent_have_to_go_together() {
    let schema = json!({
        "type": "object",
        "properties": {"kind": {"enum": ["secret", "open"]}, "key": {"type": "string"}, "n": {"type": "integer"}},
        "dependentRequired": {"kind": ["key"]},
        "maxProperties": 2,
    });
    let registry = build(Toolkit::new("kit").tool(echo(schema)).pinned("echo", "kind", "secret")).unwrap();
    let messages = |sent: &str| -> Vec<String> {
        let validation = registry.validate(&ToolCall::new("1", "echo", sent)).unwrap();
        validation.issues.into_iter().map(|issue| issue.message).collect()
    };
    assert_eq!(messages(r#"{"key": "k"}"#), [""; 0]);
    for sent in ["{}", r#"{"n": 1}"#, r#"{"key": "k", "n": 1}"#] {
        let told = messages(sent);
        assert!(!told.is_empty(), "{sent}");
        assert!(!told.iter().any(|told| told.contains("secret")), "{told:?}");
    }
}

#[derive(Debug)]
struct Edits(&'static str);

impl Answerer for Edits {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        assert_eq!(request.arguments, r#"{"limit":10,"tenant":"acme","text":"hi"}"#);
        Box::pin(async { Some(ApprovalDecision::Edit { arguments: self.0.to_owned() }) })
    }
}

fn approved_echo(tenant: &str) -> ToolRegistry {
    let kit = Toolkit::new("kit").tool(echo(order())).approved(|_| true).hidden("echo", "place");
    build(kit.pinned("echo", "tenant", tenant)).unwrap()
}

/// A person sees what the host has set, may leave it or leave it out, and can not change it.
#[tokio::test]
async fn an_edit_leaves_what_the_host_has_set() {
    for (edit, says) in [
        (r#"{"text": "ho"}"#, r#"{"limit":10,"tenant":"acme","text":"ho"}"#),
        (r#"{"text": "ho", "tenant": "acme", "limit": 5}"#, r#"{"limit":5,"tenant":"acme","text":"ho"}"#),
        (r#"{"text": "ho", "tenant": "evil"}"#, "`tenant` is set by the host"),
        (r#"{"text": "ho", "tenant": null}"#, "`tenant` is set by the host"),
        (r#"{"tenant": "acme"}"#, "missing field `text`"),
        (r#"{"text": "ho", "other": 1}"#, "unknown field `other`"),
    ] {
        let dispatcher = Dispatcher::builder(approved_echo("acme")).answerer(Edits(edit)).build();
        let result = dispatcher.call("echo", r#"{"text": "hi"}"#, CallContext::new()).await.unwrap();
        // Any crate in the build can have serde_json keep the order in which members came.
        let text = canonical(&serde_json::from_str(&result.text()).unwrap());
        assert!(text.contains(says), "{edit}: {text}");
    }
}

/// Journals keep what was set; a turn that waits goes on with it, unless the host sets something else by then.
#[tokio::test]
async fn a_turn_goes_on_with_what_was_set() {
    for (tenant, edit, says) in [
        ("acme", None, r#"{"limit":10,"tenant":"acme","text":"hi"}"#),
        ("acme", Some(r#"{"text": "ho"}"#), r#"{"limit":10,"tenant":"acme","text":"ho"}"#),
        ("other", None, "the tool echo has changed since the call was accepted"),
    ] {
        let journal = Arc::new(MemoryJournal::new());
        let dispatcher = |tenant| {
            Dispatcher::builder(approved_echo(tenant))
                .journal(Arc::clone(&journal) as Arc<dyn Journal>)
                .build()
        };
        let calls = vec![ToolCall::new("1", "echo", r#"{"text": "hi"}"#)];
        let (turn, _events) = dispatcher("acme").turn(calls).session("s").start().unwrap();
        let TurnOutcome::Suspended(waiting) = turn.finish().await.unwrap() else { panic!("it has to wait") };
        let entries = journal.read("s", &waiting.turn).await.unwrap();
        let accepted = entries.iter().find_map(|entry| match &entry.entry {
            EntryBody::CallAccepted { arguments, .. } => Some(arguments.clone()),
            _ => None,
        });
        assert_eq!(accepted.as_deref(), Some(r#"{"limit":10,"tenant":"acme","text":"hi"}"#));

        let id = waiting.pending()[0].id.clone();
        let dispatcher = dispatcher(tenant);
        let mut resumed = dispatcher.resume("s", &waiting.turn).await.unwrap();
        let evil = ApprovalDecision::Edit { arguments: r#"{"text": "hi", "tenant": "evil"}"#.to_owned() };
        let refused = resumed.try_answer(&id, evil).unwrap_err();
        assert!(refused.to_string().contains("`tenant` is set by the host"), "{refused}");
        let decision = match edit {
            None => ApprovalDecision::Approve,
            Some(edit) => ApprovalDecision::Edit { arguments: edit.to_owned() },
        };
        let (turn, _events) = resumed.answer(&id, decision).unwrap().start().unwrap();
        let results = turn.finish().await.unwrap().finished().unwrap();
        assert!(results[0].text().contains(says), "{}", results[0].text());
    }
}

#[test]
fn views_approve_what_the_tools_do_not() {
    let when = Tool::builder("when").description("Is.").approve_if(|all| all["a"] == 1).schema(json!({
        "type": "object", "properties": {"a": {}, "b": {}},
    }));
    let tools = [when.run_sync(|| "").unwrap(), says("never", "")];
    let kit = || Toolkit::new("kit").tools(tools.clone());
    let need =
        |kit: Toolkit, name: &str| build(kit).unwrap().get(name).unwrap().definition().approval.clone();
    let asks = |need: &ApprovalNeed, arguments: Value| match need {
        ApprovalNeed::Always => true,
        ApprovalNeed::When(predicate) => predicate(&arguments),
        _ => false,
    };
    assert!(asks(&need(kit().approved(|tool| tool.name.as_str() == "never"), "never"), json!({})));
    assert!(!asks(&need(kit().approved(|tool| tool.name.as_str() == "never"), "when"), json!({})));
    let b = |kit: Toolkit| kit.approved_if(|tool, all| tool.name.as_str() == "when" && all["b"] == 1);
    for (arguments, wanted) in [(json!({"a": 1}), true), (json!({"b": 1}), true), (json!({"a": 2}), false)] {
        assert_eq!(asks(&need(b(kit()), "when"), arguments), wanted);
    }
    assert!(!asks(&need(b(kit()), "never"), json!({"b": 1})));
    // Never less than before.
    assert!(matches!(need(b(kit().approved(|_| true)), "when"), ApprovalNeed::Always));
}

/// One tool that is shown in two ways under one name would depend on the order; the same view twice counts once.
#[test]
fn two_views_of_a_tool_have_two_names() {
    let tool = echo(order());
    let kit = |name: &str| Toolkit::new(name).tool(tool.clone());
    let both = |one: Toolkit, other: Toolkit| build(Toolkit::new("both").including(one).including(other));
    assert_eq!(both(kit("a"), kit("b")).unwrap().len(), 1);
    let pinned = |name: &str, tenant: &str| kit(name).pinned("echo", "tenant", tenant);
    assert_eq!(both(pinned("a", "acme"), pinned("b", "acme")).unwrap().len(), 1);
    for (one, other) in [
        (kit("a"), kit("b").approved(|_| true)),
        (kit("a"), kit("b").approved_if(|_, _| true)),
        (kit("a"), kit("b").described("echo", "Echoes loudly.")),
        (kit("a"), kit("b").hidden("echo", "limit")),
        (kit("a"), pinned("b", "acme")),
        (pinned("a", "acme"), pinned("b", "other")),
    ] {
        assert_eq!(both(one, other).unwrap_err().code(), 2201);
    }
    assert_eq!(names(&both(pinned("a", "acme").prefixed("a_"), kit("b")).unwrap()), ["a_echo", "echo"]);
    let twice = ToolRegistry::builder().tool_as("one", &tool).tool_as("two", &tool).build().unwrap();
    assert_eq!((names(&twice), twice.contains("echo")), (vec!["one".to_owned(), "two".to_owned()], false));
}

#[test]
fn an_including_toolkit_keeps_what_the_others_demand() {
    let demanding = |name: &str| Toolkit::new("one").snake_case().tool(says(name, ""));
    let whole = |one: Toolkit| Toolkit::new("whole").including(one);
    assert_eq!(build(whole(demanding("fetchAll"))).unwrap_err().code(), 2205);
    let registry = build(whole(demanding("fetch_all")).prefixed("Web-")).unwrap();
    assert_eq!(registry.get("fetch_all").unwrap().definition().toolkit.as_deref(), Some("whole"));
    let foreign = Tool::builder("a").description("Is.").toolkit("other").run_sync(|| "");
    let error = build(whole(Toolkit::new("one").tool(foreign))).unwrap_err();
    assert_eq!((error.code(), error.problems().len()), (2204, 1));
    // Its parts have no names any more that could meet others.
    let registry = ToolRegistry::builder().toolkit(whole(demanding("a"))).toolkit(demanding("b"));
    assert_eq!(registry.build().unwrap().len(), 2);
}

#[test]
fn a_session_has_the_tools_that_are_enabled() {
    let kit = Toolkit::new("kit").tools(["a", "b", "c", "d"].map(|name| says(name, name))).renamed("d", "e");
    let registry = build(kit).unwrap();
    let session = registry.enabled(["e", "a", "d", "a"]).unwrap();
    assert_eq!(names(&session), ["a", "e"]);
    assert_eq!(call(&session, "d", "").text(), "d");
    assert!(call(&session, "b", "").is_error());
    assert_eq!(registry.enabled([""; 0]).unwrap().len(), 0);
    let error = registry.enabled(["x", "a", "A "]).unwrap_err();
    let told: Vec<(u16, String)> =
        error.problems().iter().map(|problem| (problem.code(), problem.to_string())).collect();
    assert_eq!(told[0], (2218, "there is no tool \"x\" to enable".to_owned()));
    assert_eq!(told[1], (2218, "there is no tool \"A \" to enable; did you mean \"a\"?".to_owned()));
}

/// The cap on a tool's calls is one for all sessions.
#[tokio::test]
async fn sessions_share_caps() {
    let running = Arc::new(Mutex::new((0_usize, 0_usize)));
    let counts = Arc::clone(&running);
    let capped =
        Tool::builder("capped").description("Counts.").read_only(true).max_concurrency(1).run(move || {
            let counts = Arc::clone(&counts);
            async move {
                {
                    let mut counts = counts.lock().unwrap();
                    counts.0 += 1;
                    counts.1 = counts.1.max(counts.0);
                }
                tokio::task::yield_now().await;
                counts.lock().unwrap().0 -= 1;
            }
        });
    let registry = ToolRegistry::builder().tool(capped).build().unwrap();
    let sessions = [(); 2].map(|()| Dispatcher::new(registry.enabled(["capped"]).unwrap()));
    let calls = || (0..3).map(|id| ToolCall::new(id.to_string(), "capped", "")).collect();
    let turns = sessions.each_ref().map(|session| session.turn(calls()).start().unwrap().0);
    for turn in turns {
        assert!(turn.finish().await.unwrap().finished().unwrap().iter().all(|result| !result.is_error()));
    }
    assert_eq!(*running.lock().unwrap(), (0, 1));
}

/// What the host has set is never repaired, whatever the schema has against it; what was sent is.
#[test]
fn what_is_set_is_not_repaired() {
    let schema = json!({
        "type": "object",
        "properties": {"mode": {"type": "string"}, "limit": {"type": "integer"}},
        "if": {"properties": {"limit": {"minimum": 10}}, "required": ["limit"]},
        "then": {"patternProperties": {"^mode$": {"enum": ["FAST"]}}},
    });
    let remote = Tool::builder("echo").description("Echoes.").source(ToolSource::Mcp).schema(schema);
    let tool = remote.run_sync(|Args(all): Args<Value>| Json(all)).unwrap();
    let registry = build(Toolkit::new("kit").tool(&tool).pinned("echo", "mode", "fast")).unwrap();
    for (sent, limit) in [
        (r#"{"limit": "5"}"#, Some(5)),
        (r#"{"limit": 5.0}"#, Some(5)),
        ("```json\n{\"limit\": 5}\n```", Some(5)),
        (r#"{"limit": 10}"#, None),
        (r#"{"limit": "10"}"#, None),
    ] {
        let validation = registry.validate(&ToolCall::new("1", "echo", sent)).unwrap();
        let wanted = limit.map(|limit| json!({"limit": limit, "mode": "fast"}));
        assert_eq!(validation.arguments, wanted, "{sent}");
        assert!(!validation.issues.iter().any(|issue| issue.message.contains("fast")));
    }
    // Neither is it where a person's edit is.
    let edit = Dispatcher::builder(
        build(Toolkit::new("kit").tool(&tool).pinned("echo", "mode", "fast").approved(|_| true)).unwrap(),
    );
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let result =
        runtime.block_on(edit.answerer(Raises).build().call("echo", r#"{"limit": 5}"#, CallContext::new()));
    assert!(result.unwrap().is_error());
}

#[derive(Debug)]
struct Raises;

impl Answerer for Raises {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async { Some(ApprovalDecision::Edit { arguments: r#"{"limit": "10"}"#.to_owned() }) })
    }
}
