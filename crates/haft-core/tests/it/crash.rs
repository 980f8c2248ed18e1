//! A crash between any two journal entries, then a resume: exactly n results, nothing finished runs again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use haft_core::{
    ApprovalDecision, Args, Dispatcher, Entry, EntryBody, Journal, MemoryJournal, PendingKind, Probed,
    Question, Recovery, Reply, ResumeError, Tool, ToolCall, ToolContext, ToolError, ToolOutput, ToolRegistry,
    ToolResult, TurnOutcome,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What ran in this life of the process: call id → arguments of each run.
#[derive(Clone, Default)]
struct Ran(Arc<Mutex<HashMap<String, Vec<String>>>>);

impl Ran {
    fn note(&self, context: &ToolContext, arguments: &Value) {
        let mut ran = self.0.lock().unwrap();
        ran.entry(context.tool_call_id().to_string()).or_default().push(arguments.to_string());
    }

    fn of(&self, id: &str) -> Vec<String> {
        self.0.lock().unwrap().get(id).cloned().unwrap_or_default()
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
}

fn tools(ran: &Ran) -> Vec<Tool> {
    let tool = |name: &str, recovery: Recovery, read_only: bool| {
        let ran = ran.clone();
        Tool::builder(name)
            .description("A tool of the test.")
            .read_only(read_only)
            .schema(schema())
            .recovery(recovery)
            .approve_if(|arguments| arguments["n"].as_i64() > Some(50))
            .run(move |Args(arguments): Args<Value>, context: ToolContext| {
                ran.note(&context, &arguments);
                async move {
                    tokio::task::yield_now().await;
                    if arguments["n"] == 13 {
                        Err(ToolError::new("unlucky"))
                    } else {
                        Ok(format!("did {}", arguments["n"]))
                    }
                }
            })
            .unwrap()
    };
    let (asking, probing) = (ran.clone(), ran.clone());
    vec![
        tool("look", Recovery::Repeat, true),
        tool("keyed", Recovery::Keyed, false),
        tool("write", Recovery::Ask, false),
        tool("once", Recovery::Never, false),
        Tool::builder("chunk")
            .description("A tool of the test.")
            .schema(schema())
            .chunk_by("n")
            .recovery(Recovery::Repeat)
            .run_sync({
                let ran = ran.clone();
                move |Args(arguments): Args<Value>, context: ToolContext| {
                    ran.note(&context, &arguments);
                    "chunked"
                }
            })
            .unwrap(),
        Tool::builder("question")
            .description("A tool of the test.")
            .schema(schema())
            .recovery(Recovery::Repeat)
            .run(move |Args(arguments): Args<Value>, context: ToolContext| {
                let ran = asking.clone();
                async move {
                    let answer = context.ask(Question::new(format!("How about {}?", arguments["n"]))).await?;
                    ran.note(&context, &arguments);
                    Ok::<_, ToolError>(format!("answered {}", answer.as_text().unwrap_or("?")))
                }
            })
            .unwrap(),
        Tool::builder("probed")
            .description("A tool of the test.")
            .schema(schema())
            .probe(|arguments: Value, _| async move {
                Ok(if arguments["n"].as_i64() > Some(5) {
                    Probed::Done(ToolOutput::text("it was done"))
                } else {
                    Probed::NotDone
                })
            })
            .run_sync(move |Args(arguments): Args<Value>, context: ToolContext| {
                probing.note(&context, &arguments);
                "probed"
            })
            .unwrap(),
        Tool::builder("client").description("A tool of the test.").schema(schema()).external().unwrap(),
    ]
}

fn dispatcher(ran: &Ran, journal: &Arc<MemoryJournal>) -> Dispatcher {
    let registry = ToolRegistry::builder().tools(tools(ran)).build().unwrap();
    Dispatcher::builder(registry).concurrency(4).journal(Arc::clone(journal) as Arc<dyn Journal>).build()
}

fn reply(kind: &PendingKind) -> Reply {
    match kind {
        PendingKind::Approval(request) if request.arguments.contains("77") => {
            ApprovalDecision::Edit { arguments: r#"{"n":70}"#.into() }.into()
        }
        PendingKind::Approval(request) if request.arguments.contains("66") => {
            ApprovalDecision::reject("no").into()
        }
        // What was interrupted runs again only where somebody says so.
        PendingKind::Recovery(request) if request.arguments.contains('2') => {
            ApprovalDecision::reject("let it be").into()
        }
        PendingKind::Approval(_) | PendingKind::Recovery(_) => ApprovalDecision::Approve.into(),
        PendingKind::Question(_) => "well".into(),
        PendingKind::External { .. } => ToolOutput::text("from the client").into(),
        _ => unreachable!("every kind is answered"),
    }
}

/// Answers one question a time until the turn has finished.
async fn finish(dispatcher: &Dispatcher, turn: &str) -> Vec<ToolResult> {
    let mut next: Option<(String, Reply)> = None;
    for _ in 0..200 {
        let mut builder = dispatcher.resume("s", turn).await.unwrap();
        if let Some((id, reply)) = next.take() {
            builder = builder.answer(&id, reply).unwrap();
        }
        let (handle, _events) = builder.start().unwrap();
        match handle.finish().await.unwrap() {
            TurnOutcome::Finished(results) => return results,
            TurnOutcome::Suspended(waiting) => {
                let pending = waiting.pending().first().expect("a suspended turn waits for something");
                next = Some((pending.id.clone(), reply(&pending.kind)));
            }
            other => panic!("{other:?}"),
        }
    }
    panic!("the turn never finished");
}

async fn journal_of(entries: &[Entry]) -> Arc<MemoryJournal> {
    let journal = Arc::new(MemoryJournal::new());
    journal.append(entries).await.unwrap();
    journal
}

async fn check(calls: Vec<ToolCall>) {
    let (ran, journal) = (Ran::default(), Arc::new(MemoryJournal::new()));
    let whole = dispatcher(&ran, &journal);
    let (handle, _events) = whole.turn(calls.clone()).session("s").start().unwrap();
    let turn = handle.id().to_owned();
    let expected = match handle.finish().await.unwrap() {
        TurnOutcome::Finished(results) => results,
        _ => finish(&whole, &turn).await,
    };
    let entries = journal.entries("s", &turn);
    assert!(matches!(entries.last().map(|entry| &entry.entry), Some(EntryBody::TurnClosed)));

    for cut in 0..=entries.len() {
        let before = &entries[..cut];
        let ran = Ran::default();
        let dispatcher = dispatcher(&ran, &journal_of(before).await);
        if cut == 0 || cut == entries.len() {
            let resumed = dispatcher.resume("s", &turn).await;
            assert!(matches!(resumed, Err(ResumeError::Unknown { .. } | ResumeError::Ended(_))));
            continue;
        }
        let results = finish(&dispatcher, &turn).await;
        assert_eq!(results.len(), calls.len(), "cut at {cut}");
        for (position, (result, call)) in results.iter().zip(&calls).enumerate() {
            assert_eq!(result.id(), &call.id, "cut at {cut}");
            let finished = before.iter().any(
                |entry| matches!(entry.entry, EntryBody::CallFinished { position: finished, .. } if finished == position),
            );
            let approved = ["look", "keyed", "write", "once"].contains(&call.name.as_str());
            let ran = ran.of(call.id.as_str());
            if finished {
                assert!(ran.is_empty(), "cut at {cut}: {call:?} had finished and ran again");
                assert_eq!(result.text(), expected[position].text(), "cut at {cut}");
            }
            assert!(ran.len() <= 1, "cut at {cut}: {call:?} ran {} times", ran.len());
            for arguments in &ran {
                let allowed =
                    if approved && call.arguments.contains("77") { r#"{"n":70}"# } else { &call.arguments };
                assert_eq!(arguments, allowed, "cut at {cut}: {call:?} ran with other arguments");
            }
            let started = before.iter().any(
                |entry| matches!(entry.entry, EntryBody::CallStarted { position: started, .. } if started == position),
            );
            if call.name == "write" && started && call.arguments.contains('2') {
                assert!(ran.is_empty(), "cut at {cut}: {call:?} ran again against a person's word");
            }
            if approved && call.arguments.contains("66") {
                assert!(result.is_error(), "cut at {cut}: a rejected call has run");
            }
        }
    }
}

fn call() -> impl Strategy<Value = (&'static str, i64)> {
    const NAMES: [&str; 9] =
        ["look", "keyed", "write", "once", "chunk", "question", "probed", "client", "nobody"];
    (prop::sample::select(&NAMES[..]), prop::sample::select(&[1_i64, 2, 13, 60, 66, 77][..]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn a_crash_anywhere_costs_no_result_and_repeats_nothing(calls in prop::collection::vec(call(), 1..6)) {
        let calls = calls.into_iter().enumerate().map(|(index, (name, n))| {
            ToolCall::new(format!("c{index}"), name, format!(r#"{{"n":{n}}}"#))
        });
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(check(calls.collect()));
    }
}
