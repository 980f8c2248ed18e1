//! The task of a turn: answers the machine's actions, and waits for what takes time.

mod again;
mod asking;
mod calls;
mod hooking;
mod record;
mod report;
mod slot;
mod wait;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use foldhash::fast::RandomState;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::{
    ask::ApprovalDecision,
    dispatch::{
        Dispatcher, Scope,
        builder::WITHOUT_STAGES,
        lanes::Lanes,
        machine::{Action, Event, HookPoint, Machine, Position, Record, Stop},
        past::{Past, PastTurn},
        place::Place,
        presence::TurnPresence,
        recorder::{Appending, Recorder},
        sent::SentCalls,
        supervisor::Supervisor,
    },
    journal::{EntryBody, JournalError},
    registry::Snapshot,
};

pub(super) use asking::resolution;
use hooking::Hooking;
pub(super) use report::Report;
use slot::Slot;

/// After as many functions that ended at once, others get their turn.
const INLINE: usize = 32;

/// What a turn is begun or resumed with.
pub(super) struct Start {
    pub(super) setting: Setting,
    pub(super) presence: TurnPresence,
    pub(super) recorded: Option<Box<Recorded>>,
}

/// What belongs to a turn that is written down.
pub(super) struct Recorded {
    pub(super) recorder: Recorder,
    /// What earlier runs have left.
    pub(super) past: Option<PastTurn>,
    /// What is recorded before anything else: the answers that the turn is resumed with.
    pub(super) preface: Vec<EntryBody>,
}

/// What does not change while a turn runs.
pub(super) struct Setting {
    pub(super) dispatcher: Dispatcher,
    pub(super) tools: Arc<Snapshot>,
    pub(super) calls: Arc<SentCalls>,
    pub(super) scope: Arc<Scope>,
}

struct Driver<'t> {
    machine: Machine,
    work: Work<'t>,
}

/// The calls of a turn, and all that is done with them.
struct Work<'t> {
    turn: &'t Setting,
    slots: Vec<Slot<'t>>,
    /// The ids of earlier calls, where these are too many to look through.
    ids: HashSet<&'t str, RandomState>,
    keys: HashMap<(String, String), usize, RandomState>,
    lanes: Lanes<'t>,
    supervisor: Supervisor<'t>,
    asking: Tasks<(Position, Option<ApprovalDecision>)>,
    hooking: Tasks<Hooking>,
    recorder: Option<Recorder>,
    records: Vec<(Record, Vec<EntryBody>)>,
    appending: Option<(Vec<Record>, Appending)>,
    journal_error: Option<JournalError>,
    past: Option<PastTurn>,
    preface: Vec<EntryBody>,
    /// The approvals that the turn is resumed with an answer to.
    brought: HashSet<String, RandomState>,
    /// Arguments that a person put in place of the model's.
    edited: HashMap<Position, String, RandomState>,
    /// What was asked and answered about calls, where that is not recorded.
    resolved: HashMap<Position, Vec<EntryBody>, RandomState>,
    events: VecDeque<Event>,
    /// Tells hooks that the turn is to end.
    hooks_stop: Option<CancellationToken>,
    suspended: bool,
    stopped: bool,
    inline: usize,
}

/// Tasks of one kind; the set is made with the first of them.
type Tasks<T> = Option<JoinSet<T>>;

/// Runs a turn to its end, or to where it waits for answers.
pub(super) async fn run(start: Start) -> Report {
    let Start { setting, presence: _presence, recorded } = start;
    match Driver::new(&setting, recorded).at_once() {
        Ok(report) => report,
        // Boxed, so that the turns which end at once are small.
        Err(driver) => Box::pin(driver.to_the_end()).await,
    }
}

impl<'t> Driver<'t> {
    fn new(setting: &'t Setting, recorded: Option<Box<Recorded>>) -> Self {
        let machine = Machine::new(setting.calls.len(), setting.dispatcher.0.concurrency == 1);
        Self { machine, work: Work::new(setting, recorded) }
    }

    /// As far as it goes without waiting; mostly that is the end.
    fn at_once(mut self) -> Result<Report, Box<Self>> {
        self.pump();
        if self.is_done() && !self.work.suspended { Ok(self.work.finish()) } else { Err(Box::new(self)) }
    }

