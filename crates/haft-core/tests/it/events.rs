//! What observers are told: the form on the wire, and that no observer holds anything up.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use haft_core::{
    AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Args, CallContext, Clock, Content,
    CountingIds, Dispatcher, DispatcherBuilder, EventBody, IdSource, Json, Progress, RepeatedCalls,
    RetryLayer, Tool, ToolCall, ToolContext, ToolError, ToolEvent, ToolEvents, ToolOutput, ToolRegistry,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{golden, script};

/// A clock that stands at one moment, and counts who asks it.
#[derive(Debug, Default, Clone)]
struct Stopped(Arc<AtomicUsize>);

impl Clock for Stopped {
    fn now_millis(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        1_767_225_600_000
    }
}

#[derive(Debug)]
struct Approves;

impl Answerer for Approves {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async { Some(ApprovalDecision::Approve) })
    }
}

fn tool(name: &str) -> haft_core::ToolBuilder {
    Tool::builder(name).description("Is observed.")
}

fn anything(name: &str) -> haft_core::ToolBuilder {
    tool(name).schema(json!({"type": "object", "additionalProperties": true}))
}

fn registry() -> ToolRegistry {
    ToolRegistry::builder()
        .tool(anything("echo").run(|Args(all): Args<Value>| async { Json(all) }))
        .tool(
            tool("measure")
                .schema(json!({"type": "object", "properties": {"unit": {"type": "string"}}}))
                .run_sync(|| ToolOutput::text("7 cm").with_metadata("title", "length").with_display("seven")),
        )
        .tool(tool("draw").run_sync(|| vec![Content::text("a line")]))
        .tool(tool("fail").run_sync(|| Err::<(), _>(ToolError::new("no ink"))))
        .tool(tool("pay").needs_approval(true).run_sync(|| "paid"))
        .tool(
            tool("call_again")
                .idempotent(true)
                .layer(RetryLayer::new(2, Duration::ZERO))
                .run_sync(|| Err::<(), _>(ToolError::new("busy").retryable(true))),
        )
        .tool(tool("copy").run_sync(|progress: Progress| {
            progress.report(1.0, 2.0);
            progress.message(2.0, "nearly there");
        }))
        .tool(anything("repeat").run_sync(|Args(all): Args<Value>, context: ToolContext| {
            for done in 0..all["times"].as_u64().unwrap() {
                #[expect(clippy::cast_precision_loss, reason = "small")]
                context.progress(done as f64, None, None);
            }
        }))
        .build()
        .unwrap()
}

fn builder(registry: ToolRegistry) -> DispatcherBuilder {
    let repeated = RepeatedCalls::allow(1).tell().except(|tool| tool != "measure");
    let builder = Dispatcher::builder(registry).ids(CountingIds::default()).clock(Stopped::default());
    builder.answerer(Approves).hook(repeated)
}

async fn all_of(events: &mut ToolEvents) -> Vec<Arc<ToolEvent>> {
    let mut all = Vec::new();
    while let Some(event) = events.next().await {
        all.push(event);
    }
    all
}

async fn of_calls(dispatcher: &Dispatcher, calls: &[(&str, &str)]) -> Vec<Arc<ToolEvent>> {
    let named = |(place, (name, arguments)): (usize, &(&str, &str))| {
        ToolCall::new(format!("c{place}"), *name, *arguments)
    };
    let calls = calls.iter().enumerate().map(named).collect();
    let (turn, mut events) = dispatcher.turn(calls).session("s-1").start().unwrap();
    turn.finish().await.unwrap();
    all_of(&mut events).await
}

