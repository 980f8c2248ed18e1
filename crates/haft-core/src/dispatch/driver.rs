//! The task of a turn: answers the machine's actions, and waits for what takes time.

mod asking;
mod calls;
mod hooking;
mod record;
mod report;
mod slot;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use foldhash::fast::RandomState;
use tokio::{
    task::JoinSet,
    time::{sleep_until, timeout},
};

use tokio_util::sync::CancellationToken;

use crate::{
    ask::ApprovalDecision,
    dispatch::{
        Dispatcher, Scope,
        lanes::Lanes,
        machine::{Action, Event, HookPoint, Machine, Position, Record, Stop},
        past::PastTurn,
        presence::TurnPresence,
        recorder::{Appending, Recorder},
        supervisor::Supervisor,
    },
    journal::{EntryBody, JournalError},
    message::{ToolCall, ToolCallId},
    registry::Snapshot,
};

pub(super) use asking::resolution;
use hooking::Hooking;
pub(super) use report::Report;
use slot::Slot;

/// After as many functions that ended at once, others get their turn.
const INLINE: usize = 32;

/// How long a turn that is to end waits for its journal at least.
const PATIENCE: Duration = Duration::from_secs(2);

/// What a turn is begun or resumed with.
pub(super) struct Start {
    pub(super) dispatcher: Dispatcher,
    pub(super) tools: Arc<Snapshot>,
    pub(super) calls: Arc<[Arc<ToolCall>]>,
    pub(super) scope: Arc<Scope>,
    pub(super) recorder: Option<Recorder>,
    /// What earlier runs have left.
    pub(super) past: Option<PastTurn>,
    /// What is recorded before anything else: the answers that the turn is resumed with.
    pub(super) preface: Vec<EntryBody>,
    pub(super) presence: TurnPresence,
}

pub(super) struct Driver {
    dispatcher: Dispatcher,
    tools: Arc<Snapshot>,
    calls: Arc<[Arc<ToolCall>]>,
    scope: Arc<Scope>,
    machine: Machine,
    slots: Vec<Slot>,
    seen: HashSet<ToolCallId, RandomState>,
    keys: HashMap<(String, String), usize>,
    lanes: Lanes,
    supervisor: Supervisor,
    asking: JoinSet<(Position, Option<ApprovalDecision>)>,
    hooking: JoinSet<(Position, Hooking)>,
    recorder: Option<Recorder>,
    records: Vec<(Record, Vec<EntryBody>)>,
    appending: Option<(Vec<Record>, Appending)>,
    journal_error: Option<JournalError>,
    past: Option<PastTurn>,
    preface: Vec<EntryBody>,
    /// The approvals that the turn is resumed with an answer to.
    brought: HashSet<String>,
    /// Arguments that a person put in place of the model's.
    edited: HashMap<Position, String>,
    /// What was asked and answered about calls, where that is not recorded.
    resolved: HashMap<Position, Vec<EntryBody>>,
    events: VecDeque<Event>,
    /// Tells hooks that the turn is to end.
    hooks_stop: CancellationToken,
    suspended: bool,
    stopped: bool,
    inline: usize,
    _presence: TurnPresence,
}

impl Driver {
    pub(super) fn new(start: Start) -> Self {
        let Start { dispatcher, tools, calls, scope, recorder, past, preface, presence } = start;
        let settings = &dispatcher.0;
        let brought = preface.iter().filter_map(|entry| match entry {
            EntryBody::ApprovalResolved { id, .. } => Some(id.clone()),
            _ => None,
        });
        Self {
            brought: brought.collect(),
            tools,
            scope,
            machine: Machine::new(calls.len(), settings.concurrency == 1),
            slots: std::iter::repeat_with(|| Slot::New).take(calls.len()).collect(),
            seen: HashSet::with_capacity_and_hasher(calls.len(), RandomState::default()),
            keys: HashMap::new(),
            lanes: Lanes::new(&settings.slots),
            supervisor: Supervisor::new(settings.grace),
            asking: JoinSet::new(),
            hooking: JoinSet::new(),
            recorder,
            records: Vec::new(),
            appending: None,
            journal_error: None,
            past,
            preface,
            edited: HashMap::new(),
            resolved: HashMap::new(),
            events: VecDeque::from([Event::Opened]),
            hooks_stop: CancellationToken::new(),
            suspended: false,
            stopped: false,
            inline: 0,
            _presence: presence,
            calls,
            dispatcher,
        }
    }

