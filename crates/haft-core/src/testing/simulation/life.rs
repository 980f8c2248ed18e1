//! One life of a process: a registry of its own, a journal with what is left, and the world as it is.

use std::{sync::Arc, time::Duration};

use crate::{
    dispatch::{CallContext, Dispatcher},
    journal::{Entry, EntryBody, Journal},
    message::ToolCallId,
    result::ToolResult,
    testing::{
        EffectLog, lines,
        play::{Begin, Course, play},
    },
};

use super::{
    Moment, Simulation, SimulationFault,
    gate::{Gate, GateLayer},
    marks::MarkedJournal,
};

/// How long a turn may take on the runtime's clock before it counts as one that never ends.
const LIMIT: Duration = Duration::from_secs(600);

/// What a process begins with.
pub(super) struct Life {
    pub(super) seed: u64,
    pub(super) effects: EffectLog,
    pub(super) entries: Vec<Entry>,
    /// The turn that it takes up.
    pub(super) turn: Option<String>,
    pub(super) cancel_at: Option<usize>,
}

/// What came of it.
pub(super) struct Lived {
    pub(super) turn: String,
    pub(super) turns: usize,
    pub(super) steps: usize,
    pub(super) order: Vec<String>,
    pub(super) entries: Vec<Entry>,
    results: Vec<ToolResult>,
    marks: Vec<usize>,
    effects: EffectLog,
}

impl Life {
    /// Begins the turn, in a world in which nothing has happened.
    pub(super) fn first(seed: u64, cancel_at: Option<usize>) -> Self {
        Self { seed, effects: EffectLog::new(), entries: Vec::new(), turn: None, cancel_at }
    }

    /// Runs the turn to its end, and checks what was promised.
    pub(super) async fn live(
        self,
        simulation: &Simulation,
        moment: Moment,
    ) -> Result<Lived, SimulationFault> {
        let seed = self.seed;
        self.run(simulation).await.map_err(|what| SimulationFault::new(seed, moment, what))
    }

    async fn run(self, simulation: &Simulation) -> Result<Lived, String> {
        let gate = Arc::new(Gate::new(self.seed, self.cancel_at));
        let journal = Arc::new(MarkedJournal::new(self.entries, self.effects.clone()));
        let registry = (simulation.build)(&self.effects).layer(GateLayer(Arc::clone(&gate))).build();
        let registry = registry.map_err(|error| format!("the registry can not be built: {error}"))?;
        let builder = (simulation.dress)(Dispatcher::builder(registry));
        let dispatcher = builder.journal(Arc::clone(&journal) as Arc<dyn Journal>).build();
        let begin = match self.turn {
            Some(turn) => Begin::Resume(turn),
            None => Begin::Turn(simulation.calls.clone()),
        };
        let course = course(&dispatcher, begin, simulation, &gate).await?;
        check_results(&course, simulation)?;
        if let Some(effect) = self.effects.repeated() {
            return Err(format!(
                "{:?} was done twice under one idempotency key; a tool that runs again has to look whether it has \
                 done so, or has to say that it can not be repeated",
                effect.what
            ));
        }
        let (entries, marks) = journal.marked().into_iter().unzip();
        Ok(Lived {
            turn: course.turn,
            turns: course.suspensions + 1,
            steps: gate.steps(),
            order: gate.order(),
            entries,
            results: course.results,
            marks,
            effects: self.effects,
        })
    }
}

async fn course(
    dispatcher: &Dispatcher,
    begin: Begin,
    simulation: &Simulation,
    gate: &Gate,
) -> Result<Course, String> {
    let context: CallContext = simulation.context.clone().cancellation(gate.token.clone());
    let answers = simulation.answers.fresh().rejecting_recovery();
    let playing = play(dispatcher, begin, &context, &answers);
    match tokio::time::timeout(LIMIT, playing).await {
        Ok(course) => course.map_err(|error| error.to_string()),
        Err(_) => Err(format!("the turn did not end within {} seconds", LIMIT.as_secs())),
    }
}

/// One result a call, in the model's order.
fn check_results(course: &Course, simulation: &Simulation) -> Result<(), String> {
    if let Some(pending) = course.waits.first() {
        return Err(format!("{}, and the answers have none", lines::pending(pending)));
    }
    let expected = simulation.calls.iter().map(|call| &call.id);
    if expected.clone().eq(course.results.iter().map(ToolResult::id)) {
        return Ok(());
    }
    let found: Vec<&str> = course.results.iter().map(|result| result.id().as_str()).collect();
    let expected: Vec<&str> = expected.map(ToolCallId::as_str).collect();
    Err(format!("the calls are {expected:?} and the results are those of {found:?}"))
}

impl Lived {
    /// The world at the last moment before the entry of that number, from 0, was durable.
    pub(super) fn effects_before(&self, entry: usize) -> EffectLog {
        self.effects.at(self.marks.get(entry).copied().unwrap_or_else(|| self.effects.len()))
    }

    /// What had its result before a crash has the same one after it.
    pub(super) fn keeps(&self, resumed: &Self, cut: usize) -> Result<(), String> {
        for entry in self.entries.iter().take(cut) {
            let EntryBody::CallFinished { position, .. } = entry.entry else { continue };
            let of = |lived: &Self| lived.results.get(position).map(lines::result);
            if of(self) != of(resumed) {
                return Err(format!(
                    "a finished call has another result: {:?}, then {:?}",
                    of(self),
                    of(resumed)
                ));
            }
        }
        Ok(())
    }
}
