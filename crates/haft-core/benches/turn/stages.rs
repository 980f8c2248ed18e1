//! What a hook that does nothing and a journal in memory add to a turn of 8 small calls, in CPU time.

use std::{hint::black_box, sync::Arc, time::Duration};

use haft_core::{
    Args, Dispatcher, DispatcherBuilder, Hook, Journal, Json, MemoryJournal, Tool, ToolCall, ToolRegistry,
    TurnOutcome,
};
use tokio::runtime::{Builder, Runtime};

use super::{
    rounds::{self, Case, timed},
    subject::{self, Addition, SMALL},
};

const TURN: usize = 8;

/// Sees every call and lets it go on.
#[derive(Debug)]
struct Idle;

impl Hook for Idle {}

/// Measures each stage against a dispatcher without any.
pub(crate) fn report() {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let journal = Arc::new(MemoryJournal::new());
    let plain = builder().build();
    let hooked = builder().hook(Idle).build();
    let journaled = builder().journal(Arc::clone(&journal) as Arc<dyn Journal>).build();
    let measured = rounds::measure(vec![
        case("plain", &runtime, &plain, None),
        case("idle-hook", &runtime, &hooked, None),
        case("journaled-memory", &runtime, &journaled, Some(&journal)),
    ]);
    for (index, case) in measured.iter().enumerate() {
        if index > 0 {
            println!("figure turn/{} {:.2} goal none", case.name, case.ratio);
        }
        println!("{}: {:.0} ns a call", case.name, case.nanoseconds);
    }
}

/// A turn of 8 small calls, over the text parsed, the functions, their results as text.
pub(crate) fn report_small() {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let plain = builder().build();
    let floor = |runs| {
        timed(|| {
            for _ in 0..runs * TURN {
                black_box(subject::small_floor(black_box(SMALL)));
            }
        })
    };
    let floor = Case { name: "floor", calls: TURN, run: Box::new(floor) };
    let measured = rounds::measure(vec![floor, case("small", &runtime, &plain, None)]);
    for case in measured.iter().skip(1) {
        println!("{} {:.4}", case.name, case.ratio);
    }
}

fn builder() -> DispatcherBuilder {
    let add = Tool::builder("add")
        .description("Add two whole numbers.")
        .read_only(true)
        .run(|Args(addition): Args<Addition>| async move { Json(subject::add(&addition)) })
        .expect("the tool is well defined");
    Dispatcher::builder(ToolRegistry::builder().tool(add).build().expect("one tool"))
}

fn case<'a>(
    name: &'static str,
    runtime: &'a Runtime,
    dispatcher: &'a Dispatcher,
    journal: Option<&'a MemoryJournal>,
) -> Case<'a> {
    let run = move |runs| {
        let call = |position| ToolCall::new(format!("call_{position}"), "add", SMALL);
        let turns: Vec<Vec<ToolCall>> = (0..runs).map(|_| (0..TURN).map(call).collect()).collect();
        let mut spent = Duration::ZERO;
        for calls in turns {
            let mut id = String::new();
            spent += timed(|| {
                runtime.block_on(async {
                    let turn =
                        dispatcher.turn(calls).session("s").start_unobserved().expect("the turn begins");
                    if journal.is_some() {
                        turn.id().clone_into(&mut id);
                    }
                    let TurnOutcome::Finished(results) = turn.finish().await.expect("nothing aborts") else {
                        panic!("nothing asks")
                    };
                    for result in &results {
                        black_box(result.text());
                    }
                });
            });
            // What a host forgets is no part of the turn.
            if let Some(journal) = journal {
                journal.remove("s", &id);
            }
        }
        spent
    };
    Case { name, calls: TURN, run: Box::new(run) }
}
