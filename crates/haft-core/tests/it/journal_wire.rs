//! What a journal holds: a golden file for every kind of entry, and results that read back to the same bytes.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use haft_core::{
    Answer, ApprovalDecision, Args, Clock, Content, CountingIds, Dispatcher, Entry, EntryBody, ErrorCode,
    ErrorStyle, Journal, Json, MemoryJournal, PendingKind, Question, RecordedResult, Refusal, Reply,
    ResumeError, Tool, ToolBuilder, ToolCall, ToolContext, ToolError, ToolOutput, ToolRegistry, ToolResult,
    TurnOutcome,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{golden, script};

#[derive(Debug)]
struct Stopped;

impl Clock for Stopped {
    fn now_millis(&self) -> u64 {
        1_767_225_600_000
    }
}

fn tool(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Is recorded.")
}

fn registry() -> ToolRegistry {
    let schema = json!({"type": "object", "properties": {"b": {"type": "number"}, "a": {"type": "integer"}}});
    ToolRegistry::builder()
        .tool(
            tool("pay")
                .schema(schema)
                .needs_approval(true)
                .run_sync(|Args(arguments): Args<Value>| Json(arguments)),
        )
        .tool(tool("deploy").run(|context: ToolContext| async move {
            let branch = context.ask(Question::new("Which branch?").option("main").option("next")).await?;
            Ok::<_, ToolError>(format!("deployed {}", branch.as_text().unwrap_or_default()))
        }))
        .build()
        .unwrap()
}

fn dispatcher(journal: &Arc<MemoryJournal>) -> Dispatcher {
    let journal = Arc::clone(journal) as Arc<dyn Journal>;
    Dispatcher::builder(registry()).journal(journal).ids(CountingIds::default()).clock(Stopped).build()
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
}

