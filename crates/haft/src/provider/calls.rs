//! The calls of one message, with ids that tell them apart from calls without.

use std::{collections::HashSet, slice, vec};

use haft_core::{ToolCall, ToolCallId};

use crate::provider::note::Note;

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
    /// What stands in the place of a call and is none: refused by the dispatcher, as every call without a name.
    pub(super) fn unreadable(text: &str) -> Self {
        Self { id: None, name: String::new(), arguments: text.to_owned() }
    }
}

impl Calls {
    /// Gives each call that came without an id one that no other call of the message has.
    pub(super) fn assemble(drafts: Vec<Draft>, mut notes: Vec<Note>) -> Self {
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
        if calls.is_empty() {
            notes.push(Note::NoCalls);
        }
        Self { calls, notes }
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
