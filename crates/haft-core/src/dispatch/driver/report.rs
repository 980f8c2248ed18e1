//! How a run of a turn ended.

use crate::{
    ask::{Pending, PendingKind, Waiting},
    dispatch::machine::Position,
    journal::{Asked, EntryBody, JournalError},
    result::ToolResult,
};

use super::{Work, slot::Slot};

/// How a run of a turn ended.
pub(in crate::dispatch) enum Report {
    /// One result a call, in the model's order, and what the journal said if it failed.
    Finished(Vec<ToolResult>, Option<JournalError>),
    /// The turn waits for answers.
    Suspended(Waiting),
}

impl Work<'_> {
    /// What a turn ends with that waits for answers.
    pub(super) async fn suspend(&mut self) -> Report {
        if self.recorder.is_none() {
            let keeping = self.keeper().append(self.everything());
            // Only where an id was given out twice.
            if let Err(error) = keeping.await {
                tracing::error!(%error, "a turn that waits could not be kept, and can not be resumed");
            }
        }
        let waiting = self.waiting();
        self.end();
        Report::Suspended(waiting)
    }

    fn end(&self) {
        self.turn.scope.events.close();
        // A turn's tokens end with it: what was left behind, or spawned, can notice.
        self.turn.scope.token.cancel();
    }

    /// What a turn ends with whose calls all have their results.
    pub(super) fn finish(&mut self) -> Report {
        // A turn without an id has kept nothing.
        let turn = self.turn.scope.turn_id_if_any();
        if !turn.is_empty() {
            self.turn.dispatcher.0.memory.remove(self.turn.scope.session().unwrap_or_default(), turn);
        }
        let mut results = Vec::with_capacity(self.slots.len());
        for slot in self.slots.drain(..) {
            if let Slot::Sealed(result) = slot {
                results.push(result);
            }
        }
        self.end();
        Report::Finished(results, self.journal_error.take())
    }

    /// The effective arguments of a call, as canonical JSON text.
    fn effective(&self, position: Position) -> String {
        match self.accepted(position) {
            Some(EntryBody::CallAccepted { arguments, .. }) => arguments,
            _ => String::new(),
        }
    }

    fn waiting(&self) -> Waiting {
        let pending = self.slots.iter().enumerate().filter_map(|(position, slot)| {
            let (id, kind) = match slot {
                Slot::Asked(_, request, false) => {
                    (request.id.clone(), PendingKind::Approval((**request).clone()))
                }
                Slot::Asked(_, request, true) => {
                    (request.id.clone(), PendingKind::Recovery((**request).clone()))
                }
                Slot::Suspended(_, suspension) => {
                    let kind = match (&suspension.question, suspension.waits_for) {
                        (Some(question), Asked::Question) => PendingKind::Question(question.clone()),
                        _ => PendingKind::External { arguments: self.effective(position) },
                    };
                    (suspension.id.clone(), kind)
                }
                _ => return None,
            };
            let call = self.turn.calls.sent(position)?.shared();
            Some(Pending { id, call, kind })
        });
        let results = self.slots.iter().map(|slot| match slot {
            Slot::Sealed(result) => Some(result.clone()),
            _ => None,
        });
        Waiting {
            session: self.turn.scope.session().unwrap_or_default().to_owned(),
            turn: self.turn.scope.turn_id().to_owned(),
            pending: pending.collect(),
            results: results.collect(),
        }
    }
}
