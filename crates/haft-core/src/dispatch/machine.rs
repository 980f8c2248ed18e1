//! The decisions of a turn as a pure state machine: no clock, no I/O, no task.
//!
//! Its driver answers every action with an event. Appends to a journal, hooks and questions are actions like the
//! others, and a simulation answers them in any order. A driver without a journal or hooks says of theirs at once that
//! they are done, which spares the event.

mod sequence;
mod signals;
#[cfg(test)]
mod simulation;

pub(super) use signals::{Action, Decision, Event, HookPoint, Order, Position, Record, Stop};

use sequence::Sequence;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    New,
    Checking,
    Hooking,
    Accepting,
    Deciding,
    /// Somebody is asked while the turn runs.
    Asking,
    Recording(Decision),
    Ready,
    Admitting,
    Starting,
    Running,
    Suspending,
    /// Waits for an answer that the turn can be resumed with.
    Waiting,
    HookingAfter,
    Finishing,
    Sealed,
}

impl State {
    /// Whether something will happen to the call without an answer from outside.
    fn is_active(self) -> bool {
        !matches!(self, Self::New | Self::Ready | Self::Waiting | Self::Sealed)
    }
}

#[derive(Debug, Clone, Copy)]
struct Call {
    state: State,
    order: Order,
}

/// How far a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Calls are checked and decided on, one after another.
    Deciding,
    /// Every call is allowed, refused or waits for an answer: calls start.
    Running,
    /// What never started is given up.
    Forgoing,
    /// Every call is sealed.
    Closing,
    Closed,
}

/// The calls of one turn, and what happens to each.
#[derive(Debug)]
pub(super) struct Machine {
    calls: Vec<Call>,
    /// All calls are run one after another.
    in_order: bool,
    /// The call that is checked and decided on next.
    deciding: Position,
    sequence: Sequence,
    active: usize,
    sealed: usize,
    stopped: Option<Stop>,
    /// What never started after that has been given up.
    forgone: bool,
    phase: Phase,
}

