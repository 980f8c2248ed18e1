//! Functions on threads: they outlive their time without holding anything up, are counted, and are told of.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use haft_core::{
    CallContext, Dispatcher, DispatcherBuilder, Effects, ErrorCode, State, Tool, ToolCall, ToolContext,
    ToolEvents, ToolRegistry,
};
use tokio::sync::mpsc as channel;

use crate::script;

/// What a function on a thread tells the test, and waits for.
struct Thread {
    begun: channel::UnboundedSender<()>,
    gate: Mutex<mpsc::Receiver<()>>,
    ran: AtomicUsize,
}

impl Thread {
    fn run(&self) {
        self.ran.fetch_add(1, Ordering::Relaxed);
        let _ = self.begun.send(());
        let _ = self.gate.lock().unwrap().recv();
    }
}

struct Stage {
    begun: channel::UnboundedReceiver<()>,
    gate: mpsc::Sender<()>,
    thread: Arc<Thread>,
}

const HOUR: Duration = Duration::from_secs(3_600);

fn stage() -> (Stage, ToolRegistry) {
    let (sender, begun) = channel::unbounded_channel();
    let (gate, receiver) = mpsc::channel();
    let thread = Arc::new(Thread { begun: sender, gate: Mutex::new(receiver), ran: AtomicUsize::new(0) });
    let tool = |name: &str| {
        Tool::builder(name).description("Blocks its thread.").batching(haft_core::BatchingStrategy::Parallel)
    };
    let registry = ToolRegistry::builder()
        .shared_state(Arc::clone(&thread))
        .tool(tool("block").timeout(HOUR).run_blocking(|thread: State<Thread>| thread.run()))
        .tool(tool("block_unbounded").run_blocking(|thread: State<Thread>| thread.run()))
        .tool(tool("read").read_only(true).timeout(HOUR).run_blocking(|thread: State<Thread>| thread.run()))
        .tool(tool("listen").timeout(HOUR).run_blocking(|thread: State<Thread>, context: ToolContext| {
            thread.ran.fetch_add(1, Ordering::Relaxed);
            let _ = thread.begun.send(());
            while !context.cancellation().is_cancelled() {
                std::thread::yield_now();
            }
            "noticed"
        }))
        .build()
        .unwrap();
    (Stage { begun, gate, thread }, registry)
}

/// A runtime whose clock stands still until it is advanced by hand, which tokio allows only once the clock runs.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(test);
}

/// Lets an hour pass at once.
async fn an_hour_passes() {
    tokio::time::pause();
    tokio::time::advance(HOUR).await;
    tokio::time::resume();
}

async fn wait_for(events: &mut ToolEvents, name: &str) -> serde_json::Value {
    loop {
        let event = events.next().await.unwrap();
        if event.body.name() == name {
            return serde_json::to_value(&*event).unwrap();
        }
    }
}

fn build(registry: ToolRegistry, set: impl FnOnce(DispatcherBuilder) -> DispatcherBuilder) -> Dispatcher {
    set(Dispatcher::builder(registry)).build()
}

#[test]
fn a_thread_that_outlives_its_time_is_left_behind_counted_and_told_of() {
    run(async {
        for (name, effects) in [("block", Effects::Unknown), ("read", Effects::None)] {
            let (mut stage, registry) = stage();
            let dispatcher = Dispatcher::new(registry);
            let mut events = dispatcher.subscribe();
            let (turn, mut own) = dispatcher.turn(vec![ToolCall::new("c1", name, "{}")]).start().unwrap();
            stage.begun.recv().await.unwrap();
            assert_eq!(dispatcher.status().running, 1);
            an_hour_passes().await;

            let results = turn.finish().await.unwrap().finished().unwrap();
            let error = results[0].error().unwrap();
            assert_eq!((error.code(), error.effects()), (ErrorCode::Timeout, Some(effects)));
            let status = dispatcher.status();
            assert_eq!((status.turns, status.running, status.detached), (0, 0, 1));
            assert_eq!(wait_for(&mut own, "tool.detached").await["toolCallId"], "c1");
            assert_eq!(wait_for(&mut events, "tool.failed").await["error"]["kind"], "timeout");

            stage.gate.send(()).unwrap();
            let late = wait_for(&mut events, "tool.late").await;
            assert_eq!((&late["toolCallId"], &late["isError"]), (&"c1".into(), &false.into()));
            assert_eq!(dispatcher.status().detached, 0);
        }
    });
}

