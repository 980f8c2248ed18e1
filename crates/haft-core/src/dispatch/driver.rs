//! The task of a turn: answers the machine's actions, and waits for what takes time.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use tokio::time::sleep_until;

use crate::{
    dispatch::{
        Dispatcher, Scope, admit,
        execute::{Begun, Known, Place, begin},
        lanes::{Lanes, Slots},
        machine::{Action, Decision, Event, Machine, Position, Record, Stop},
        policy::AuthorizedCall,
        presence::TurnPresence,
        seal::{self, Ended},
        supervisor::{Ending, Supervisor},
        validate::malformed,
    },
    message::{ToolCall, ToolCallId},
    registry::Snapshot,
    result::ToolResult,
};

/// After as many functions that ended at once, others get their turn.
const INLINE: usize = 32;

/// Where a call stands for the driver.
enum Slot {
    New,
    Authorized(AuthorizedCall),
    Admitted(AuthorizedCall, Slots),
    Running(Known),
    Ended(Ended),
    Sealed(ToolResult),
    /// Between two of the others.
    Moving,
}

pub(super) struct Driver {
    dispatcher: Dispatcher,
    tools: Arc<Snapshot>,
    calls: Arc<[Arc<ToolCall>]>,
    scope: Arc<Scope>,
    machine: Machine,
    slots: Vec<Slot>,
    seen: HashSet<ToolCallId>,
    lanes: Lanes,
    supervisor: Supervisor,
    events: VecDeque<Event>,
    stopped: bool,
    inline: usize,
    _presence: TurnPresence,
}

impl Driver {
    pub(super) fn new(
        dispatcher: Dispatcher,
        tools: Arc<Snapshot>,
        calls: Arc<[Arc<ToolCall>]>,
        scope: Arc<Scope>,
    ) -> Self {
        let settings = &dispatcher.0;
        Self {
            tools,
            scope,
            machine: Machine::new(calls.len(), settings.concurrency == 1),
            slots: std::iter::repeat_with(|| Slot::New).take(calls.len()).collect(),
            seen: HashSet::new(),
            lanes: Lanes::new(&settings.slots),
            supervisor: Supervisor::new(settings.grace),
            events: VecDeque::from([Event::Opened]),
            stopped: false,
            inline: 0,
            _presence: settings.presence.turn(),
            calls,
            dispatcher,
        }
    }

    /// Runs the turn to its end: one result a call, in the model's order.
    pub(super) async fn run(mut self) -> Vec<ToolResult> {
        loop {
            self.pump();
            if self.machine.is_closed() {
                break;
            }
            if self.events.is_empty() {
                self.wait().await;
            } else {
                tokio::task::yield_now().await;
            }
        }
        self.scope.events.close();
        let sealed = self.slots.into_iter().filter_map(|slot| match slot {
            Slot::Sealed(result) => Some(result),
            _ => None,
        });
        sealed.collect()
    }

    /// Hands events to the machine and does what it wants, until all is done that takes no time.
    fn pump(&mut self) {
        self.inline = 0;
        let mut actions = Vec::new();
        while self.inline < INLINE
            && let Some(event) = self.next_event()
        {
            self.machine.step(event, &mut |action| actions.push(action));
            for action in actions.drain(..) {
                self.act(action);
            }
        }
    }

