//! What was answered, put in place or decided is what a resumed turn goes on with.

use std::sync::{Arc, Mutex};

use haft_core::{
    Answer, AnswerFuture, Answerer, ApprovalDecision, Args, BeforeCall, Dispatcher, Hook, HookCall,
    HookFuture, Journal, MemoryJournal, PendingKind, Question, Reply, RetryLayer, Tool, ToolCall,
    ToolContext, ToolError, ToolOutput, ToolRegistry, ToolResult, TurnOutcome, Waiting,
};
use serde_json::{Value, json};

/// Answers some questions at once, others not now.
#[derive(Debug, Default, Clone)]
struct SomeAtOnce(Arc<Mutex<Vec<String>>>);

impl Answerer for SomeAtOnce {
    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a, Answer> {
        self.0.lock().unwrap().push(question.prompt.clone());
        let now = question.prompt.starts_with("now");
        Box::pin(async move { now.then(|| Answer::from("at once")) })
    }
}

fn asker(prompts: &'static [&'static str]) -> Tool {
    Tool::builder("asks")
        .description("Asks.")
        .run(move |context: ToolContext| async move {
            let mut told = Vec::new();
            for prompt in prompts {
                told.push(context.ask(Question::new(*prompt)).await?.as_text().unwrap_or("?").to_owned());
            }
            Ok::<_, ToolError>(told.join(", "))
        })
        .unwrap()
}

fn journals() -> [Option<Arc<MemoryJournal>>; 2] {
    [None, Some(Arc::new(MemoryJournal::new()))]
}

fn build(
    registry: ToolRegistry,
    journal: Option<&Arc<MemoryJournal>>,
    set: impl FnOnce(haft_core::DispatcherBuilder) -> haft_core::DispatcherBuilder,
) -> Dispatcher {
    let builder = set(Dispatcher::builder(registry));
    match journal {
        Some(journal) => builder.journal(Arc::clone(journal) as Arc<dyn Journal>).build(),
        None => builder.build(),
    }
}

fn waits(outcome: TurnOutcome) -> Waiting {
    match outcome {
        TurnOutcome::Suspended(waiting) => waiting,
        TurnOutcome::Finished(results) => panic!("it ended: {results:?}"),
        _ => unreachable!(),
    }
}

async fn begin(dispatcher: &Dispatcher, name: &str, arguments: &str) -> Waiting {
    let calls = vec![ToolCall::new("a", name, arguments)];
    let (handle, _events) = dispatcher.turn(calls).session("s").start().unwrap();
    waits(handle.finish().await.unwrap())
}

async fn answer(dispatcher: &Dispatcher, waiting: &Waiting, reply: impl Into<Reply>) -> TurnOutcome {
    let resumed = dispatcher.resume("s", &waiting.turn).await.unwrap();
    let resumed = resumed.answer(&waiting.pending()[0].id, reply).unwrap();
    let (handle, _events) = resumed.start().unwrap();
    handle.finish().await.unwrap()
}

fn only(outcome: TurnOutcome) -> ToolResult {
    outcome.finished().expect("finished").remove(0)
}

#[tokio::test]
async fn a_question_answered_at_once_is_not_asked_again_when_a_later_one_suspends() {
    for prompts in [
        &["now 1", "later 1"][..],
        &["now 1", "later 1", "now 2", "later 2"],
        &["later 1", "now 1", "later 2"],
        &["now 1", "now 1", "later 1"],
    ] {
        for journal in journals() {
            let answerer = SomeAtOnce::default();
            let registry = ToolRegistry::builder().tool(asker(prompts)).build().unwrap();
            let dispatcher = build(registry, journal.as_ref(), |builder| builder.answerer(answerer.clone()));
            let mut waiting = begin(&dispatcher, "asks", "{}").await;
            let result = loop {
                match answer(&dispatcher, &waiting, "in the end").await {
                    TurnOutcome::Suspended(again) => waiting = again,
                    finished => break only(finished),
                }
            };
            let expected: Vec<&str> = prompts
                .iter()
                .map(|prompt| if prompt.starts_with("now") { "at once" } else { "in the end" })
                .collect();
            assert_eq!(result.text(), expected.join(", "));
            assert_eq!(*answerer.0.lock().unwrap(), prompts, "each is asked once");
        }
    }
}

