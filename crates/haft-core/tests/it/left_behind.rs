//! Whoever is told to end, dropped or waited for too long: what observers see, and what still runs.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use haft_core::{
    Answer, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, BatchingStrategy, CallContext,
    CircuitBreakerLayer, Dispatcher, EventBody, Question, RateLimitLayer, RetryLayer, Tool, ToolCall,
    ToolContext, ToolError, ToolEvents, ToolRegistry, ToolResult, ToolService, TurnOutcome,
};
use tokio::sync::mpsc as channel;

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);

/// Says that it has been dropped, or has tidied up.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<&'static str>>>);

impl Notes {
    fn note(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }

    fn all(&self) -> Vec<&'static str> {
        self.0.lock().unwrap().clone()
    }
}

struct Dropped(Notes);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.note("dropped");
    }
}

/// An outer tool that calls an inner one and tells what became of that, and inner ones of several manners.
fn nesting(notes: &Notes) -> ToolRegistry {
    let outer = |name: &str, holds: bool| {
        Tool::builder(name).description("Calls another.").timeout(HOUR).run(
            move |context: ToolContext| async move {
                if holds {
                    let _ = context.cancellation();
                }
                let inner = if context.tool_name().ends_with("tidy") { "tidies" } else { "sleeps" };
                let result = context.call(inner, "{}").await?;
                Ok::<_, ToolError>(result.error().map_or("ran".to_owned(), |error| error.kind().to_string()))
            },
        )
    };
    let (asleep, tidy) = (notes.clone(), notes.clone());
    let sleeps = Tool::builder("sleeps").description("Sleeps.").run(move || {
        let dropped = Dropped(asleep.clone());
        async move {
            let _dropped = dropped;
            std::future::pending::<()>().await;
        }
    });
    let tidies = Tool::builder("tidies").description("Tidies up.").run(move |context: ToolContext| {
        let notes = tidy.clone();
        async move {
            context.cancellation().cancelled().await;
            tokio::time::sleep(SECOND).await;
            notes.note("tidied");
        }
    });
    ToolRegistry::builder()
        .tools([
            outer("plain", false).unwrap(),
            outer("holds", true).unwrap(),
            outer("plain_tidy", false).unwrap(),
            outer("holds_tidy", true).unwrap(),
            sleeps.unwrap(),
            tidies.unwrap(),
        ])
        .build()
        .unwrap()
}

async fn seen(mut events: ToolEvents) -> Vec<String> {
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        let id = match &event.body {
            EventBody::Started { call }
            | EventBody::Completed { call, .. }
            | EventBody::Failed { call, .. } => &call.id,
            EventBody::Executing { tool_call_id } | EventBody::Detached { tool_call_id } => tool_call_id,
            _ => continue,
        };
        seen.push(format!("{} {id}", event.body.name()));
    }
    seen
}

/// A nested call ends with its parent, in exactly one result, however the parent was told to end; whoever holds its
/// token has time to tidy up.
#[tokio::test(start_paused = true)]
async fn a_nested_call_is_told_to_end_and_is_told_of() {
    for (name, by_timeout, parent, noted) in [
        ("plain", false, "cancelled", "dropped"),
        ("plain", true, "timeout", "dropped"),
        ("holds", false, "cancelled", "dropped"),
        ("holds", true, "timeout", "dropped"),
        ("plain_tidy", false, "cancelled", "tidied"),
        ("plain_tidy", true, "timeout", "tidied"),
        ("holds_tidy", false, "completed", "tidied"),
        ("holds_tidy", true, "timeout", "tidied"),
    ] {
        let notes = Notes::default();
        let dispatcher = Dispatcher::new(nesting(&notes));
        let (handle, events) = dispatcher.turn(vec![ToolCall::new("a", name, "{}")]).start().unwrap();
        if by_timeout {
            tokio::time::sleep(HOUR / 2).await;
        } else {
            tokio::time::sleep(SECOND).await;
            handle.cancel();
        }
        let results = handle.finish().await.unwrap().finished().unwrap();
        let found = results[0].error().map_or("completed", |error| error.kind().as_str());
        // One that holds its token and was cancelled tells itself what became of it.
        let parent = if name == "holds" && !by_timeout { "completed" } else { parent };
        assert_eq!(found, parent, "{name} {by_timeout}");
        tokio::time::sleep(10 * SECOND).await;
        assert_eq!(notes.all(), [noted], "{name} {by_timeout}");
        assert_eq!((dispatcher.status().running, dispatcher.status().detached), (0, 0), "{name}");
        let mut ends = seen(events).await;
        ends.retain(|event| event.ends_with("a.0"));
        // One that tidied up in time, for a parent that still waits, has ended by itself.
        let end = if name == "holds_tidy" { "tool.completed a.0" } else { "tool.failed a.0" };
        let expected = ["tool.started a.0", "tool.executing a.0", end];
        assert_eq!(ends, expected, "{name} {by_timeout}");
    }
}

