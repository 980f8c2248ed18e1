//! Tools that do what a script says, and a record of what they did.

use std::{
    collections::BTreeMap,
    panic::panic_any,
    sync::{Arc, LazyLock, Mutex, Once},
    time::Duration,
};

use haft_core::{
    Args, BatchingStrategy, IntoToolOutput, State, Tool, ToolBuilder, ToolContext, ToolError, ToolErrorKind,
    ToolOutput, ToolRegistry,
};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use tokio::{task::yield_now, time::sleep};

/// What a call's function does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Do {
    Text,
    Nothing,
    Fail,
    Kind(ToolErrorKind),
    Refuse,
    Panic,
    PanicWithText(String),
    /// Panics with what panics again when it is dropped, and so on.
    PanicWithBomb,
    /// Ends well, and its future panics when it is dropped.
    BombFuture,
    Yield(usize),
    /// Milliseconds.
    Sleep(u64),
    /// Never ends, and panics when it is dropped.
    NeverWithBomb,
    Never,
    /// Waits for its token.
    UntilCancelled,
    /// Aborts the run.
    Propagate,
}

/// How long the tools named `…_timed` may take, in milliseconds.
pub(crate) const TIMED: u64 = 50;
/// How many calls of a tool named `capped_…` may run at once.
pub(crate) const CAP: usize = 2;
pub(crate) const LANES: [&str; 4] = ["serial", "parallel", "capped", "chunked"];
pub(crate) const MODES: [&str; 5] = ["plain", "aware", "timed", "sync", "blocking"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Begin,
    End,
}

/// What each call does, by its key, and what was done, in order.
#[derive(Debug, Default)]
pub(crate) struct Script {
    plans: BTreeMap<usize, Do>,
    log: Mutex<Vec<(usize, Mark)>>,
}

impl Script {
    pub(crate) fn new(plans: impl IntoIterator<Item = (usize, Do)>) -> Arc<Self> {
        Arc::new(Self { plans: plans.into_iter().collect(), log: Mutex::default() })
    }

    pub(crate) fn log(&self) -> Vec<(usize, Mark)> {
        self.log.lock().unwrap().clone()
    }

    /// Where a call began and ended in the log.
    pub(crate) fn interval(&self, key: usize) -> Option<(usize, Option<usize>)> {
        let log = self.log();
        let find = |mark| log.iter().position(|entry| *entry == (key, mark));
        find(Mark::Begin).map(|begin| (begin, find(Mark::End)))
    }

    fn enter(self: &Arc<Self>, key: usize) -> Entered {
        self.log.lock().unwrap().push((key, Mark::Begin));
        Entered(Arc::clone(self), key)
    }
}

struct Entered(Arc<Script>, usize);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.log.lock().unwrap().push((self.1, Mark::End));
    }
}

/// Drops with a panic whose payload drops with a panic, without end.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic_any(Self);
        }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Key {
    key: usize,
    /// Calls of one chunk run one after another, where the tool is chunked.
    #[serde(default, rename = "chunk")]
    _chunk: usize,
}

type Returned = Result<ToolOutput, ToolError>;

fn at_once(plan: &Do) -> Returned {
    match plan {
        Do::Nothing => ().into_tool_output(),
        Do::Fail => Err("seven".parse::<u8>().unwrap_err().into()),
        Do::Kind(kind) => Err(ToolError::new("scripted").with_kind(*kind)),
        Do::Refuse => Err(ToolError::refusal("scripted", "Not this one.").row(["instead", "another"])),
        Do::Panic => panic!("scripted"),
        Do::PanicWithText(text) => panic!("scripted {text}"),
        Do::PanicWithBomb => panic_any(Bomb),
        Do::Propagate => Err(ToolError::new("scripted").propagate()),
        _ => "done".into_tool_output(),
    }
}

async fn perform(script: Arc<Script>, key: usize, context: Option<ToolContext>) -> Returned {
    let _entered = script.enter(key);
    match &script.plans[&key] {
        Do::Yield(times) => {
            for _ in 0..*times {
                yield_now().await;
            }
        }
        Do::Sleep(millis) => sleep(Duration::from_millis(*millis)).await,
        Do::NeverWithBomb => {
            let _bomb = Bomb;
            std::future::pending::<()>().await;
        }
        Do::BombFuture => BombFuture(Bomb).await,
        Do::UntilCancelled if context.is_some() => {
            context.unwrap().cancellation().cancelled().await;
            return Err(ToolError::new("scripted: told to end"));
        }
        Do::Never | Do::UntilCancelled => std::future::pending().await,
        _ => {}
    }
    at_once(&script.plans[&key])
}

/// Ready at once; panics when it is dropped.
struct BombFuture(Bomb);

impl Future for BombFuture {
    type Output = ();

    fn poll(self: std::pin::Pin<&mut Self>, _: &mut std::task::Context<'_>) -> std::task::Poll<()> {
        std::task::Poll::Ready(())
    }
}

fn in_lane(lane: &str, mode: &str) -> ToolBuilder {
    let builder = Tool::builder(format!("{lane}_{mode}")).description("Does what its script says.");
    match lane {
        "serial" => builder,
        "parallel" => builder.read_only(true),
        "chunked" => builder.chunk_by("chunk"),
        _ => builder.batching(BatchingStrategy::Parallel).max_concurrency(CAP),
    }
}

fn tool(lane: &str, mode: &str) -> Tool {
    let builder = in_lane(lane, mode);
    let plain =
        |Args(Key { key, .. }): Args<Key>, script: State<Script>| perform(script.into_inner(), key, None);
    let sync = |Args(Key { key, .. }): Args<Key>, script: State<Script>| {
        let script = script.into_inner();
        let _entered = script.enter(key);
        at_once(&script.plans[&key])
    };
    let made = match mode {
        "aware" => {
            builder.run(|Args(Key { key, .. }): Args<Key>, script: State<Script>, context: ToolContext| {
                perform(script.into_inner(), key, Some(context))
            })
        }
        "timed" => builder.timeout(Duration::from_millis(TIMED)).run(plain),
        "sync" => builder.run_sync(sync),
        "blocking" => builder.run_blocking(sync),
        _ => builder.run(plain),
    };
    made.unwrap()
}

/// Every lane in every mode, following the script.
pub(crate) fn registry(script: &Arc<Script>) -> ToolRegistry {
    // Their schemas are compiled once.
    static TOOLS: LazyLock<Vec<Tool>> =
        LazyLock::new(|| LANES.into_iter().flat_map(|lane| MODES.map(|mode| tool(lane, mode))).collect());
    let tools = TOOLS.iter();
    ToolRegistry::builder().tools(tools).shared_state(Arc::clone(script)).build().unwrap()
}

/// Panics of scripts are not told; all others are.
pub(crate) fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
            if !payload.is::<Bomb>() && !text.is_some_and(|text| text.starts_with("scripted")) {
                told(info);
            }
        }));
    });
}

/// A runner of the same cases every time.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// A runtime of one thread whose clock goes on when nothing else does.
pub(crate) fn paused() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap()
}

/// Lets everything that can go on do so, and asserts that no task is left.
pub(crate) async fn no_task_left() {
    for _ in 0..16 {
        yield_now().await;
    }
    assert_eq!(tokio::runtime::Handle::current().metrics().num_alive_tasks(), 0, "a task is left");
}
