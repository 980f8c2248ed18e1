//! Names in another letter case, or with other `-` and `_`: resolved once, before anything is decided.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use haft_core::{
    AfterCall, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, BeforeCall, CallContext,
    Dispatcher, DispatcherBuilder, Entry, ErrorCode, EventBody, Extension, Hook, HookCall, HookFuture,
    Journal, Leniency, MemoryJournal, Repair, RepairRule, Tool, ToolBuilder, ToolCall, ToolError, ToolOutput,
    ToolRegistry, ToolResult, ToolSource, TurnOutcome,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{schema_rules::runner, script};

fn builder(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Is there.")
}

fn registry(names: &[&str]) -> ToolRegistry {
    let tools = names.iter().map(|name| builder(name).run_sync(|| "called"));
    ToolRegistry::builder().tools(tools).build().unwrap()
}

fn call(dispatcher: &Dispatcher, name: &str) -> ToolResult {
    script::paused().block_on(dispatcher.call(name, "{}", CallContext::new())).unwrap()
}

fn rules(repaired: &[Repair]) -> Vec<(&str, &str)> {
    repaired.iter().map(|repair| (repair.rule, repair.path.as_str())).collect()
}

/// B34: a name that is off by letter case, `-` or `_` only, and that one tool alone can be meant by.
#[test]
fn a_name_that_one_tool_alone_is_like_is_that_tools() {
    let registry = registry(&["crm_find-by-tag", "Crm_ping", "getWeather"]);
    let dispatcher = Dispatcher::new(registry.clone());
    for (called, name) in [
        ("crm_find_by_tag", "crm_find-by-tag"),
        ("CRM-FindByTag", "crm_find-by-tag"),
        ("crm_ping", "Crm_ping"),
        ("get_weather", "getWeather"),
        ("-getweather_", "getWeather"),
    ] {
        let result = call(&dispatcher, called);
        assert_eq!(
            (result.tool_name(), result.called_name(), result.text().as_ref()),
            (name, called, "called")
        );
        assert_eq!(rules(result.repaired()), [("name", "")]);
        let validation = registry.validate(&ToolCall::new("c1", called, "{}")).unwrap();
        assert_eq!((validation.valid, validation.tool_name.as_str()), (true, name));
        assert_eq!(rules(&validation.repaired), [("name", "")]);
        // What a host looks up is exact.
        assert!(!registry.contains(called));
    }
    let exact = call(&dispatcher, "Crm_ping");
    assert!(exact.repaired().is_empty());
    for other in ["crm_pings", "crm.ping", "crm ping", "", "-", "Crm_pıng", "get_weather!"] {
        let error = call(&dispatcher, other);
        let code = if other.is_empty() { ErrorCode::MalformedCall } else { ErrorCode::NotFound };
        assert_eq!(error.error().unwrap().code(), code, "{other}");
    }
}

#[test]
fn two_tools_that_are_meant_alike_are_both_named() {
    let dispatcher = Dispatcher::new(registry(&["find_tag", "other", "find-tag", "FindTag"]));
    let result = call(&dispatcher, "FIND_TAG");
    let error = result.error().unwrap();
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert_eq!(
        error.message(),
        "there is no tool \"FIND_TAG\"; call \"find_tag\" or \"find-tag\" or \"FindTag\", by its exact name: they \
         differ in letter case, - and _ alone"
    );
    assert!(result.repaired().is_empty());
    assert_eq!(call(&dispatcher, "find-tag").tool_name(), "find-tag");
    // They are named even where not all tools are.
    let mut names: Vec<String> = (0..60).map(|number| format!("find_tag_{number}")).collect();
    names.extend(["f-i-n-d-t-a-g".to_owned(), "FINDTAG".to_owned()]);
    let registry = registry(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let body = haft_core::ErrorBody::new("x", &registry.not_found("findtag")).to_json();
    let body: Value = serde_json::from_str(&body).unwrap();
    let tools = body["tools"].as_array().unwrap();
    assert!(tools.contains(&json!("f-i-n-d-t-a-g")) && tools.contains(&json!("FINDTAG")), "{body}");
}

/// Two servers have a tool of one name, and the model calls it by that alone: what is told of them is so.
#[test]
fn tools_that_share_a_name_at_their_sources_are_all_named() {
    let tools = ["a__echo", "b__echo"].map(|name| builder(name).original_name("echo").run_sync(|| "called"));
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tools(tools).build().unwrap());
    assert_eq!(
        call(&dispatcher, "echo").error().unwrap().message(),
        "there is no tool \"echo\"; call \"a__echo\" or \"b__echo\", by its exact name: more than one tool goes by that \
         name"
    );
}

/// Two tools of a server have names that come to the same here: whoever says the server and the name there means one of them.
#[test]
fn a_name_in_full_leads_to_its_own_tool() {
    let tools = [("n__a_b_1", "a.b"), ("n__a_b", "a_b"), ("n__a_b_2", "a b")]
        .map(|(name, original)| builder(name).toolkit("n").original_name(original).run_sync(|| "called"));
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tools(tools).build().unwrap());
    for (called, meant) in [("n__a.b", "n__a_b_1"), ("n__a b", "n__a_b_2")] {
        let told = format!("there is no tool {called:?}; did you mean {meant:?}?");
        assert_eq!(call(&dispatcher, called).error().unwrap().message(), told);
    }
}

