//! The machine under a driver that answers in any order: what holds for every trace.

use std::collections::{BTreeSet, HashSet};

use super::{Action, Decision, Event, HookPoint, Machine, Order, Position, Record, State, Stop};

/// A small generator: the same seed gives the same turn.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What a faulty machine would not heed: it is kept from the machine, and the checks have to notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Barriers,
    Keys,
    Stops,
    Refusals,
    SecondResults,
}

/// What is known of one call by what was said to and heard from the machine.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "what has happened to a call, in any order")]
struct Known {
    order: Option<Order>,
    decided: bool,
    allowed: bool,
    admitted: bool,
    runs: bool,
    waits: bool,
    finished: usize,
    ended: bool,
}

struct World {
    machine: Machine,
    random: Random,
    fault: Option<Fault>,
    pending: Vec<Event>,
    calls: Vec<Known>,
    in_order: bool,
    /// Of four appends or hooks, so many are done at once.
    at_once: usize,
    stopped: Option<Stop>,
    suspended: bool,
    trace: Vec<Action>,
    pairs: BTreeSet<String>,
}

impl World {
    fn new(seed: u64, fault: Option<Fault>) -> Self {
        let mut random = Random(seed);
        let (calls, in_order) = (random.below(6), random.one_in(5));
        let at_once = [0, 0, 2, 4][random.below(4)];
        let machine = Machine::new(calls, in_order);
        Self {
            machine,
            random,
            fault,
            pending: vec![Event::Opened],
            calls: vec![Known::default(); calls],
            in_order,
            at_once,
            stopped: None,
            suspended: false,
            trace: Vec::new(),
            pairs: BTreeSet::new(),
        }
    }

    /// Runs the turn to its end; what does not hold is the error.
    fn run(&mut self) -> Result<(), String> {
        for _ in 0..1_000 {
            if self.machine.is_closed() {
                return self.check_end();
            }
            if self.stopped.is_none() && self.random.one_in(40) {
                let stops = [Stop::Cancelled, Stop::TurnTimeout, Stop::Journal];
                self.pending.push(Event::Stopped(stops[self.random.below(stops.len())]));
            }
            if self.pending.is_empty() {
                return Err("nothing will happen any more, and the turn is not over".into());
            }
            let index = self.random.below(self.pending.len());
            let event = self.pending.swap_remove(index);
            self.note_pair(event);
            self.before(event);
            let (mut actions, mut dice, at_once) = (Vec::new(), Random(self.random.next()), self.at_once);
            for heard in self.heard(event) {
                self.machine.step(heard, &mut |action| {
                    let done =
                        matches!(action, Action::Append(_) | Action::Hook(..)) && dice.below(4) < at_once;
                    actions.push((action, done));
                    done
                });
            }
            for (action, done) in actions {
                self.trace.push(action);
                self.act(action, done)?;
            }
        }
        Err("the turn goes on for ever".into())
    }

    /// What the machine hears of an event: just that, unless it is faulty.
    fn heard(&self, event: Event) -> Vec<Event> {
        match (self.fault, event) {
            (Some(Fault::Barriers), Event::Checked(position, Some(Order::Serial)))
            | (Some(Fault::Keys), Event::Checked(position, Some(Order::Chunked(_)))) => {
                vec![Event::Checked(position, Some(Order::Parallel))]
            }
            (Some(Fault::Stops), Event::Stopped(_)) => Vec::new(),
            (Some(Fault::Refusals), Event::Decided(position, Decision::Settle)) => {
                vec![Event::Decided(position, Decision::Allow)]
            }
            (Some(Fault::SecondResults), Event::Hooked(_, HookPoint::After, _)) => vec![event, event],
            _ => vec![event],
        }
    }

    fn note_pair(&mut self, event: Event) {
        let (position, name) = match event {
            Event::Checked(position, order) => {
                (position, if order.is_some() { "accepted" } else { "refused" })
            }
            Event::Hooked(position, HookPoint::Before, _) => (position, "hooked before"),
            Event::Hooked(position, HookPoint::After, _) => (position, "hooked after"),
            Event::Decided(position, _) => (position, "decided"),
            Event::Answered(position, _) => (position, "answered"),
            Event::Admitted(position) => (position, "admitted"),
            Event::Ended(position, _) => (position, "ended"),
            Event::Suspended(position) => (position, "suspended"),
            Event::Appended(
                Record::Accepted(position)
                | Record::Decided(position)
                | Record::Started(position)
                | Record::Suspended(position)
                | Record::Finished(position),
            ) => (position, "appended"),
            Event::Stopped(_) => {
                for call in &self.machine.calls {
                    self.pairs.insert(format!("{:?} stopped", call.state));
                }
                return;
            }
            Event::Opened | Event::Appended(_) => return,
        };
        if let Some(call) = self.machine.calls.get(position) {
            self.pairs.insert(format!("{:?} {name}", call.state));
        }
    }

    fn before(&mut self, event: Event) {
        match event {
            Event::Checked(position, order) => {
                self.calls[position].order = order;
                self.calls[position].decided |= order.is_none();
            }
            Event::Hooked(position, HookPoint::Before, true) => self.calls[position].decided = true,
            Event::Decided(position, decision) => {
                self.calls[position].decided = true;
                self.calls[position].allowed = decision == Decision::Allow;
            }
            Event::Answered(position, decision) => self.calls[position].allowed = decision == Decision::Allow,
            Event::Ended(position, aborts) => {
                self.calls[position].runs = false;
                if aborts {
                    self.stopped.get_or_insert(Stop::Aborted);
                }
            }
            Event::Suspended(position) => {
                self.calls[position].runs = false;
                self.calls[position].waits = true;
            }
            Event::Stopped(stop) => {
                self.stopped.get_or_insert(stop);
            }
            _ => {}
        }
    }

