//! What the host brings may panic, hang or fail: that costs a call, never the turn.

use std::{sync::Arc, time::Duration};

use haft_core::{
    AfterCall, Answer, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, BeforeCall, CallContext,
    CancellationToken, Dispatcher, DispatcherBuilder, Entry, Hook, HookCall, HookFuture, Journal,
    JournalFuture, MemoryJournal, Probed, Question, RepeatedCalls, Tool, ToolCall, ToolContext, ToolError,
    ToolOutput, ToolRegistry, TurnError, TurnOutcome,
};
use serde_json::Value;

/// Where a piece of host code panics: at once, or where its future is polled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Panics {
    AtOnce,
    Awaited,
}

const BOTH: [Panics; 2] = [Panics::AtOnce, Panics::Awaited];

#[derive(Debug)]
struct Before(Panics);

impl Hook for Before {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        let hit = call.call.id.as_str() == "hit";
        assert!(!(hit && self.0 == Panics::AtOnce), "before");
        Box::pin(async move {
            assert!(!hit, "before");
            Ok(BeforeCall::Continue)
        })
    }
}

#[derive(Debug)]
struct After(Panics);

impl Hook for After {
    fn after<'a>(
        &'a self,
        call: &'a HookCall,
        _: Result<&'a ToolOutput, &'a ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        let hit = call.call.id.as_str() == "hit";
        assert!(!(hit && self.0 == Panics::AtOnce), "after");
        Box::pin(async move {
            assert!(!hit, "after");
            Ok(AfterCall::Keep)
        })
    }
}

#[derive(Debug)]
struct Answers(Panics);

impl Answerer for Answers {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        let hit = request.tool_call_id == "hit";
        assert!(!(hit && self.0 == Panics::AtOnce), "approve");
        Box::pin(async move {
            assert!(!hit, "approve");
            tokio::task::yield_now().await;
            Some(ApprovalDecision::Approve)
        })
    }

    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a, Answer> {
        assert!(self.0 != Panics::AtOnce, "answer");
        Box::pin(async { panic!("answer") })
    }
}

fn registry() -> ToolRegistry {
    let plain = Tool::builder("plain").description("Runs.").read_only(true).run(|| async { "ran" });
    let wants =
        Tool::builder("wants").description("Wants an approval.").needs_approval(true).run(|| async { "ran" });
    let asks = Tool::builder("asks").description("Asks.").run(|context: ToolContext| async move {
        context.ask(Question::new("Well?")).await?;
        Ok::<_, ToolError>("asked")
    });
    ToolRegistry::builder().tool(plain).tool(wants).tool(asks).build().unwrap()
}

fn build(set: impl FnOnce(DispatcherBuilder) -> DispatcherBuilder) -> Dispatcher {
    set(Dispatcher::builder(registry())).build()
}

async fn bounded<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(600), future).await.expect("it ends")
}

async fn turn(dispatcher: &Dispatcher, calls: &[(&str, &str)]) -> TurnOutcome {
    let calls = calls.iter().map(|(id, name)| ToolCall::new(*id, *name, "{}")).collect();
    let (handle, _events) = dispatcher.turn(calls).session("s").start().unwrap();
    bounded(handle.finish()).await.unwrap()
}

fn told(outcome: TurnOutcome) -> Vec<String> {
    let results = outcome.finished().expect("finished");
    let told = |result: &haft_core::ToolResult| {
        result.error().map_or_else(|| result.text().into_owned(), |error| error.name().to_owned())
    };
    results.iter().map(told).collect()
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_panics_costs_its_own_call() {
    for panics in BOTH {
        for dispatcher in
            [build(|builder| builder.hook(Before(panics))), build(|builder| builder.hook(After(panics)))]
        {
            let outcome = turn(&dispatcher, &[("a", "plain"), ("hit", "plain"), ("c", "plain")]).await;
            assert_eq!(told(outcome), ["ran", "ToolPanicError", "ran"], "{panics:?}");
            let context = CallContext::new().call_id("hit");
            let result = bounded(dispatcher.call("plain", "{}", context)).await.unwrap();
            assert_eq!(result.error().unwrap().name(), "ToolPanicError", "{panics:?}");
        }
    }
    let guard = RepeatedCalls::allow(1).except(|_| panic!("except"));
    let dispatcher = build(|builder| builder.hook(guard));
    let outcome = turn(&dispatcher, &[("a", "plain"), ("b", "plain")]).await;
    assert_eq!(told(outcome), ["ran", "ToolPanicError"]);
}

#[tokio::test(start_paused = true)]
async fn an_answerer_that_panics_has_not_answered_its_own_call_and_answers_others() {
    for panics in BOTH {
        let dispatcher = build(|builder| builder.answerer(Answers(panics)));
        let calls = [("a", "wants"), ("hit", "wants"), ("c", "wants")];
        let TurnOutcome::Suspended(waiting) = turn(&dispatcher, &calls).await else { panic!("it waits") };
        let ids: Vec<&str> = waiting.pending().iter().map(|pending| pending.call.id.as_str()).collect();
        assert_eq!(ids, ["hit"], "{panics:?}");

        let context = CallContext::new().call_id("hit");
        let result = bounded(dispatcher.call("wants", "{}", context)).await.unwrap();
        assert_eq!(result.error().unwrap().kind().as_str(), "denied", "{panics:?}");

        // A question's answerer is called by the function: its panic is the function's.
        let outcome = turn(&dispatcher, &[("q", "asks"), ("p", "plain")]).await;
        assert_eq!(told(outcome), ["ToolPanicError", "ran"], "{panics:?}");
    }
}

#[derive(Debug)]
struct Broken(Panics);

impl Journal for Broken {
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        let hit = entries.iter().any(|entry| entry.entry.name() == "call_started");
        assert!(!(hit && self.0 == Panics::AtOnce), "append");
        Box::pin(async move {
            assert!(!hit, "append");
            Ok(())
        })
    }

    fn read<'a>(&'a self, _: &'a str, _: &'a str) -> JournalFuture<'a, Vec<Entry>> {
        assert!(self.0 != Panics::AtOnce, "read");
        Box::pin(async { panic!("read") })
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_panics_has_failed() {
    for panics in BOTH {
        let dispatcher = build(|builder| builder.journal(Arc::new(Broken(panics))));
        let calls = vec![ToolCall::new("a", "plain", "{}"), ToolCall::new("b", "plain", "{}")];
        let (handle, _events) = dispatcher.turn(calls).session("s").start().unwrap();
        let error = bounded(handle.finish()).await.unwrap_err();
        assert!(matches!(error, TurnError::Journal { .. }), "{error:?}");
        let kinds: Vec<&str> =
            error.results().iter().map(|result| result.error().unwrap().kind().as_str()).collect();
        assert_eq!(kinds, ["not-run", "not-run"], "{panics:?}");
        let error = dispatcher.resume("s", "t").await.unwrap_err();
        assert_eq!(error.code(), 2510, "{error:?}");
    }
}