#[tokio::test]
async fn a_retry_asks_nobody_again() {
    let answerer = SomeAtOnce::default();
    let flaky = Tool::builder("asks").description("Asks, and fails the first time.").idempotent(true).run(
        |context: ToolContext| async move {
            let answer = context.ask(Question::new("now 1")).await?;
            if context.attempt() == 1 {
                return Err(ToolError::new("busy").retryable(true));
            }
            Ok::<_, ToolError>(answer.as_text().unwrap_or("?").to_owned())
        },
    );
    let layer = RetryLayer::new(3, std::time::Duration::ZERO);
    let registry = ToolRegistry::builder().tool(flaky).layer(layer).build().unwrap();
    let dispatcher = build(registry, None, |builder| builder.answerer(answerer.clone()));
    let (handle, _events) = dispatcher.turn(vec![ToolCall::new("a", "asks", "{}")]).start().unwrap();
    assert_eq!(only(handle.finish().await.unwrap()).text(), "at once");
    assert_eq!(*answerer.0.lock().unwrap(), ["now 1"]);
}

/// Answers what the question does not allow.
#[derive(Debug)]
struct Wrong;

impl Answerer for Wrong {
    fn answer<'a>(&'a self, _: &'a Question) -> AnswerFuture<'a, Answer> {
        Box::pin(async { Some(Answer::from("neither")) })
    }
}

#[tokio::test]
async fn an_answer_given_at_once_is_checked_like_any_other() {
    let asks = Tool::builder("asks").description("Asks.").run(|context: ToolContext| async move {
        let answer = context.ask(Question::new("Which?").option("this").option("that")).await?;
        Ok::<_, ToolError>(answer.as_text().unwrap_or("?").to_owned())
    });
    let registry = ToolRegistry::builder().tool(asks).build().unwrap();
    let dispatcher = build(registry, None, |builder| builder.answerer(Wrong));
    let (handle, _events) = dispatcher.turn(vec![ToolCall::new("a", "asks", "{}")]).start().unwrap();
    let result = only(handle.finish().await.unwrap());
    assert_eq!(
        result.error().unwrap().message(),
        "the answer to \"Which?\" does not fit: one of this, that is expected"
    );
}

/// Puts a path of its own in place of the model's.
#[derive(Debug)]
struct Confines;

impl Hook for Confines {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        let path = format!("/safe{}", call.arguments["path"].as_str().unwrap_or_default());
        Box::pin(async move { Ok(BeforeCall::Replace(json!({ "path": path }))) })
    }
}

fn tools() -> ToolRegistry {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let delete = Tool::builder("delete").description("Deletes after asking.").schema(schema.clone()).run(
        |Args(arguments): Args<Value>, context: ToolContext| async move {
            context.ask(Question::new("Sure?")).await?;
            Ok::<_, ToolError>(format!("deleted {}", arguments["path"].as_str().unwrap_or_default()))
        },
    );
    let outside = Tool::builder("outside").description("Is run outside.").schema(schema.clone()).external();
    let wanted = Tool::builder("wanted")
        .description("Wants an approval and is run outside.")
        .schema(schema.clone())
        .needs_approval(true)
        .external();
    let approved = Tool::builder("approved")
        .description("Wants an approval, and asks.")
        .schema(schema)
        .needs_approval(true)
        .run(|Args(arguments): Args<Value>, context: ToolContext| async move {
            context.ask(Question::new("Sure?")).await?;
            Ok::<_, ToolError>(format!("deleted {}", arguments["path"].as_str().unwrap_or_default()))
        });
    ToolRegistry::builder().tool(delete).tool(outside).tool(wanted).tool(approved).build().unwrap()
}

