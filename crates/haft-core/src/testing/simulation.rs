//! A turn, run in many orders, cancelled and crashed at every step.

mod fault;
mod gate;
mod life;
mod marks;

use std::{collections::HashSet, fmt, ops::Range, sync::Arc};

use crate::{
    dispatch::{CallContext, DispatcherBuilder},
    message::ToolCall,
    registry::RegistryBuilder,
    testing::{Answers, EffectLog},
};

pub use fault::{Moment, SimulationFault};
use life::{Life, Lived};

type Build = dyn Fn(&EffectLog) -> RegistryBuilder + Send + Sync;
type Dress = dyn Fn(DispatcherBuilder) -> DispatcherBuilder + Send + Sync;

/// Runs one turn again and again: in other orders of completion, cancelled at every step of its tools, and crashed after
/// every entry of its journal and resumed.
///
/// Whatever happens, every call has to end in exactly one result, in the model's order; what had its result keeps it;
/// and nothing may be done twice under one idempotency key, which the tools note in an [`EffectLog`].
///
/// A registry is built for every life of the process, with its own tools and the world as it was left. A crash loses
/// what is in memory; what tools did until then stays done. The same seed gives the same order. Run it where time is
/// paused (`#[tokio::test(start_paused = true)]`), so that tools that sleep take no time.
///
/// ```
/// use haft_core::{Recovery, Tool, ToolCall, ToolContext, ToolRegistry, testing::{EffectLog, Simulation}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let charge = |recovery| move |effects: &EffectLog| {
///     let effects = effects.clone();
///     let charge = Tool::builder("charge").description("Charges.").recovery(recovery);
///     ToolRegistry::builder().tool(charge.run_sync(move |context: ToolContext| effects.record(&context, "charged")))
/// };
/// let calls = || [ToolCall::new("a", "charge", "{}"), ToolCall::new("b", "charge", "{}")];
///
/// let report = Simulation::new(charge(Recovery::Never)).calls(calls()).seeds(0..4).run().await?;
/// assert!(report.crashes > 20 && report.cancellations > 20);
///
/// // One that says that it can be repeated, and can not.
/// let fault = Simulation::new(charge(Recovery::Repeat)).calls(calls()).run().await.unwrap_err();
/// assert!(fault.to_string().contains("\"charged\" was done twice under one idempotency key"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a simulation does nothing until it is run"]
pub struct Simulation {
    build: Arc<Build>,
    dress: Arc<Dress>,
    calls: Vec<ToolCall>,
    context: CallContext,
    answers: Answers,
    seeds: Range<u64>,
}

/// What was simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SimulationReport {
    /// How many turns ran, resumed ones counted once more.
    pub turns: usize,
    /// In how many different orders the functions ended.
    pub orders: usize,
    /// How many turns were cancelled.
    pub cancellations: usize,
    /// How many turns were crashed and resumed.
    pub crashes: usize,
}

impl Simulation {
    /// Of the tools that `build` puts together, for every life of the process anew.
    pub fn new(build: impl Fn(&EffectLog) -> RegistryBuilder + Send + Sync + 'static) -> Self {
        Self {
            build: Arc::new(build),
            dress: Arc::new(|builder| builder),
            calls: Vec::new(),
            context: CallContext::new(),
            answers: Answers::new(),
            seeds: 0..16,
        }
    }

    /// The calls of the turn.
    pub fn calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.calls = calls.into_iter().collect();
        self
    }

    /// What the caller brings: session, messages, extensions. Cancelling is the simulation's own affair.
    pub fn context(mut self, context: CallContext) -> Self {
        self.context = context;
        self
    }

    /// The answers to what the turn asks, the same for every life. An interrupted call that asks whether it runs again
    /// is rejected unless the list says otherwise.
    pub fn answers(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }

    /// Sets up the dispatcher beyond its registry and journal: concurrency, hooks, timeouts, an answerer.
    pub fn dispatcher(
        mut self,
        dress: impl Fn(DispatcherBuilder) -> DispatcherBuilder + Send + Sync + 'static,
    ) -> Self {
        self.dress = Arc::new(dress);
        self
    }

    /// The seeds of the orders to try; `0..16` unless set.
    pub fn seeds(mut self, seeds: Range<u64>) -> Self {
        self.seeds = seeds;
        self
    }

    /// Runs it.
    ///
    /// # Errors
    /// The first fault, with the seed and the moment that lead to it again.
    pub async fn run(self) -> Result<SimulationReport, SimulationFault> {
        let mut report = SimulationReport::default();
        let mut orders = HashSet::new();
        for seed in self.seeds.clone() {
            let whole = Life::first(seed, None).live(&self, Moment::Undisturbed).await?;
            report.turns += whole.turns;
            for step in 0..whole.steps {
                let life = Life::first(seed, Some(step));
                report.turns += life.live(&self, Moment::Cancelled { step }).await?.turns;
                report.cancellations += 1;
            }
            report.turns += self.crash(seed, &whole, &mut report.crashes).await?;
            orders.insert(whole.order);
        }
        report.orders = orders.len();
        Ok(report)
    }

    /// Crashes the turn after every entry of its journal, and resumes it.
    async fn crash(&self, seed: u64, whole: &Lived, crashes: &mut usize) -> Result<usize, SimulationFault> {
        let mut turns = 0;
        // Without an entry there is no turn to resume; with the last one it has ended.
        for cut in 1..whole.entries.len() {
            let entries = whole.entries.iter().take(cut).cloned().collect();
            let moment = Moment::crashed(&whole.entries, cut);
            let effects = whole.effects_before(cut);
            let life = Life { seed, effects, entries, turn: Some(whole.turn.clone()), cancel_at: None };
            let lived = life.live(self, moment.clone()).await?;
            whole.keeps(&lived, cut).map_err(|what| SimulationFault::new(seed, moment, what))?;
            turns += lived.turns;
            *crashes += 1;
        }
        Ok(turns)
    }
}

impl fmt::Debug for Simulation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Simulation")
            .field("calls", &self.calls)
            .field("seeds", &self.seeds)
            .finish_non_exhaustive()
    }
}
