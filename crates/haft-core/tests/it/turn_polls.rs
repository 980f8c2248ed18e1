//! A turn whose handle is dropped, or that is cancelled, at the k-th poll, for every k.

use std::{
    future::Future,
    pin::{Pin, pin},
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use haft_core::{
    BatchingStrategy, CancellationToken, DefinitionError, Dispatcher, EventBody, State, Tool, ToolCall,
    ToolContext, ToolError, ToolEvents, ToolRegistry, ToolResult,
};
use tokio::task::yield_now;

use crate::script;

type Action = Box<dyn FnOnce() + Send>;

/// Counts the polls of all tools, and does something at one of them.
#[derive(Default)]
struct Trigger {
    polls: AtomicUsize,
    at: usize,
    action: Mutex<Option<Action>>,
}

impl Trigger {
    fn poll(&self) {
        if self.polls.fetch_add(1, Ordering::Relaxed) == self.at
            && let Some(action) = self.action.lock().unwrap().take()
        {
            action();
        }
    }

    fn has_fired(&self) -> bool {
        self.polls.load(Ordering::Relaxed) > self.at
    }
}

/// A tool's function whose polls are counted.
struct Counted<F>(Arc<Trigger>, Pin<Box<F>>);

impl<F: Future> Future for Counted<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.0.poll();
        self.1.as_mut().poll(context)
    }
}

fn counted<F: Future>(trigger: State<Trigger>, future: F) -> Counted<F> {
    Counted(trigger.into_inner(), Box::pin(future))
}

async fn yields(times: usize) {
    for _ in 0..times {
        yield_now().await;
    }
}

/// Holds the function on its thread until the test lets go.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<Option<mpsc::Receiver<()>>>>);

impl Gate {
    fn new() -> (mpsc::Sender<()>, Self) {
        let (sender, receiver) = mpsc::channel();
        (sender, Self(Arc::new(Mutex::new(Some(receiver)))))
    }

    fn pass(&self) {
        if let Some(gate) = self.0.lock().unwrap().take() {
            let _ = gate.recv();
        }
    }
}

fn registry(trigger: &Arc<Trigger>, gate: &Gate) -> ToolRegistry {
    // Their schemas are compiled once.
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| tools().into_iter().map(Result::unwrap).collect());
    ToolRegistry::builder()
        .shared_state(Arc::clone(trigger))
        .state(gate.clone())
        .tools(TOOLS.iter())
        .build()
        .unwrap()
}

fn tools() -> [Result<Tool, DefinitionError>; 9] {
    let tool = |name: &str| Tool::builder(name).description("Is polled often.");
    [
        tool("serial").run(|trigger: State<Trigger>| counted(trigger, async { yields(3).await })),
        tool("parallel")
            .read_only(true)
            .run(|trigger: State<Trigger>| counted(trigger, async { yields(2).await })),
        tool("capped")
            .batching(BatchingStrategy::Parallel)
            .max_concurrency(1)
            .run(|trigger: State<Trigger>| counted(trigger, async { yields(1).await })),
        tool("fails").read_only(true).run(|trigger: State<Trigger>| {
            counted(trigger, async {
                yields(1).await;
                Err::<(), _>(ToolError::new("no"))
            })
        }),
        tool("aborts").run(|trigger: State<Trigger>| {
            counted(trigger, async {
                yields(2).await;
                Err::<(), _>(ToolError::new("stop").propagate())
            })
        }),
        tool("listens").read_only(true).run(|trigger: State<Trigger>, context: ToolContext| {
            counted(trigger, async move {
                context.cancellation().cancelled().await;
                yields(2).await;
            })
        }),
        tool("deaf")
            .read_only(true)
            .run(|trigger: State<Trigger>| counted(trigger, std::future::pending::<()>())),
        tool("deaf_holder").read_only(true).run(|trigger: State<Trigger>, token: CancellationToken| {
            counted(trigger, async move {
                std::future::pending::<()>().await;
                drop(token);
            })
        }),
        tool("blocks").read_only(true).run_blocking(|gate: State<Gate>| gate.pass()),
    ]
}

