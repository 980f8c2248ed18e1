//! Turns that stop and go on: approvals, questions, external tools, answered in any order.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use haft_core::{
    Answer, AnswerError, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Args, Dispatcher,
    Journal, MemoryJournal, PendingKind, Question, Reply, ResumeError, Tool, ToolCall, ToolContext,
    ToolError, ToolOutput, ToolRegistry, TurnOutcome, Waiting,
};
use serde_json::{Value, json};

/// Counts what ran, with which arguments.
#[derive(Clone, Default)]
struct Ran(Arc<std::sync::Mutex<Vec<String>>>);

impl Ran {
    fn note(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

fn pay(ran: &Ran, read_only: bool) -> Tool {
    let ran = ran.clone();
    let schema = json!({"type": "object", "properties": {"amount": {"type": "integer", "minimum": 1}}, "required": ["amount"]});
    Tool::builder("pay")
        .description("Pays an amount.")
        .read_only(read_only)
        .schema(schema)
        .approve_if(|arguments| arguments["amount"].as_u64() > Some(10))
        .run_sync(move |Args(arguments): Args<Value>| {
            ran.note(format!("pay {}", arguments["amount"]));
            format!("paid {}", arguments["amount"])
        })
        .unwrap()
}

fn ask(ran: &Ran) -> Tool {
    let ran = ran.clone();
    Tool::builder("deploy")
        .description("Deploys after asking.")
        .run(move |context: ToolContext| {
            let ran = ran.clone();
            async move {
                ran.note("deploy begins");
                let branch =
                    context.ask(Question::new("Which branch?").option("main").option("next")).await?;
                let sure = context.ask(Question::new("Sure?")).await?;
                let (branch, sure) =
                    (branch.as_text().unwrap_or("?").to_owned(), sure.as_text().unwrap_or("?").to_owned());
                ran.note(format!("deployed {branch} {sure}"));
                Ok::<_, ToolError>(format!("deployed {branch}"))
            }
        })
        .unwrap()
}

fn click() -> Tool {
    Tool::builder("click").description("Clicks in the client's browser.").external().unwrap()
}

fn dispatcher(ran: &Ran, journal: Option<&Arc<MemoryJournal>>) -> Dispatcher {
    let registry = ToolRegistry::builder().tools([pay(ran, false), ask(ran), click()]).build().unwrap();
    let builder = Dispatcher::builder(registry);
    match journal {
        Some(journal) => builder.journal(Arc::clone(journal) as Arc<dyn Journal>).build(),
        None => builder.build(),
    }
}

async fn begin(dispatcher: &Dispatcher, calls: Vec<ToolCall>) -> Waiting {
    let (turn, _events) = dispatcher.turn(calls).session("s").start().unwrap();
    match turn.finish().await.unwrap() {
        TurnOutcome::Suspended(waiting) => waiting,
        other => panic!("the turn did not suspend: {other:?}"),
    }
}

async fn resume(dispatcher: &Dispatcher, waiting: &Waiting, answers: Vec<(String, Reply)>) -> TurnOutcome {
    let mut builder = dispatcher.resume(&waiting.session, &waiting.turn).await.unwrap();
    for (id, reply) in answers {
        builder = builder.answer(&id, reply).unwrap();
    }
    let (turn, _events) = builder.start().unwrap();
    turn.finish().await.unwrap()
}

fn texts(outcome: TurnOutcome) -> Vec<String> {
    outcome.finished().unwrap().iter().map(|result| result.text().into_owned()).collect()
}

#[tokio::test]
async fn a_turn_that_may_not_wait_is_denied_what_nobody_answers() {
    let ran = Ran::default();
    let dispatcher = dispatcher(&ran, None);
    let calls = vec![
        ToolCall::new("a", "pay", r#"{"amount":500}"#),
        ToolCall::new("b", "deploy", "{}"),
        ToolCall::new("c", "pay", r#"{"amount":5}"#),
    ];
    let (turn, _events) = dispatcher.turn(calls).suspends(false).start().unwrap();
    let results = turn.finish().await.unwrap().finished().expect("it does not wait");
    let kinds: Vec<_> =
        results.iter().map(|result| result.error().map(|error| error.kind().as_str())).collect();
    assert_eq!(kinds, [Some("denied"), Some("denied"), None]);
    assert_eq!(ran.all(), ["deploy begins", "pay 5"]);
}

#[tokio::test]
async fn an_approval_may_come_after_a_restart() {
    for with_journal in [true, false] {
        let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::new()));
        let first = dispatcher(&ran, with_journal.then_some(&journal));
        let calls = vec![
            ToolCall::new("a", "pay", r#"{"amount": 5}"#),
            ToolCall::new("b", "pay", r#"{"amount": 500}"#),
            ToolCall::new("c", "pay", r#"{"amount": 7}"#),
        ];
        let waiting = begin(&first, calls).await;
        // `b` is serial: what stands behind it waits with it.
        assert_eq!(ran.all(), ["pay 5"]);
        assert_eq!(waiting.pending().len(), 1);
        let PendingKind::Approval(request) = &waiting.pending()[0].kind else {
            panic!("an approval is waited for")
        };
        assert_eq!(request.arguments, r#"{"amount":500}"#);

        let second = if with_journal { dispatcher(&ran, Some(&journal)) } else { first };
        let id = waiting.pending()[0].id.clone();
        let outcome = resume(&second, &waiting, vec![(id.clone(), ApprovalDecision::Approve.into())]).await;
        assert_eq!(texts(outcome), ["paid 5", "paid 500", "paid 7"]);
        assert_eq!(ran.all(), ["pay 5", "pay 500", "pay 7"], "nothing ran twice");

        let again = second.resume("s", &waiting.turn).await;
        assert!(matches!(again, Err(ResumeError::Ended(_) | ResumeError::Unknown { .. })), "{again:?}");
    }
}

#[tokio::test]
async fn a_rejection_and_an_edit_reach_the_model() {
    let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::new()));
    let dispatcher = dispatcher(&ran, Some(&journal));
    let calls = vec![
        ToolCall::new("a", "pay", r#"{"amount": 100}"#),
        ToolCall::new("b", "pay", r#"{"amount": 200}"#),
    ];
    let waiting = begin(&dispatcher, calls).await;
    let ids: Vec<String> = waiting.pending().iter().map(|pending| pending.id.clone()).collect();
    assert_eq!(ids.len(), 2, "every approval is asked at once");

    let builder = dispatcher.resume("s", &waiting.turn).await.unwrap();
    let refused = builder.answer(&ids[1], ApprovalDecision::Edit { arguments: r#"{"amount": 0}"#.into() });
    assert!(matches!(refused, Err(AnswerError::Edit(_))), "{refused:?}");

    let answers = vec![
        (ids[1].clone(), ApprovalDecision::Edit { arguments: r#"{"amount": 20}"#.into() }.into()),
        (ids[0].clone(), ApprovalDecision::reject("too much").into()),
    ];
    let texts = texts(resume(&dispatcher, &waiting, answers).await);
    assert!(
        texts[0].contains(r#""kind":"rejected""#) && texts[0].contains(r#""note":"too much""#),
        "{}",
        texts[0]
    );
    assert_eq!(texts[1], "paid 20\n\nA person changed the arguments before the call ran: {\"amount\":20}");
    assert_eq!(ran.all(), ["pay 20"]);
}

#[tokio::test]
async fn answers_come_one_by_one_and_in_any_order() {
    let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::new()));
    let parallel = ToolRegistry::builder().tools([pay(&ran, true)]).build().unwrap();
    let dispatcher = Dispatcher::builder(parallel).journal(journal).build();
    let calls = (0..3)
        .map(|n| ToolCall::new(format!("c{n}"), "pay", format!(r#"{{"amount": {}}}"#, 100 + n)))
        .collect();
    let mut waiting = begin(&dispatcher, calls).await;
    for left in [2, 1, 0, 3] {
        let Some(last) = waiting.pending().last().cloned() else { panic!("somebody is still asked") };
        let outcome =
            resume(&dispatcher, &waiting, vec![(last.id.clone(), ApprovalDecision::Approve.into())]).await;
        match outcome {
            TurnOutcome::Suspended(next) => {
                assert_eq!(next.pending().len(), left);
                let mut builder = dispatcher.resume("s", &next.turn).await.unwrap();
                let twice = builder.try_answer(&last.id, ApprovalDecision::Approve);
                assert!(matches!(twice, Err(AnswerError::Answered(_))), "{twice:?}");
                waiting = next;
            }
            TurnOutcome::Finished(results) => {
                assert_eq!(left, 0);
                assert!(results.iter().all(|result| !result.is_error()));
                assert_eq!(ran.all(), ["pay 102", "pay 101", "pay 100"]);
                return;
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the turn did not finish");
}

/// A form's answer is checked where it is given, and the question goes on waiting when it does not match.
#[tokio::test]
async fn an_answer_has_to_match_the_schema_of_its_question() {
    let form = json!({"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]});
    let asks = Tool::builder("asks").description("Asks.").run(move |context: ToolContext| {
        let question = Question::new("How old?").schema(form.clone());
        async move { Ok::<_, ToolError>(context.ask(question).await?.as_value().to_string()) }
    });
    let registry = ToolRegistry::builder().tool(asks.unwrap()).build().unwrap();
    let dispatcher = Dispatcher::builder(registry).journal(Arc::new(MemoryJournal::new())).build();
    let waiting = begin(&dispatcher, vec![ToolCall::new("a", "asks", "{}")]).await;
    let id = &waiting.pending()[0].id;
    let mut builder = dispatcher.resume("s", &waiting.turn).await.unwrap();
    let Err(AnswerError::NotAnOption { problem, .. }) =
        builder.try_answer(id, Answer::from(json!({"age": "old"})))
    else {
        panic!("a wrong answer was taken")
    };
    assert!(problem.contains("age") && problem.contains("integer"), "{problem}");
    builder.try_answer(id, Answer::from(json!({"age": 7}))).unwrap();
    let (turn, _) = builder.start().unwrap();
    let results = turn.finish().await.unwrap().finished().unwrap();
    assert_eq!(results[0].text(), r#"{"age":7}"#);
}

#[tokio::test]
async fn questions_are_answered_in_their_order_and_the_function_runs_from_its_top() {
    let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::new()));
    let dispatcher = dispatcher(&ran, Some(&journal));
    let waiting =
        begin(&dispatcher, vec![ToolCall::new("a", "deploy", "{}"), ToolCall::new("b", "click", "{}")]).await;
    assert_eq!(waiting.pending().len(), 1, "the serial question holds what stands behind it");
    let id = waiting.pending()[0].id.clone();

    let mut builder = dispatcher.resume("s", &waiting.turn).await.unwrap();
    assert!(matches!(builder.try_answer(&id, "other"), Err(AnswerError::NotAnOption { .. })));
    assert!(matches!(builder.try_answer(&id, ApprovalDecision::Approve), Err(AnswerError::Kind { .. })));
    assert!(matches!(builder.try_answer("qst_0", "main"), Err(AnswerError::Unknown(_))));
    assert!(matches!(dispatcher.resume("s", &waiting.turn).await, Err(ResumeError::Running(_))));
    drop(builder);

    let TurnOutcome::Suspended(waiting) = resume(&dispatcher, &waiting, vec![(id, "main".into())]).await
    else {
        panic!()
    };
    let id = waiting.pending()[0].id.clone();
    let TurnOutcome::Suspended(waiting) = resume(&dispatcher, &waiting, vec![(id, "yes".into())]).await
    else {
        panic!()
    };
    let PendingKind::External { arguments } = &waiting.pending()[0].kind else {
        panic!("the client is waited for")
    };
    assert_eq!(arguments, "{}");
    let id = waiting.pending()[0].id.clone();
    let outcome = resume(&dispatcher, &waiting, vec![(id, ToolOutput::text("clicked").into())]).await;
    assert_eq!(texts(outcome), ["deployed main", "clicked"]);
    assert_eq!(ran.all(), ["deploy begins", "deploy begins", "deploy begins", "deployed main yes"]);
}

#[derive(Debug)]
struct Terminal;

impl Answerer for Terminal {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            (!request.arguments.contains("999")).then_some(ApprovalDecision::Approve)
        })
    }

    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a, haft_core::Answer> {
        Box::pin(async move {
            question.options.first().map(|option| option.as_str().into()).or(Some("fine".into()))
        })
    }
}

#[tokio::test]
async fn an_answerer_answers_while_the_turn_runs() {
    let ran = Ran::default();
    let registry = ToolRegistry::builder().tools([pay(&ran, true), ask(&ran)]).build().unwrap();
    let dispatcher = Dispatcher::builder(registry).answerer(Terminal).build();
    let calls = vec![
        ToolCall::new("a", "pay", r#"{"amount": 100}"#),
        ToolCall::new("b", "deploy", "{}"),
        ToolCall::new("c", "pay", r#"{"amount": 999}"#),
    ];
    let waiting = begin(&dispatcher, calls).await;
    assert_eq!(waiting.pending().len(), 1, "what it does not answer waits");
    assert_eq!(waiting.results()[0].as_ref().unwrap().text(), "paid 100");
    assert_eq!(waiting.results()[1].as_ref().unwrap().text(), "deployed main");
    let id = waiting.pending()[0].id.clone();
    let outcome = resume(&dispatcher, &waiting, vec![(id, ApprovalDecision::Approve.into())]).await;
    assert_eq!(texts(outcome), ["paid 100", "deployed main", "paid 999"]);
}

#[tokio::test]
async fn a_call_alone_is_denied_where_nobody_can_be_asked() {
    let ran = Ran::default();
    let result = dispatcher(&ran, None)
        .call("pay", r#"{"amount": 100}"#, haft_core::CallContext::new())
        .await
        .unwrap();
    assert_eq!(result.error().unwrap().kind().as_str(), "denied");
    let result = dispatcher(&ran, None).call("deploy", "{}", haft_core::CallContext::new()).await.unwrap();
    assert_eq!(result.error().unwrap().kind().as_str(), "denied");
    assert_eq!(ran.all(), ["deploy begins"]);
}

#[tokio::test]
async fn a_predicate_that_panics_fails_the_call_and_nothing_runs() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let tool = Tool::builder("odd").description("An odd tool.").approve_if(|_| panic!("no idea")).run_sync(
        move || {
            counted.fetch_add(1, Ordering::Relaxed);
        },
    );
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).build().unwrap());
    let (turn, _events) = dispatcher.turn(vec![ToolCall::new("a", "odd", "")]).start().unwrap();
    let results = turn.finish().await.unwrap().finished().unwrap();
    assert_eq!(results[0].error().unwrap().kind().as_str(), "execution");
    assert_eq!(count.load(Ordering::Relaxed), 0);
}

/// A host that can not resume: every call has its result, and what nobody answers is denied, whoever else runs.
#[tokio::test]
async fn a_turn_that_may_not_suspend_denies_what_nobody_answers() {
    #[derive(Debug)]
    struct Panics;
    impl Answerer for Panics {
        fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
            Box::pin(async { panic!("scripted: no answer") })
        }
    }
    crate::script::quiet_panics();
    for panics in [false, true] {
        let ran = Ran::default();
        let registry = ToolRegistry::builder().tools([pay(&ran, false), ask(&ran), click()]).build().unwrap();
        let builder = Dispatcher::builder(registry).suspends(false);
        let dispatcher = if panics { builder.answerer(Panics).build() } else { builder.build() };
        let calls = [
            ("a", "pay", r#"{"amount": 500}"#),
            ("b", "deploy", ""),
            ("c", "click", ""),
            ("d", "pay", r#"{"amount": 600}"#),
            ("e", "pay", r#"{"amount": 7}"#),
        ];
        let calls = calls.map(|(id, name, arguments)| ToolCall::new(id, name, arguments)).to_vec();
        let (turn, _events) = dispatcher.turn(calls).session("s").start().unwrap();
        let results = turn.finish().await.unwrap().finished().unwrap();
        let kinds: Vec<_> =
            results.iter().map(|result| result.error().map(|error| error.kind().as_str())).collect();
        let denied = Some("denied");
        assert_eq!(kinds, [denied, denied, denied, denied, None]);
        for result in &results[..4] {
            assert!(result.text().contains(r#""reason":"nobody can be asked""#), "{}", result.text());
        }
        assert_eq!(ran.all(), ["deploy begins", "pay 7"]);
    }
}

/// What a run that may wait has begun, one that may not brings to its end.
#[tokio::test]
async fn a_suspended_turn_is_finished_by_a_host_that_may_not_wait() {
    for call in [
        ToolCall::new("a", "pay", r#"{"amount": 500}"#),
        ToolCall::new("b", "deploy", ""),
        ToolCall::new("c", "click", ""),
    ] {
        let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::new()));
        let waiting = begin(&dispatcher(&ran, Some(&journal)), vec![call]).await;
        let registry = ToolRegistry::builder().tools([pay(&ran, false), ask(&ran), click()]).build().unwrap();
        let last = Dispatcher::builder(registry).journal(journal as Arc<dyn Journal>).suspends(false).build();
        let results = resume(&last, &waiting, Vec::new()).await.finished().unwrap();
        assert_eq!(results[0].error().unwrap().kind().as_str(), "denied");
        assert!(matches!(last.resume("s", &waiting.turn).await.unwrap_err(), ResumeError::Ended(_)));
    }
}