/// The events of a function on a thread that outlives its time.
async fn of_a_thread() -> Vec<Arc<ToolEvent>> {
    let (begun, mut has_begun) = tokio::sync::mpsc::unbounded_channel();
    let (gate, waits) = mpsc::channel::<()>();
    let waits = Mutex::new(waits);
    let block = tool("block").timeout(Duration::from_secs(60)).run_blocking(move || {
        let _ = begun.send(());
        let _ = waits.lock().unwrap().recv();
    });
    let dispatcher = builder(ToolRegistry::builder().tool(block).build().unwrap()).build();
    let mut events = dispatcher.subscribe();
    let calls = vec![ToolCall::new("c0", "block", "{}")];
    let (turn, _) = dispatcher.turn(calls).session("s-1").start().unwrap();
    has_begun.recv().await.unwrap();
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(60)).await;
    turn.finish().await.unwrap();
    drop(gate);
    let mut all = Vec::new();
    loop {
        let event = events.next().await.unwrap();
        all.push(Arc::clone(&event));
        if matches!(event.body, EventBody::Late { .. }) {
            return all;
        }
    }
}

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test)
}

/// The names that the source gives to the kinds of events.
fn names() -> BTreeSet<String> {
    let source = include_str!("../../src/event/body.rs");
    let arms = source.lines().filter(|line| line.contains("Self::") && line.contains("=> \""));
    let names: BTreeSet<String> = arms.filter_map(|line| Some(line.split('"').nth(1)?.to_owned())).collect();
    assert!(names.len() >= 11, "{names:?}");
    names
}