/// Turns by the tools that they call.
const TURNS: [&[&str]; 8] = [
    &[],
    &["serial"],
    &["nothing", ""],
    &["parallel", "parallel", "serial", "capped", "capped", "nothing", "parallel"],
    &["serial", "serial", "fails", "parallel"],
    &["parallel", "aborts", "parallel", "serial"],
    &["listens", "deaf", "deaf_holder", "parallel", "serial"],
    &["blocks", "parallel", "serial"],
];

fn calls(names: &[&str]) -> Vec<ToolCall> {
    names.iter().enumerate().map(|(place, name)| ToolCall::new(format!("c{place}"), *name, "{}")).collect()
}

/// Exactly one end was told of each call.
async fn assert_ended(names: &[&str], events: &mut ToolEvents) {
    let mut ended = vec![0; names.len()];
    while ended.iter().sum::<usize>() < names.len() {
        let event = events.next().await.unwrap();
        if let EventBody::Completed { call, result } | EventBody::Failed { call, result } = &event.body {
            assert_eq!(call.id, *result.id());
            let place = call.id.as_str().strip_prefix('c').unwrap();
            ended[place.parse::<usize>().unwrap()] += 1;
        }
    }
    assert!(ended.iter().all(|times| *times == 1), "{ended:?}");
}

fn assert_results(names: &[&str], results: &[ToolResult]) {
    assert_eq!(results.len(), names.len());
    for (call, result) in calls(names).iter().zip(results) {
        assert_eq!((result.id(), result.tool_name()), (&call.id, call.name.as_str()));
    }
}

/// Nothing runs but what was left behind, and that is counted until it ends.
async fn assert_nothing_left(dispatcher: &Dispatcher, events: &mut ToolEvents, gate: mpsc::Sender<()>) {
    script::no_task_left().await;
    let status = dispatcher.status();
    assert_eq!((status.turns, status.running), (0, 0));
    drop(gate);
    for _ in 0..status.detached {
        loop {
            let event = events.next().await.unwrap();
            match event.body {
                EventBody::Late { .. } => break,
                EventBody::Completed { .. } | EventBody::Failed { .. } => panic!("a second end: {event:?}"),
                _ => {}
            }
        }
    }
    assert_eq!(dispatcher.status().detached, 0);
    // No second end comes, however late.
    while let Poll::Ready(further) =
        pin!(events.next()).as_mut().poll(&mut Context::from_waker(Waker::noop()))
    {
        let further = further.expect("the dispatcher is there");
        assert!(matches!(further.body, EventBody::Late { .. }), "{further:?}");
    }
}

#[derive(Clone, Copy, Debug)]
enum Does {
    /// Cancels the token that the host gave.
    Cancel,
    /// Drops the handle.
    Drop,
}

/// Runs one turn and does it at one poll of the tools; `false` when the turn ended before.
async fn at_poll_of_tools(names: &[&str], does: Does, at: usize, concurrency: usize) -> bool {
    let trigger = Arc::new(Trigger { at, ..Trigger::default() });
    let (opener, gate) = Gate::new();
    let dispatcher = Dispatcher::builder(registry(&trigger, &gate)).concurrency(concurrency).build();
    let mut events = dispatcher.subscribe();
    let token = CancellationToken::new();
    let turn = dispatcher.turn(calls(names)).cancellation(token.clone()).timeout(Duration::from_secs(60));
    let (turn, _) = turn.start().unwrap();
    match does {
        Does::Cancel => {
            *trigger.action.lock().unwrap() = Some(Box::new(move || token.cancel()));
            match turn.finish().await {
                Ok(outcome) => assert_results(names, &outcome.finished().unwrap()),
                Err(error) => assert_results(names, error.results()),
            }
        }
        Does::Drop => *trigger.action.lock().unwrap() = Some(Box::new(move || drop(turn))),
    }
    assert_ended(names, &mut events).await;
    // The handle, where it was not dropped.
    drop(trigger.action.lock().unwrap().take());
    assert_nothing_left(&dispatcher, &mut events, opener).await;
    trigger.has_fired()
}

