//! What is done with one call at each step.

use crate::{
    dispatch::{
        execute::{Again, Begun, FirstPoll, Known, begin},
        lanes::Slots,
        machine::{Decision, Event, Order, Position, Stop},
        policy::{self, Verdict},
        seal::{self, Ended},
        supervisor::Ending,
        validate::{ValidatedCall, malformed, revalidate, validate},
    },
    message::ToolCallId,
    tool::{BatchingStrategy, Recovery, ToolContext},
};

use super::{Work, record::answered, slot::Slot};

/// So many ids are looked through one by one.
const FEW: usize = 16;

/// So many are started before it is looked whether others have ended.
const BEFORE_A_LOOK: usize = 256;

impl<'t> Work<'t> {
    pub(super) fn check(&mut self, position: Position) {
        let Some(place) = self.place(position) else { return };
        // Told here, so that a resumed turn knows the ids of what it does not check again.
        let first = self.is_first(position, place.id());
        if self.past(position).is_some_and(|past| past.finished.is_some()) {
            return self.restore(position, &place);
        }
        let accepted = self.past(position).and_then(|past| past.accepted.clone());
        let checked = match accepted {
            Some(accepted) => revalidate(&accepted, &self.turn.tools, &place.settings.registry),
            None => {
                place.started();
                if first {
                    validate(&place, &self.turn.tools)
                } else {
                    let id = place.id();
                    Err(malformed(format!(
                        "an earlier call of this turn has the id \"{id}\" too; the first one is run"
                    )))
                }
            }
        };
        match checked {
            Ok(validated) => {
                let order = self.order(&validated);
                self.put(position, Slot::Validated(validated));
                self.events.push_back(Event::Checked(position, Some(order)));
            }
            Err(error) => {
                let registered = place.settings.registry.called(&self.turn.tools, place.name());
                let ended = Ended::refused(error, registered);
                self.put(position, Slot::Ended(ended));
                self.events.push_back(Event::Checked(position, None));
            }
        }
    }

    /// Whether no call before has the id.
    fn is_first(&mut self, position: Position, id: &'t ToolCallId) -> bool {
        let calls = &self.turn.calls;
        if calls.len() <= FEW {
            return calls.iter().take(position).all(|before| before.id != *id);
        }
        if self.ids.is_empty() {
            self.ids.reserve(calls.len());
            self.ids.extend(calls.iter().take(position).map(|before| before.id.as_str()));
        }
        self.ids.insert(id.as_str())
    }

    /// How a call stands to the others; keys are numbered as they come.
    fn order(&mut self, validated: &ValidatedCall<'_>) -> Order {
        match validated.registered.strategy {
            BatchingStrategy::Serial => Order::Serial,
            BatchingStrategy::Parallel => Order::Parallel,
            BatchingStrategy::Chunked => match validated.key() {
                Some(key) => {
                    let number = self.keys.len();
                    let name = validated.registered.tool.name().to_owned();
                    Order::Chunked(*self.keys.entry((name, key)).or_insert(number))
                }
                // Without its key it could meet any other.
                None => Order::Serial,
            },
        }
    }

    pub(super) fn decide(&mut self, position: Position) {
        let Slot::Validated(validated) = self.take(position) else { return };
        let decision = match self.past(position).filter(|past| past.verdict.is_some()).cloned() {
            Some(past) => self.decide_again(position, validated, &past),
            None => match policy::authorize(validated) {
                Ok(Verdict::Allow(authorized)) => {
                    self.put(position, Slot::Authorized(authorized, Slots::default()));
                    Decision::Allow
                }
                Ok(Verdict::Ask(validated, reason)) => {
                    self.request(position, validated, &reason);
                    Decision::Ask
                }
                Err(error) => {
                    let registry = &self.turn.dispatcher.0.registry;
                    let call = self.turn.calls.get(position);
                    let registered = call.and_then(|call| registry.called(&self.turn.tools, &call.name));
                    let ended = Ended::refused(error, registered);
                    self.settled(position, ended)
                }
            },
        };
        self.events.push_back(Event::Decided(position, decision));
    }

    pub(super) fn settled(&mut self, position: Position, ended: Ended) -> Decision {
        self.put(position, Slot::Ended(ended));
        Decision::Settle
    }