#[test]
fn other_names_of_a_tool_are_repaired_too() {
    let search = builder("get_user").original_name("get user").run_sync(|| "called");
    let registry = ToolRegistry::builder().tool_as("find", search).build().unwrap();
    let dispatcher = Dispatcher::new(registry);
    for called in ["Get User", "GetUser", "FIND"] {
        assert_eq!(call(&dispatcher, called).tool_name(), "find", "{called}");
    }
}

#[test]
fn the_repair_can_be_off_for_all_and_by_source() {
    let off = Leniency::default().with_repair(RepairRule::Name, false);
    let tools = || {
        let tool = |name, source| builder(name).source(source).run_sync(|| "called");
        ToolRegistry::builder().tool(tool("Read", ToolSource::Builtin)).tool(tool("Send", ToolSource::Mcp))
    };
    let found = |registry: haft_core::RegistryBuilder| {
        let dispatcher = Dispatcher::new(registry.build().unwrap());
        ["read", "send"].map(|name| !call(&dispatcher, name).is_error())
    };
    assert_eq!(found(tools()), [true, true]);
    assert_eq!(found(tools().leniency(off.clone())), [false, false]);
    assert_eq!(found(tools().leniency_for(ToolSource::Mcp, off.clone())), [true, false]);
    let mixed = tools().leniency(off).leniency_for(ToolSource::Mcp, Leniency::default());
    assert_eq!(found(mixed), [false, true]);
    let strict = tools().leniency(Leniency::strict()).build().unwrap();
    assert_eq!(strict.not_found("read").message(), "there is no tool \"read\"; did you mean \"Read\"?");
}

/// Writes down the tools that it sees; what is called `Bash` is denied.
#[derive(Debug, Clone, Default)]
struct Watch(Arc<Mutex<Vec<String>>>);

impl Hook for Watch {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        let name = call.tool.as_ref().map(Tool::name).unwrap_or_default().to_owned();
        Box::pin(async move {
            Ok(match name.as_str() {
                "Bash" => BeforeCall::Deny { reason: "no shell".into() },
                _ => BeforeCall::Continue,
            })
        })
    }

    fn after<'a>(
        &'a self,
        call: &'a HookCall,
        _: Result<&'a ToolOutput, &'a ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        let name = call.tool.as_ref().map(Tool::name).unwrap_or_default().to_owned();
        self.0.lock().unwrap().push(name);
        Box::pin(async { Ok(AfterCall::Keep) })
    }
}

impl Answerer for Watch {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        self.0.lock().unwrap().push(request.tool.clone());
        Box::pin(async { Some(ApprovalDecision::reject("no")) })
    }
}

/// The results of one call alone and of one in a turn.
fn both(make: impl Fn() -> DispatcherBuilder, name: &str) -> [ToolResult; 2] {
    script::paused().block_on(async {
        let alone = make().build().call(name, "{}", CallContext::new()).await.unwrap();
        let calls = vec![ToolCall::new("c1", name, "{}")];
        let (turn, _events) = make().build().turn(calls).start().unwrap();
        let TurnOutcome::Finished(results) = turn.finish().await.unwrap() else { panic!("nothing waits") };
        [alone, results.into_iter().next().unwrap()]
    })
}

/// B35: what is decided on, and whoever decides, sees the tool's own name.
#[test]
fn whoever_decides_sees_the_tools_own_name() {
    let watch = Watch::default();
    let hooked = || Dispatcher::builder(registry(&["Bash"])).hook(watch.clone());
    for result in both(hooked, "bash") {
        assert_eq!((result.error().unwrap().code(), result.tool_name()), (ErrorCode::Denied, "Bash"));
    }
    let asks = || {
        let tool =
            builder("Bash").needs_approval(true).run_sync(|| panic!("nobody allowed it") as &'static str);
        Dispatcher::builder(ToolRegistry::builder().tool(tool).build().unwrap()).answerer(watch.clone())
    };
    for result in both(asks, "BASH") {
        assert_eq!((result.error().unwrap().code(), result.tool_name()), (ErrorCode::Rejected, "Bash"));
    }
    assert_eq!(*watch.0.lock().unwrap(), ["Bash", "Bash", "Bash", "Bash"]);

    // Arguments that do not match are told of that tool, with the fields that it takes.
    let strict = || {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        let tool = builder("Bash").schema(schema).run_sync(|| "called");
        Dispatcher::builder(ToolRegistry::builder().tool(tool).build().unwrap())
    };
    for result in both(strict, "bash") {
        assert_eq!((result.error().unwrap().code(), result.tool_name()), (ErrorCode::Arguments, "Bash"));
    }
}

#[test]
fn what_a_tool_asks_of_the_caller_is_asked_under_any_name() {
    let tool = builder("Pay").run_sync(|_: Extension<u32>| "paid");
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).build().unwrap());
    script::paused().block_on(async {
        assert!(dispatcher.call("pay", "{}", CallContext::new()).await.is_err());
        assert!(dispatcher.turn(vec![ToolCall::new("c1", "pay", "{}")]).start().is_err());
        let paid = dispatcher.call("pay", "{}", CallContext::new().with(7_u32)).await.unwrap();
        assert_eq!(paid.text(), "paid");
    });
}