/// Runs one turn and ends it after so many polls of `finish`; `false` when the turn ended before.
async fn at_poll_of_finish(names: &[&str], does: Does, at: usize, concurrency: usize) -> bool {
    let trigger = Arc::new(Trigger { at: usize::MAX, ..Trigger::default() });
    let (opener, gate) = Gate::new();
    let dispatcher = Dispatcher::builder(registry(&trigger, &gate)).concurrency(concurrency).build();
    let mut events = dispatcher.subscribe();
    let token = CancellationToken::new();
    let turn = dispatcher.turn(calls(names)).cancellation(token.clone()).timeout(Duration::from_secs(60));
    let (turn, _) = turn.start().unwrap();
    let mut finish = Box::pin(turn.finish());
    let mut fired = true;
    for poll in 0.. {
        if poll == at {
            match does {
                Does::Cancel => {
                    token.cancel();
                    let results = finish.await;
                    let results = results
                        .map_or_else(|error| error.results().to_vec(), |outcome| outcome.finished().unwrap());
                    assert_results(names, &results);
                }
                Does::Drop => drop(finish),
            }
            break;
        }
        let ended = finish.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if ended.is_ready() || poll > 200 {
            // Turns with functions that never end are dropped in the end.
            fired = false;
            drop(finish);
            break;
        }
        yield_now().await;
    }
    assert_ended(names, &mut events).await;
    assert_nothing_left(&dispatcher, &mut events, opener).await;
    fired
}

/// Tries every k, until the turn ends before.
fn every(mut at: impl AsyncFnMut(usize) -> bool) -> usize {
    for k in 0..400 {
        if !script::paused().block_on(at(k)) {
            return k;
        }
    }
    panic!("a turn does not end");
}

fn each_turn(mut run: impl FnMut(&'static [&'static str], Does, usize) -> usize) {
    for names in TURNS {
        for does in [Does::Cancel, Does::Drop] {
            for concurrency in [1, 2, 8] {
                let polls = run(names, does, concurrency);
                assert!(
                    polls > 0
                        || names.iter().all(|name| matches!(*name, "" | "nothing") || names[0] == "blocks"),
                    "{names:?}"
                );
            }
        }
    }
}

#[test]
fn cancelled_or_dropped_at_every_poll_of_a_tool() {
    each_turn(|names, does, concurrency| {
        every(async |k| at_poll_of_tools(names, does, k, concurrency).await)
    });
}

#[test]
fn cancelled_or_dropped_at_every_poll_of_finish() {
    each_turn(|names, does, concurrency| {
        every(async |k| at_poll_of_finish(names, does, k, concurrency).await)
    });
}

/// A call that stands alone ends with its future, at whatever poll that is dropped.
#[test]
fn a_call_alone_dropped_at_every_poll() {
    for name in
        ["serial", "parallel", "capped", "fails", "listens", "deaf", "deaf_holder", "blocks", "nothing"]
    {
        every(async |k| {
            let trigger = Arc::new(Trigger { at: usize::MAX, ..Trigger::default() });
            let (opener, gate) = Gate::new();
            let dispatcher = Dispatcher::new(registry(&trigger, &gate));
            let mut events = dispatcher.subscribe();
            let context = haft_core::CallContext::new().call_id("c0");
            let mut call = Box::pin(dispatcher.call(name, "{}", context));
            let mut fired = true;
            for poll in 0..k.min(100) {
                if call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
                    fired = false;
                    break;
                }
                if poll == 99 {
                    fired = false;
                }
                yield_now().await;
            }
            let polled = k > 0;
            drop(call);
            if polled {
                assert_ended(&[name], &mut events).await;
            }
            // Whoever holds its token has the grace period.
            tokio::time::sleep(Duration::from_secs(3)).await;
            assert_nothing_left(&dispatcher, &mut events, opener).await;
            fired
        });
    }
}
