//! What a model reads of a failed call: a golden file for every row of the table, in both forms.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::panic_any,
    path::Path,
    time::Duration,
};

use haft_core::{
    AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Args, BatchingStrategy, CallContext,
    Dispatcher, Effects, ErrorBody, ErrorCode, ErrorStyle, Json, Refusal, Tool, ToolBuilder, ToolCall,
    ToolError, ToolErrorKind, ToolRegistry, ToolResult,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{golden, script};

/// The file of a row: the name of its variant, in lower case.
fn file_of(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Arguments => "arguments",
        ErrorCode::Output => "output",
        ErrorCode::NotFound => "not-found",
        ErrorCode::Denied => "denied",
        ErrorCode::Rejected => "rejected",
        ErrorCode::NotRun => "not-run",
        ErrorCode::Timeout => "timeout",
        ErrorCode::Cancelled => "cancelled",
        ErrorCode::Sandbox => "sandbox",
        ErrorCode::Mcp => "mcp",
        ErrorCode::Execution => "execution",
        ErrorCode::MalformedCall => "malformed-call",
        ErrorCode::Interrupted => "interrupted",
        other => panic!("{other:?} has no golden file yet: give it one here"),
    }
}

fn tool(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Fails in its own way.")
}

fn search(name: &str) -> ToolBuilder {
    tool(name).schema(json!({
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 50}},
        "required": ["query"],
    }))
}

#[derive(Debug)]
struct Rejects;

impl Answerer for Rejects {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async { Some(ApprovalDecision::reject("not on a Friday")) })
    }
}