const PATH: &str = r#"{"path": "/etc"}"#;

fn shown(waiting: &Waiting) -> &str {
    match &waiting.pending()[0].kind {
        PendingKind::External { arguments } => arguments,
        PendingKind::Approval(request) => &request.arguments,
        _ => panic!("something else is waited for"),
    }
}

#[tokio::test]
async fn what_a_hook_put_in_place_is_what_runs_after_a_suspension() {
    for journal in journals() {
        let dispatcher = build(tools(), journal.as_ref(), |builder| builder.hook(Confines));
        let waiting = begin(&dispatcher, "delete", PATH).await;
        let result = only(answer(&dispatcher, &waiting, "yes").await);
        assert_eq!(result.text(), "deleted /safe/etc", "journal: {}", journal.is_some());

        let waiting = begin(&dispatcher, "outside", PATH).await;
        assert_eq!(shown(&waiting), r#"{"path":"/safe/etc"}"#);
        // Nothing is answered: the turn waits again, for the same.
        let resumed = dispatcher.resume("s", &waiting.turn).await.unwrap();
        let (handle, _events) = resumed.start().unwrap();
        let waiting = waits(handle.finish().await.unwrap());
        assert_eq!(shown(&waiting), r#"{"path":"/safe/etc"}"#);
        assert_eq!(only(answer(&dispatcher, &waiting, ToolOutput::text("done")).await).text(), "done");
    }
}

#[tokio::test]
async fn what_a_person_put_in_place_is_what_runs_after_a_suspension() {
    let edit = || ApprovalDecision::Edit { arguments: r#"{"path":"/tmp"}"#.into() };
    let note = "\n\nA person changed the arguments before the call ran: {\"path\":\"/tmp\"}";
    for journal in journals() {
        let dispatcher = build(tools(), journal.as_ref(), |builder| builder);
        let waiting = begin(&dispatcher, "wanted", PATH).await;
        let mut waiting = waits(answer(&dispatcher, &waiting, edit()).await);
        for _ in 0..2 {
            assert_eq!(shown(&waiting), r#"{"path":"/tmp"}"#, "journal: {}", journal.is_some());
            let (handle, _events) = dispatcher.resume("s", &waiting.turn).await.unwrap().start().unwrap();
            waiting = waits(handle.finish().await.unwrap());
        }
        let result = only(answer(&dispatcher, &waiting, ToolOutput::text("done")).await);
        assert_eq!(result.text(), format!("done{note}"), "journal: {}", journal.is_some());

        // The edit is given at once, the question later.
        let dispatcher = build(tools(), journal.as_ref(), |builder| builder.answerer(Edits));
        let waiting = begin(&dispatcher, "approved", PATH).await;
        let result = only(answer(&dispatcher, &waiting, "yes").await);
        assert_eq!(result.text(), format!("deleted /tmp{note}"), "journal: {}", journal.is_some());
    }
}

#[derive(Debug)]
struct Edits;

impl Answerer for Edits {
    fn approve<'a>(&'a self, _: &'a haft_core::ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(async { Some(ApprovalDecision::Edit { arguments: r#"{"path":"/tmp"}"#.into() }) })
    }
}

/// The second call of an id is none, also for a turn that is taken up between the two.
#[tokio::test]
async fn a_repeated_id_never_runs_wherever_the_turn_was_interrupted() {
    let ran = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&ran);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    let note = Tool::builder("note").description("Notes.").idempotent(true).schema(schema).run_sync(
        move |Args(arguments): Args<Value>| {
            noted.lock().unwrap().push(arguments["n"].clone());
            "noted"
        },
    );
    let registry = ToolRegistry::builder().tool(note).build().unwrap();
    let journal = Arc::new(MemoryJournal::new());
    let dispatcher = build(registry.clone(), Some(&journal), |builder| builder);
    let calls = vec![ToolCall::new("a", "note", r#"{"n":1}"#), ToolCall::new("a", "note", r#"{"n":2}"#)];
    let (handle, _events) = dispatcher.turn(calls).session("s").start().unwrap();
    let id = handle.id().to_owned();
    handle.finish().await.unwrap();
    let entries = journal.entries("s", &id);
    for until in 1..entries.len() {
        let left = Arc::new(MemoryJournal::new());
        left.append(&entries[..until]).await.unwrap();
        let dispatcher = build(registry.clone(), Some(&left), |builder| builder);
        let (handle, _events) = dispatcher.resume("s", &id).await.unwrap().start().unwrap();
        let results = handle.finish().await.unwrap().finished().unwrap();
        assert_eq!(results[0].text(), "noted", "{until}");
        assert_eq!(results[1].error().unwrap().name(), "MalformedToolCallError", "{until}");
    }
    assert!(ran.lock().unwrap().iter().all(|n| n == 1), "{ran:?}");
}

/// A journal may give back more than was asked for, and what it wrote twice.
#[tokio::test]
async fn entries_of_other_turns_and_entries_written_twice_change_nothing() {
    #[derive(Debug)]
    struct Sloppy(MemoryJournal, Mutex<Vec<haft_core::Entry>>);
    impl Journal for Sloppy {
        fn append<'a>(&'a self, entries: &'a [haft_core::Entry]) -> haft_core::JournalFuture<'a, ()> {
            let mut all = self.1.lock().unwrap();
            all.extend(entries.iter().cloned());
            all.extend(entries.iter().cloned());
            self.0.append(entries)
        }
        fn read<'a>(&'a self, _: &'a str, _: &'a str) -> haft_core::JournalFuture<'a, Vec<haft_core::Entry>> {
            let all = self.1.lock().unwrap().clone();
            Box::pin(async move { Ok(all) })
        }
    }
    let journal: Arc<dyn Journal> = Arc::new(Sloppy(MemoryJournal::new(), Mutex::default()));
    let registry = ToolRegistry::builder().tool(asker(&["one", "two"])).build().unwrap();
    let dispatcher = Dispatcher::builder(registry).journal(journal).build();
    let first = begin(&dispatcher, "asks", "{}").await;
    let other = begin(&dispatcher, "asks", "{}").await;
    let again = waits(answer(&dispatcher, &first, "1").await);
    assert_eq!(only(answer(&dispatcher, &again, "2").await).text(), "1, 2");
    let again = waits(answer(&dispatcher, &other, "3").await);
    assert_eq!(only(answer(&dispatcher, &again, "4").await).text(), "3, 4");
}

/// A person sees what was repaired of a call, also in a later process.
#[tokio::test]
async fn an_approval_shows_what_was_repaired() {
    for journal in journals() {
        let schema =
            json!({"type": "object", "properties": {"amount": {"type": "integer"}}, "required": ["amount"]});
        let pay =
            Tool::builder("pay").description("Pays.").schema(schema).needs_approval(true).run(|| async {});
        let dispatcher =
            build(ToolRegistry::builder().tool(pay).build().unwrap(), journal.as_ref(), |builder| builder);
        let mut waiting = begin(&dispatcher, "Pay", r#"{"amount": "5"}"#).await;
        for _ in 0..2 {
            let PendingKind::Approval(request) = &waiting.pending()[0].kind else {
                panic!("an approval waits")
            };
            let repaired: Vec<(&str, &str)> =
                request.repaired.iter().map(|repair| (repair.rule, repair.path.as_str())).collect();
            assert_eq!(repaired, [("name", ""), ("scalar-text", "/amount")]);
            assert_eq!(request.arguments, r#"{"amount":5}"#);
            let (handle, _events) = dispatcher.resume("s", &waiting.turn).await.unwrap().start().unwrap();
            waiting = waits(handle.finish().await.unwrap());
        }
    }
}