/// Takes entries until a function begins, and then never answers again.
#[derive(Debug)]
struct Stalls(&'static str);

impl Journal for Stalls {
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        let stalls = entries.iter().any(|entry| entry.entry.name() == self.0);
        Box::pin(async move { if stalls { std::future::pending().await } else { Ok(()) } })
    }

    fn read<'a>(&'a self, _: &'a str, _: &'a str) -> JournalFuture<'a, Vec<Entry>> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_journal_that_does_not_answer_does_not_hold_up_the_end_of_a_turn() {
    for at in ["turn_opened", "call_started", "call_finished", "turn_closed"] {
        let dispatcher = build(|builder| builder.journal(Arc::new(Stalls(at))));
        let calls = || vec![ToolCall::new("a", "plain", "{}"), ToolCall::new("b", "nobody", "{}")];
        let (handle, _events) = dispatcher.turn(calls()).session("s").start().unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        handle.cancel();
        let error = bounded(handle.finish()).await.unwrap_err();
        assert!(matches!(error, TurnError::Journal { .. }), "{at}: {error:?}");
        assert_eq!(error.results().len(), 2, "{at}");
        let (handle, _events) =
            dispatcher.turn(calls()).session("s").timeout(Duration::from_secs(5)).start().unwrap();
        assert_eq!(bounded(handle.finish()).await.unwrap_err().results().len(), 2, "{at}, over time");
    }
}

#[derive(Debug)]
struct Never;

impl Hook for Never {
    fn before<'a>(&'a self, _: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        Box::pin(std::future::pending())
    }
}

impl Answerer for Never {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cancelled_waits_for_no_hook_and_no_answer() {
    for dispatcher in [build(|builder| builder.hook(Never)), build(|builder| builder.answerer(Never))] {
        let token = CancellationToken::new();
        let context = CallContext::new().cancellation(token.clone());
        let called = dispatcher.clone();
        let call = tokio::spawn(async move { called.call("wants", "{}", context).await });
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
        let result = bounded(call).await.unwrap().unwrap();
        assert_eq!(result.error().unwrap().kind().as_str(), "not-run");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_once_a_turn_was_cancelled() {
    let dispatcher = build(|builder| builder);
    let (handle, mut events) = dispatcher.turn(vec![ToolCall::new("a", "wants", "{}")]).start().unwrap();
    handle.cancel();
    let results = bounded(handle.finish()).await.unwrap().finished().unwrap();
    assert_eq!(results[0].error().unwrap().kind().as_str(), "not-run");
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(event.body.name());
    }
    assert_eq!(seen, ["tool.started", "tool.failed"]);
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_panics_costs_its_own_call() {
    for panics in BOTH {
        let probe = move |_: Value, _: ToolContext| {
            assert!(panics != Panics::AtOnce, "probe");
            async move {
                assert!(panics != Panics::Awaited, "probe");
                Ok::<_, ToolError>(Probed::Unknown)
            }
        };
        let probed =
            Tool::builder("probed").description("Can be looked into.").probe(probe).run(|| async { "ran" });
        let registry = || ToolRegistry::builder().tool(probed.clone()).build().unwrap();
        let journal = Arc::new(MemoryJournal::new());
        let build = |journal: &Arc<MemoryJournal>| {
            Dispatcher::builder(registry()).journal(Arc::clone(journal) as Arc<dyn Journal>).build()
        };
        let (handle, _events) =
            build(&journal).turn(vec![ToolCall::new("a", "probed", "{}")]).session("s").start().unwrap();
        let id = handle.id().to_owned();
        handle.finish().await.unwrap();
        let entries = journal.entries("s", &id);
        let started = entries.iter().position(|entry| entry.entry.name() == "call_started").unwrap();
        let left = Arc::new(MemoryJournal::new());
        left.append(&entries[..=started]).await.unwrap();
        let (handle, _events) = build(&left).resume("s", &id).await.unwrap().start().unwrap();
        assert_eq!(told(bounded(handle.finish()).await.unwrap()), ["ToolPanicError"], "{panics:?}");
    }
}