/// All entries of a turn that is approved, edited and answered.
async fn of_a_turn() -> Vec<Entry> {
    let journal = Arc::new(MemoryJournal::new());
    let calls = vec![
        ToolCall::new("c1", "pay", r#"{"b": 0.30000000000000004, "a": 12345678901234567890}"#),
        ToolCall::new("c2", "deploy", ""),
        ToolCall::new("c3", "deploi", "{}"),
    ];
    let (turn, _) = dispatcher(&journal).turn(calls).session("s-1").start().unwrap();
    let id = turn.id().to_owned();
    let mut outcome = turn.finish().await.unwrap();
    while let TurnOutcome::Suspended(waiting) = &outcome {
        let pending = &waiting.pending()[0];
        let reply: Reply = match &pending.kind {
            PendingKind::Approval(_) => {
                ApprovalDecision::Edit { arguments: r#"{"b": 0.5, "a": 7}"#.into() }.into()
            }
            _ => Answer::from("main").into(),
        };
        let resumed =
            dispatcher(&journal).resume("s-1", &id).await.unwrap().answer(&pending.id, reply).unwrap();
        outcome = resumed.start().unwrap().0.finish().await.unwrap();
    }
    journal.entries("s-1", &id)
}

/// The names that the source gives to the kinds of entries that are written.
fn names() -> BTreeSet<String> {
    let source = include_str!("../../src/journal/entry.rs");
    let arms = source.lines().filter(|line| line.contains("Self::") && line.contains("=> \""));
    let names = arms.filter_map(|line| Some(line.split('"').nth(1)?.to_owned()));
    let names: BTreeSet<String> = names.filter(|name| name != EntryBody::Unreadable.name()).collect();
    assert!(names.len() >= 11, "{names:?}");
    names
}

#[test]
fn every_kind_of_entry_has_its_form() {
    let mut first: BTreeMap<String, Entry> = BTreeMap::new();
    for entry in run(of_a_turn()) {
        let name = entry.entry.name().to_owned();
        let wire = serde_json::to_value(&entry).unwrap();
        assert_eq!(wire["entry"]["type"], name.as_str());
        // Whatever order a database gives the members back in.
        let data = wire["entry"].get("data").map(|data| format!(r#""data":{data},"#)).unwrap_or_default();
        let turned = format!(
            r#"{{"entry":{{{data}"type":"{name}"}},"at":{},"turn":{},"session":{},"v":1}}"#,
            wire["at"], wire["turn"], wire["session"]
        );
        assert_eq!(serde_json::from_str::<Entry>(&turned).unwrap(), entry, "{turned}");
        assert_eq!(serde_json::from_value::<Entry>(wire).unwrap(), entry);
        first.entry(name).or_insert(entry);
    }
    assert_eq!(first.keys().cloned().collect::<BTreeSet<_>>(), names());
    for (name, entry) in &first {
        let text = serde_json::to_string(entry).unwrap();
        golden::check(&format!("journal/{name}.json"), &text);
        let read: Entry = serde_json::from_str(&text).unwrap();
        assert_eq!(&read, entry);
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }
    let files = first.keys().map(|name| format!("{name}.json")).collect();
    golden::assert_all("journal", &files);
}

/// The result of a call whose journal says that it finished so; the entries go over the wire.
fn restored(result: &ToolResult, style: ErrorStyle) -> ToolResult {
    let opened = json!({"v": 1, "session": "s", "turn": "t", "at": null, "entry":
        {"type": "turn_opened", "data": {"calls": [{"id": "c1", "name": result.tool_name(), "arguments": "{}"}]}}});
    let result = Box::new(RecordedResult::of(result));
    let finished = Entry::new("s", "t", None, EntryBody::CallFinished { position: 0, result });
    let entries = [opened.to_string(), serde_json::to_string(&finished).unwrap()];
    let entries: Vec<Entry> = entries.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    run(async {
        let journal = Arc::new(MemoryJournal::new());
        journal.append(&entries).await.unwrap();
        let dispatcher =
            Dispatcher::builder(registry()).journal(journal as Arc<dyn Journal>).error_style(style);
        let resumed = dispatcher.build().resume("s", "t").await.unwrap();
        match resumed.start().unwrap().0.finish().await {
            Ok(outcome) => outcome.finished().unwrap().remove(0),
            Err(aborted) => aborted.results()[0].clone(),
        }
    })
}

fn assert_same(result: &ToolResult) {
    let read = restored(result, ErrorStyle::default());
    assert_eq!(read.text(), result.text());
    assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(result).unwrap());
    assert_eq!((read.id(), read.tool_name()), (result.id(), result.tool_name()));
    match (read.outcome(), result.outcome()) {
        (Ok(read), Ok(output)) => assert_eq!(read, output),
        (Err(read), Err(error)) => {
            assert_eq!(
                (read.code(), read.name(), read.message(), read.propagates()),
                (error.code(), error.name(), error.message(), error.propagates())
            );
            let of =
                |error| haft_core::ErrorBody::new(result.tool_name(), error).to_text(ErrorStyle::Refusal);
            assert_eq!(of(read), of(error));
            assert_eq!(read.metadata(), error.metadata());
        }
        (read, _) => panic!("{read:?}"),
    }
}

#[test]
fn errors_of_every_row_read_back_to_the_same_bytes() {
    for code in ErrorCode::ALL {
        let error = || ToolError::of(code, "a \"b\"\n\tc \u{1b} \u{2028} 𝄞");
        let full = error()
            .with_name("Zitat")
            .with_reason("rule `x`")
            .recoverable(false)
            .retry_after(Duration::new(3, 141_592_653))
            .with_field("float", 31.245_270_191_439_438)
            .with_field("zeta", json!({"b": [1, -0.0, 1e300, u64::MAX, i64::MIN], "a": null}))
            .with_field("alpha", "last")
            .with_metadata("mcp", json!({"content": [{"type": "image", "data": "AAAA"}]}))
            .with_metadata("n", u64::MAX);
        for error in [error(), full, error().propagate(), error().retryable(true)] {
            assert_same(&ToolResult::failed("c1", "pay", error));
        }
    }
    let refusal = ToolError::refusal("stale-revision", "The note has moved on.")
        .row(["revision", "8"])
        .row([""])
        .row(["by", "ada\tb"]);
    assert_same(&ToolResult::failed("c1", "pay", refusal));
}

/// What checking, a look-up, a panic and an output's schema make of calls.
#[test]
fn errors_that_haft_makes_read_back_to_the_same_bytes() {
    script::quiet_panics();
    let registry = ToolRegistry::builder()
        .tool(
            tool("search")
                .schema(json!({"type": "object", "properties": {"limit": {"type": "integer", "maximum": 5}}}))
                .run_sync(|| ""),
        )
        .tool(
            tool("count")
                .output_schema(json!({"type": "object", "required": ["rows"]}))
                .run_sync(|| Json(json!({}))),
        )
        .tool(tool("panics").run_sync(|| -> &'static str { panic!("scripted") }))
        .build()
        .unwrap();
    let dispatcher = Dispatcher::new(registry);
    let calls = [
        ("search", r#"{"limits": 99, "limit": 1e2}"#),
        ("search", "{"),
        ("serch", "{}"),
        ("count", "{}"),
        ("panics", "{}"),
    ];
    for (name, arguments) in calls {
        let context = haft_core::CallContext::new().call_id("c1");
        let result = run(dispatcher.call(name, arguments, context)).unwrap();
        assert!(result.is_error());
        assert_same(&result);
    }
    let refused = run(dispatcher.call("serch", "{}", haft_core::CallContext::new().call_id("c1"))).unwrap();
    let body = haft_core::ErrorBody::new("serch", refused.error().unwrap()).to_text(ErrorStyle::Refusal);
    assert_eq!(restored(&refused, ErrorStyle::Refusal).text(), body);
    assert!(Refusal::parse(&body).is_some());
}

#[test]
fn outputs_of_every_form_read_back_to_the_same_bytes() {
    let every = [
        Content::text("a\u{0}b"),
        Content::Image { data: "AAEC".into(), mime_type: "image/png".into() },
        Content::Audio { data: "AAEC".into(), mime_type: "audio/wav".into() },
        Content::ResourceLink {
            uri: "file:///a".into(),
            name: "a".into(),
            description: None,
            mime_type: None,
        },
        Content::ResourceLink {
            uri: "file:///a".into(),
            name: "a".into(),
            description: Some("A file.".into()),
            mime_type: Some("text/plain".into()),
        },
        Content::Resource { resource: json!({"uri": "x:y", "text": "z", "n": 0.1}) },
        Content::Resource { resource: json!({"uri": "x:y", "blob": "AAEC"}) },
    ];
    let outputs = [
        ToolOutput::empty(),
        ToolOutput::text("text \u{2028} 𝄞"),
        ToolOutput::json(&json!({"b": 9_007_199_254_740_993_u64, "a": [0.1, null]})),
        ToolOutput::json(&Value::Null),
        ToolOutput::blocks(Vec::new()),
        ToolOutput::blocks(every.to_vec()),
        ToolOutput::text("7")
            .with_display("seven")
            .with_metadata("title", "a")
            .with_metadata("n", json!({"z": 1, "a": 2})),
    ];
    let alone = every.iter().map(|block| ToolOutput::blocks(vec![block.clone()]));
    for output in outputs.into_iter().chain(alone) {
        assert_same(&ToolResult::succeeded("c1", "pay", output));
    }
}

/// Structured text is kept as it was written; any number that a body holds comes back with all its digits.
#[test]
fn numbers_read_back_to_the_same_bytes() {
    let numbers = prop_oneof![
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(Value::from),
        any::<i64>().prop_map(Value::from)
    ];
    script::runner(200)
        .run(&(numbers, 0..=u64::MAX / 2), |(number, nanos)| {
            let error =
                ToolError::new("no").with_field("n", number.clone()).retry_after(Duration::from_nanos(nanos));
            assert_same(&ToolResult::failed("c1", "pay", error));
            assert_same(&ToolResult::succeeded("c1", "pay", ToolOutput::json(&number)));
            Ok(())
        })
        .unwrap();
}

/// What a later version has written is never guessed at, whether or not this one could read it.
#[test]
fn another_version_is_refused() {
    let entries = run(of_a_turn());
    let open = entries.split_last().unwrap().1;
    for (version, entry) in [
        (2, json!({"type": "call_decided", "data": {"position": 0, "verdict": "perhaps"}})),
        (7, json!({"type": "call_postponed", "until": 3})),
        (2, json!("closed")),
        (0, json!({"type": "turn_closed"})),
    ] {
        let frame = &entries[0];
        let line = json!({"v": version, "session": frame.session, "turn": frame.turn, "at": 1, "entry": entry, "more": 1});
        let later: Entry = serde_json::from_str(&line.to_string()).unwrap();
        assert_eq!((later.v, &later.entry), (version, &EntryBody::Unreadable));
        assert!(serde_json::to_string(&later).is_err(), "it can not be written as something else");
        let entries: Vec<Entry> = open.iter().cloned().chain([later]).collect();
        let error = run(async {
            let journal = Arc::new(MemoryJournal::new());
            journal.append(&entries).await.unwrap();
            dispatcher(&journal).resume(&frame.session, &frame.turn).await.unwrap_err()
        });
        assert!(matches!(error, ResumeError::Version { version: found, .. } if found == version));
        assert_eq!(error.code(), 2514);
        assert!(
            error.to_string().contains(&format!("version {version}, and this haft knows version 1")),
            "{error}"
        );
    }
    let unknown = r#"{"v":1,"session":"","turn":"","at":1,"entry":{"type":"call_postponed"}}"#;
    assert!(serde_json::from_str::<Entry>(unknown).is_err(), "its own version has no such kind");
}