impl Machine {
    pub(super) fn new(calls: usize, in_order: bool) -> Self {
        Self {
            calls: vec![Call { state: State::New, order: Order::Serial }; calls],
            in_order,
            deciding: 0,
            sequence: Sequence::new(calls),
            active: 0,
            sealed: 0,
            stopped: None,
            forgone: false,
            phase: Phase::Deciding,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Takes an event, and says what is to be done; `act` answers whether that is done.
    ///
    /// Only an append, or a hook that lets the call go on, can be done at once: no event of it follows then.
    pub(super) fn step(&mut self, event: Event, act: &mut impl FnMut(Action) -> bool) {
        match event {
            Event::Opened => self.append(Record::TurnOpened, act),
            Event::Appended(record) => self.appended(record, act),
            Event::Checked(position, Some(order)) => {
                if let Some(call) = self.calls.get_mut(position) {
                    call.order = if self.in_order { Order::Serial } else { order };
                }
                self.enter(position, State::Hooking);
                self.hook(position, HookPoint::Before, act);
            }
            Event::Checked(position, None) | Event::Hooked(position, HookPoint::Before, true) => {
                self.ended(position, act);
                self.decide_next(act);
            }
            Event::Hooked(position, point, _) => self.hooked(position, point, act),
            Event::Decided(position, Decision::Ask) => {
                match self.stopped {
                    // Nobody is asked about what will not run.
                    Some(stop) => self.forgo(position, stop, act),
                    None => {
                        self.enter(position, State::Asking);
                        act(Action::Ask(position));
                    }
                }
                self.decide_next(act);
            }
            Event::Decided(position, decision) => {
                self.enter(position, State::Recording(decision));
                self.append(Record::Decided(position), act);
            }
            Event::Answered(position, decision) => self.answered(position, decision, act),
            Event::Admitted(position) if self.is(position, State::Admitting) => {
                self.enter(position, State::Starting);
                self.append(Record::Started(position), act);
            }
            Event::Ended(position, aborts) => {
                // Heeded before its end lets others start.
                let stops = aborts && self.heed(Stop::Aborted);
                if self.is(position, State::Running) {
                    self.ended(position, act);
                }
                if stops {
                    self.advance(act);
                }
            }
            Event::Suspended(position) if self.is(position, State::Running) => {
                self.enter(position, State::Suspending);
                self.append(Record::Suspended(position), act);
            }
            // It was given up before.
            Event::Admitted(_) | Event::Suspended(_) => {}
            Event::Stopped(stop) => self.stop(stop, act),
        }
    }

    fn appended(&mut self, record: Record, act: &mut impl FnMut(Action) -> bool) {
        match record {
            Record::TurnOpened => self.decide_next(act),
            Record::Accepted(position) => {
                self.enter(position, State::Deciding);
                act(Action::Decide(position));
            }
            Record::Decided(position) => {
                if self.is(position, State::Recording(Decision::Allow)) {
                    self.enter(position, State::Ready);
                } else {
                    self.ended(position, act);
                }
                self.decide_next(act);
            }
            Record::Started(position) => match self.stopped {
                Some(stop) => self.forgo(position, stop, act),
                None => {
                    self.enter(position, State::Running);
                    act(Action::Start(position));
                }
            },
            Record::Suspended(position) => self.suspended(position, act),
            Record::Finished(position) => self.seal(position, act),
            Record::TurnClosed => {
                self.phase = Phase::Closed;
                act(Action::Close);
            }
        }
    }

    /// Goes on to the next undecided call; when there is none, calls start.
    fn decide_next(&mut self, act: &mut impl FnMut(Action) -> bool) {
        if self.phase != Phase::Deciding {
            return;
        }
        if self.deciding < self.calls.len() {
            let position = self.deciding;
            self.deciding += 1;
            self.enter(position, State::Checking);
            act(Action::Check(position));
        } else {
            self.phase = Phase::Running;
            self.advance(act);
        }
    }

    fn answered(&mut self, position: Position, decision: Decision, act: &mut impl FnMut(Action) -> bool) {
        if !self.is(position, State::Asking) {
            return;
        }
        match decision {
            Decision::Allow => {
                self.enter(position, State::Ready);
                self.sequence.ready(position, &self.calls);
                self.advance(act);
            }
            Decision::Settle => {
                self.ended(position, act);
                self.advance(act);
            }
            Decision::Ask => {
                self.enter(position, State::Suspending);
                self.append(Record::Suspended(position), act);
            }
        }
    }

    fn suspended(&mut self, position: Position, act: &mut impl FnMut(Action) -> bool) {
        match self.stopped.filter(|_| self.forgone) {
            Some(stop) => self.forgo(position, stop, act),
            None => {
                self.enter(position, State::Waiting);
                self.sequence.suspended(position, &self.calls);
            }
        }
        self.advance(act);
    }

    /// Everything was decided: starts what may start.
    fn advance(&mut self, act: &mut impl FnMut(Action) -> bool) {
        if self.phase != Phase::Running {
            return;
        }
        if let Some(stop) = self.stopped {
            if !self.forgone {
                self.forgone = true;
                // One that is sealed at once is not the last.
                self.phase = Phase::Forgoing;
                for position in 0..self.calls.len() {
                    let state = self.calls.get(position).map(|call| call.state);
                    if let Some(State::Ready | State::Asking | State::Admitting | State::Waiting) = state {
                        self.forgo(position, stop, act);
                    }
                }
                self.phase = Phase::Running;
            }
        } else {
            while let Some(position) = self.sequence.next(&self.calls) {
                self.enter(position, State::Admitting);
                act(Action::Admit(position));
            }
        }
        if self.sealed == self.calls.len() {
            self.phase = Phase::Closing;
            self.append(Record::TurnClosed, act);
        } else if self.active == 0 {
            self.phase = Phase::Closed;
            act(Action::Suspend);
        }
    }

    fn forgo(&mut self, position: Position, stop: Stop, act: &mut impl FnMut(Action) -> bool) {
        act(Action::Forgo(position, stop));
        self.ended(position, act);
    }

    /// The call has its result, one way or another.
    fn ended(&mut self, position: Position, act: &mut impl FnMut(Action) -> bool) {
        self.enter(position, State::HookingAfter);
        self.hook(position, HookPoint::After, act);
    }

    fn append(&mut self, record: Record, act: &mut impl FnMut(Action) -> bool) {
        if act(Action::Append(record)) {
            self.appended(record, act);
        }
    }

    fn hook(&mut self, position: Position, point: HookPoint, act: &mut impl FnMut(Action) -> bool) {
        if act(Action::Hook(position, point)) {
            self.hooked(position, point, act);
        }
    }

    /// The hooks let the call go on.
    fn hooked(&mut self, position: Position, point: HookPoint, act: &mut impl FnMut(Action) -> bool) {
        match point {
            HookPoint::Before => {
                self.enter(position, State::Accepting);
                self.append(Record::Accepted(position), act);
            }
            HookPoint::After => {
                self.enter(position, State::Finishing);
                self.append(Record::Finished(position), act);
            }
        }
    }

    fn seal(&mut self, position: Position, act: &mut impl FnMut(Action) -> bool) {
        if !self.is(position, State::Finishing) {
            return;
        }
        self.enter(position, State::Sealed);
        self.sealed += 1;
        self.sequence.sealed(position, &self.calls);
        self.advance(act);
    }

    /// What never started is forgone, what runs is told to end, or comes to its end.
    fn stop(&mut self, stop: Stop, act: &mut impl FnMut(Action) -> bool) {
        if !self.heed(stop) {
            return;
        }
        if stop.ends_running() {
            for (position, call) in self.calls.iter().enumerate() {
                if call.state == State::Running {
                    act(Action::Stop(position, stop));
                }
            }
        }
        self.advance(act);
    }

    /// The first reason that ends what runs stands.
    fn heed(&mut self, stop: Stop) -> bool {
        let heeded = !self.stopped.is_some_and(Stop::ends_running);
        if heeded {
            self.stopped = Some(stop);
        }
        heeded
    }

    fn is(&self, position: Position, state: State) -> bool {
        self.calls.get(position).is_some_and(|call| call.state == state)
    }

    fn enter(&mut self, position: Position, state: State) {
        if let Some(call) = self.calls.get_mut(position) {
            self.active += usize::from(state.is_active());
            self.active -= usize::from(call.state.is_active());
            call.state = state;
        }
    }
}
