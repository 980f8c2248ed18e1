//! What is done with one call at each step.

use crate::{
    ask::{ApprovalRequest, Suspension},
    dispatch::{
        execute::{Again, Begun, FirstPoll, Known, begin},
        lanes::Slots,
        machine::{Decision, Event, Order, Position, Stop},
        past::Past,
        place::Place,
        policy::{self, Verdict},
        seal::{self, Ended},
        supervisor::Ending,
        validate::{ValidatedCall, effective, malformed, revalidate, validate},
    },
    journal::{self, Asked},
    message::ToolCallId,
    result::Record,
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

    /// Hands out the result of an earlier run.
    // Apart, as all that only resumed turns do: the others stay short.
    #[inline(never)]
    fn restore(&mut self, position: Position, place: &Place<'t>) {
        let Some(past) = self.past(position) else { return };
        let Some(result) = past.finished.clone() else { return };
        let called = place.called(&result.tool);
        let repaired = past.accepted.as_ref().map(|accepted| accepted.repaired.clone()).unwrap_or_default();
        let record = Record { style: place.settings.style, called, repaired, ..Record::default() };
        let result = result.restore(place.id().clone(), record);
        self.put(position, Slot::Sealed(result));
        self.events.push_back(Event::Checked(position, None));
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

    /// What an earlier run decided stands; what was interrupted goes by the tool's contract.
    #[inline(never)]
    fn decide_again(&mut self, position: Position, validated: ValidatedCall<'t>, past: &Past) -> Decision {
        if past.was_interrupted() {
            return self.recover(position, validated, past);
        }
        match (past.verdict, &past.waits) {
            (_, Some((waits_for @ (Asked::Question | Asked::External), id))) => {
                let Some(validated) = self.with_edit(position, validated, past) else {
                    return Decision::Settle;
                };
                let question =
                    past.asked.iter().find(|(asked, _)| asked == id).map(|(_, question)| question.clone());
                let answered = Vec::new();
                let suspension = Suspension { waits_for: *waits_for, id: id.clone(), question, answered };
                let known = Known::of_validated(validated);
                if !self.turn.scope.waits {
                    return self.settled(position, Ended::of_error(known, seal::unanswered()));
                }
                self.put(position, Slot::Suspended(known, Box::new(suspension)));
                Decision::Ask
            }
            _ if validated.registered.tool.is_external() && !past.answers.is_empty() => {
                self.settle_external(position, validated, past)
            }
            (Some(journal::Verdict::Allow), _) => self.allow_again(position, validated, past),
            (Some(journal::Verdict::Deny), _) if past.requested.is_none() => {
                let error = policy::denied_before(validated.registered.tool.name());
                self.settled(position, Ended::of_error(Known::of_validated(validated), error))
            }
            // A request that an earlier run may not even have come to make.
            _ => self.request_or_resolve(position, validated, past, None),
        }
    }

    /// A call that an earlier run allowed: nobody has approved it, so where its tool wants that by now, somebody does first.
    fn allow_again(&mut self, position: Position, validated: ValidatedCall<'t>, past: &Past) -> Decision {
        if let Some(before) = self.approved(position, &validated, past) {
            return match self.with_arguments(position, validated, past.edit_until(before)) {
                Some(validated) => self.request_or_resolve(position, validated, past, None),
                None => Decision::Settle,
            };
        }
        let Some(validated) = self.with_edit(position, validated, past) else { return Decision::Settle };
        match policy::tool_asks(&validated) {
            Ok(false) => {
                self.put(position, Slot::Authorized(policy::reauthorize(validated), Slots::default()));
                Decision::Allow
            }
            Ok(true) => self.request_or_resolve(position, validated, past, None),
            Err(error) => self.settled(position, Ended::of_error(Known::of_validated(validated), error)),
        }
    }

    /// How many answers had been given before the one that says, under the rules of now, whether the call runs.
    fn approved(&self, position: Position, validated: &ValidatedCall<'_>, past: &Past) -> Option<usize> {
        let place = self.place(position)?;
        let registry = &self.turn.dispatcher.0.registry;
        let request = policy::request(validated, "", None, &place);
        past.resolved.iter().enumerate().find_map(|(before, resolved)| {
            let arguments = match past.edit_until(before) {
                Some(edit) => effective(&validated.registered.tool, edit, registry)?,
                None => request.arguments.clone(),
            };
            let asked = ApprovalRequest { arguments, ..request.clone() }.identified(&position.to_string());
            (asked.id == resolved.id).then_some(before)
        })
    }

    /// A call that the client has run.
    fn settle_external(&mut self, position: Position, validated: ValidatedCall<'t>, past: &Past) -> Decision {
        let Some(validated) = self.with_edit(position, validated, past) else { return Decision::Settle };
        let tool = &validated.registered.tool;
        let answer = past.answers.first().map(|(_, answer)| seal::external(answer, tool));
        let outcome = answer.unwrap_or_else(|| Err(seal::unanswered()));
        let ended = Ended::by_itself(Known::of_validated(validated), outcome);
        let ended = ended.with_note(self.edited.get(&position));
        self.settled(position, ended)
    }

    /// The call with the arguments that a person put in place, if one did; none where they do not match any more, and
    /// the call is settled with that.
    fn with_edit(
        &mut self,
        position: Position,
        validated: ValidatedCall<'t>,
        past: &Past,
    ) -> Option<ValidatedCall<'t>> {
        self.with_arguments(position, validated, past.edit())
    }

    fn with_arguments(
        &mut self,
        position: Position,
        validated: ValidatedCall<'t>,
        arguments: Option<&str>,
    ) -> Option<ValidatedCall<'t>> {
        let Some(arguments) = arguments else { return Some(validated) };
        let registered = validated.registered;
        match validated.edited(arguments, &self.turn.dispatcher.0.registry) {
            Ok(edited) => {
                self.edited.insert(position, edited.accepted(arguments).arguments);
                Some(edited)
            }
            Err(error) => {
                self.settled(position, Ended::of_error(Known::of_tool(registered), error));
                None
            }
        }
    }

    /// A call that had started and has no result: the tool's contract says what becomes of it.
    fn recover(&mut self, position: Position, validated: ValidatedCall<'t>, past: &Past) -> Decision {
        let registered = validated.registered;
        match registered.tool.definition().recovery() {
            Recovery::Ask => self.ask_again(position, validated, past),
            Recovery::Never => {
                let Some(validated) = self.with_edit(position, validated, past) else {
                    return Decision::Settle;
                };
                let error = seal::interrupted(registered.tool.name());
                self.settled(position, Ended::of_error(Known::of_validated(validated), error))
            }
            Recovery::Repeat | Recovery::Keyed | Recovery::Probe
                if past.verdict == Some(journal::Verdict::Allow) =>
            {
                self.allow_again(position, validated, past)
            }
            Recovery::Repeat | Recovery::Keyed | Recovery::Probe => {
                let Some(validated) = self.with_edit(position, validated, past) else {
                    return Decision::Settle;
                };
                self.put(position, Slot::Authorized(policy::reauthorize(validated), Slots::default()));
                Decision::Allow
            }
        }
    }

    /// Somebody is asked whether an interrupted call runs again, or has answered that.
    fn ask_again(&mut self, position: Position, validated: ValidatedCall<'t>, past: &Past) -> Decision {
        // An edit is the answer to a question that was asked about the arguments before it.
        let before = past.edit_before();
        let Some(validated) = self.with_arguments(position, validated, before) else {
            return Decision::Settle;
        };
        let Some(place) = self.place(position) else { return Decision::Settle };
        let asked = policy::request(&validated, "", Some(past.started), &place).id;
        let answered = past.resolved.last().is_some_and(|latest| latest.id == asked);
        let validated = if answered { Some(validated) } else { self.with_edit(position, validated, past) };
        match validated {
            Some(validated) => self.request_or_resolve(position, validated, past, Some(past.started)),
            None => Decision::Settle,
        }
    }

    fn settled(&mut self, position: Position, ended: Ended) -> Decision {
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