/// A lone call whose future is dropped gives the same time to whoever holds its token.
#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_waits_for_any_more_may_tidy_up() {
    let notes = Notes::default();
    let dispatcher = Dispatcher::new(nesting(&notes));
    let call = dispatcher.call("tidies", "{}", CallContext::new());
    assert!(tokio::time::timeout(SECOND, call).await.is_err());
    tokio::time::sleep(10 * SECOND).await;
    assert_eq!(notes.all(), ["tidied"]);
    assert_eq!((dispatcher.status().running, dispatcher.status().detached), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_future_that_is_left_behind_is_told_of_when_it_has_gone() {
    let stubborn = Tool::builder("stubborn").description("Ignores its token.").timeout(HOUR).run(
        |context: ToolContext| async move {
            let _held = context.cancellation();
            std::future::pending::<()>().await;
        },
    );
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(stubborn).build().unwrap());
    let mut events = dispatcher.subscribe();
    let (handle, _own) = dispatcher.turn(vec![ToolCall::new("a", "stubborn", "{}")]).start().unwrap();
    handle.finish().await.unwrap();
    let mut names = Vec::new();
    while names.last() != Some(&"tool.late") {
        names.push(events.next().await.unwrap().body.name());
    }
    names.sort_unstable();
    assert_eq!(names, ["tool.detached", "tool.executing", "tool.failed", "tool.late", "tool.started"]);
    assert_eq!(dispatcher.status().detached, 0);
}

struct Thread {
    begun: channel::UnboundedSender<()>,
    gate: Mutex<mpsc::Receiver<()>>,
    ran: AtomicUsize,
}

fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test);
}

async fn an_hour_passes() {
    tokio::time::pause();
    tokio::time::advance(HOUR).await;
    tokio::time::resume();
}

async fn wait_for(events: &mut ToolEvents, name: &str, id: &str) {
    loop {
        let event = events.next().await.unwrap();
        let (EventBody::Detached { tool_call_id }
        | EventBody::Late { tool_call_id, .. }
        | EventBody::Executing { tool_call_id }) = &event.body
        else {
            continue;
        };
        if event.body.name() == name && tool_call_id.as_str() == id {
            return;
        }
    }
}

/// Within a layer a function on a thread is given up, counted and told of as it is without one.
#[test]
fn a_thread_within_a_layer_is_no_different_from_one_without() {
    for layered in [false, true] {
        run(async {
            let (begun, mut has_begun) = channel::unbounded_channel();
            let (gate, receiver) = mpsc::channel();
            let thread = Arc::new(Thread { begun, gate: Mutex::new(receiver), ran: AtomicUsize::new(0) });
            let runs = Arc::clone(&thread);
            let block = Tool::builder("block")
                .description("Blocks its thread.")
                .batching(BatchingStrategy::Parallel)
                .timeout(HOUR)
                .run_blocking(move || {
                    runs.ran.fetch_add(1, Ordering::Relaxed);
                    let _ = runs.begun.send(());
                    let _ = runs.gate.lock().unwrap().recv();
                });
            let builder = ToolRegistry::builder().tool(block);
            let builder = if layered {
                builder.layer(tower_layer::layer_fn(|service: ToolService| service))
            } else {
                builder
            };
            let dispatcher = Dispatcher::builder(builder.build().unwrap()).blocking_threads(1).build();
            let mut events = dispatcher.subscribe();
            let calls = vec![ToolCall::new("a", "block", "{}"), ToolCall::new("b", "block", "{}")];
            let (handle, _own) = dispatcher.turn(calls).start().unwrap();
            has_begun.recv().await.unwrap();
            an_hour_passes().await;
            let results = handle.finish().await.unwrap().finished().unwrap();
            assert!(results.iter().all(|result| result.error().unwrap().kind().as_str() == "timeout"));
            wait_for(&mut events, "tool.detached", "a").await;
            let status = dispatcher.status();
            assert_eq!((status.running, status.detached), (0, 1), "layered: {layered}");
            gate.send(()).unwrap();
            wait_for(&mut events, "tool.late", "a").await;
            assert_eq!(dispatcher.status().detached, 0, "layered: {layered}");

            // The second was given up while it stood in line: its thread passes it over.
            gate.send(()).unwrap();
            dispatcher.call("block", "{}", CallContext::new()).await.unwrap();
            assert_eq!(thread.ran.load(Ordering::Relaxed), 2, "layered: {layered}");
        });
    }
}