    pub(super) fn admit(&mut self, position: Position) {
        let Some(Slot::Authorized(authorized, _)) = self.slots.get(position) else { return };
        let validated = authorized.validated();
        let key = self.turn.dispatcher.0.keys.gate(validated);
        if let Some(slots) = self.lanes.enter(position, key.as_ref(), validated.registered.permits.as_ref()) {
            self.admitted(position, slots);
        }
    }

    pub(super) fn admitted(&mut self, position: Position, slots: Slots<'t>) {
        if let Some(Slot::Authorized(_, place)) = self.slots.get_mut(position) {
            *place = slots;
            self.events.push_back(Event::Admitted(position));
        }
    }

    pub(super) fn start(&mut self, position: Position) {
        let (authorized, slots) = match self.take(position) {
            Slot::Authorized(authorized, slots) => (authorized, slots),
            other => return self.put(position, other),
        };
        let (attempt, answers, interrupted) = match self.past(position) {
            Some(past) => (past.started + 1, Some(past.answers()), past.was_interrupted()),
            None => (1, None, false),
        };
        let Some(place) = self.place(position) else { return };
        let probe =
            interrupted && authorized.validated().registered.tool.definition().recovery() == Recovery::Probe;
        let crowded = self.supervisor.is_crowded();
        let first_poll = if crowded { FirstPoll::InItsTask } else { FirstPoll::Here };
        match begin(authorized, &place, &Again { attempt, answers, probe }, first_poll) {
            (known, Begun::Done(outcome)) => {
                self.inline += 1;
                drop(slots);
                self.outcome(position, known, Ending::ByItself(outcome));
            }
            (known, Begun::Running(running)) => {
                self.put(position, Slot::Running(known));
                self.supervisor.add(position, running, slots);
                if crowded && position.is_multiple_of(BEFORE_A_LOOK) {
                    self.take_ended();
                }
            }
        }
    }

    /// Takes what functions have left behind that ended meanwhile: others use its memory again.
    pub(super) fn take_ended(&mut self) {
        while let Some((position, ending)) = self.supervisor.next_ended() {
            self.ended(position, ending);
        }
    }

    pub(super) fn ended(&mut self, position: Position, ending: Ending) {
        match self.take(position) {
            Slot::Running(known) => self.outcome(position, known, ending),
            other => self.put(position, other),
        }
    }

    fn outcome(&mut self, position: Position, known: Known<'t>, ending: Ending) {
        let suspension = match &ending {
            Ending::ByItself(Err(error)) => error.suspension().cloned(),
            _ => None,
        };
        if let Some(suspension) = suspension.filter(|_| self.turn.scope.waits) {
            self.put(position, Slot::Suspended(known, Box::new(suspension)));
            self.events.push_back(Event::Suspended(position));
            return;
        }
        for entry in
            known.context.iter().flat_map(ToolContext::answered).flat_map(|said| answered(position, said))
        {
            self.record(entry);
        }
        let Some(place) = self.place(position) else { return };
        let ended = Ended::of(known, ending, &place).or_denied().with_note(self.edited.get(&position));
        let aborts = ended.aborts();
        self.put(position, Slot::Ended(ended));
        self.events.push_back(Event::Ended(position, aborts));
    }

    pub(super) fn forgo(&mut self, position: Position, stop: Stop) {
        self.lanes.leave(position);
        let ended = match self.take(position) {
            Slot::Authorized(authorized, _) => Ended::not_run(Known::of(authorized), stop),
            Slot::Validated(validated) | Slot::Asked(validated, ..) => {
                Ended::not_run(Known::of_validated(validated), stop)
            }
            Slot::Suspended(known, _) => Ended::forgone(known, stop),
            other => return self.put(position, other),
        };
        self.put(position, Slot::Ended(ended));
    }

    /// Makes the one result; it is handed out once it is durable.
    pub(super) fn seal(&mut self, position: Position) {
        let ended = match self.take(position) {
            Slot::Ended(ended) => ended,
            other => return self.put(position, other),
        };
        let Some(place) = self.place(position) else { return };
        let result = seal::result(ended, &place);
        self.put(position, Slot::Sealed(result));
    }

    pub(super) fn announce(&mut self, position: Position) {
        let Some(place) = self.place(position) else { return };
        let recovered = self.past(position).is_some_and(|past| past.finished.is_some());
        if let Some(Slot::Sealed(result)) = self.slots.get(position).filter(|_| !recovered) {
            seal::announce(result, &place);
        }
    }
}
