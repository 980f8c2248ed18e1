//! A turn of 10,000 calls that each wait for a millisecond, by the wall clock, over the same work as bare tasks.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use haft_core::{Args, Dispatcher, Json, Tool, ToolCall, ToolRegistry, TurnOutcome};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
    task::JoinSet,
};

use super::subject::{self, Addition, SMALL};

pub(crate) const CALLS: usize = 10_000;

const WAIT: Duration = Duration::from_millis(1);

/// Measures turn and tasks in turns, at most `limit` at once; the figure is the median of same-round ratios.
pub(crate) fn report(name: &str, limit: usize, rounds: usize, goal: &str) {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    let dispatcher = dispatcher(limit);
    turn(&runtime, &dispatcher);
    let (mut ratios, mut turns, mut floors) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let (of_turn, of_floor) = if round % 2 == 0 {
            let of_turn = turn(&runtime, &dispatcher);
            (of_turn, tasks(&runtime, limit))
        } else {
            let of_floor = tasks(&runtime, limit);
            (turn(&runtime, &dispatcher), of_floor)
        };
        ratios.push(of_turn / of_floor);
        turns.push(of_turn);
        floors.push(of_floor);
    }
    println!("figure turn/{name} {:.2} goal {goal}", median(ratios));
    println!("{name}: {:.1} ms, bare tasks {:.1} ms", median(turns) * 1e3, median(floors) * 1e3);
}

fn dispatcher(limit: usize) -> Dispatcher {
    let add = Tool::builder("add")
        .description("Add two whole numbers.")
        .read_only(true)
        .run(|Args(addition): Args<Addition>| async move {
            tokio::time::sleep(WAIT).await;
            Json(subject::add(&addition))
        })
        .expect("the tool is well defined");
    let registry = ToolRegistry::builder().tool(add).build().expect("one tool");
    Dispatcher::builder(registry).concurrency(limit).build()
}

fn turn(runtime: &Runtime, dispatcher: &Dispatcher) -> f64 {
    let calls: Vec<ToolCall> =
        (0..CALLS).map(|position| ToolCall::new(format!("call_{position}"), "add", SMALL)).collect();
    runtime.block_on(async {
        let start = Instant::now();
        let turn = dispatcher.turn(calls).start_unobserved().expect("the turn begins");
        let TurnOutcome::Finished(results) = turn.finish().await.expect("nothing aborts") else {
            panic!("nothing asks")
        };
        let time = start.elapsed().as_secs_f64();
        assert!(results.len() == CALLS && results.iter().all(|result| !result.is_error()));
        time
    })
}

/// The same calls as bare tasks: the text parsed, the wait, the result as text, results in order.
fn tasks(runtime: &Runtime, limit: usize) -> f64 {
    runtime.block_on(async {
        let start = Instant::now();
        let slots = (limit < CALLS).then(|| Arc::new(Semaphore::new(limit)));
        let mut tasks = JoinSet::new();
        for position in 0..CALLS {
            let permit = match &slots {
                Some(slots) => Arc::clone(slots).acquire_owned().await.ok(),
                None => None,
            };
            tasks.spawn(async move {
                let _permit = permit;
                let addition: Addition = serde_json::from_str(SMALL).expect("the text fits the type");
                tokio::time::sleep(WAIT).await;
                (position, serde_json::to_string(&subject::add(&addition)).expect("a sum is JSON"))
            });
        }
        let mut results = vec![String::new(); CALLS];
        while let Some(joined) = tasks.join_next().await {
            let (position, result) = joined.expect("no task panics");
            results[position] = result;
        }
        let time = start.elapsed().as_secs_f64();
        black_box(&results);
        time
    })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