    /// A cancellation goes before everything else.
    fn next_event(&mut self) -> Option<Event> {
        if !self.stopped && !self.events.is_empty() && self.scope.token.is_cancelled() {
            self.stopped = true;
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
        tokio::select! {
            biased;
            () = self.scope.token.cancelled(), if !self.stopped => self.stop(Stop::Cancelled),
            Some((position, ending)) = self.supervisor.next() => self.ended(position, ending),
            (position, slots) = self.lanes.next(), if !self.lanes.is_empty() => self.admitted(position, slots),
            () = time_is_over, if !self.stopped => self.stop(Stop::TurnTimeout),
        }
    }

    fn stop(&mut self, stop: Stop) {
        self.stopped = true;
        self.events.push_back(Event::Stopped(stop));
    }

    /// Journal, hooks and questions have no one to answer them yet: they are answered at once.
    fn act(&mut self, action: Action) {
        match action {
            Action::Append(record) => self.append(record),
            Action::Check(position) => self.check(position),
            Action::Hook(position, point) => self.events.push_back(Event::Hooked(position, point, false)),
            Action::Decide(position) => self.events.push_back(Event::Decided(position, Decision::Allow)),
            Action::Ask(position) => self.events.push_back(Event::Answered(position, false)),
            Action::Admit(position) => self.admit(position),
            Action::Start(position) => self.start(position),
            Action::Stop(position, stop) => self.supervisor.stop(position, stop),
            Action::Forgo(position, stop) => self.forgo(position, stop),
            Action::Close => {}
        }
    }

    fn append(&mut self, record: Record) {
        if let Record::Finished(position) = record {
            self.seal(position);
        }
        self.events.push_back(Event::Appended(record));
    }

    fn check(&mut self, position: Position) {
        let Some(call) = self.calls.get(position).map(Arc::clone) else { return };
        let place = Place { call: &call, position, scope: &self.scope, settings: &self.dispatcher.0 };
        place.started();
        let admitted = if self.seen.insert(call.id.clone()) {
            admit(&place, &self.tools)
        } else {
            let id = &call.id;
            Err(malformed(format!(
                "an earlier call of this turn has the id \"{id}\" too; the first one is run"
            )))
        };
        let strategy = admitted.as_ref().ok().map(|authorized| authorized.validated().registered.strategy);
        self.put(
            position,
            admitted.map_or_else(
                |error| Slot::Ended(Ended::refused(error, self.tools.get(&call.name))),
                Slot::Authorized,
            ),
        );
        self.events.push_back(Event::Checked(position, strategy));
    }

    fn admit(&mut self, position: Position) {
        let Some(Slot::Authorized(authorized)) = self.slots.get(position) else { return };
        let of_tool = authorized.validated().registered.permits.as_ref();
        if let Some(slots) = self.lanes.enter(position, of_tool) {
            self.admitted(position, slots);
        }
    }

    fn admitted(&mut self, position: Position, slots: Slots) {
        if let Slot::Authorized(authorized) = self.take(position) {
            self.put(position, Slot::Admitted(authorized, slots));
            self.events.push_back(Event::Admitted(position));
        }
    }

    fn start(&mut self, position: Position) {
        let Slot::Admitted(authorized, slots) = self.take(position) else { return };
        let Some(call) = self.calls.get(position) else { return };
        let place = Place { call, position, scope: &self.scope, settings: &self.dispatcher.0 };
        match begin(authorized, &place) {
            (known, Begun::Done(outcome)) => {
                self.inline += 1;
                drop(slots);
                self.settle(position, Ended::by_itself(known, outcome));
            }
            (known, Begun::Running(running)) => {
                self.put(position, Slot::Running(known));
                self.supervisor.add(position, running, slots);
            }
        }
    }

    fn ended(&mut self, position: Position, ending: Ending) {
        let Slot::Running(known) = self.take(position) else { return };
        let Some(call) = self.calls.get(position) else { return };
        let place = Place { call, position, scope: &self.scope, settings: &self.dispatcher.0 };
        let ended = Ended::of(known, ending, &place);
        self.settle(position, ended);
    }

    fn settle(&mut self, position: Position, ended: Ended) {
        let aborts = ended.aborts();
        self.put(position, Slot::Ended(ended));
        self.events.push_back(Event::Ended(position, aborts));
    }

    fn forgo(&mut self, position: Position, stop: Stop) {
        self.lanes.leave(position);
        let (Slot::Authorized(authorized) | Slot::Admitted(authorized, _)) = self.take(position) else {
            return;
        };
        self.put(position, Slot::Ended(Ended::not_run(Known::of(authorized), stop)));
    }

    fn seal(&mut self, position: Position) {
        let Slot::Ended(ended) = self.take(position) else { return };
        let Some(call) = self.calls.get(position) else { return };
        let place = Place { call, position, scope: &self.scope, settings: &self.dispatcher.0 };
        let result = seal::result(ended, &place);
        self.put(position, Slot::Sealed(result));
    }

    fn take(&mut self, position: Position) -> Slot {
        self.slots.get_mut(position).map_or(Slot::Moving, |slot| std::mem::replace(slot, Slot::Moving))
    }

    fn put(&mut self, position: Position, slot: Slot) {
        if let Some(place) = self.slots.get_mut(position) {
            *place = slot;
        }
    }
}
