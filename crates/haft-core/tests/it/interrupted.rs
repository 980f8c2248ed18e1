//! Calls whose process ended while they ran: what is repeated, what is asked about, and what the model is told.

use std::sync::{Arc, Mutex};

use haft_core::{
    AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Dispatcher, DispatcherBuilder, EntryBody,
    Journal, MemoryJournal, PendingKind, Recovery, Tool, ToolCall, ToolContext, ToolRegistry, TurnOutcome,
    testing::{Answers, Script},
};
use serde_json::json;

/// The other side of the wire: the keys that it was sent, and what its journal had when it was.
#[derive(Default, Clone)]
struct World {
    sent: Arc<Mutex<Vec<String>>>,
    journal: Arc<MemoryJournal>,
}

impl World {
    fn sent(&self) -> Vec<String> {
        self.sent.lock().unwrap().clone()
    }

    fn dispatcher(&self, recovery: Recovery) -> Dispatcher {
        self.with(recovery, |builder| builder)
    }

    fn with(
        &self,
        recovery: Recovery,
        dress: impl FnOnce(DispatcherBuilder) -> DispatcherBuilder,
    ) -> Dispatcher {
        let world = self.clone();
        let send =
            Tool::builder("send").description("Sends.").recovery(recovery).needs_approval(true).run_sync(
                move |context: ToolContext| {
                    world.sent.lock().unwrap().push(format!(
                        "{} {}",
                        context.tool_call_id(),
                        context.idempotency_key()
                    ));
                    "sent"
                },
            );
        let registry = ToolRegistry::builder().tool(send).build().unwrap();
        dress(Dispatcher::builder(registry)).journal(Arc::clone(&self.journal) as Arc<dyn Journal>).build()
    }

    /// Approves and sends, and loses everything from the result on: the turn that is left.
    async fn crash_after_sending(&mut self, recovery: Recovery) -> String {
        let script = Script::new().call("a", "send", json!({})).answers(Answers::new().approve("send"));
        let played = script.run(&self.dispatcher(recovery)).await.unwrap();
        let started = |entry: &haft_core::Entry| matches!(entry.entry, EntryBody::CallStarted { .. });
        let kept = played
            .journal()
            .iter()
            .position(started)
            .expect("the start is recorded before the function runs")
            + 1;
        self.journal = Arc::new(MemoryJournal::new());
        self.journal.append(&played.journal()[..kept]).await.unwrap();
        assert_eq!(self.sent().len(), 1);
        played.turn().to_owned()
    }
}

/// B118: what had started and has no result is not run again unless the tool says that it can be, and the model is told.
#[tokio::test]
async fn what_may_have_been_done_is_not_done_again() {
    let mut world = World::default();
    let turn = world.crash_after_sending(Recovery::Never).await;
    let dispatcher = world.dispatcher(Recovery::Never);
    let (handle, _events) = dispatcher.resume("", &turn).await.unwrap().start().unwrap();
    let results = handle.finish().await.unwrap().finished().unwrap();
    let body: serde_json::Value = serde_json::from_str(&results[0].text()).unwrap();
    assert_eq!((&body["kind"], &body["effects"]), (&json!("interrupted"), &json!("unknown")));
    assert_eq!(world.sent().len(), 1, "the approval was not used again");
}

#[tokio::test]
async fn a_person_decides_whether_it_is_done_again() {
    for (decision, text, sent) in [
        (ApprovalDecision::Approve, "sent", 2),
        (ApprovalDecision::reject("it has arrived"), "it has arrived", 1),
    ] {
        let mut world = World::default();
        let turn = world.crash_after_sending(Recovery::Ask).await;
        let dispatcher = world.dispatcher(Recovery::Ask);
        let (handle, _events) = dispatcher.resume("", &turn).await.unwrap().start().unwrap();
        let TurnOutcome::Suspended(waiting) = handle.finish().await.unwrap() else {
            panic!("it runs again unasked")
        };
        let PendingKind::Recovery(request) = &waiting.pending()[0].kind else { panic!("{waiting:?}") };
        assert_eq!(
            request.reason,
            "the call was interrupted; what it did is not known. Approve to run it again"
        );
        assert_eq!(world.sent().len(), 1);

        let builder =
            dispatcher.resume("", &turn).await.unwrap().answer(&waiting.pending()[0].id, decision).unwrap();
        let (handle, _events) = builder.start().unwrap();
        let results = handle.finish().await.unwrap().finished().unwrap();
        assert!(results[0].text().contains(text), "{}", results[0].text());
        assert_eq!(world.sent().len(), sent);
    }
}

/// B119: the function has the key, the same one when it is run again, so that the other side can tell.
#[tokio::test]
async fn a_call_that_runs_again_sends_the_same_key() {
    let mut world = World::default();
    let turn = world.crash_after_sending(Recovery::Keyed).await;
    let dispatcher = world.dispatcher(Recovery::Keyed);
    let (handle, _events) = dispatcher.resume("", &turn).await.unwrap().start().unwrap();
    assert_eq!(handle.finish().await.unwrap().finished().unwrap()[0].text(), "sent");
    let sent = world.sent();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0], sent[1], "id and key are those of the first attempt");

    let (handle, _events) = dispatcher
        .turn(vec![ToolCall::new("a", "send", "{}"), ToolCall::new("b", "send", "{}")])
        .start()
        .unwrap();
    let turn = handle.id().to_owned();
    handle.finish().await.unwrap();
    let mut builder = dispatcher.resume("", &turn).await.unwrap();
    for id in builder.waits_for() {
        builder.try_answer(&id, ApprovalDecision::Approve).unwrap();
    }
    let (handle, _events) = builder.start().unwrap();
    handle.finish().await.unwrap().finished().unwrap();
    let keys: std::collections::HashSet<String> = world.sent().into_iter().collect();
    assert_eq!(keys.len(), 3, "other calls have other keys, even where the model repeats an id");
}

/// Says yes to every call.
#[derive(Debug)]
struct Yes;

impl Answerer for Yes {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(std::future::ready(Some(ApprovalDecision::Approve)))
    }
}

#[tokio::test]
async fn who_approves_calls_does_not_repeat_one_unawares() {
    let mut world = World::default();
    let turn = world.crash_after_sending(Recovery::Ask).await;
    let answered = |dispatcher: Dispatcher, turn: String| async move {
        let (handle, _events) = dispatcher.resume("", &turn).await.unwrap().start().unwrap();
        handle.finish().await.unwrap()
    };
    let dispatcher = world.with(Recovery::Ask, |builder| builder.answerer(Yes));
    let TurnOutcome::Suspended(waiting) = answered(dispatcher, turn.clone()).await else {
        panic!("it ran again")
    };
    assert!(matches!(waiting.pending()[0].kind, PendingKind::Recovery(_)));
    assert_eq!(world.sent().len(), 1);

    let answers = Answers::new().recover("send", ApprovalDecision::Approve);
    let dispatcher = world.with(Recovery::Ask, |builder| builder.answerer(answers));
    assert_eq!(answered(dispatcher, turn).await.finished().unwrap()[0].text(), "sent");
    assert_eq!(world.sent().len(), 2);
}
