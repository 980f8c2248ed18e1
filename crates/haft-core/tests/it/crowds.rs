//! Turns of more calls than are polled in place: each still has one result, and nothing is left of them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use haft_core::{
    Dispatcher, ErrorCode, Tool, ToolCall, ToolContext, ToolError, ToolRegistry, ToolResult, TurnOutcome,
};
use tokio::time::{sleep, timeout};

const CALLS: usize = 300;
const HOUR: Duration = Duration::from_secs(3_600);

/// Counts how many of it there are.
struct Alive(Arc<AtomicUsize>);

impl Alive {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Tools that wait for a second or an hour, one that ends at once, one that panics, one that fails after a wait.
fn dispatcher(alive: &Arc<AtomicUsize>) -> Dispatcher {
    let waits = |name: &str, time: Duration| {
        let alive = Arc::clone(alive);
        Tool::builder(name)
            .description("Waits.")
            .read_only(true)
            .run(move |context: ToolContext| {
                let alive = Alive::new(&alive);
                async move {
                    let _alive = alive;
                    sleep(time).await;
                    context.tool_call_id().to_string()
                }
            })
            .unwrap()
    };
    let at_once = Tool::builder("at_once").description("Ends.").read_only(true).run(async || "done").unwrap();
    let panics = Tool::builder("panics")
        .description("Panics.")
        .read_only(true)
        .run(async || -> String { panic!("on purpose") })
        .unwrap();
    let fails = Tool::builder("fails").description("Fails.").read_only(true).run(async || {
        sleep(Duration::from_millis(1)).await;
        Err::<String, _>(ToolError::new("it failed"))
    });
    let registry = ToolRegistry::builder()
        .tool(waits("second", Duration::from_secs(1)))
        .tool(waits("hour", HOUR))
        .tool(at_once)
        .tool(panics)
        .tool(fails.unwrap());
    Dispatcher::builder(registry.build().unwrap()).concurrency(CALLS).timeout(HOUR * 2).build()
}

fn calls(name: impl Fn(usize) -> &'static str) -> Vec<ToolCall> {
    (0..CALLS).map(|position| ToolCall::new(format!("call_{position}"), name(position), "{}")).collect()
}

/// Waits until all functions have begun: they do so without time going by.
async fn all_begin(alive: &AtomicUsize) {
    for _ in 0..100_000 {
        if alive.load(Ordering::SeqCst) == CALLS {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("{} of {CALLS} have begun", alive.load(Ordering::SeqCst));
}

fn in_order(results: &[ToolResult]) {
    assert_eq!(results.len(), CALLS);
    for (position, result) in results.iter().enumerate() {
        assert_eq!(result.id().as_str(), format!("call_{position}"));
    }
}

#[tokio::test(start_paused = true)]
async fn every_call_of_a_crowd_has_its_own_result() {
    let alive = Arc::default();
    let dispatcher = dispatcher(&alive);
    let names = ["second", "at_once", "second", "panics", "fails", "second", "unknown"];
    let sent = calls(|position| names[position % names.len()]);
    let (turn, _events) = dispatcher.turn(sent).start().unwrap();
    let Ok(TurnOutcome::Finished(results)) = turn.finish().await else { panic!("it finishes") };
    in_order(&results);
    for (position, result) in results.iter().enumerate() {
        match names[position % names.len()] {
            "second" => assert_eq!(result.text(), format!("call_{position}")),
            "at_once" => assert_eq!(result.text(), "done"),
            "panics" => assert!(result.text().contains("on purpose"), "{}", result.text()),
            "fails" => assert!(result.text().contains("it failed"), "{}", result.text()),
            _ => assert_eq!(result.error().map(ToolError::code), Some(ErrorCode::NotFound)),
        }
    }
    assert_eq!((alive.load(Ordering::SeqCst), dispatcher.status().running), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_crowd_that_is_cancelled_ends_whole() {
    let alive = Arc::default();
    let dispatcher = dispatcher(&alive);
    let (turn, _events) = dispatcher.turn(calls(|_| "hour")).start().unwrap();
    all_begin(&alive).await;
    assert_eq!(dispatcher.status().running, CALLS);
    turn.cancel();
    let Ok(TurnOutcome::Finished(results)) = turn.finish().await else { panic!("it finishes") };
    in_order(&results);
    assert!(results.iter().all(|result| result.error().map(ToolError::code) == Some(ErrorCode::Cancelled)));
    assert_eq!((alive.load(Ordering::SeqCst), dispatcher.status().running), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_crowd_whose_time_is_over_ends_whole() {
    let alive = Arc::default();
    let dispatcher = dispatcher(&alive);
    let sent = calls(|position| if position.is_multiple_of(3) { "second" } else { "hour" });
    let (turn, _events) = dispatcher.turn(sent).timeout(Duration::from_secs(60)).start().unwrap();
    let Ok(TurnOutcome::Finished(results)) = turn.finish().await else { panic!("it finishes") };
    in_order(&results);
    for (position, result) in results.iter().enumerate() {
        let code = result.error().map(ToolError::code);
        assert_eq!(code, (!position.is_multiple_of(3)).then_some(ErrorCode::Timeout), "{position}");
    }
    assert_eq!((alive.load(Ordering::SeqCst), dispatcher.status().running), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_left_of_a_crowd_whose_handle_is_dropped() {
    let alive = Arc::default();
    let dispatcher = dispatcher(&alive);
    let (turn, events) = dispatcher.turn(calls(|_| "hour")).start().unwrap();
    all_begin(&alive).await;
    drop((turn, events));
    let nothing_is_left = async {
        while dispatcher.status().turns > 0 || alive.load(Ordering::SeqCst) > 0 {
            sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(Duration::from_secs(60), nothing_is_left).await.expect("all end");
    assert_eq!((dispatcher.status().running, dispatcher.status().detached), (0, 0));
}
