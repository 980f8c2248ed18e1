//! The guard against a model that sends the same call again and again.

use std::sync::Arc;

use haft_core::{
    ApprovalDecision, Args, CallContext, Dispatcher, DispatcherBuilder, EntryBody, EventBody, Journal, Json,
    MemoryJournal, PendingKind, RepeatedCalls, Tool, ToolCall, ToolErrorKind, ToolRegistry, TurnBuilder,
    TurnOutcome,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::script;

fn builder(guard: RepeatedCalls) -> DispatcherBuilder {
    let tool = |name: &str| {
        let schema = json!({"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "integer", "default": 1}}});
        Tool::builder(name)
            .description("Is repeated.")
            .schema(schema)
            .run_sync(|Args(all): Args<Value>| Json(all))
    };
    let registry = ToolRegistry::builder().tools([tool("look"), tool("status")]).build().unwrap();
    Dispatcher::builder(registry).hook(guard)
}

/// Runs calls, one a turn; which of them were denied.
async fn denied(dispatcher: &Dispatcher, session: Option<&str>, calls: &[(&str, &str)]) -> Vec<bool> {
    let mut denied = Vec::new();
    for (name, arguments) in calls {
        let turn = dispatcher.turn(vec![ToolCall::new("c", *name, *arguments)]);
        let turn = session.into_iter().fold(turn, TurnBuilder::session);
        let (turn, _events) = turn.start().unwrap();
        let result = turn.finish().await.unwrap().finished().unwrap().remove(0);
        denied.push(result.error().is_some_and(|error| error.kind() == ToolErrorKind::Denied));
    }
    denied
}

#[tokio::test]
async fn the_same_call_in_a_row_is_denied_after_as_many_as_allowed() {
    let dispatcher = builder(RepeatedCalls::allow(2).except(|tool| tool == "status")).build();
    let same = [
        ("look", r#"{"a":1}"#),
        ("look", r#"{ "a" : 1.0 }"#), // the same call, written in another way
        ("look", r#"{"b":1,"a":1}"#),
        ("look", r#"{"a":1}"#),
        ("look", r#"{"a":2}"#),
        ("look", r#"{"a":1}"#),
    ];
    assert_eq!(denied(&dispatcher, Some("s"), &same).await, [false, false, true, true, false, false]);
    // Another session has its own row, a tool that may repeat none, and any other call ends a row.
    assert_eq!(denied(&dispatcher, Some("t"), &same[..2]).await, [false, false]);
    assert_eq!(denied(&dispatcher, Some("s"), &[("status", "{}"); 4]).await, [false; 4]);
    assert_eq!(denied(&dispatcher, Some("s"), &same[..3]).await, [false, false, true]);
    // Without a session each turn stands for itself.
    assert_eq!(denied(&dispatcher, None, &same[..4]).await, [false; 4]);
    let calls = (0..4).map(|n| ToolCall::new(format!("c{n}"), "look", "{}")).collect();
    let (turn, mut events) = dispatcher.turn(calls).start().unwrap();
    let results = turn.finish().await.unwrap().finished().unwrap();
    let failed: Vec<bool> = results.iter().map(haft_core::ToolResult::is_error).collect();
    assert_eq!(failed, [false, false, true, true]);
    let text = results[3].text();
    assert!(
        text.contains("the 4th call in a row of the same tool with the same arguments; go on with"),
        "{text}"
    );
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        if let EventBody::Repeated { tool_call_id, count } = &event.body {
            told.push((tool_call_id.to_string(), *count));
        }
    }
    assert_eq!(told, [("c2".to_owned(), 3), ("c3".to_owned(), 4)]);
}

#[tokio::test]
async fn somebody_can_be_asked_instead_also_after_a_restart() {
    for with_journal in [true, false] {
        let journal = Arc::new(MemoryJournal::new());
        let make = || {
            let builder = builder(RepeatedCalls::allow(1).ask());
            if with_journal {
                builder.journal(Arc::clone(&journal) as Arc<dyn Journal>).build()
            } else {
                builder.build()
            }
        };
        let first = make();
        let calls = ["a", "b"].map(|id| ToolCall::new(id, "look", "{}")).to_vec();
        let (turn, _events) = first.turn(calls).session("s").start().unwrap();
        let TurnOutcome::Suspended(waiting) = turn.finish().await.unwrap() else { panic!("nobody is asked") };
        let pending = &waiting.pending()[0];
        let PendingKind::Approval(request) = &pending.kind else { panic!("no approval") };
        assert_eq!((pending.call.id.as_str(), waiting.pending().len()), ("b", 1));
        assert_eq!(request.reason, "it is the 2nd call in a row of the same tool with the same arguments");
        let second = if with_journal { make() } else { first };
        let resumed = second.resume("s", &waiting.turn).await.unwrap();
        let resumed = resumed.answer(&pending.id, ApprovalDecision::Approve).unwrap();
        let results = resumed.start().unwrap().0.finish().await.unwrap().finished().unwrap();
        assert!(results.iter().all(|result| !result.is_error()), "{results:?}");
        let asked = journal.entries("s", &waiting.turn).into_iter().filter(
            |entry| matches!(&entry.entry, EntryBody::CallDecided { position: 1, rule: Some(rule), .. } if *rule == request.reason),
        );
        assert_eq!(asked.count(), usize::from(with_journal));
    }
}

/// A crash between any two entries does not let through what a hook wants asked about.
#[tokio::test]
async fn a_crash_does_not_forget_that_somebody_is_to_be_asked() {
    let journal = Arc::new(MemoryJournal::new());
    let make = |journal: &Arc<MemoryJournal>, allow| {
        builder(RepeatedCalls::allow(allow).ask()).journal(Arc::clone(journal) as Arc<dyn Journal>).build()
    };
    let calls = ["a", "b"].map(|id| ToolCall::new(id, "look", "{}")).to_vec();
    let (turn, _events) = make(&journal, 1).turn(calls).session("s").start().unwrap();
    let id = turn.id().to_owned();
    turn.finish().await.unwrap();
    let entries = journal.entries("s", &id);
    let of_b = |entry: &&haft_core::Entry| matches!(entry.entry, EntryBody::CallAccepted { position: 1, .. });
    let accepted = entries.iter().position(|entry| of_b(&entry)).unwrap();
    for cut in accepted + 2..=entries.len() {
        let copy = Arc::new(MemoryJournal::new());
        copy.append(&entries[..cut]).await.unwrap();
        // A guard that has forgotten the row would let it go.
        let resumed = make(&copy, 9).resume("s", &id).await.unwrap().start().unwrap().0;
        let TurnOutcome::Suspended(waiting) = resumed.finish().await.unwrap() else {
            panic!("cut at {cut}: it ran")
        };
        assert!(waiting.pending().iter().any(|pending| pending.call.id.as_str() == "b"));
    }
}

#[test]
fn a_call_alone_counts_in_its_session() {
    let runtime = script::paused();
    let dispatcher = builder(RepeatedCalls::allow(1)).build();
    let call =
        |context: CallContext| runtime.block_on(dispatcher.call("look", "{}", context)).unwrap().is_error();
    assert!(!call(CallContext::new().session("s")) && call(CallContext::new().session("s")));
    assert!(!call(CallContext::new()) && !call(CallContext::new()));
}

/// Whatever is called: denied is just what stands at a later place of its row than is allowed.
#[test]
fn rows_are_counted_as_one_would_by_hand() {
    let calls = proptest::collection::vec((0..2_usize, 0..2_usize, 0..2_usize), 0..40);
    let runtime = script::paused();
    script::runner(60)
        .run(&(calls, 1..4_u32), |(calls, most)| {
            let dispatcher = builder(RepeatedCalls::allow(most)).build();
            let mut rows = [(None, 0), (None, 0)];
            for (session, name, argument) in calls {
                let (name, arguments) = (["look", "status"][name], [r#"{"a":1}"#, r#"{"a":2}"#][argument]);
                let row = &mut rows[session];
                let count = if row.0 == Some((name, arguments)) { row.1 + 1 } else { 1 };
                *row = (Some((name, arguments)), count);
                let session = ["s", "t"][session];
                let was_denied = runtime.block_on(denied(&dispatcher, Some(session), &[(name, arguments)]));
                prop_assert_eq!(was_denied, vec![count > most]);
            }
            Ok(())
        })
        .unwrap();
}
