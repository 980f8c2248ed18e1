//! Approvals hold for what was shown, once: forged, replayed, swapped and stale ones are refused, each with its reason.

use std::sync::{Arc, Mutex};

use haft_core::{
    AnswerError, ApprovalDecision, Args, Dispatcher, Entry, EntryBody, Journal, JournalError, MemoryJournal,
    Pending, PendingKind, Recovery, ResumeError, Tool, ToolCall, ToolErrorKind, ToolRegistry, TurnError,
    TurnOutcome, Waiting,
    testing::{Answers, Script},
};
use serde_json::{Value, json};

/// What ran, by its arguments.
type Ran = Arc<Mutex<Vec<String>>>;

fn pay(ran: &Ran, description: &str) -> Tool {
    let ran = Arc::clone(ran);
    Tool::builder("pay")
        .description(description)
        .schema(json!({"properties": {"amount": {"type": "integer", "minimum": 1}}, "required": ["amount"]}))
        .needs_approval(true)
        .run_sync(move |Args(arguments): Args<Value>| {
            ran.lock().unwrap().push(arguments.to_string());
            format!("paid {}", arguments["amount"])
        })
        .unwrap()
}

/// One bank: what it ran and recorded outlives its processes.
#[derive(Default)]
struct Bank {
    ran: Ran,
    journal: Arc<MemoryJournal>,
}

impl Bank {
    /// Another process of the same bank.
    fn process(&self) -> Dispatcher {
        self.under("1", "Pays an amount.")
    }

    fn under(&self, policy_version: &str, description: &str) -> Dispatcher {
        let registry = ToolRegistry::builder().tool(pay(&self.ran, description)).build().unwrap();
        let journal = Arc::clone(&self.journal) as Arc<dyn Journal>;
        Dispatcher::builder(registry).journal(journal).policy_version(policy_version).build()
    }

    async fn begin(&self, session: &str, amounts: &[(&str, u32)]) -> Waiting {
        let calls = amounts
            .iter()
            .map(|(id, amount)| ToolCall::new(*id, "pay", json!({"amount": amount}).to_string()));
        let (turn, _events) = self.process().turn(calls.collect()).session(session).start().unwrap();
        suspended(turn.finish().await.unwrap())
    }

    /// Takes the turn up with one answer.
    async fn answer(
        &self,
        waiting: &Waiting,
        id: &str,
        decision: ApprovalDecision,
    ) -> Result<TurnOutcome, AnswerError> {
        let builder =
            self.process().resume(&waiting.session, &waiting.turn).await.unwrap().answer(id, decision)?;
        let (turn, _events) = builder.start().unwrap();
        Ok(turn.finish().await.unwrap())
    }

    fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }
}

fn suspended(outcome: TurnOutcome) -> Waiting {
    match outcome {
        TurnOutcome::Suspended(waiting) => waiting,
        other => panic!("the turn does not wait: {other:?}"),
    }
}

fn ids(waiting: &Waiting) -> Vec<String> {
    waiting.pending().iter().map(|pending| pending.id.clone()).collect()
}

fn edit(arguments: &str) -> ApprovalDecision {
    ApprovalDecision::Edit { arguments: arguments.into() }
}