    async fn to_the_end(mut self: Box<Self>) -> Report {
        while !self.is_done() {
            if self.work.events.is_empty() {
                self.work.wait().await;
            } else {
                tokio::task::yield_now().await;
            }
            self.pump();
        }
        if self.work.suspended { self.work.suspend().await } else { self.work.finish() }
    }

    fn is_done(&self) -> bool {
        self.machine.is_closed() && self.work.appending.is_none() && self.work.records.is_empty()
    }

    /// Hands events to the machine and does what it wants, until all is done that takes no time.
    fn pump(&mut self) {
        let Self { machine, work } = self;
        work.inline = 0;
        while work.inline < INLINE
            && let Some(event) = work.next_event()
        {
            if let Event::Appended(Record::Finished(position)) = event {
                work.announce(position);
            }
            machine.step(event, &mut |action| work.act(action));
        }
        work.flush();
    }
}

impl<'t> Work<'t> {
    fn new(turn: &'t Setting, recorded: Option<Box<Recorded>>) -> Self {
        let settings = &turn.dispatcher.0;
        let (recorder, past, preface) = match recorded.map(|recorded| *recorded) {
            Some(Recorded { recorder, past, preface }) => (Some(recorder), past, preface),
            None => (None, None, Vec::new()),
        };
        let brought = preface.iter().filter_map(|entry| match entry {
            EntryBody::ApprovalResolved { id, .. } => Some(id.clone()),
            _ => None,
        });
        Self {
            brought: brought.collect(),
            turn,
            slots: std::iter::repeat_with(|| Slot::New).take(turn.calls.len()).collect(),
            ids: HashSet::default(),
            keys: HashMap::default(),
            lanes: Lanes::new(&settings.slots),
            supervisor: Supervisor::new(settings, turn.calls.len()),
            asking: None,
            hooking: None,
            recorder,
            records: Vec::new(),
            appending: None,
            journal_error: None,
            past,
            preface,
            edited: HashMap::default(),
            resolved: HashMap::default(),
            events: VecDeque::from([Event::Opened]),
            hooks_stop: None,
            suspended: false,
            stopped: false,
            inline: 0,
        }
    }

    /// A cancellation goes before everything else.
    fn next_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        // Looked for where something is about to begin.
        let begins = matches!(
            event,
            Event::Opened | Event::Checked(..) | Event::Admitted(_) | Event::Appended(Record::Started(_))
        );
        if begins && !self.stopped && self.turn.scope.token.is_cancelled() {
            self.events.push_front(event);
            self.stop_hooks();
            return Some(Event::Stopped(Stop::Cancelled));
        }
        Some(event)
    }

    fn stop(&mut self, stop: Stop) {
        self.stop_hooks();
        self.events.push_back(Event::Stopped(stop));
    }

    fn stop_hooks(&mut self) {
        self.stopped = true;
        if let Some(stop) = &self.hooks_stop {
            stop.cancel();
        }
    }

    /// Does what the machine wants; whether an append or a hook is done by that.
    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::Append(record) => return self.append(record),
            Action::Hook(position, HookPoint::Before) => return self.hook_before(position),
            Action::Hook(position, HookPoint::After) => return self.hook_after(position),
            Action::Check(position) => self.check(position),
            Action::Decide(position) => self.decide(position),
            Action::Ask(position) => self.ask(position),
            Action::Admit(position) => self.admit(position),
            Action::Start(position) => self.start(position),
            Action::Stop(position, stop) => self.supervisor.stop(position, stop),
            Action::Forgo(position, stop) => self.forgo(position, stop),
            Action::Suspend => self.suspended = true,
            Action::Close => {}
        }
        false
    }

    fn past(&self, position: Position) -> Option<&Past> {
        self.past.as_ref().filter(|_| !WITHOUT_STAGES)?.past.get(position)
    }

    /// What stands around a call.
    fn place(&self, position: Position) -> Option<Place<'t>> {
        let Setting { dispatcher, calls, scope, .. } = self.turn;
        Some(Place::in_turn(calls.sent(position)?, position, scope, &dispatcher.0))
    }
}
