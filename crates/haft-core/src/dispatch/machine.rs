//! The decisions of a turn as a pure state machine: no clock, no I/O, no task.
//!
//! Its driver answers every action with an event. Appends to a journal, hooks and questions are actions like the
//! others, so a driver without them answers at once, and a simulation answers in any order.

use std::collections::VecDeque;

use crate::tool::BatchingStrategy;

/// A call, by its position in the model's message.
pub(super) type Position = usize;

/// What is written down, and when: before its effect can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record {
    TurnOpened,
    Accepted(Position),
    Decided(Position),
    Started(Position),
    Finished(Position),
    TurnClosed,
}

/// Where a hook stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookPoint {
    Before,
    After,
}

/// What was decided on a checked call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    Allow,
    #[allow(dead_code, reason = "rules deny")]
    Deny,
    #[allow(dead_code, reason = "rules and approvals ask")]
    Ask,
}

/// Why a call ends before its time, or never begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Cancelled,
    /// Its own time is over.
    Timeout,
    /// The turn's time is over.
    TurnTimeout,
    /// Another call aborted the run.
    Aborted,
}

/// What the driver tells the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Opened,
    /// A record is durable.
    Appended(Record),
    /// A call was checked; without a strategy it was refused and has its result.
    Checked(Position, Option<BatchingStrategy>),
    /// A hook is done; before the call it may have refused it.
    Hooked(Position, HookPoint, bool),
    Decided(Position, Decision),
    /// The question about a call was answered.
    Answered(Position, bool),
    /// A call has the slots that it needs.
    Admitted(Position),
    /// A call's function has ended and its result is known; `true` aborts the run.
    Ended(Position, bool),
    /// The turn is to end early.
    Stopped(Stop),
}

/// What the machine wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Append(Record),
    Check(Position),
    Hook(Position, HookPoint),
    Decide(Position),
    Ask(Position),
    /// Get the slots that a call needs.
    Admit(Position),
    Start(Position),
    /// End a running function early; it answers with `Ended`.
    Stop(Position, Stop),
    /// Give a call that never started its result.
    Forgo(Position, Stop),
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Checking,
    Hooking,
    Accepting,
    Deciding,
    Asking,
    Recording(bool),
    Ready,
    Admitting,
    Starting,
    Running,
    HookingAfter,
    Finishing,
    Sealed,
}

#[derive(Debug)]
struct Call {
    state: State,
    strategy: BatchingStrategy,
    /// Whether serial calls behind it wait for it.
    open: bool,
}

/// How far a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Calls are checked and decided on, one after another.
    Deciding,
    /// Every call is allowed, refused or waits for an answer: calls start.
    Running,
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
    /// The first call that has not been asked to start.
    frontier: Position,
    /// Calls that wait for an answer, or whose answer came late.
    late: VecDeque<Position>,
    /// How many started calls are not sealed.
    open: usize,
    /// The serial call that runs.
    barrier: Option<Position>,
    sealed: usize,
    stopped: Option<Stop>,
    /// What never started after that has been given up.
    forgone: bool,
    phase: Phase,
}