/// What waits for a thread has not begun, and nobody is told that it has.
#[test]
fn a_function_is_executing_when_its_thread_has_begun() {
    run(async {
        let (begun, mut has_begun) = channel::unbounded_channel();
        let (gate, receiver) = mpsc::channel::<()>();
        let receiver = Mutex::new(receiver);
        let block = Tool::builder("block")
            .description("Blocks.")
            .batching(BatchingStrategy::Parallel)
            .run_blocking(move || {
                let _ = begun.send(());
                let _ = receiver.lock().unwrap().recv();
            });
        let registry = ToolRegistry::builder().tool(block).build().unwrap();
        let dispatcher = Dispatcher::builder(registry).blocking_threads(1).build();
        let calls = vec![ToolCall::new("a", "block", "{}"), ToolCall::new("b", "block", "{}")];
        let (handle, events) = dispatcher.turn(calls).start().unwrap();
        has_begun.recv().await.unwrap();
        handle.cancel();
        let results = handle.finish().await.unwrap().finished().unwrap();
        let kinds: Vec<&str> = results.iter().map(|result| result.error().unwrap().kind().as_str()).collect();
        assert_eq!(kinds, ["cancelled", "not-run"]);
        let executing: Vec<String> =
            seen(events).await.into_iter().filter(|event| event.starts_with("tool.executing")).collect();
        assert_eq!(executing, ["tool.executing a"]);
        drop(gate);
    });
}

/// Answers and approves after an hour.
#[derive(Debug)]
struct Slow;

impl Answerer for Slow {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async {
            tokio::time::sleep(HOUR).await;
            Some(ApprovalDecision::Approve)
        })
    }

    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a, Answer> {
        Box::pin(async {
            tokio::time::sleep(HOUR).await;
            Some(Answer::from("yes"))
        })
    }
}

fn told(results: &[ToolResult]) -> Vec<String> {
    let told = |result: &ToolResult| {
        result.error().map_or_else(|| result.text().into_owned(), |error| error.kind().as_str().to_owned())
    };
    results.iter().map(told).collect()
}

/// The time in which a person thinks is not the function's.
#[tokio::test(start_paused = true)]
async fn a_persons_time_is_not_the_tools() {
    let tool = |name: &str, before: u64, after: u64| {
        Tool::builder(name).description("Asks.").read_only(true).timeout(5 * SECOND).run(
            move |context: ToolContext| async move {
                tokio::time::sleep(Duration::from_secs(before)).await;
                let answer = context.ask(Question::new("Well?")).await?;
                tokio::time::sleep(Duration::from_secs(after)).await;
                Ok::<_, ToolError>(answer.as_text().unwrap_or_default().to_owned())
            },
        )
    };
    let nests = |name: &str, inner: &'static str| {
        Tool::builder(name).description("Calls.").read_only(true).timeout(5 * SECOND).run(
            move |context: ToolContext| async move {
                let result = context.call(inner, "{}").await?;
                Ok::<_, ToolError>(result.text().into_owned())
            },
        )
    };
    let approved =
        Tool::builder("approved").description("Is approved.").needs_approval(true).run(|| async { "ran" });
    let registry = ToolRegistry::builder()
        .tool(tool("quick", 1, 1))
        .tool(tool("late", 1, 10))
        .tool(tool("never", 10, 0))
        .tool(tool("at_the_end", 4, 0))
        .tool(nests("nests", "quick"))
        .tool(nests("nests_approved", "approved"))
        .tool(approved)
        .build()
        .unwrap();
    let dispatcher = Dispatcher::builder(registry).answerer(Slow).build();
    let names = ["quick", "late", "never", "at_the_end", "nests", "nests_approved"];
    let calls = names.map(|name| ToolCall::new(name, name, "{}"));
    let (handle, _events) = dispatcher.turn(calls.into()).start().unwrap();
    let begun = tokio::time::Instant::now();
    let TurnOutcome::Finished(results) = handle.finish().await.unwrap() else { panic!("it waits") };
    assert_eq!(told(&results), ["yes", "timeout", "timeout", "yes", "yes", "ran"]);
    assert!(begun.elapsed() < HOUR + 10 * SECOND);
}