#[tokio::test]
async fn an_answer_that_does_not_belong_is_refused_with_its_reason() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100), ("b", 200)]).await;
    let [a, b] = &ids(&waiting)[..] else { panic!("two approvals are waited for") };
    let other_turn = ids(&bank.begin("s", &[("a", 100), ("b", 200)]).await);
    let other_session = ids(&bank.begin("t", &[("a", 100), ("b", 200)]).await);
    let other_amount = ids(&bank.begin("s", &[("a", 500)]).await);
    let forged = format!("apr_{}", "0".repeat(a.len() - 4));
    let nothing = "the turn waits for nothing with the id";
    let table: Vec<(&str, &str, ApprovalDecision, &str)> = vec![
        ("forged", &forged, ApprovalDecision::Approve, nothing),
        ("cut off", a.split_at(a.len() - 1).0, ApprovalDecision::Approve, nothing),
        ("in capitals", "APR_0", ApprovalDecision::Approve, nothing),
        ("of another turn", &other_turn[0], ApprovalDecision::Approve, nothing),
        ("of another session", &other_session[0], ApprovalDecision::Approve, nothing),
        ("of a call with other arguments", &other_amount[0], ApprovalDecision::Approve, nothing),
        (
            "to arguments that do not match",
            b,
            edit(r#"{"amount":0}"#),
            "the edited arguments do not match: amount",
        ),
        ("to no JSON", b, edit("{"), "the edited arguments do not match: the arguments were cut off"),
    ];
    for (what, id, decision, reason) in table {
        let refused = bank.answer(&waiting, id, decision).await.unwrap_err();
        assert!(refused.to_string().starts_with(reason), "{what}: {refused}");
    }

    let mut builder = bank.process().resume("s", &waiting.turn).await.unwrap();
    let wrong = builder.try_answer(a, "yes").unwrap_err();
    assert_eq!(wrong.to_string(), format!("{a:?} waits for an approval, a rejection or an edit"));
    builder.try_answer(a, ApprovalDecision::reject("no")).unwrap();
    let twice = builder.try_answer(a, ApprovalDecision::Approve).unwrap_err();
    assert_eq!(twice.to_string(), format!("{a:?} was answered before; an answer is used once"));
    drop(builder);

    assert!(bank.ran().is_empty(), "nothing was approved");
    let still = bank.process().resume("s", &waiting.turn).await.unwrap();
    assert_eq!(still.waits_for(), [a.as_str(), b], "a refused answer changes nothing");
}

