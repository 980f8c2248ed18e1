//! Results, events and journal entries as one line each.

use std::collections::HashMap;

use serde_json::Value;

use crate::{
    ask::{Pending, PendingKind},
    event::ToolEvent,
    journal::{Asked, Entry, EntryBody},
    result::ToolResult,
    schema::canonical,
};

/// `call_1 pay: paid 5`, or `call_1 pay: [rejected] too much`.
pub(super) fn result(result: &ToolResult) -> String {
    let told = match result.outcome() {
        Ok(_) => result.text().into_owned(),
        Err(error) => format!("[{}] {}", error.kind().as_str(), error.message()),
    };
    format!("{} {}: {told}", result.id(), result.tool_name())
}

/// `call_1 pay: waits for an approval`.
pub(super) fn pending(pending: &Pending) -> String {
    let what = match &pending.kind {
        PendingKind::Approval(_) => "an approval".to_owned(),
        PendingKind::Recovery(_) => "a decision whether it runs again".to_owned(),
        PendingKind::Question(question) => format!("an answer to {:?}", question.prompt),
        PendingKind::External { .. } => "the result of the client".to_owned(),
    };
    format!("{} {}: waits for {what}", pending.call.id, pending.call.name)
}

/// `tool.progress call_1`, `tool.approval_requested call_1`: the type, and whom it is about.
pub(super) fn event(event: &ToolEvent) -> String {
    let name = event.body.name();
    let value = serde_json::to_value(event).unwrap_or_default();
    match about(&value) {
        Some(about) => format!("{name} {about}"),
        None => name.to_owned(),
    }
}

/// The id of the call that an event is about.
pub(super) fn about(event: &Value) -> Option<&str> {
    let call = event.get("toolCall").and_then(|call| call.get("id"));
    call.or_else(|| event.get("toolCallId"))?.as_str()
}

/// `call_started call_1 attempt 1`: the type, the call, and what was decided.
pub(super) fn journal(entries: &[Entry]) -> Vec<String> {
    let mut calls = HashMap::new();
    entries.iter().map(|entry| journal_entry(&entry.entry, &mut calls)).collect()
}

fn journal_entry(entry: &EntryBody, calls: &mut HashMap<usize, String>) -> String {
    if let EntryBody::TurnOpened { calls: opened } = entry {
        calls.extend(opened.iter().map(|call| call.id.clone()).enumerate());
    }
    let (name, position, more) = match entry {
        EntryBody::TurnOpened { .. } | EntryBody::TurnClosed | EntryBody::Unreadable => {
            return entry.name().to_owned();
        }
        EntryBody::CallAccepted { position, arguments, .. } => ("call_accepted", position, arguments.clone()),
        EntryBody::CallDecided { position, verdict, .. } => ("call_decided", position, word(verdict)),
        EntryBody::ApprovalRequested { position, .. } => ("approval_requested", position, String::new()),
        EntryBody::ApprovalResolved { position, decision, arguments, .. } => {
            let arguments = arguments.as_ref().map(|arguments| format!(" {arguments}")).unwrap_or_default();
            ("approval_resolved", position, format!("{decision}{arguments}"))
        }
        EntryBody::CallStarted { position, attempt } => {
            ("call_started", position, format!("attempt {attempt}"))
        }
        EntryBody::QuestionAsked { position, question, .. } => {
            ("question_asked", position, question.prompt.clone())
        }
        EntryBody::QuestionAnswered { position, answer, .. } => {
            ("question_answered", position, canonical(answer.as_value()))
        }
        EntryBody::CallSuspended { position, waits_for, .. } => {
            ("call_suspended", position, waits(*waits_for))
        }
        EntryBody::CallFinished { position, result } => {
            ("call_finished", position, if result.error.is_some() { "failed".into() } else { String::new() })
        }
    };
    let call = calls.get(position).cloned().unwrap_or_else(|| format!("#{position}"));
    format!("{name} {call} {more}").trim_end().to_owned()
}

fn waits(asked: Asked) -> String {
    format!("for {}", word(&asked))
}

/// A value of the wire that is one word.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
