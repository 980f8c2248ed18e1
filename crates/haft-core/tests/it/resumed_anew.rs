//! What a resumed turn makes of calls that are allowed, approved or changed already: the rules and the arguments of now.

use std::sync::{Arc, Mutex};

use haft_core::{
    ApprovalDecision, Args, Dispatcher, EntryBody, Journal, MemoryJournal, PendingKind, Probed, Question,
    Recovery, Reply, Tool, ToolCall, ToolContext, ToolError, ToolOutput, ToolRegistry, TurnOutcome, Waiting,
};
use serde_json::{Value, json, value::RawValue};

/// How the tool of a test is defined.
#[derive(Clone, Copy)]
struct Defined {
    recovery: Recovery,
    approval: bool,
    asks: bool,
}

/// What ran with which arguments, and the journal: both outlive the process.
#[derive(Default)]
struct World {
    ran: Arc<Mutex<Vec<String>>>,
    journal: Arc<MemoryJournal>,
}

impl World {
    fn process(&self, defined: Defined) -> Dispatcher {
        let ran = Arc::clone(&self.ran);
        let wipe = Tool::builder("wipe")
            .description("Wipes a disk.")
            .schema(json!({"properties": {"disk": {"type": "string"}}, "required": ["disk"]}))
            .recovery(defined.recovery)
            .needs_approval(defined.approval);
        let wipe = match defined.recovery {
            Recovery::Probe => {
                wipe.probe(|_, _| async { Ok(Probed::Done(ToolOutput::text("wiped before"))) })
            }
            _ => wipe,
        };
        let wipe = wipe.run(move |Args(arguments): Args<Value>, context: ToolContext| {
            let ran = Arc::clone(&ran);
            async move {
                if defined.asks {
                    context.ask(Question::new("Sure?")).await?;
                }
                ran.lock().unwrap().push(arguments["disk"].to_string());
                Ok::<_, ToolError>("wiped")
            }
        });
        let gate = Tool::builder("gate").description("Is asked about.").needs_approval(true).run(|| async {});
        let registry = ToolRegistry::builder().tools([gate.unwrap(), wipe.unwrap()]).build().unwrap();
        Dispatcher::builder(registry).journal(Arc::clone(&self.journal) as Arc<dyn Journal>).build()
    }

    fn ran(&self) -> Vec<String> {
        std::mem::take(&mut *self.ran.lock().unwrap())
    }

    /// The process ends while the function runs, for the first or the last time.
    async fn crash_while_it_runs(&mut self, turn: &str, first: bool) {
        let entries = self.journal.entries("s", turn);
        let mut starts =
            (0..entries.len()).filter(|place| matches!(entries[*place].entry, EntryBody::CallStarted { .. }));
        let end = if first { starts.next() } else { starts.next_back() };
        self.journal = Arc::new(MemoryJournal::new());
        self.journal.append(&entries[..=end.unwrap()]).await.unwrap();
        self.ran();
    }
}

async fn begin(dispatcher: &Dispatcher, calls: &[(&str, &str)]) -> (String, TurnOutcome) {
    let calls = calls.iter().map(|(name, arguments)| ToolCall::new(*name, *name, *arguments)).collect();
    let (turn, _events) = dispatcher.turn(calls).session("s").start().unwrap();
    (turn.id().to_owned(), turn.finish().await.unwrap())
}

async fn resume(dispatcher: &Dispatcher, turn: &str, answer: Option<(&str, Reply)>) -> TurnOutcome {
    let mut resumed = dispatcher.resume("s", turn).await.unwrap();
    if let Some((id, reply)) = answer {
        resumed.try_answer(id, reply).unwrap();
    }
    resumed.start().unwrap().0.finish().await.unwrap()
}

fn waiting(outcome: TurnOutcome) -> Waiting {
    match outcome {
        TurnOutcome::Suspended(waiting) => waiting,
        other => panic!("the turn does not wait: {other:?}"),
    }
}

const DISK: &str = r#"{"disk":"a"}"#;

fn edit(disk: &str) -> ApprovalDecision {
    ApprovalDecision::Edit { arguments: json!({"disk": disk}).to_string() }
}