impl Machine {
    pub(super) fn new(calls: usize, in_order: bool) -> Self {
        let call = || Call { state: State::New, strategy: BatchingStrategy::Serial, open: false };
        Self {
            calls: std::iter::repeat_with(call).take(calls).collect(),
            in_order,
            deciding: 0,
            frontier: 0,
            late: VecDeque::new(),
            open: 0,
            barrier: None,
            sealed: 0,
            stopped: None,
            forgone: false,
            phase: Phase::Deciding,
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.phase == Phase::Closed
    }

    /// Takes an event, and says what is to be done.
    pub(super) fn step(&mut self, event: Event, act: &mut impl FnMut(Action)) {
        match event {
            Event::Opened => act(Action::Append(Record::TurnOpened)),
            Event::Appended(record) => self.appended(record, act),
            Event::Checked(position, Some(strategy)) => {
                let strategy = if self.in_order { BatchingStrategy::Serial } else { strategy };
                self.update(position, |call| call.strategy = strategy);
                self.enter(position, State::Hooking);
                act(Action::Hook(position, HookPoint::Before));
            }
            Event::Checked(position, None) => {
                self.ended(position, act);
                self.decide_next(act);
            }
            Event::Hooked(position, HookPoint::Before, refused) => {
                if refused {
                    self.ended(position, act);
                    self.decide_next(act);
                } else {
                    self.enter(position, State::Accepting);
                    act(Action::Append(Record::Accepted(position)));
                }
            }
            Event::Hooked(position, HookPoint::After, _) => {
                self.enter(position, State::Finishing);
                act(Action::Append(Record::Finished(position)));
            }
            Event::Decided(position, decision) => self.decided(position, decision, act),
            Event::Answered(position, approved) => self.answered(position, approved, act),
            Event::Admitted(position) if self.state(position) == Some(State::Admitting) => {
                self.enter(position, State::Starting);
                act(Action::Append(Record::Started(position)));
            }
            Event::Admitted(_) => {}
            Event::Ended(position, aborts) => {
                if self.state(position) == Some(State::Running) {
                    self.ended(position, act);
                }
                if aborts {
                    self.stop(Stop::Aborted, act);
                }
            }
            Event::Stopped(stop) => self.stop(stop, act),
        }
    }

    fn appended(&mut self, record: Record, act: &mut impl FnMut(Action)) {
        match record {
            Record::TurnOpened => self.decide_next(act),
            Record::Accepted(position) => {
                self.enter(position, State::Deciding);
                act(Action::Decide(position));
            }
            Record::Decided(position) => {
                let allowed = self.state(position) == Some(State::Recording(true));
                if allowed {
                    self.enter(position, State::Ready);
                } else {
                    self.ended(position, act);
                }
                self.decide_next(act);
            }
            Record::Started(position) => {
                if let Some(stop) = self.stopped {
                    act(Action::Forgo(position, stop));
                    self.ended(position, act);
                } else {
                    self.enter(position, State::Running);
                    act(Action::Start(position));
                }
            }
            Record::Finished(position) => self.seal(position, act),
            Record::TurnClosed => {
                self.phase = Phase::Closed;
                act(Action::Close);
            }
        }
    }

    /// Goes on to the next undecided call; when there is none, calls start.
    fn decide_next(&mut self, act: &mut impl FnMut(Action)) {
        if self.deciding < self.calls.len() {
            let position = self.deciding;
            self.deciding += 1;
            self.enter(position, State::Checking);
            act(Action::Check(position));
        } else if self.phase == Phase::Deciding {
            self.phase = Phase::Running;
            self.advance(act);
        }
    }

    fn decided(&mut self, position: Position, decision: Decision, act: &mut impl FnMut(Action)) {
        match decision {
            Decision::Allow | Decision::Deny => {
                self.enter(position, State::Recording(decision == Decision::Allow));
                act(Action::Append(Record::Decided(position)));
            }
            Decision::Ask => {
                self.enter(position, State::Asking);
                act(Action::Ask(position));
                self.decide_next(act);
            }
        }
    }

    fn answered(&mut self, position: Position, approved: bool, act: &mut impl FnMut(Action)) {
        if self.state(position) != Some(State::Asking) {
            return;
        }
        if approved {
            self.enter(position, State::Ready);
            if position < self.frontier {
                self.late.push_back(position);
            }
        } else {
            self.ended(position, act);
        }
        self.advance(act);
    }

    /// Everything was decided: starts what may start.
    fn advance(&mut self, act: &mut impl FnMut(Action)) {
        if self.phase != Phase::Running {
            return;
        }
        if let Some(stop) = self.stopped {
            if !self.forgone {
                self.forgone = true;
                self.forgo_all(stop, act);
            }
            return self.close_if_done(act);
        }
        while self.barrier.is_none()
            && let Some(position) = self.late.pop_front()
        {
            self.start(position, act);
        }
        while self.barrier.is_none()
            && let Some(call) = self.calls.get(self.frontier)
        {
            let serial = call.strategy == BatchingStrategy::Serial;
            match call.state {
                State::Ready if serial && self.open > 0 => break,
                State::Ready => self.start(self.frontier, act),
                // A suspended serial call holds what stands behind it.
                State::Asking if serial => break,
                _ => {}
            }
            self.frontier += 1;
        }
        self.close_if_done(act);
    }

    fn start(&mut self, position: Position, act: &mut impl FnMut(Action)) {
        if self.calls.get(position).is_some_and(|call| call.strategy == BatchingStrategy::Serial) {
            self.barrier = Some(position);
        }
        self.open += 1;
        self.update(position, |call| call.open = true);
        self.enter(position, State::Admitting);
        act(Action::Admit(position));
    }

    /// The call has its result, one way or another.
    fn ended(&mut self, position: Position, act: &mut impl FnMut(Action)) {
        self.enter(position, State::HookingAfter);
        act(Action::Hook(position, HookPoint::After));
    }

    fn seal(&mut self, position: Position, act: &mut impl FnMut(Action)) {
        if self.state(position) != Some(State::Finishing) {
            return;
        }
        self.enter(position, State::Sealed);
        self.sealed += 1;
        if self.calls.get(position).is_some_and(|call| call.open) {
            self.open -= 1;
        }
        if self.barrier == Some(position) {
            self.barrier = None;
        }
        self.advance(act);
    }

    /// The first reason stands; what never started is forgone, what runs is told to end unless the run was aborted.
    fn stop(&mut self, stop: Stop, act: &mut impl FnMut(Action)) {
        let first = self.stopped.is_none();
        if !first && self.stopped != Some(Stop::Aborted) {
            return;
        }
        self.stopped = Some(stop);
        if stop != Stop::Aborted {
            for position in 0..self.calls.len() {
                if self.state(position) == Some(State::Running) {
                    act(Action::Stop(position, stop));
                }
            }
        }
        self.advance(act);
    }

    fn forgo_all(&mut self, stop: Stop, act: &mut impl FnMut(Action)) {
        for position in 0..self.calls.len() {
            if matches!(self.state(position), Some(State::Ready | State::Asking | State::Admitting)) {
                act(Action::Forgo(position, stop));
                self.ended(position, act);
            }
        }
    }

    fn close_if_done(&mut self, act: &mut impl FnMut(Action)) {
        if self.sealed == self.calls.len() && self.phase == Phase::Running {
            self.phase = Phase::Closing;
            act(Action::Append(Record::TurnClosed));
        }
    }

    fn state(&self, position: Position) -> Option<State> {
        self.calls.get(position).map(|call| call.state)
    }

    fn enter(&mut self, position: Position, state: State) {
        self.update(position, |call| call.state = state);
    }

    fn update(&mut self, position: Position, change: impl FnOnce(&mut Call)) {
        if let Some(call) = self.calls.get_mut(position) {
            change(call);
        }
    }
}