#[test]
fn a_thread_left_behind_holds_no_slot() {
    run(async {
        let (mut stage, registry) = stage();
        let dispatcher = build(registry, |builder| builder.concurrency(1));
        let calls = vec![
            ToolCall::new("c1", "block", "{}"),
            ToolCall::new("c2", "listen", r#"{"no":1}"#),
            ToolCall::new("c3", "block", "{}"),
        ];
        let (turn, _) = dispatcher.turn(calls).start().unwrap();
        stage.begun.recv().await.unwrap();
        an_hour_passes().await;
        stage.begun.recv().await.unwrap();
        assert_eq!(dispatcher.status().detached, 1);
        an_hour_passes().await;
        let results = turn.finish().await.unwrap().finished().unwrap();
        let codes: Vec<_> = results.iter().map(|result| result.error().unwrap().code()).collect();
        assert_eq!(codes, [ErrorCode::Timeout, ErrorCode::Arguments, ErrorCode::Timeout]);
        assert_eq!(dispatcher.status().detached, 2);
        let mut events = dispatcher.subscribe();
        drop(stage.gate);
        wait_for(&mut events, "tool.late").await;
        wait_for(&mut events, "tool.late").await;
        assert_eq!(dispatcher.status().detached, 0);
    });
}

#[test]
fn what_waits_for_a_thread_when_its_time_is_over_never_runs() {
    run(async {
        let (mut stage, registry) = stage();
        let dispatcher = build(registry, |builder| builder.blocking_threads(1));
        let calls = vec![ToolCall::new("c1", "block_unbounded", "{}"), ToolCall::new("c2", "block", "{}")];
        let (turn, mut events) = dispatcher.turn(calls).start().unwrap();
        stage.begun.recv().await.unwrap();
        an_hour_passes().await;
        wait_for(&mut events, "tool.failed").await;
        stage.gate.send(()).unwrap();
        let results = turn.finish().await.unwrap().finished().unwrap();
        assert!(!results[0].is_error());
        let error = results[1].error().unwrap();
        assert_eq!((error.code(), error.effects()), (ErrorCode::Timeout, Some(Effects::None)));
        assert_eq!(dispatcher.status().detached, 0);

        // The same thread takes the next, and has passed over what was given up.
        stage.gate.send(()).unwrap();
        dispatcher.call("block", "{}", CallContext::new()).await.unwrap();
        assert_eq!(stage.thread.ran.load(Ordering::Relaxed), 2);
    });
}

/// The context is a way to notice too, not only a `CancellationToken` parameter.
#[test]
fn a_thread_notices_the_end_of_its_time_by_its_context() {
    run(async {
        let (mut stage, registry) = stage();
        let dispatcher = Dispatcher::new(registry);
        let mut events = dispatcher.subscribe();
        let call = dispatcher.call("listen", "{}", CallContext::new().call_id("c1"));
        let (result, ()) = tokio::join!(call, async {
            stage.begun.recv().await.unwrap();
            an_hour_passes().await;
        });
        assert_eq!(result.unwrap().error().unwrap().code(), ErrorCode::Timeout);
        wait_for(&mut events, "tool.late").await;
        let status = dispatcher.status();
        assert_eq!((status.running, status.detached), (0, 0));
    });
}

/// B82: what was accepted and never started is told from what was stopped while it ran.
#[test]
fn a_cancelled_turn_tells_what_ran_from_what_never_did() {
    run(async {
        let (mut stage, registry) = stage();
        let dispatcher = build(registry, |builder| builder.concurrency(1));
        let calls = vec![ToolCall::new("c1", "block", "{}"), ToolCall::new("c2", "block", "{}")];
        let (turn, _) = dispatcher.turn(calls).start().unwrap();
        stage.begun.recv().await.unwrap();
        turn.cancel();
        let results = turn.finish().await.unwrap().finished().unwrap();
        let [ran, never] = results.as_slice() else { panic!("{results:?}") };
        let (ran, never) = (ran.error().unwrap(), never.error().unwrap());
        assert_eq!((ran.kind().as_str(), ran.effects()), ("cancelled", Some(Effects::Unknown)));
        assert_eq!((never.kind().as_str(), never.effects()), ("not-run", None));
        assert_eq!(stage.thread.ran.load(Ordering::Relaxed), 1);
        drop(stage.gate);
    });
}

/// B88: the crash of a task is none of its cancellation.
#[test]
fn a_panic_on_a_thread_is_no_cancellation() {
    script::quiet_panics();
    run(async {
        let nested = Tool::builder("nested")
            .description("Panics on a thread of the runtime.")
            .run(|| async { tokio::task::spawn_blocking(|| panic!("scripted")).await.map(|()| "never") });
        let own = Tool::builder("own")
            .description("Panics on a thread.")
            .run_blocking(|| -> &'static str { panic!("scripted") });
        let registry = ToolRegistry::builder().tools([nested, own]).build().unwrap();
        let dispatcher = Dispatcher::new(registry);
        for (name, error) in [("nested", "JoinError"), ("own", "ToolPanicError")] {
            let result = dispatcher.call(name, "{}", CallContext::new()).await.unwrap();
            let told = result.error().unwrap();
            assert_eq!((told.kind().as_str(), told.name()), ("execution", error));
            assert!(told.message().contains("scripted"), "{}", told.message());
        }
        // The thread that panicked is there for the next.
        assert!(dispatcher.call("own", "{}", CallContext::new()).await.unwrap().is_error());
    });
}

/// The count of threads survives what a job drops with a panic.
#[test]
fn a_thread_outlives_a_panic_in_what_its_job_drops() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "scripted");
        }
    }
    impl std::fmt::Debug for Bomb {
        fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("bomb")
        }
    }
    impl std::fmt::Display for Bomb {
        fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            out.write_str("bomb")
        }
    }
    impl std::error::Error for Bomb {}

    script::quiet_panics();
    run(async {
        let (mut stage, _) = stage();
        let thread = Arc::clone(&stage.thread);
        let fail =
            Tool::builder("fail").description("Fails with a bomb.").timeout(HOUR).run_blocking(move || {
                thread.run();
                Err::<(), _>(Bomb)
            });
        let fine = Tool::builder("fine").description("Is fine.").run_blocking(|| "fine");
        let registry = ToolRegistry::builder().tools([fail, fine]).build().unwrap();
        let dispatcher = build(registry, |builder| builder.blocking_threads(1));
        let (turn, _) = dispatcher.turn(vec![ToolCall::new("c1", "fail", "{}")]).start().unwrap();
        stage.begun.recv().await.unwrap();
        an_hour_passes().await;
        turn.finish().await.unwrap();
        drop(stage.gate);
        let result = dispatcher.call("fine", "{}", CallContext::new()).await.unwrap();
        assert_eq!(result.text(), "fine");
    });
}