fn registry() -> ToolRegistry {
    ToolRegistry::builder()
        .tool(search("search").run(|Args(all): Args<Value>| async { Json(all) }))
        .tool(
            tool("count")
                .output_schema(json!({"type": "object", "properties": {"rows": {"type": "integer"}}, "required": ["rows"]}))
                .run_sync(|| Json(json!({"rows": "three"}))),
        )
        .tool(tool("parse").run_sync(|| "seven".parse::<u8>().map(|number| number.to_string())))
        .tool(tool("panic").run_sync(|| -> &'static str { panic!("scripted: index out of bounds") }))
        .tool(tool("panic_any").run_sync(|| -> &'static str { panic_any(7_u8) }))
        .tool(tool("write_note").run_sync(|| {
            Err::<(), _>(ToolError::refusal("stale-revision", "The note has moved on.").row(["revision", "8"]).row(["by", "ada\tb"]))
        }))
        .tool(tool("fetch").run_sync(|| {
            let error = ToolError::new("503 Service Unavailable").with_name("HttpError");
            Err::<(), _>(error.retry_after(Duration::from_millis(1_500)).with_field("status", 503))
        }))
        .tool(tool("abort").run_sync(|| Err::<(), _>(ToolError::new("the budget is spent").propagate())))
        .tool(tool("sleep").batching(BatchingStrategy::Parallel).timeout(Duration::from_secs(10)).run(std::future::pending::<()>))
        .tool(tool("look").read_only(true).run(std::future::pending::<()>))
        .tool(tool("deploy").needs_approval(true).run_sync(|| "deployed"))
        .build()
        .unwrap()
}

fn alone(dispatcher: &Dispatcher, name: &str, arguments: &str) -> ToolResult {
    script::paused().block_on(dispatcher.call(name, arguments, CallContext::new().call_id("c1"))).unwrap()
}

/// A turn of two calls of one id, a call without a name, one that waits, and one behind it, cancelled.
fn of_a_cancelled_turn() -> Vec<ToolResult> {
    script::paused().block_on(async {
        let calls = [("c1", "parse"), ("c1", "parse"), ("c2", ""), ("c3", "look"), ("c4", "sleep"), ("c5", "parse")];
        let calls = calls.map(|(id, name)| ToolCall::new(id, name, "{}")).to_vec();
        let (turn, mut events) = Dispatcher::new(registry()).turn(calls).start().unwrap();
        loop {
            let event = events.next().await.unwrap();
            if matches!(&event.body, haft_core::EventBody::Executing { tool_call_id } if tool_call_id.as_str() == "c4") {
                break;
            }
        }
        turn.cancel();
        turn.finish().await.unwrap().finished().unwrap()
    })
}

/// A turn whose runtime ends while it runs.
fn of_a_lost_turn() -> ToolResult {
    let runtime = script::paused();
    let turn = runtime.block_on(async {
        let (turn, _) =
            Dispatcher::new(registry()).turn(vec![ToolCall::new("c1", "sleep", "{}")]).start().unwrap();
        turn
    });
    drop(runtime);
    let error = script::paused().block_on(turn.finish()).unwrap_err();
    assert_eq!(error.code(), 2304);
    error.results()[0].clone()
}

/// Each golden file with the result it holds.
fn results() -> Vec<(String, ToolResult)> {
    script::quiet_panics();
    let dispatcher = Dispatcher::new(registry());
    let of = |error: ToolError| ToolResult::failed("c1", "deploy", error);
    let many =
        ToolRegistry::builder().tools((0..60).map(|n| tool(&format!("tool_{n:02}")).run_sync(|| ""))).build();
    let many = Dispatcher::new(many.unwrap());
    let rejecting = Dispatcher::builder(registry()).answerer(Rejects).build();
    let turn = of_a_cancelled_turn();

    let named = [
        ("arguments", alone(&dispatcher, "search", r#"{"limits":5,"limit":99}"#)),
        ("arguments-truncated", alone(&dispatcher, "search", r#"{"query":"a b"#)),
        ("arguments-malformed", alone(&dispatcher, "search", r#"{"query": open}"#)),
        ("output", alone(&dispatcher, "count", "")),
        ("not-found", alone(&many, "tol_07", "{}")),
        ("denied-nobody-to-ask", alone(&dispatcher, "deploy", "{}")),
        ("rejected", alone(&rejecting, "deploy", "{}")),
        ("timeout", alone(&dispatcher, "sleep", "{}")),
        ("cancelled", turn[4].clone()),
        ("cancelled-read-only", turn[3].clone()),
        ("not-run", turn[5].clone()),
        ("malformed-call", turn[1].clone()),
        ("malformed-call-no-name", turn[2].clone()),
        ("execution", alone(&dispatcher, "parse", "{}")),
        ("execution-panic", alone(&dispatcher, "panic", "{}")),
        ("execution-panic-without-text", alone(&dispatcher, "panic_any", "{}")),
        ("execution-refusal", alone(&dispatcher, "write_note", "{}")),
        ("execution-retryable", alone(&dispatcher, "fetch", "{}")),
        ("execution-propagating", alone(&dispatcher, "abort", "{}")),
        ("interrupted", of_a_lost_turn()),
        // What no part of the core makes by itself.
        (
            "denied",
            of(ToolError::of(ErrorCode::Denied, "deploying to production is not allowed")
                .with_reason("rule `production`")
                .recoverable(false)),
        ),
        (
            "sandbox",
            of(ToolError::of(ErrorCode::Sandbox, "deploy runs in a sandbox only, and there is none")),
        ),
        ("mcp", of(ToolError::of(ErrorCode::Mcp, "no such channel"))),
    ];
    named.into_iter().map(|(name, result)| (name.to_owned(), result)).collect()
}

#[test]
fn every_row_of_the_table_has_its_body() {
    let results = results();
    let mut files = BTreeSet::new();
    for (name, result) in &results {
        let error = result.error().unwrap();
        let body = ErrorBody::new(result.tool_name(), error);
        assert_eq!(result.text(), body.to_json(), "a result is written as its body");
        golden::check(&format!("errors/{name}.json"), &body.to_json());
        golden::check(&format!("errors/{name}.refusal.txt"), &body.to_text(ErrorStyle::Refusal));
        files.extend([format!("{name}.json"), format!("{name}.refusal.txt")]);
    }
    for code in ErrorCode::ALL {
        let named = results.iter().find(|(name, _)| name == file_of(code));
        assert_eq!(named.unwrap().1.error().unwrap().code(), code);
    }
    golden::assert_all("errors", &files);
}

/// The keys of an object in the order in which they are written.
fn keys(json: &str) -> Vec<String> {
    struct Keys;
    impl<'de> serde::de::Visitor<'de> for Keys {
        type Value = Vec<String>;

        fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Vec<String>, A::Error> {
            let mut keys = Vec::new();
            while let Some((key, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                keys.push(key);
            }
            Ok(keys)
        }
    }
    serde::Deserializer::deserialize_map(&mut serde_json::Deserializer::from_str(json), Keys).unwrap()
}

/// The order of the table: five fields that every body has, then extras, then the tool's own.
#[test]
fn a_body_has_its_fields_in_order_and_each_once() {
    const ORDER: [&str; 16] = [
        "error",
        "toolName",
        "message",
        "kind",
        "code",
        "issues",
        "fields",
        "reason",
        "_recoverable",
        "note",
        "effects",
        "tools",
        "more",
        "refusal",
        "retryable",
        "retry_after",
    ];
    for (name, result) in results() {
        let keys = keys(&result.text());
        assert_eq!(keys[..5], ORDER[..5], "{name}");
        let places: Vec<usize> =
            keys.iter().map(|key| ORDER.iter().position(|own| own == key).unwrap_or(ORDER.len())).collect();
        assert!(places.is_sorted(), "{name}: {keys:?}");
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{name}: {keys:?}");
    }
    let own = ORDER.iter().chain(&["own", "own"]);
    let error = own.fold(ToolError::new("no"), |error, name| error.with_field(*name, 1));
    let body = ErrorBody::new("t", &error)
        .field("own", 2)
        .field("message", "another")
        .field("more_of_it", json!({}));
    assert_eq!(
        body.to_json(),
        r#"{"error":"ToolExecutionError","toolName":"t","message":"no","kind":"execution","code":1011,"own":2,"more_of_it":{}}"#
    );
}

/// A wrapper of one's own, that knows only what a result tells, writes the same bytes.
#[test]
fn a_body_of_ones_own_is_byte_equal() {
    for (name, result) in results() {
        let error = result.error().unwrap();
        assert_eq!(
            ErrorBody::new(result.tool_name(), error).kind(error.kind()).to_json(),
            result.text(),
            "{name}"
        );
    }
    let timeout = ToolError::of(ErrorCode::Timeout, "sleep took longer than 10s; nothing was changed");
    let own = ErrorBody::new("sleep", &timeout.with_effects(Effects::None)).to_json();
    let ours = alone(&Dispatcher::new(registry()), "sleep", "{}").text().replace(
        "it may have changed something before: check before you call it again\",",
        "nothing was changed\",",
    );
    assert_eq!(own, ours.replace(r#""effects":"unknown""#, r#""effects":"none""#));
    // The kind that a wrapper chooses brings its name and number, unless the error has a name of its own.
    let plain = ToolError::new("gone");
    let body: Value =
        serde_json::from_str(&ErrorBody::new("t", &plain).kind(ToolErrorKind::Mcp).to_json()).unwrap();
    assert_eq!((&body["error"], &body["code"]), (&json!("McpToolError"), &json!(1010)));
    let named = ToolError::new("gone").with_name("GoneError");
    let body: Value =
        serde_json::from_str(&ErrorBody::new("t", &named).kind(ToolErrorKind::Mcp).to_json()).unwrap();
    assert_eq!((&body["error"], &body["kind"]), (&json!("GoneError"), &json!("mcp")));
}

/// The first 2,000 characters, never half of one; the whole stays for the host.
#[test]
fn a_long_message_is_cut_in_the_body_alone() {
    script::runner(64)
        .run(&("[a-zäß漢🦀]{1,8}", 0_usize..3_000), |(unit, length)| {
            let message: String = unit.chars().cycle().take(length).collect();
            let error = ToolError::new(message.clone());
            assert_eq!(error.message(), message);
            let body: Value = serde_json::from_str(&ErrorBody::new("t", &error).to_json()).unwrap();
            let told = body["message"].as_str().unwrap();
            if length <= 2_000 {
                assert_eq!(told, message);
            } else {
                let kept: String = message.chars().take(2_000).collect();
                assert_eq!(told, format!("{kept}... (truncated)"));
            }
            let refusal = ErrorBody::new("t", &error).to_refusal();
            assert_eq!(refusal.message(), told);
            Ok(())
        })
        .unwrap();
}

/// Whatever a failure holds, its refusal text reads back to the same.
#[test]
fn every_failure_reads_back_from_its_refusal_text() {
    for (name, result) in results() {
        let refusal = ErrorBody::new(result.tool_name(), result.error().unwrap()).to_refusal();
        assert_eq!(Refusal::parse(&refusal.body()), Some(refusal.clone()), "{name}");
        assert_eq!(Refusal::parse(&refusal.rows_text()), Some(refusal), "{name}");
    }
    script::runner(256)
        .run(&any::<String>(), |message| {
            for code in ErrorCode::ALL {
                let error = ToolError::of(code, message.clone());
                let refusal = ErrorBody::new(&message, &error).to_refusal();
                assert_eq!(Refusal::parse(&refusal.body()), Some(refusal));
            }
            Ok(())
        })
        .unwrap();
}

/// A dispatcher with refusal style says the same things as rows.
#[test]
fn a_dispatcher_writes_refusals_when_told_to() {
    let dispatcher = Dispatcher::builder(registry()).error_style(ErrorStyle::Refusal).build();
    assert_eq!(
        alone(&dispatcher, "search", r#"{"limits":5,"query":"a"}"#).text(),
        "refused\tbad-arguments\tunknown field `limits`; did you mean `limit`?\nfields\tquery\tlimit"
    );
    assert_eq!(
        alone(&dispatcher, "write_note", "{}").text(),
        "refused\tstale-revision\tThe note has moved on.\nrevision\t8\nby\tada b"
    );
    assert!(alone(&dispatcher, "serch", "{}").text().starts_with("refused\tunknown-tool\t"));
}

/// The numbers that the sources of the workspace name, with the files that name each.
fn numbers(folder: &Path, found: &mut BTreeMap<u16, BTreeSet<String>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            numbers(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let value = line.split("=>").last().unwrap_or(line).trim().trim_end_matches(',');
                let answers = line.contains("Self::") || line.trim() == value;
                if let Some(number) =
                    value.parse().ok().filter(|number| answers && (1_000..3_000).contains(number))
                {
                    let file = path.file_name().unwrap().to_str().unwrap();
                    found.entry(number).or_default().insert(file.to_owned());
                }
            }
        }
    }
}

/// Every number that an error of the workspace answers with `code()` is of one error, and has its section in the guide.
#[test]
fn every_number_has_its_page() {
    const PAGE: &str = "docs/guide/error-codes.md";
    // One mistake that is told by itself and within another.
    const SHARED: [(u16, [&str; 2]); 2] =
        [(2001, ["name.rs", "problem.rs"]), (2510, ["journal.rs", "resume.rs"])];

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let guide = std::fs::read_to_string(root.join(PAGE)).unwrap();
    let headings: Vec<&str> = guide.lines().filter_map(|line| line.strip_prefix("### ")).collect();
    let heading = |number: u16| headings.iter().find(|heading| heading.starts_with(&number.to_string()));
    for code in ErrorCode::ALL {
        let expected = format!("{} `{}`, kind `{}`", code.number(), code.error_name(), code.kind());
        assert_eq!(heading(code.number()), Some(&expected.as_str()));
    }
    let mut found = BTreeMap::new();
    for package in std::fs::read_dir(root.join("crates")).unwrap() {
        numbers(&package.unwrap().path().join("src"), &mut found);
    }
    assert!(found.len() > 50, "the numbers are found: {found:?}");
    for (number, files) in &found {
        assert!(heading(*number).is_some(), "{PAGE} has no section for {number} of {files:?}");
        let shared = SHARED.iter().any(|(shared, by)| shared == number && files.iter().eq(by));
        assert!(files.len() == 1 || shared, "{number} stands for two errors: {files:?}");
    }
    for heading in headings {
        let number = heading.get(..4).and_then(|digits| digits.parse::<u16>().ok());
        let known = number.is_some_and(|number| found.contains_key(&number));
        assert!(known, "{PAGE} tells of {heading:?}, which no source names");
    }
}