#[tokio::test]
async fn an_approval_is_used_once_even_after_a_restart() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100), ("b", 200)]).await;
    let [a, b] = &ids(&waiting)[..] else { panic!("two approvals are waited for") };
    suspended(bank.answer(&waiting, a, ApprovalDecision::Approve).await.unwrap());
    for decision in [ApprovalDecision::Approve, ApprovalDecision::reject("no"), edit(r#"{"amount":1}"#)] {
        let again = bank.answer(&waiting, a, decision).await;
        assert!(matches!(again, Err(AnswerError::Answered(_))), "{again:?}");
    }
    assert_eq!(bank.ran(), [r#"{"amount":100}"#]);

    bank.answer(&waiting, b, ApprovalDecision::reject("no")).await.unwrap().finished().unwrap();
    let ended = bank.process().resume("s", &waiting.turn).await.unwrap_err();
    assert!(matches!(ended, ResumeError::Ended(_)), "{ended}");
    assert_eq!(bank.ran(), [r#"{"amount":100}"#], "a replayed approval runs nothing");
}

/// Two clicks on one button, of which two processes hear: each has read the turn before the other has written anything.
#[tokio::test]
async fn two_processes_that_take_up_one_turn_use_an_approval_once() {
    for second in [ApprovalDecision::Approve, ApprovalDecision::reject("no"), edit(r#"{"amount":7}"#)] {
        let bank = Bank::default();
        let waiting = bank.begin("s", &[("a", 100)]).await;
        let id = &ids(&waiting)[0];
        let mut turns = Vec::new();
        for decision in [ApprovalDecision::Approve, second] {
            let taken_up = bank.process().resume("s", &waiting.turn).await.unwrap();
            turns.push(taken_up.answer(id, decision).unwrap());
        }
        let turns: Vec<_> = turns.into_iter().map(|turn| turn.start().unwrap().0).collect();
        let mut refused = 0;
        for turn in turns {
            match turn.finish().await {
                Ok(TurnOutcome::Finished(results)) => assert_eq!(results.len(), 1),
                Err(TurnError::Journal { error, results }) => {
                    assert_eq!(error, JournalError::taken_up());
                    let kind = results[0].error().unwrap().kind();
                    assert!(matches!(kind, ToolErrorKind::NotRun | ToolErrorKind::Rejected), "{results:?}");
                    refused += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((refused, bank.ran().len()), (1, 1), "{:?}", bank.ran());
        let entries = bank.journal.entries("s", &waiting.turn);
        let resolved = |entry: &&Entry| matches!(entry.entry, EntryBody::ApprovalResolved { .. });
        assert_eq!(entries.iter().filter(resolved).count(), 1);
    }
}

/// A process that was taken for dead goes on: what it would do next it can not record, so does not do.
#[tokio::test]
async fn a_process_whose_turn_was_taken_up_begins_nothing_more() {
    let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::default()));
    let process = |gate: Arc<tokio::sync::Notify>| {
        let first = Tool::builder("first").description("Waits.").recovery(Recovery::Repeat).run(move || {
            let gate = Arc::clone(&gate);
            async move { gate.notified().await }
        });
        let ran = Arc::clone(&ran);
        let second = Tool::builder("second").description("Counts.").run_sync(move || {
            ran.lock().unwrap().push("second".into());
        });
        let registry = ToolRegistry::builder().tool(first.unwrap()).tool(second.unwrap()).build().unwrap();
        Dispatcher::builder(registry).journal(Arc::clone(&journal) as Arc<dyn Journal>).build()
    };
    let [slow, quick] = [(); 2].map(|()| Arc::new(tokio::sync::Notify::new()));
    let calls = ["first", "second"].map(|name| ToolCall::new(name, name, "{}"));
    let (stuck, _events) = process(Arc::clone(&slow)).turn(calls.to_vec()).session("s").start().unwrap();
    let turn = stuck.id().to_owned();
    while !journal
        .entries("s", &turn)
        .iter()
        .any(|entry| matches!(entry.entry, EntryBody::CallStarted { .. }))
    {
        tokio::task::yield_now().await;
    }
    quick.notify_one();
    let (other, _events) = process(quick).resume("s", &turn).await.unwrap().start().unwrap();
    assert!(matches!(other.finish().await, Ok(TurnOutcome::Finished(results)) if results.len() == 2));
    slow.notify_one();
    let outcome = stuck.finish().await;
    assert!(matches!(&outcome, Err(TurnError::Journal { results, .. }) if results.len() == 2), "{outcome:?}");
    assert_eq!(*ran.lock().unwrap(), ["second"]);
}

/// What somebody wrote into the journal does not count where it answers another question.
#[tokio::test]
async fn approvals_swapped_in_the_journal_do_not_count() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100), ("b", 200)]).await;
    let [a, b] = &ids(&waiting)[..] else { panic!("two approvals are waited for") };
    let entries: Vec<Entry> = [(0, b), (1, a)]
        .into_iter()
        .map(|(position, id)| {
            let resolved = json!({"type": "approval_resolved", "data": {"position": position, "id": id, "decision": "approve"}});
            Entry::new("s", &waiting.turn, None, serde_json::from_value(resolved).unwrap())
        })
        .collect();
    bank.journal.append(&entries).await.unwrap();
    let (turn, _events) = bank.process().resume("s", &waiting.turn).await.unwrap().start().unwrap();
    assert_eq!(ids(&suspended(turn.finish().await.unwrap())), [a.as_str(), b], "both are asked about again");
    assert!(bank.ran().is_empty());
}

/// An approval of 100 does not hold for 500, wherever the 500 comes from.
#[tokio::test]
async fn arguments_changed_in_the_journal_are_asked_about_anew() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100)]).await;
    let id = ids(&waiting).remove(0);
    let entries = bank.journal.entries("s", &waiting.turn);
    let text = serde_json::to_string(&entries).unwrap().replace(r#"{\"amount\":100}"#, r#"{\"amount\":500}"#);
    bank.journal.remove("s", &waiting.turn);
    let changed: Vec<Entry> = serde_json::from_str(&text).unwrap();
    assert_ne!(changed, entries);
    bank.journal.append(&changed).await.unwrap();
    let refused = bank.answer(&waiting, &id, ApprovalDecision::Approve).await;
    assert!(matches!(refused, Err(AnswerError::OtherRules(_))), "{refused:?}");
    assert!(bank.ran().is_empty());
}

