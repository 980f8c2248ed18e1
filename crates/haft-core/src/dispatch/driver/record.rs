//! What is written down at each step, and when the turn goes on.

use std::sync::Arc;

use crate::{
    ask::{Answered, ApprovalDecision, ApprovalRequest},
    dispatch::{
        builder::WITHOUT_STAGES,
        execute::Known,
        machine::{Event, Position, Record, Stop},
        past::{Accepted, Past},
        recorder::Recorder,
        validate::ValidatedCall,
    },
    journal::{Asked, CallEntry, EntryBody, Journal, JournalError, RecordedResult, Verdict},
    schema::canonical,
};

use super::{Work, asking::resolution, slot::Slot};

impl Work<'_> {
    /// Whether that is done at once.
    pub(super) fn append(&mut self, record: Record) -> bool {
        if let Record::Finished(position) = record {
            self.seal(position);
        }
        if WITHOUT_STAGES || self.recorder.is_none() {
            if let Record::Finished(position) = record {
                self.announce(position);
            }
            return true;
        }
        self.write_down(record);
        false
    }

    // Apart, so that turns without a journal stay short.
    #[inline(never)]
    fn write_down(&mut self, record: Record) {
        let entries = self.entries(record);
        self.records.push((record, entries));
    }

    /// Adds to what is appended next.
    pub(super) fn record(&mut self, entry: EntryBody) {
        if self.recorder.is_some() {
            self.preface.push(entry);
        }
    }

    /// Hands all that was recorded to the journal at once.
    pub(super) fn flush(&mut self) {
        if self.appending.is_some() || (self.records.is_empty() && self.preface.is_empty()) {
            return;
        }
        let Some(recorder) = &self.recorder else { return };
        let mut bodies = std::mem::take(&mut self.preface);
        let mut records = Vec::new();
        for (record, entries) in std::mem::take(&mut self.records) {
            records.push(record);
            bodies.extend(entries);
        }
        if bodies.is_empty() {
            self.events.extend(records.into_iter().map(Event::Appended));
        } else {
            self.appending = Some((records, recorder.append(bodies)));
        }
    }

    pub(super) fn appended(&mut self, appended: Result<(), JournalError>) {
        let records = self.appending.take().map(|(records, _)| records).unwrap_or_default();
        if let Err(error) = appended {
            tracing::error!(%error, "the journal failed; nothing more of the turn begins");
            self.journal_error.get_or_insert(error);
            self.recorder = None;
            self.events.push_back(Event::Stopped(Stop::Journal));
            let unwritten = std::mem::take(&mut self.records);
            self.events.extend(unwritten.into_iter().map(|(record, _)| Event::Appended(record)));
        }
        self.events.extend(records.into_iter().map(Event::Appended));
    }

    /// The entries of a record; none where an earlier run has written them.
    fn entries(&self, record: Record) -> Vec<EntryBody> {
        let past = |position| self.past(position);
        match record {
            Record::TurnOpened if self.past.is_none() => vec![self.opened()],
            Record::Accepted(position) if past(position).is_none_or(|past| past.accepted.is_none()) => {
                self.accepted_or_asked(position)
            }
            Record::Decided(position) if past(position).is_none_or(|past| past.verdict.is_none()) => {
                let verdict = match self.slots.get(position) {
                    Some(Slot::Authorized(..)) => Verdict::Allow,
                    _ => Verdict::Deny,
                };
                vec![EntryBody::CallDecided { position, verdict, rule: None }]
            }
            Record::Started(position) => {
                let attempt = past(position).map_or(1, |past| past.started + 1);
                vec![EntryBody::CallStarted { position, attempt }]
            }
            Record::Suspended(position) => self.suspension(position),
            Record::Finished(position) if past(position).is_none_or(|past| past.finished.is_none()) => {
                self.finished(position).into_iter().collect()
            }
            Record::TurnClosed => vec![EntryBody::TurnClosed],
            // An earlier run has written it.
            Record::TurnOpened | Record::Accepted(_) | Record::Decided(_) | Record::Finished(_) => Vec::new(),
        }
    }

    pub(super) fn opened(&self) -> EntryBody {
        let calls = self.turn.calls.iter().map(|call| CallEntry {
            id: call.id.as_str().to_owned(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        EntryBody::TurnOpened { calls: calls.collect() }
    }

    pub(super) fn accepted(&self, position: Position) -> Option<EntryBody> {
        let call = self.turn.calls.get(position)?;
        let sent = self.edited.get(&position).unwrap_or(&call.arguments);
        let accepted = match self.slots.get(position)? {
            Slot::Validated(validated) | Slot::Asked(validated, ..) => validated.accepted(sent),
            Slot::Authorized(authorized, _) => authorized.validated().accepted(sent),
            Slot::Suspended(known, _) => self.ran_with(position, known)?.accepted(sent),
            _ => return None,
        };
        Some(acceptance(position, accepted))
    }

    /// The arguments of a suspended call went into its function: they are read once more, as they were put in place.
    fn ran_with<'a>(&self, position: Position, known: &Known<'a>) -> Option<ValidatedCall<'a>> {
        let registry = &self.turn.dispatcher.0.registry;
        let put = known.arguments.as_deref().map(canonical).or_else(|| self.edited.get(&position).cloned());
        let past = self.past(position);
        let edit = || past.and_then(Past::edit).map(str::to_owned);
        let accepted = || past.and_then(|past| past.accepted.as_ref()).map(|past| past.arguments.clone());
        match put.or_else(edit).or_else(accepted) {
            Some(effective) => ValidatedCall::again(known, &effective, true, registry),
            None => ValidatedCall::again(known, &self.turn.calls.get(position)?.arguments, false, registry),
        }
    }

    /// That a call is accepted; and at once that a hook wants it asked about, since hooks do not see it again.
    fn accepted_or_asked(&self, position: Position) -> Vec<EntryBody> {
        let rule = match self.slots.get(position) {
            Some(Slot::Validated(validated) | Slot::Asked(validated, ..)) => validated.asks.clone(),
            _ => None,
        };
        let asked =
            rule.map(|rule| EntryBody::CallDecided { position, verdict: Verdict::Ask, rule: Some(rule) });
        self.accepted(position).into_iter().chain(asked).collect()
    }

    /// That somebody is asked about a call; nothing where an earlier run has asked.
    pub(super) fn asked(&self, position: Position) -> Vec<EntryBody> {
        let Some(Slot::Asked(validated, request, _)) = self.slots.get(position) else { return Vec::new() };
        let past = self.past(position);
        let mut entries = Vec::new();
        if validated.asks.is_none() && past.is_none_or(|past| past.verdict.is_none()) {
            entries.push(EntryBody::CallDecided { position, verdict: Verdict::Ask, rule: None });
        }
        if past.is_none_or(|past| past.requested.as_ref() != Some(&request.id)) {
            entries.push(EntryBody::ApprovalRequested { position, id: request.id.clone() });
        }
        entries
    }

    pub(super) fn suspension(&self, position: Position) -> Vec<EntryBody> {
        match self.slots.get(position) {
            Some(Slot::Asked(_, request, recovery)) => {
                // Under other rules it waits for another answer than before.
                let waits = |past: &Past| past.waits.as_ref().is_some_and(|(_, id)| *id == request.id);
                if self.past(position).is_some_and(waits) {
                    return Vec::new();
                }
                let waits_for = if *recovery { Asked::Recovery } else { Asked::Approval };
                vec![EntryBody::CallSuspended { position, waits_for, id: request.id.clone() }]
            }
            Some(Slot::Suspended(_, suspension)) => {
                let id = suspension.id.clone();
                if self
                    .past(position)
                    .is_some_and(|past| past.waits.as_ref().is_some_and(|(_, waits)| *waits == id))
                {
                    return Vec::new();
                }
                let before = suspension.answered.iter().cloned();
                let before = before.flat_map(|said| answered(position, said));
                let question = suspension.question.clone();
                let asked =
                    question.map(|question| EntryBody::QuestionAsked { position, id: id.clone(), question });
                let waits_for = suspension.waits_for;
                before
                    .chain(asked)
                    .chain([EntryBody::CallSuspended { position, waits_for, id: id.clone() }])
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn finished(&self, position: Position) -> Option<EntryBody> {
        match self.slots.get(position)? {
            Slot::Sealed(result) => {
                Some(EntryBody::CallFinished { position, result: Box::new(RecordedResult::of(result)) })
            }
            _ => None,
        }
    }

    /// Everything that a run without a journal has to keep, when it suspends.
    pub(super) fn everything(&self) -> Vec<EntryBody> {
        let mut entries = if self.past.is_none() { vec![self.opened()] } else { Vec::new() };
        entries.extend(self.preface.iter().cloned());
        for position in 0..self.turn.calls.len() {
            let past = self.past(position);
            if past.is_some_and(|past| past.finished.is_some()) {
                continue;
            }
            match self.resolved.get(&position) {
                Some(resolved) => entries.extend(resolved.iter().cloned()),
                None => entries.extend(self.allowed(position, past)),
            }
            if let Some(Slot::Suspended(_, suspension)) = self.slots.get(position)
                && past.is_none_or(|past| past.waits.as_ref().is_none_or(|(_, id)| *id != suspension.id))
            {
                let attempt = past.map_or(1, |past| past.started + 1);
                entries.push(EntryBody::CallStarted { position, attempt });
            }
            entries.extend(self.asked(position));
            entries.extend(self.suspension(position));
            entries.extend(self.finished(position));
        }
        entries
    }

    /// What was accepted and allowed of a call without anybody being asked.
    fn allowed(&self, position: Position, past: Option<&Past>) -> Vec<EntryBody> {
        let mut entries = Vec::new();
        if past.is_none_or(|past| past.accepted.is_none()) {
            entries.extend(self.accepted_or_asked(position));
        }
        let allowed = matches!(self.slots.get(position), Some(Slot::Authorized(..) | Slot::Suspended(..)));
        if allowed && past.is_none_or(|past| past.verdict.is_none()) {
            entries.push(EntryBody::CallDecided { position, verdict: Verdict::Allow, rule: None });
        }
        entries
    }

    /// Keeps what was asked and answered about a call, for when a turn without a journal suspends.
    pub(super) fn keep_resolved(
        &mut self,
        position: Position,
        validated: &ValidatedCall<'_>,
        request: &ApprovalRequest,
        decision: &ApprovalDecision,
    ) {
        if self.recorder.is_some() {
            return;
        }
        let rule = validated.asks.clone();
        let entries = vec![
            acceptance(position, validated.accepted(&request.arguments)),
            EntryBody::CallDecided { position, verdict: Verdict::Ask, rule },
            EntryBody::ApprovalRequested { position, id: request.id.clone() },
            resolution(position, &request.id, decision),
        ];
        self.resolved.insert(position, entries);
    }

    /// Where the entries of a suspended turn go that has no journal.
    pub(super) fn keeper(&self) -> Recorder {
        let settings = &self.turn.dispatcher.0;
        Recorder::new(
            Arc::clone(&settings.memory) as Arc<dyn Journal>,
            settings.clock.clone(),
            &self.turn.scope,
        )
    }
}

fn acceptance(position: Position, accepted: Accepted) -> EntryBody {
    let Accepted { tool, arguments, definition, repaired } = accepted;
    EntryBody::CallAccepted { position, tool, arguments, definition, repaired }
}

/// The entries of a question that was answered while its function ran.
pub(super) fn answered(position: Position, said: Answered) -> [EntryBody; 2] {
    let Answered { id, question, answer } = said;
    [
        EntryBody::QuestionAsked { position, id: id.clone(), question },
        EntryBody::QuestionAnswered { position, id, answer },
    ]
}