/// A call that was allowed and comes to run only in a later process is asked about, where its tool wants that by now.
#[tokio::test]
async fn a_tool_that_became_stricter_runs_nothing_unasked() {
    for (recovery, asks) in
        [(Recovery::Ask, false), (Recovery::Ask, true), (Recovery::Repeat, false), (Recovery::Keyed, false)]
    {
        for (decision, ran) in [
            (ApprovalDecision::Approve, &["\"a\""][..]),
            (edit("b"), &["\"b\""]),
            (ApprovalDecision::reject("no"), &[]),
        ] {
            let lax = Defined { recovery, approval: false, asks };
            let mut world = World::default();
            let turn = left(&mut world, lax).await;
            let outcome = answer_stricter(&world, lax, &turn, &decision).await;
            assert_eq!(world.ran(), ran, "{recovery:?} {asks} {decision:?}");
            assert_eq!(outcome.finished().unwrap().last().unwrap().is_error(), ran.is_empty());
        }
    }
}

/// What has been done before the process ended is found out and not done again, though somebody has to approve by now.
#[tokio::test]
async fn a_tool_that_became_stricter_is_looked_into_first() {
    let (mut world, lax) =
        (World::default(), Defined { recovery: Recovery::Probe, approval: false, asks: false });
    let turn = left(&mut world, lax).await;
    let outcome = answer_stricter(&world, lax, &turn, &ApprovalDecision::Approve).await;
    assert_eq!(world.ran(), [""; 0]);
    assert_eq!(outcome.finished().unwrap()[0].text(), "wiped before");
}

/// A turn with a call that was allowed and has not ended.
async fn left(world: &mut World, lax: Defined) -> String {
    match (lax.recovery, lax.asks) {
        // It stands behind a call that waits.
        (Recovery::Ask, false) => begin(&world.process(lax), &[("gate", "{}"), ("wipe", DISK)]).await.0,
        // It waits for an answer itself.
        (Recovery::Ask, true) => begin(&world.process(lax), &[("wipe", DISK)]).await.0,
        // Its process ended while it ran.
        _ => {
            let turn = begin(&world.process(lax), &[("wipe", DISK)]).await.0;
            world.crash_while_it_runs(&turn, true).await;
            turn
        }
    }
}

/// Goes on with the turn where the tool wants an approval by now, and answers what is asked; it is asked about once.
async fn answer_stricter(
    world: &World,
    lax: Defined,
    turn: &str,
    decision: &ApprovalDecision,
) -> TurnOutcome {
    let strict = Defined { approval: true, ..lax };
    let mut asked = 0;
    let mut outcome = resume(&world.process(strict), turn, None).await;
    while let TurnOutcome::Suspended(waiting) = outcome {
        assert_eq!(world.ran(), [""; 0], "{:?}", lax.recovery);
        let pending = &waiting.pending()[0];
        let reply: Reply = match &pending.kind {
            PendingKind::Approval(request) if request.tool == "wipe" => {
                asked += 1;
                assert!(asked == 1, "it is asked about once: {decision:?}");
                let interrupted = !matches!(lax.recovery, Recovery::Ask);
                assert_eq!(request.reason.contains("interrupted"), interrupted, "{}", request.reason);
                decision.clone().into()
            }
            PendingKind::Approval(_) => ApprovalDecision::Approve.into(),
            _ => "yes".into(),
        };
        outcome = resume(&world.process(strict), turn, Some((&pending.id, reply))).await;
    }
    assert_eq!(asked, 1);
    outcome
}

