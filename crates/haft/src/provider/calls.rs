//! The calls of one message, with ids that tell them apart from calls without.

use std::{collections::HashSet, slice, vec};

use haft_core::{ToolCall, ToolCallId};

use crate::provider::{
    note::Note,
    raw::{Kind, Object},
};

/// The calls of one message, in the model's order, and what a host should know about it.
///
/// ```
/// use haft::provider::openai_chat;
///
/// let calls = openai_chat::calls(r#"{"role":"assistant","tool_calls":[
///     {"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]}"#)?;
/// assert_eq!(calls.len(), 1);
/// assert!(calls.notes().is_empty());
/// let calls = calls.into_vec();
/// assert_eq!(calls[0].arguments, r#"{"a":1}"#);
/// # Ok::<(), haft::provider::ProviderError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calls {
    calls: Vec<ToolCall>,
    notes: Vec<Note>,
}

/// A call as it stands in a message.
#[derive(Debug)]
pub(super) struct Draft {
    /// The id; `None` where it is missing, blank or no text.
    pub(super) id: Option<String>,
    /// The name; empty where it is missing or no text.
    pub(super) name: String,
    /// The arguments as raw JSON text; empty where they are missing.
    pub(super) arguments: String,
}

impl Draft {
    /// The id under a key; a blank one would not tell two calls apart, so it counts as none.
    pub(super) fn id(call: &Object<'_>, key: &str) -> Option<String> {
        call.string(key).filter(|id| !id.is_empty()).map(String::from)
    }

    /// The text under `name`; empty where there is none.
    pub(super) fn name(call: &Object<'_>) -> String {
        let name = call.get("name").filter(|name| name.kind() == Kind::String);
        name.map(|name| name.content().into_owned()).unwrap_or_default()
    }

    /// The argument of a simple tool, made of the free text of a custom call.
    pub(super) fn custom_arguments(call: &Object<'_>) -> String {
        call.get("input").map(|input| format!(r#"{{"input":{}}}"#, input.text())).unwrap_or_default()
    }

    /// Arguments that are JSON text in a string.
    pub(super) fn quoted_arguments(call: &Object<'_>) -> String {
        call.get("arguments").map(|arguments| arguments.content().into_owned()).unwrap_or_default()
    }

    /// Arguments that are JSON within the message: the slice that it is there, for large numbers and double keys are the
    /// check's to judge.
    pub(super) fn plain_arguments(call: &Object<'_>, key: &str) -> String {
        call.get(key).map(|arguments| arguments.text().to_owned()).unwrap_or_default()
    }

    /// Takes away the brace that the model did not write: the check then says that the arguments were cut off.
    pub(super) fn cut_off(&mut self) {
        self.arguments = self.arguments.trim_end().strip_suffix('}').unwrap_or("{").to_owned();
    }

    /// Leaves out the calls that the rest of a conversation answers: nothing runs twice.
    pub(super) fn drop_answered(drafts: &mut Vec<Self>, answered: &HashSet<String>, notes: &mut Vec<Note>) {
        let before = drafts.len();
        drafts.retain(|draft| draft.id.as_ref().is_none_or(|id| !answered.contains(id)));
        if drafts.len() < before {
            notes.push(Note::Answered { count: before - drafts.len() });
        }
    }

    /// What stands in the place of a call and is none: refused by the dispatcher, as every call without a name.
    pub(super) fn unreadable(text: &str) -> Self {
        Self { id: None, name: String::new(), arguments: text.to_owned() }
    }
}

impl Calls {
    /// Gives each call that came without an id one that no other call of the message has.
    pub(super) fn assemble(drafts: Vec<Draft>, mut notes: Vec<Note>) -> Self {
        let is_answered = notes.iter().any(|note| matches!(note, Note::Answered { .. }));
        let taken: HashSet<String> = drafts.iter().filter_map(|draft| draft.id.clone()).collect();
        let mut last = 0;
        let mut calls = Vec::with_capacity(drafts.len());
        for (position, Draft { id, name, arguments }) in drafts.into_iter().enumerate() {
            let id: ToolCallId = match id {
                Some(id) => id.into(),
                None => free_id(&taken, &mut last).into(),
            };
            if !taken.contains(id.as_str()) {
                notes.push(Note::GeneratedId { position, name: name.clone(), id: id.clone() });
            }
            calls.push(ToolCall::new(id, name, arguments));
        }
        if calls.is_empty() && !is_answered {
            notes.push(Note::NoCalls);
        }
        Self { calls, notes }
    }

    /// Where calls come without ids as a rule, that is nothing to note.
    pub(super) fn without_id_notes(mut self) -> Self {
        self.notes.retain(|note| !matches!(note, Note::GeneratedId { .. }));
        self
    }

    /// What a host should know about the message.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The calls, in the model's order.
    pub fn as_slice(&self) -> &[ToolCall] {
        &self.calls
    }

    /// The calls, in the model's order: what a turn begins with.
    pub fn into_vec(self) -> Vec<ToolCall> {
        self.calls
    }

    /// The calls, in the model's order.
    pub fn iter(&self) -> slice::Iter<'_, ToolCall> {
        self.calls.iter()
    }

    /// How many calls there are.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Whether the message calls no tool.
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }
}

/// Whether an id is one that was given to a call without.
pub(super) fn is_generated(id: &str) -> bool {
    id.strip_prefix("haft-")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

/// The first of `haft-1`, `haft-2`… after the last one that no call has.
fn free_id(taken: &HashSet<String>, last: &mut usize) -> String {
    loop {
        *last += 1;
        let id = format!("haft-{last}");
        if !taken.contains(&id) {
            return id;
        }
    }
}

impl From<Calls> for Vec<ToolCall> {
    fn from(calls: Calls) -> Self {
        calls.calls
    }
}

impl IntoIterator for Calls {
    type Item = ToolCall;
    type IntoIter = vec::IntoIter<ToolCall>;

    fn into_iter(self) -> Self::IntoIter {
        self.calls.into_iter()
    }
}

impl<'a> IntoIterator for &'a Calls {
    type Item = &'a ToolCall;
    type IntoIter = slice::Iter<'a, ToolCall>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