#[tokio::test]
async fn an_approval_does_not_hold_for_a_sibling() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100), ("b", 100)]).await;
    let approved = bank.answer(&waiting, &waiting.pending()[0].id, ApprovalDecision::Approve).await.unwrap();
    let left = suspended(approved);
    assert_eq!(ids(&left), [waiting.pending()[1].id.clone()], "the same call again is asked about by itself");
    assert_eq!(bank.ran().len(), 1);
}

#[tokio::test]
async fn an_approval_does_not_hold_for_another_definition() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100)]).await;
    let changed = bank.under("1", "Pays twice the amount.");
    let builder = changed.resume("s", &waiting.turn).await.unwrap();
    let (turn, _events) =
        builder.answer(&waiting.pending()[0].id, ApprovalDecision::Approve).unwrap().start().unwrap();
    let results = turn.finish().await.unwrap().finished().unwrap();
    let error = results[0].error().unwrap();
    assert_eq!(error.kind().as_str(), "not-run");
    assert!(error.message().contains("pay"), "{}", error.message());
    assert!(bank.ran().is_empty());
}

#[tokio::test]
async fn an_approval_does_not_hold_under_other_rules() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 100)]).await;
    let (old, stricter) = (waiting.pending()[0].id.clone(), bank.under("2", "Pays an amount."));
    let mut builder = stricter.resume("s", &waiting.turn).await.unwrap();
    let refused = builder.try_answer(&old, ApprovalDecision::Approve).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "{old:?} was asked for under other rules than those of now; resume the turn without it to be asked anew"
        )
    );
    let (turn, _events) = builder.start().unwrap();
    let anew = suspended(turn.finish().await.unwrap()).pending()[0].id.clone();
    assert_ne!(anew, old);
    assert!(bank.ran().is_empty());

    let builder = stricter.resume("s", &waiting.turn).await.unwrap();
    let (turn, _events) = builder.answer(&anew, ApprovalDecision::Approve).unwrap().start().unwrap();
    assert_eq!(turn.finish().await.unwrap().finished().unwrap()[0].text(), "paid 100");
}