#[test]
fn every_kind_of_event_has_its_form() {
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    run(async {
        let dispatcher = builder(registry()).build();
        let calls = [
            ("measure", r#"{ "unit": null }"#),
            ("measure", "{}"),
            ("copy", ""),
            ("pay", "{}"),
            ("fail", "{}"),
            ("echo", r#"{"id": 12345678901234567890, "text": "a b"}"#),
            ("draw", "{}"),
        ];
        let mut slow = dispatcher.subscribe();
        let mut events = of_calls(&dispatcher, &calls).await;
        of_calls(&dispatcher, &[("repeat", r#"{"times": 5000}"#)]).await;
        events.push(slow.next().await.unwrap());
        events.extend(of_calls(&dispatcher, &[("call_again", "{}")]).await);
        events.extend(of_a_thread().await);
        for event in events {
            first
                .entry(event.body.name().to_owned())
                .or_insert_with(|| serde_json::to_string(&*event).unwrap());
        }
    });
    assert_eq!(first.keys().cloned().collect::<BTreeSet<_>>(), names());
    for (name, event) in &first {
        golden::check(&format!("events/{name}.json"), event);
    }
    let files = first.keys().map(|name| format!("{name}.json")).collect();
    golden::assert_all("events", &files);
}

/// The forms of a result: text, blocks, a structured value, metadata for the host.
#[test]
fn a_completed_call_tells_all_of_its_result() {
    run(async {
        let dispatcher = builder(registry()).build();
        let calls = [("measure", "{}"), ("draw", "{}"), ("echo", r#"{"a":[1]}"#), ("copy", "{}")];
        let events = of_calls(&dispatcher, &calls).await;
        let results = events.iter().filter(|event| matches!(event.body, EventBody::Completed { .. }));
        let results: Vec<Value> =
            results.map(|event| serde_json::to_value(&**event).unwrap()["result"].clone()).collect();
        assert_eq!(
            results,
            [
                json!({"output": "7 cm", "isError": false, "metadata": {"title": "length"}}),
                json!({"output": "a line", "isError": false, "content": [{"type": "text", "text": "a line"}]}),
                json!({"output": r#"{"a":[1]}"#, "isError": false, "structured": {"a": [1]}}),
                json!({"output": "", "isError": false}),
            ]
        );
    });
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Wide {
    wide: i128,
}

/// B52: no number is rounded on its way to an observer, and every event is one line.
#[test]
fn events_keep_every_digit() {
    let sent = "{\n  \"a\": 9007199254740993,\n  \"b\": -9223372036854775808,\n  \"c\": 18446744073709551615,\n  \"d\": 0.1000,\n  \"e\": \"x \\\" \\\\ y\"\n}";
    let shown = r#""args":{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615,"d":0.1000,"e":"x \" \\ y"}"#;
    run(async {
        let dispatcher = builder(registry()).build();
        for event in of_calls(&dispatcher, &[("echo", sent)]).await {
            let line = serde_json::to_string(&*event).unwrap();
            assert!(!line.contains('\n'));
            if let EventBody::Started { .. } | EventBody::Completed { .. } = event.body {
                assert!(line.contains(shown), "{line}");
            }
            if let EventBody::Completed { .. } = event.body {
                assert!(line.contains(r#""structured":{"a":9007199254740993,"b":-9223372036854775808,"c":18446744073709551615"#), "{line}");
            }
        }
        // What is refused is shown as it was sent, too.
        let events = of_calls(&dispatcher, &[("echo", r#"{"n":123456789012345678901234567890}"#)]).await;
        let line = serde_json::to_string(&**events.last().unwrap()).unwrap();
        assert!(line.contains(r#""args":{"n":123456789012345678901234567890}"#), "{line}");
    });
    let wide = Tool::builder("wide").description("Is wide.").output_schema(json!({}));
    let wide = wide.run_sync(|| Json(Wide { wide: i128::MAX }));
    run(async {
        let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(wide).build().unwrap());
        let result = dispatcher.call("wide", "{}", CallContext::new()).await.unwrap();
        let line = serde_json::to_string(&result).unwrap();
        assert!(line.contains(&format!(r#""structured":{{"wide":{}}}"#, i128::MAX)), "{line}");
    });
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ \\PC\n\t\"\\\\]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map("[ a\"\n]{0,3}", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Arguments are shown as the JSON that they are, on one line; what is no JSON as its text.
#[test]
fn arguments_are_shown_as_they_were_sent() {
    let texts = prop_oneof![
        json_value().prop_map(|value| serde_json::to_string_pretty(&value).unwrap()),
        any::<String>(),
        json_value().prop_map(|value| {
            let mut text = value.to_string();
            text.pop();
            text
        }),
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let dispatcher = Dispatcher::new(registry());
    script::runner(500)
        .run(&texts, |text| {
            let events = runtime.block_on(of_calls(&dispatcher, &[("no_such_tool", &text)]));
            let line = serde_json::to_string(&*events[0]).unwrap();
            assert!(!line.contains('\n'));
            let shown: Value = serde_json::from_str::<Value>(&line).unwrap()["toolCall"]["args"].clone();
            assert_eq!(shown, serde_json::from_str(&text).unwrap_or(Value::from(text.as_str())));
            Ok(())
        })
        .unwrap();
}

/// An observer that does not keep up loses the oldest events, is told how many, and holds nothing up.
#[test]
fn a_slow_observer_is_told_what_it_missed() {
    run(async {
        let dispatcher = builder(registry()).build();
        let mut slow = dispatcher.subscribe();
        let mut seen = Vec::new();
        let mut missed = 0;
        for (times, read) in [(10_000, 100), (3_000, 3_000), (9_000, usize::MAX)] {
            let arguments = format!(r#"{{"times":{times}}}"#);
            let result =
                dispatcher.call("repeat", &arguments, CallContext::new().call_id("c")).await.unwrap();
            assert!(!result.is_error());
            for _ in 0..read {
                let mut next = std::pin::pin!(slow.next());
                let polled =
                    next.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop()));
                let std::task::Poll::Ready(event) = polled else { break };
                let event = event.unwrap();
                if let EventBody::Lagged { missed: more } = event.body {
                    missed += more;
                }
                seen.push(event);
            }
        }
        assert!(matches!(seen[0].body, EventBody::Lagged { missed } if missed > 5_000));
        let told = seen.iter().filter(|event| !matches!(event.body, EventBody::Lagged { .. })).count() as u64;
        assert_eq!(told + missed, 10_000 + 3_000 + 9_000 + 3 * 3);
        // What follows is the next after what was missed.
        for pair in seen.windows(2).filter(|pair| pair[0].turn == pair[1].turn) {
            let gap = match pair[1].body {
                EventBody::Lagged { missed } => missed,
                _ => 1,
            };
            assert_eq!(pair[1].seq, pair[0].seq + gap);
        }
    });
}

/// Every observer sees the same events in the same order; the turn's own stream ends with the turn.
#[test]
fn all_observers_see_the_same() {
    run(async {
        let dispatcher = builder(registry()).build();
        let (mut one, mut other) = (dispatcher.subscribe(), dispatcher.subscribe());
        let own = of_calls(&dispatcher, &[("copy", "{}"), ("fail", "{}"), ("nothing", "{}")]).await;
        drop(dispatcher);
        for events in [all_of(&mut one).await, all_of(&mut other).await] {
            assert!(events.iter().zip(&own).all(|(one, other)| Arc::ptr_eq(one, other)));
            assert_eq!(events.len(), own.len());
        }
        assert!(own.iter().all(|event| event.session.as_deref() == Some("s-1") && event.turn == own[0].turn));
    });
}

/// Ids that count who asks.
#[derive(Debug, Default, Clone)]
struct Counted(Arc<AtomicUsize>);

impl IdSource for Counted {
    fn next_id(&self) -> String {
        self.0.fetch_add(1, Ordering::Relaxed).to_string()
    }
}

/// Without an observer no event comes into being: no clock is read, no id is made.
#[test]
fn nothing_is_made_where_nobody_observes() {
    run(async {
        let (clock, ids) = (Stopped::default(), Counted::default());
        let dispatcher = Dispatcher::builder(registry()).clock(clock.clone()).ids(ids.clone()).build();
        drop(dispatcher.subscribe());
        let calls = ["copy", "fail", "repeat"].map(|name| ToolCall::new(name, name, r#"{"times":3}"#));
        let (turn, events) = dispatcher.turn(calls.to_vec()).start().unwrap();
        drop(events);
        turn.finish().await.unwrap();
        assert_eq!((clock.0.load(Ordering::Relaxed), ids.0.load(Ordering::Relaxed)), (0, 0));
        // An observer that comes has the moment and the turn.
        let mut events = dispatcher.subscribe();
        dispatcher.call("copy", "{}", CallContext::new().call_id("c")).await.unwrap();
        let event = events.next().await.unwrap();
        assert_eq!((event.at, &*event.turn, event.session.as_deref()), (Some(1_767_225_600_000), "0", None));
    });
}

/// Who does not follow a turn pays for no event of it, also where it runs at once on another thread; who follows the
/// dispatcher sees it all the same.
#[test]
fn an_unobserved_turn_makes_events_just_for_others() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
    runtime.block_on(async {
        let (clock, ids) = (Stopped::default(), Counted::default());
        let dispatcher = Dispatcher::builder(registry()).clock(clock.clone()).ids(ids.clone()).build();
        let calls: Vec<ToolCall> =
            (0..64).map(|place| ToolCall::new(format!("c{place}"), "copy", "{}")).collect();
        let turn = dispatcher.turn(calls.clone()).start_unobserved().unwrap();
        assert_eq!(turn.finish().await.unwrap().finished().map(|results| results.len()), Some(64));
        assert_eq!((clock.0.load(Ordering::Relaxed), ids.0.load(Ordering::Relaxed)), (0, 0));
        let mut events = dispatcher.subscribe();
        dispatcher.turn(calls).start_unobserved().unwrap().finish().await.unwrap();
        drop(dispatcher);
        let completed = |event: &Arc<ToolEvent>| matches!(event.body, EventBody::Completed { .. });
        assert_eq!(all_of(&mut events).await.iter().filter(|event| completed(event)).count(), 64);
    });
}
