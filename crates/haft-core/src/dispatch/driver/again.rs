//! What is done with a call that an earlier run of its turn knew.

use crate::{
    ask::{ApprovalRequest, Suspension},
    dispatch::{
        execute::Known,
        lanes::Slots,
        machine::{Decision, Event, Position},
        past::Past,
        place::Place,
        policy,
        seal::{self, Ended},
        validate::{ValidatedCall, effective},
    },
    journal::{self, Asked},
    result::Record,
    tool::Recovery,
};

use super::{Work, slot::Slot};

impl<'t> Work<'t> {
    /// Hands out the result of an earlier run.
    // Apart, as all that only resumed turns do: the others stay short.
    #[inline(never)]
    pub(super) fn restore(&mut self, position: Position, place: &Place<'t>) {
        let Some(past) = self.past(position) else { return };
        let Some(result) = past.finished.clone() else { return };
        let called = place.called(&result.tool);
        let repaired = past.accepted.as_ref().map(|accepted| accepted.repaired.clone()).unwrap_or_default();
        let record = Record { style: place.settings.style, called, repaired, ..Record::default() };
        let result = result.restore(place.id().clone(), record);
        self.put(position, Slot::Sealed(result));
        self.events.push_back(Event::Checked(position, None));
    }

    /// What an earlier run decided stands; what was interrupted goes by the tool's contract.
    #[inline(never)]
    pub(super) fn decide_again(
        &mut self,
        position: Position,
        validated: ValidatedCall<'t>,
        past: &Past,
    ) -> Decision {
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
}