    /// Does what the machine wants; what was `done` at once has no event.
    fn act(&mut self, action: Action, done: bool) -> Result<(), String> {
        match action {
            Action::Append(record) => {
                if let Record::Finished(position) = record {
                    self.calls[position].finished += 1;
                }
                if !done {
                    self.pending.push(Event::Appended(record));
                }
            }
            Action::Check(position) => {
                let orders =
                    [Order::Serial, Order::Parallel, Order::Parallel, Order::Chunked(0), Order::Chunked(1)];
                let order = orders[self.random.below(orders.len())];
                self.pending.push(Event::Checked(position, (!self.random.one_in(6)).then_some(order)));
            }
            Action::Hook(_, HookPoint::Before) if done => {}
            Action::Hook(position, HookPoint::Before) => {
                let refused = self.random.one_in(8);
                self.pending.push(Event::Hooked(position, HookPoint::Before, refused));
            }
            Action::Hook(position, HookPoint::After) => {
                self.calls[position].ended = true;
                if !done {
                    self.pending.push(Event::Hooked(position, HookPoint::After, false));
                }
            }
            Action::Decide(position) => {
                let decision = self.decision();
                self.pending.push(Event::Decided(position, decision));
            }
            Action::Ask(position) => {
                let decision = self.decision();
                self.pending.push(Event::Answered(position, decision));
            }
            Action::Admit(position) => {
                self.check_order(position)?;
                self.calls[position].admitted = true;
                self.pending.push(Event::Admitted(position));
            }
            Action::Start(position) => self.start(position)?,
            Action::Stop(position, _) if !self.calls[position].runs => {
                return Err(format!("{position} is told to end and does not run"));
            }
            Action::Forgo(position, _) if self.calls[position].runs => {
                return Err(format!("{position} runs and is given up"));
            }
            Action::Stop(..) | Action::Forgo(..) | Action::Close => {}
            Action::Suspend => self.suspended = true,
        }
        Ok(())
    }

    fn decision(&mut self) -> Decision {
        match self.random.below(5) {
            0 => Decision::Settle,
            1 => Decision::Ask,
            _ => Decision::Allow,
        }
    }

    fn start(&mut self, position: Position) -> Result<(), String> {
        let call = self.calls[position];
        if !call.allowed || !call.admitted {
            return Err(format!("{position} starts and was not allowed to"));
        }
        if self.stopped.is_some_and(|stop| stop != Stop::Aborted) {
            return Err(format!("{position} starts after the turn was stopped"));
        }
        self.calls[position].runs = true;
        let event = match self.random.below(8) {
            0 => Event::Suspended(position),
            1 => Event::Ended(position, self.random.one_in(3)),
            _ => Event::Ended(position, false),
        };
        self.pending.push(event);
        Ok(())
    }

    /// Whether a call may get its slots now, by what a turn promises.
    fn check_order(&self, position: Position) -> Result<(), String> {
        if let Some(undecided) = self.calls.iter().position(|call| !call.decided) {
            return Err(format!("{position} starts before {undecided} is decided on"));
        }
        let order = |call: &Known| if self.in_order { Some(Order::Serial) } else { call.order };
        let own = order(&self.calls[position]);
        for (other, call) in self.calls.iter().enumerate() {
            let sealed = self.machine.calls[other].state == State::Sealed;
            if other == position || sealed || call.order.is_none() {
                continue;
            }
            let busy = call.admitted && !call.waits;
            let serial = order(call) == Some(Order::Serial);
            if serial
                && other < position
                && !matches!(self.machine.calls[other].state, State::HookingAfter | State::Finishing)
            {
                return Err(format!("{position} starts while the serial {other} before it has not ended"));
            }
            if own == Some(Order::Serial) && busy {
                return Err(format!("the serial {position} starts while {other} runs"));
            }
            if let (Some(Order::Chunked(one)), Some(Order::Chunked(two))) = (own, order(call))
                && one == two
                && other < position
                && !matches!(self.machine.calls[other].state, State::HookingAfter | State::Finishing)
            {
                return Err(format!("{position} starts before {other} of its key has ended"));
            }
        }
        Ok(())
    }

    fn check_end(&self) -> Result<(), String> {
        for (position, call) in self.calls.iter().enumerate() {
            let waits = self.suspended && !call.ended;
            if call.finished != usize::from(!waits) {
                return Err(format!("{position} has {} results", call.finished));
            }
        }
        if self.suspended && !self.machine.calls.iter().any(|call| call.state == State::Waiting) {
            return Err("the turn is suspended and waits for nothing".into());
        }
        Ok(())
    }
}

#[test]
fn every_trace_keeps_the_promises() {
    let (mut traces, mut pairs) = (HashSet::new(), BTreeSet::new());
    for seed in 0..40_000 {
        let mut world = World::new(seed, None);
        if let Err(broken) = world.run() {
            panic!("seed {seed}: {broken}\n{:#?}", world.trace);
        }
        traces.insert(format!("{:?}", world.trace));
        pairs.append(&mut world.pairs);
    }
    assert!(traces.len() >= 10_000, "{} distinct traces", traces.len());
    let listed: Vec<&str> = pairs.iter().map(String::as_str).collect();
    let expected = include_str!("pairs.txt").lines().collect::<Vec<_>>();
    assert_eq!(listed, expected, "the pairs of state and event that a turn can meet");
}

#[test]
fn planted_faults_are_found() {
    for fault in [Fault::Barriers, Fault::Keys, Fault::Stops, Fault::Refusals, Fault::SecondResults] {
        let found = (0..5_000).any(|seed| World::new(seed, Some(fault)).run().is_err());
        assert!(found, "{fault:?} was not found");
    }
}
