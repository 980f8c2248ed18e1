//! What a journal says of the calls of a turn.

use std::sync::Arc;

use crate::{
    ask::{Answer, ApprovalDecision, Question},
    journal::{Asked, CallEntry, Entry, EntryBody, RecordedResult, Verdict},
    schema::Repair,
};

/// What was accepted of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Accepted {
    pub(crate) tool: String,
    /// The effective arguments, as canonical JSON text.
    pub(crate) arguments: String,
    pub(crate) definition: String,
    /// What was changed about the call before.
    pub(crate) repaired: Vec<Repair>,
}

/// How an approval was answered.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub(super) id: String,
    pub(super) decision: ApprovalDecision,
}

/// What is recorded of one call.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    pub(super) accepted: Option<Accepted>,
    pub(super) verdict: Option<Verdict>,
    /// Why somebody is asked, where it is not the tool alone that wants it.
    pub(super) asks: Option<String>,
    pub(super) requested: Option<String>,
    pub(super) resolved: Vec<Resolved>,
    pub(super) started: u32,
    pub(super) asked: Vec<(String, Question)>,
    pub(super) answers: Vec<(String, Answer)>,
    /// What it waits for, until that is answered.
    pub(super) waits: Option<(Asked, String)>,
    /// Whether its last start ended in a suspension.
    pub(super) suspended: bool,
    pub(super) finished: Option<RecordedResult>,
}

impl Past {
    /// Whether it had started and nothing is known of how it ended.
    pub(super) fn was_interrupted(&self) -> bool {
        self.started > 0 && !self.suspended && self.finished.is_none()
    }

    /// The answers of its questions, in order.
    pub(super) fn answers(&self) -> Arc<[(String, Answer)]> {
        self.answers.clone().into()
    }

    /// The arguments that a person put in place of the model's.
    pub(super) fn edit(&self) -> Option<&str> {
        edit(&self.resolved)
    }

    /// The same, as it was when the latest answer was asked for.
    pub(super) fn edit_before(&self) -> Option<&str> {
        self.edit_until(self.resolved.len().saturating_sub(1))
    }

    /// The same, as it was when so many answers had been given.
    pub(super) fn edit_until(&self, answers: usize) -> Option<&str> {
        self.resolved.get(..answers).and_then(edit)
    }

    pub(super) fn resolution(&self, id: &str) -> Option<&Resolved> {
        self.resolved.iter().find(|resolved| resolved.id == id)
    }
}

fn edit(resolved: &[Resolved]) -> Option<&str> {
    resolved.iter().rev().find_map(|resolved| match &resolved.decision {
        ApprovalDecision::Edit { arguments } => Some(arguments.as_str()),
        _ => None,
    })
}

/// A turn, as its journal tells it.
#[derive(Debug, Clone, Default)]
pub(super) struct PastTurn {
    pub(super) calls: Vec<CallEntry>,
    pub(super) past: Vec<Past>,
    pub(super) closed: bool,
}

impl PastTurn {
    /// Reads entries in the order of their appending; what belongs to no call of the turn is passed over.
    pub(super) fn read(entries: &[Entry]) -> Self {
        let mut turn = Self::default();
        for entry in entries {
            turn.apply(&entry.entry);
        }
        turn
    }

    pub(super) fn apply(&mut self, entry: &EntryBody) {
        match entry {
            // Written twice by a journal that tried again, it begins nothing anew.
            EntryBody::TurnOpened { .. } if !self.calls.is_empty() => {}
            EntryBody::TurnOpened { calls } => {
                self.past = vec![Past::default(); calls.len()];
                self.calls.clone_from(calls);
            }
            EntryBody::TurnClosed => self.closed = true,
            // Whoever reads the turn has looked for such entries before.
            EntryBody::Unreadable => {}
            EntryBody::CallAccepted { position, .. }
            | EntryBody::CallDecided { position, .. }
            | EntryBody::ApprovalRequested { position, .. }
            | EntryBody::ApprovalResolved { position, .. }
            | EntryBody::CallStarted { position, .. }
            | EntryBody::QuestionAsked { position, .. }
            | EntryBody::QuestionAnswered { position, .. }
            | EntryBody::CallSuspended { position, .. }
            | EntryBody::CallFinished { position, .. } => {
                if let Some(past) = self.past.get_mut(*position) {
                    apply(past, entry);
                }
            }
        }
    }
}

fn apply(past: &mut Past, entry: &EntryBody) {
    match entry {
        EntryBody::CallAccepted { tool, arguments, definition, repaired, .. } => {
            past.accepted = Some(Accepted {
                tool: tool.clone(),
                arguments: arguments.clone(),
                definition: definition.clone(),
                repaired: repaired.clone(),
            });
        }
        EntryBody::CallDecided { verdict, rule, .. } => {
            past.verdict = Some(*verdict);
            past.asks.clone_from(rule);
        }
        EntryBody::ApprovalRequested { id, .. } => past.requested = Some(id.clone()),
        EntryBody::ApprovalResolved { id, decision, note, arguments, .. } => {
            let decision = ApprovalDecision::restore(decision, note.clone(), arguments.clone());
            past.resolved.push(Resolved { id: id.clone(), decision });
            past.waits = None;
        }
        EntryBody::CallStarted { attempt, .. } => {
            past.started = *attempt;
            past.suspended = false;
        }
        EntryBody::QuestionAsked { id, question, .. } => past.asked.push((id.clone(), question.clone())),
        EntryBody::QuestionAnswered { id, answer, .. } => {
            if !past.answers.iter().any(|(answered, _)| answered == id) {
                past.answers.push((id.clone(), answer.clone()));
            }
            past.waits = None;
        }
        EntryBody::CallSuspended { waits_for, id, .. } => {
            past.waits = Some((*waits_for, id.clone()));
            // Only its function ends a start with that; one that waits for a decision is as interrupted as before.
            past.suspended |= matches!(waits_for, Asked::Question | Asked::External);
        }
        EntryBody::CallFinished { result, .. } => past.finished = Some(result.as_ref().clone()),
        EntryBody::TurnOpened { .. } | EntryBody::TurnClosed | EntryBody::Unreadable => {}
    }
}