    /// Runs the turn to its end, or to where it waits for answers.
    pub(super) async fn run(mut self) -> Report {
        loop {
            self.pump();
            if self.machine.is_closed() && self.appending.is_none() && self.records.is_empty() {
                return self.report().await;
            }
            if self.events.is_empty() {
                self.wait().await;
            } else {
                tokio::task::yield_now().await;
            }
        }
    }

    /// Hands events to the machine and does what it wants, until all is done that takes no time.
    fn pump(&mut self) {
        self.inline = 0;
        let mut actions = Vec::new();
        while self.inline < INLINE
            && let Some(event) = self.next_event()
        {
            if let Event::Appended(Record::Finished(position)) = event {
                self.announce(position);
            }
            self.machine.step(event, &mut |action| actions.push(action));
            for action in actions.drain(..) {
                self.act(action);
            }
        }
        self.flush();
    }

    /// A cancellation goes before everything else.
    fn next_event(&mut self) -> Option<Event> {
        // Looking costs more than most steps: it is done where something is about to begin.
        let begins = matches!(
            self.events.front(),
            Some(
                Event::Opened | Event::Checked(..) | Event::Admitted(_) | Event::Appended(Record::Started(_))
            )
        );
        if !self.stopped && begins && self.scope.token.is_cancelled() {
            self.stopped = true;
            self.hooks_stop.cancel();
            return Some(Event::Stopped(Stop::Cancelled));
        }
        self.events.pop_front()
    }

    /// Waits for the first thing that happens.
    async fn wait(&mut self) {
        let (deadline, stopped) = (self.scope.deadline, self.stopped);
        let time_is_over = async move {
            match deadline.filter(|_| !stopped) {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let patience = self.dispatcher.0.grace.max(PATIENCE);
        let appending = async {
            match self.appending.as_mut() {
                // A turn that is to end does not wait for ever to have it written down.
                Some((_, appending)) if stopped => {
                    timeout(patience, appending).await.unwrap_or_else(|_| Err(no_answer()))
                }
                Some((_, appending)) => appending.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.scope.token.cancelled(), if !self.stopped => self.stop(Stop::Cancelled),
            appended = appending => self.appended(appended),
            Some((position, ending)) = self.supervisor.next() => self.ended(position, ending),
            Some(answered) = self.asking.join_next() => self.answered(answered),
            Some(hooked) = self.hooking.join_next() => self.hooked(hooked),
            (position, slots) = self.lanes.next(), if !self.lanes.is_empty() => self.admitted(position, slots),
            () = time_is_over, if !self.stopped => self.stop(Stop::TurnTimeout),
        }
    }

    fn stop(&mut self, stop: Stop) {
        self.stopped = true;
        self.hooks_stop.cancel();
        self.events.push_back(Event::Stopped(stop));
    }

    fn act(&mut self, action: Action) {
        match action {
            Action::Append(record) => self.append(record),
            Action::Check(position) => self.check(position),
            Action::Hook(position, HookPoint::Before) => self.hook_before(position),
            Action::Hook(position, HookPoint::After) => self.hook_after(position),
            Action::Decide(position) => self.decide(position),
            Action::Ask(position) => self.ask(position),
            Action::Admit(position) => self.admit(position),
            Action::Start(position) => self.start(position),
            Action::Stop(position, stop) => self.supervisor.stop(position, stop),
            Action::Forgo(position, stop) => self.forgo(position, stop),
            Action::Suspend => self.suspended = true,
            Action::Close => {}
        }
    }

    fn past(&self, position: Position) -> Option<&crate::dispatch::past::Past> {
        self.past.as_ref()?.past.get(position)
    }
}

fn no_answer() -> JournalError {
    JournalError::new("it does not answer, and the turn was to end")
}