/// B110: the model's repeated call, with other arguments, is another call.
#[tokio::test]
async fn a_repeated_call_with_other_arguments_is_asked_about_anew() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 5)]).await;
    let approved = ids(&waiting).remove(0);
    bank.answer(&waiting, &approved, ApprovalDecision::Approve).await.unwrap().finished().unwrap();
    let again = bank.begin("s", &[("a", 500)]).await;
    let refused = bank.answer(&again, &approved, ApprovalDecision::Approve).await;
    assert!(matches!(refused, Err(AnswerError::Unknown(_))), "{refused:?}");
    assert_eq!(bank.ran(), [r#"{"amount":5}"#]);
}

/// B112: three approvals are three decisions and three runs, given at once or one by one.
#[tokio::test]
async fn three_approvals_are_asked_once_each() {
    for at_once in [true, false] {
        let bank = Bank::default();
        let mut answers = Answers::new();
        for _ in 0..3 {
            answers = answers.approve("pay");
        }
        let calls = ["a", "b", "c"].map(|id| ToolCall::new(id, "pay", r#"{"amount":7}"#));
        if at_once {
            let played =
                Script::new().calls(calls).answers(answers.clone()).run(&bank.process()).await.unwrap();
            assert_eq!((played.results().len(), played.suspensions()), (3, 1));
            let asked = |entry: &&Entry| matches!(entry.entry, EntryBody::ApprovalRequested { .. });
            assert_eq!(played.journal().iter().filter(asked).count(), 3);
        } else {
            let waiting = bank.begin("s", &[("a", 7), ("b", 7), ("c", 7)]).await;
            for (place, id) in ids(&waiting).iter().enumerate() {
                match bank.answer(&waiting, id, ApprovalDecision::Approve).await.unwrap() {
                    TurnOutcome::Suspended(left) => assert_eq!(left.pending().len(), 2 - place),
                    outcome => assert_eq!((place, outcome.finished().unwrap().len()), (2, 3)),
                }
            }
        }
        assert_eq!(bank.ran().len(), 3, "each ran once");
    }
}

/// B113: all that is pending is listed, survives a restart, and is answered in any order, each for its own call.
#[tokio::test]
async fn each_pending_approval_survives_a_restart_and_routes_to_its_call() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 1), ("b", 2)]).await;
    let listed = |pending: &Pending| match &pending.kind {
        PendingKind::Approval(request) => (request.tool_call_id.clone(), request.arguments.clone()),
        other => panic!("{other:?}"),
    };
    let listed: Vec<(String, String)> = waiting.pending().iter().map(listed).collect();
    assert_eq!(listed, [("a".into(), r#"{"amount":1}"#.into()), ("b".into(), r#"{"amount":2}"#.into())]);
    let [a, b] = &ids(&waiting)[..] else { panic!("two approvals are waited for") };

    let left = suspended(bank.answer(&waiting, b, ApprovalDecision::reject("not b")).await.unwrap());
    assert_eq!(ids(&left), [a.as_str()]);
    let results = bank.answer(&waiting, a, ApprovalDecision::Approve).await.unwrap().finished().unwrap();
    assert_eq!(results[0].text(), "paid 1");
    assert!(results[1].text().contains("not b"), "{}", results[1].text());
    assert_eq!(bank.ran(), [r#"{"amount":1}"#]);
}

/// B115: while one call of the turn waits, there is nothing to go back to the model with.
#[tokio::test]
async fn a_pending_sibling_holds_the_turn() {
    let bank = Bank::default();
    let waiting = bank.begin("s", &[("a", 1), ("b", 2)]).await;
    let [a, b] = &ids(&waiting)[..] else { panic!("two approvals are waited for") };
    let left = suspended(bank.answer(&waiting, a, ApprovalDecision::Approve).await.unwrap());
    assert!(
        left.results()[0].is_some() && left.results()[1].is_none(),
        "what is done is shown, the rest is open"
    );
    let results = bank.answer(&waiting, b, ApprovalDecision::Approve).await.unwrap().finished().unwrap();
    assert_eq!(
        results.iter().map(|result| result.text().into_owned()).collect::<Vec<_>>(),
        ["paid 1", "paid 2"]
    );
    assert_eq!(bank.ran().len(), 2, "the first did not run again");
}

/// B116: edited arguments are checked, run, recorded beside the model's own, and told to the model.
#[tokio::test]
async fn an_edit_is_recorded_and_told_to_the_model() {
    let bank = Bank::default();
    let answers = Answers::new().decide("pay", edit(r#"{"amount": 20}"#));
    let script = Script::new().call("a", "pay", json!({"amount": 500})).answers(answers);
    let played = script.run(&bank.process()).await.unwrap();
    played
        .expect_results(&[
            "a pay: paid 20\n\nA person changed the arguments before the call ran: {\"amount\":20}",
        ])
        .unwrap()
        .expect_journal(&[
            "turn_opened",
            "call_accepted a {\"amount\":500}",
            "call_decided a ask",
            "approval_requested a",
            "call_suspended a for approval",
            "approval_resolved a edit {\"amount\": 20}",
            "call_started a attempt 1",
            "call_finished a",
            "turn_closed",
        ])
        .unwrap();
    assert_eq!(bank.ran(), [r#"{"amount":20}"#]);
}