#[test]
fn observers_are_told_of_the_repair() {
    script::paused().block_on(async {
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let tool = builder("Count").schema(schema).run_sync(|| "counted");
        let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).build().unwrap());
        let calls = vec![ToolCall::new("c1", "count", r#"{"n":"7"}"#)];
        let (turn, mut events) = dispatcher.turn(calls).start().unwrap();
        turn.finish().await.unwrap();
        let mut told = Vec::new();
        while let Some(event) = events.next().await {
            if let EventBody::Repaired { tool_call_id, repairs } = &event.body {
                told.push((tool_call_id.to_string(), repairs.clone()));
            }
        }
        let [(id, repairs)] = told.as_slice() else { panic!("one event: {told:?}") };
        assert_eq!((id.as_str(), rules(repairs)), ("c1", vec![("name", ""), ("scalar-text", "/n")]));
    });
}

/// However a name is spelt: the tool of that name, else the only one that is like it, else none.
#[test]
fn a_name_means_one_tool_or_none() {
    let fold = |name: &str| name.to_ascii_lowercase().replace(['-', '_'], "");
    let case =
        (prop::collection::btree_set("[abAB][abAB_-]{0,3}", 1..8), prop::collection::vec("[abAB_-]{1,4}", 8));
    let check = |(names, called): (BTreeSet<String>, Vec<String>)| {
        let registry = registry(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for called in called {
            let alike: Vec<&String> = names.iter().filter(|name| fold(name) == fold(&called)).collect();
            let wanted = match alike.as_slice() {
                _ if names.contains(&called) => Some(called.clone()),
                [only] => Some((*only).clone()),
                _ => None,
            };
            let validation = registry.validate(&ToolCall::new("c", called.as_str(), "{}"));
            prop_assert_eq!(
                validation.map(|validation| validation.tool_name),
                wanted,
                "{} of {:?}",
                called,
                names
            );
            if alike.len() > 1 {
                let message = registry.not_found(&called).message().to_owned();
                prop_assert!(alike.iter().all(|name| message.contains(&format!("{name:?}"))), "{}", message);
            }
        }
        Ok(())
    };
    runner(400).run(&case, check).expect("names hold");
}

/// One call has finished and one waits when the process ends; both results say afterwards what was repaired.
#[test]
fn what_was_repaired_is_on_record_after_a_restart() {
    script::paused().block_on(async {
        let process = |journal: &Arc<MemoryJournal>| {
            let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
            let count = builder("Count").schema(schema.clone()).run_sync(|| "counted");
            let pay = builder("Pay").schema(schema).needs_approval(true).run_sync(|| "paid");
            let registry = ToolRegistry::builder().tool(count).tool(pay).build().unwrap();
            Dispatcher::builder(registry).journal(Arc::clone(journal) as Arc<dyn Journal>).build()
        };
        for decision in [ApprovalDecision::Approve, ApprovalDecision::Edit { arguments: r#"{"n":8}"#.into() }]
        {
            let journal = Arc::new(MemoryJournal::new());
            let calls = ["count", "pay"].map(|name| ToolCall::new(name, name, r#"{"n":"7"}"#)).to_vec();
            let (turn, _events) = process(&journal).turn(calls).session("s").start().unwrap();
            let TurnOutcome::Suspended(waiting) = turn.finish().await.unwrap() else { panic!("one waits") };

            let text = serde_json::to_string(&journal.entries("s", &waiting.turn)).unwrap();
            let journal = Arc::new(MemoryJournal::new());
            journal.append(&serde_json::from_str::<Vec<Entry>>(&text).unwrap()).await.unwrap();
            let resume = process(&journal).resume("s", &waiting.turn).await.unwrap();
            let edited = matches!(decision, ApprovalDecision::Edit { .. });
            let resume = resume.answer(&waiting.pending()[0].id, decision).unwrap();
            let (turn, _events) = resume.start().unwrap();
            let TurnOutcome::Finished(results) = turn.finish().await.unwrap() else {
                panic!("nothing waits")
            };
            let [count, pay] = results.as_slice() else { panic!("two results") };
            let both = [("name", ""), ("scalar-text", "/n")];
            assert_eq!((count.text().as_ref(), rules(count.repaired())), ("counted", both.to_vec()));
            // What a person put in its place was not repaired; the name was.
            let of_pay = if edited { &both[..1] } else { &both[..] };
            assert_eq!((pay.is_error(), rules(pay.repaired())), (false, of_pay.to_vec()));
        }
        let unknown = serde_json::from_str::<Repair>(r#"{"rule":"guess","path":""}"#).unwrap_err();
        assert!(unknown.to_string().contains("there is no repair \"guess\""), "{unknown}");
    });
}