/// An approval that is asked for only when a person has changed the arguments is one of those, and can be answered.
#[tokio::test]
async fn an_approval_of_changed_arguments_can_be_answered() {
    for (decision, ran) in [
        (ApprovalDecision::Approve, &["\"c\""][..]),
        (edit("d"), &["\"d\""]),
        (ApprovalDecision::reject("no"), &[]),
    ] {
        let mut world = World::default();
        let lax = Defined { recovery: Recovery::Ask, approval: false, asks: true };
        let (turn, outcome) = begin(&world.process(lax), &[("wipe", DISK)]).await;
        resume(&world.process(lax), &turn, Some((&waiting(outcome).pending()[0].id, "yes".into()))).await;
        world.crash_while_it_runs(&turn, true).await;
        let waits = waiting(resume(&world.process(lax), &turn, None).await);
        let changed = Some((waits.pending()[0].id.as_str(), edit("c").into()));
        let waits = waiting(resume(&world.process(lax), &turn, changed).await);
        let said = Some((waits.pending()[0].id.as_str(), "yes".into()));

        let strict = Defined { approval: true, ..lax };
        let waits = waiting(resume(&world.process(strict), &turn, said).await);
        let PendingKind::Approval(request) = &waits.pending()[0].kind else { panic!("{waits:?}") };
        assert_eq!(request.arguments, r#"{"disk":"c"}"#);
        let answer = Some((waits.pending()[0].id.as_str(), decision.clone().into()));
        let outcome = resume(&world.process(strict), &turn, answer).await;
        assert!(outcome.finished().is_some(), "{decision:?}");
        assert_eq!(world.ran(), ran, "{decision:?}");
    }
}

/// Arguments that a person put in place when a call had been interrupted are those that it goes on with, however often
/// it waits for an answer after that.
#[tokio::test]
async fn what_was_put_in_place_of_an_interrupted_call_stays() {
    for (approved, first) in [
        (None, true),
        (None, false),
        (Some(ApprovalDecision::Approve), true),
        (Some(ApprovalDecision::Approve), false),
        (Some(edit("b")), true),
        (Some(edit("b")), false),
    ] {
        let mut world = World::default();
        let defined = Defined { recovery: Recovery::Ask, approval: approved.is_some(), asks: true };
        let process = world.process(defined);
        let (turn, mut outcome) = begin(&process, &[("wipe", DISK)]).await;
        // It is approved, asks its question, and runs to its end.
        while let TurnOutcome::Suspended(waiting) = outcome {
            let decision =
                approved.clone().filter(|_| matches!(waiting.pending()[0].kind, PendingKind::Approval(_)));
            let reply = decision.map_or_else(|| "yes".into(), Reply::from);
            outcome = resume(&process, &turn, Some((&waiting.pending()[0].id, reply))).await;
        }
        world.crash_while_it_runs(&turn, first).await;

        let process = world.process(defined);
        let waits = waiting(resume(&process, &turn, None).await);
        assert!(matches!(waits.pending()[0].kind, PendingKind::Recovery(_)), "{waits:?}");
        let mut outcome = resume(&process, &turn, Some((&waits.pending()[0].id, edit("c").into()))).await;
        let mut questions = 0;
        while let TurnOutcome::Suspended(waiting) = outcome {
            assert!(matches!(waiting.pending()[0].kind, PendingKind::Question(_)), "{waiting:?}");
            questions += 1;
            let answer = Some((waiting.pending()[0].id.as_str(), "yes".into()));
            outcome = resume(&world.process(defined), &turn, answer).await;
        }
        assert_eq!(questions, usize::from(first), "it was answered before the last run");
        assert_eq!(world.ran(), ["\"c\""], "{approved:?} {first}");
        let text = outcome.finished().unwrap()[0].text().into_owned();
        assert!(text.contains(r#"{"disk":"c"}"#), "the model is told: {text}");
    }
}

/// The output of a tool that the client runs is structured where the tool says so.
#[tokio::test]
async fn a_client_gives_structured_output() {
    let locate = Tool::builder("locate")
        .description("Says where the user is.")
        .output_schema(
            json!({"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]}),
        )
        .external();
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(locate).build().unwrap());
    let said = |output: &str, is_error| Reply::Result { output: output.into(), is_error };
    for (reply, kind, structured) in [
        (ToolOutput::json(&json!({"lat": 59.9})).into(), None, Some(r#"{"lat":59.9}"#)),
        (said(r#"{"lat": 59.900}"#, false), None, Some(r#"{"lat": 59.900}"#)),
        (said(r#"{"long": 1}"#, false), Some("output"), None),
        (said("Oslo", false), Some("output"), None),
        (said("no signal", true), Some("execution"), None),
    ] {
        let waits = waiting(begin(&dispatcher, &[("locate", "{}")]).await.1);
        let outcome = resume(&dispatcher, &waits.turn, Some((&waits.pending()[0].id, reply))).await;
        let results = outcome.finished().unwrap();
        assert_eq!(results[0].error().map(|error| error.kind().as_str()), kind);
        let output = results[0].outcome().ok();
        assert_eq!(output.and_then(|output| output.structured_text()).map(RawValue::get), structured);
    }
}