/// A source that hangs is a source that fails, and limits without end are limits.
#[tokio::test(start_paused = true)]
async fn layers_count_what_hangs_and_take_any_time() {
    let hang = || {
        Tool::builder("hang")
            .description("Hangs.")
            .read_only(true)
            .timeout(SECOND)
            .run(|| async { std::future::pending::<()>().await })
    };
    for rest in [HOUR, Duration::MAX] {
        let registry =
            ToolRegistry::builder().tool(hang()).layer(CircuitBreakerLayer::new(2, rest)).build().unwrap();
        let dispatcher = Dispatcher::new(registry);
        let mut results = Vec::new();
        for _ in 0..3 {
            results.push(dispatcher.call("hang", "{}", CallContext::new()).await.unwrap());
        }
        assert_eq!(told(&results), ["timeout", "timeout", "not-run"], "{rest:?}");
    }

    let quick = Tool::builder("quick").description("Is quick.").timeout(SECOND).run(|| async { "ran" });
    let limit = RateLimitLayer::new(1, Duration::MAX);
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(quick).layer(limit).build().unwrap());
    let mut results = Vec::new();
    for _ in 0..2 {
        results.push(dispatcher.call("quick", "{}", CallContext::new()).await.unwrap());
    }
    assert_eq!(told(&results), ["ran", "not-run"], "its turn would never come");
}

/// Waiting for a retry that nobody would see any more is no help.
#[tokio::test(start_paused = true)]
async fn a_retry_does_not_outlast_the_calls_own_time() {
    for (wait, timeout, tries) in [
        (2 * SECOND, Some(SECOND), 1),
        (SECOND / 4, Some(SECOND), 3),
        (HOUR, None, 1),
        (SECOND, None, 3),
        (Duration::MAX, None, 1),
    ] {
        let ran = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&ran);
        let mut busy = Tool::builder("busy").description("Is busy.").read_only(true);
        if let Some(timeout) = timeout {
            busy = busy.timeout(timeout);
        }
        let busy = busy.run(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            async move { Err::<(), _>(ToolError::new("busy").retry_after(wait)) }
        });
        let layer = RetryLayer::new(3, SECOND);
        let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(busy).layer(layer).build().unwrap());
        let result = dispatcher.call("busy", "{}", CallContext::new()).await.unwrap();
        let error = result.error().unwrap();
        assert_eq!((error.kind().as_str(), error.message()), ("execution", "busy"), "{wait:?}");
        assert_eq!(ran.load(Ordering::Relaxed), tries, "{wait:?}");
    }
}

/// Nested calls of a second attempt are the same calls to the other side, and others to observers.
#[tokio::test(start_paused = true)]
async fn nested_calls_of_a_retry_have_the_keys_of_the_first_attempt() {
    let keys = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&keys);
    let charge = Tool::builder("charge").description("Charges.").run(move |context: ToolContext| {
        noted.lock().unwrap().push((context.tool_call_id().to_string(), context.idempotency_key()));
        async {}
    });
    let order = Tool::builder("order").description("Charges twice.").idempotent(true).run(
        |context: ToolContext| async move {
            context.call("charge", "{}").await?;
            context.call("charge", "{}").await?;
            if context.attempt() == 1 { Err(ToolError::new("busy").retryable(true)) } else { Ok("ordered") }
        },
    );
    let registry =
        ToolRegistry::builder().tool(charge).tool(order).layer(RetryLayer::new(2, SECOND)).build().unwrap();
    let dispatcher = Dispatcher::new(registry);
    let result = dispatcher.call("order", "{}", CallContext::new().call_id("o")).await.unwrap();
    assert_eq!(result.text(), "ordered");
    let keys = keys.lock().unwrap();
    let ids: Vec<&str> = keys.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["o.0", "o.1", "o.2", "o.3"]);
    assert!(keys[0].1 == keys[2].1 && keys[1].1 == keys[3].1 && keys[0].1 != keys[1].1, "{keys:?}");
}
