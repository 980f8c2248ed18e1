//! Somebody is asked about a call: whoever answers while the turn runs, else whoever resumes it.

use tokio::task::JoinError;

use crate::{
    ask::{ApprovalDecision, ApprovalRequest},
    dispatch::{
        execute::Known,
        guard::caught,
        lanes::Slots,
        machine::{Decision, Event, Position},
        past::Past,
        policy,
        seal::Ended,
        validate::ValidatedCall,
    },
    journal::EntryBody,
};

use super::{Work, slot::Slot};

impl<'t> Work<'t> {
    pub(super) fn request(&mut self, position: Position, validated: ValidatedCall<'t>, reason: &str) {
        let Some(place) = self.place(position) else { return };
        let request = policy::request(&validated, reason, None, &place);
        self.put(position, Slot::Asked(validated, Box::new(request), false));
    }

    /// On a resumed run: the recorded answer to just this request, or the request again.
    pub(super) fn request_or_resolve(
        &mut self,
        position: Position,
        validated: ValidatedCall<'t>,
        past: &Past,
        interrupted: Option<u32>,
    ) -> Decision {
        let reason = match interrupted {
            None if past.was_interrupted() => policy::TOOL_ASKS_AGAIN,
            None => past.asks.as_deref().unwrap_or(policy::TOOL_ASKS),
            Some(_) => "the call was interrupted; what it did is not known. Approve to run it again",
        };
        let Some(place) = self.place(position) else { return Decision::Settle };
        let request = policy::request(&validated, reason, interrupted, &place);
        match past.resolution(&request.id).map(|resolved| resolved.decision.clone()) {
            Some(decision) => {
                // Told by the run that brings the answer, not by one that finds it recorded.
                if self.brought.remove(&request.id) {
                    self.turn.scope.events.emit(|| policy::resolved(place.id(), &request, &decision));
                }
                // What was put in place since, when the call had been interrupted, is what it goes on with.
                let since = past.edit().filter(|_| !matches!(decision, ApprovalDecision::Reject { .. }));
                let edit = since.map(|arguments| ApprovalDecision::Edit { arguments: arguments.to_owned() });
                self.resolve(position, validated, &request, edit.as_ref().unwrap_or(&decision))
            }
            None => {
                self.put(position, Slot::Asked(validated, Box::new(request), interrupted.is_some()));
                Decision::Ask
            }
        }
    }

    /// Applies an answer.
    fn resolve(
        &mut self,
        position: Position,
        validated: ValidatedCall<'t>,
        request: &ApprovalRequest,
        decision: &ApprovalDecision,
    ) -> Decision {
        let registered = validated.registered;
        self.keep_resolved(position, &validated, request, decision);
        match policy::decide(validated, request, decision, &self.turn.dispatcher.0.registry) {
            Ok(authorized) => {
                if let ApprovalDecision::Edit { .. } = decision {
                    self.edited.insert(position, authorized.validated().accepted("").arguments);
                }
                self.put(position, Slot::Authorized(authorized, Slots::default()));
                Decision::Allow
            }
            Err(error) => {
                self.put(position, Slot::Ended(Ended::of_error(Known::of_tool(registered), error)));
                Decision::Settle
            }
        }
    }

    /// Asks whoever answers while the turn runs.
    pub(super) fn ask(&mut self, position: Position) {
        for entry in self.asked(position) {
            self.record(entry);
        }
        if let Some(&Slot::Asked(_, ref request, interrupted)) = self.slots.get(position) {
            if let Some(call) = self.turn.calls.get(position) {
                self.turn.scope.events.emit(|| policy::requested(&call.id, request));
            }
            if let Some(answerer) = self.turn.scope.answerer.clone() {
                let request = request.clone();
                self.asking.get_or_insert_default().spawn(async move {
                    let begin =
                        || if interrupted { answerer.recover(&request) } else { answerer.approve(&request) };
                    (position, policy::answered(caught(begin).await))
                });
                return;
            }
        }
        self.unanswered(position);
    }

    /// The call waits, where the turn may; else it is denied.
    fn unanswered(&mut self, position: Position) {
        let decision = match self.take(position) {
            Slot::Asked(validated, request, _) if !self.turn.scope.waits => {
                let error = policy::nobody_to_ask(&request.tool);
                self.put(position, Slot::Ended(Ended::of_error(Known::of_validated(validated), error)));
                Decision::Settle
            }
            slot => {
                self.put(position, slot);
                Decision::Ask
            }
        };
        self.events.push_back(Event::Answered(position, decision));
    }

    pub(super) fn answered(&mut self, answered: Result<(Position, Option<ApprovalDecision>), JoinError>) {
        let Ok((position, decision)) = answered else { return self.nobody_answered() };
        let decision = match (self.take(position), decision) {
            (Slot::Asked(validated, request, _), Some(decision)) => {
                if let Some(call) = self.turn.calls.get(position) {
                    self.turn.scope.events.emit(|| policy::resolved(&call.id, &request, &decision));
                }
                self.record(resolution(position, &request.id, &decision));
                self.resolve(position, validated, &request, &decision)
            }
            (slot, _) => {
                self.put(position, slot);
                return self.unanswered(position);
            }
        };
        self.events.push_back(Event::Answered(position, decision));
    }

    /// An answerer panicked: whose question it was can not be told, so all that are open wait.
    fn nobody_answered(&mut self) {
        self.asking = None;
        let asked = |(position, slot): (Position, &Slot)| matches!(slot, Slot::Asked(..)).then_some(position);
        let open: Vec<Position> = self.slots.iter().enumerate().filter_map(asked).collect();
        for position in open {
            self.unanswered(position);
        }
    }
}

/// The entry of an answered approval.
pub(in crate::dispatch) fn resolution(
    position: Position,
    id: &str,
    decision: &ApprovalDecision,
) -> EntryBody {
    let (note, arguments) = match decision {
        ApprovalDecision::Approve => (None, None),
        ApprovalDecision::Reject { note } => (note.clone(), None),
        ApprovalDecision::Edit { arguments } => (None, Some(arguments.clone())),
    };
    EntryBody::ApprovalResolved {
        position,
        id: id.to_owned(),
        decision: decision.name().to_owned(),
        note,
        arguments,
    }
}
