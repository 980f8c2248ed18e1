//! A provider's conversation to messages that belong to no provider.

use haft_core::{Message, Role, ToolCall};
use serde_json::Value;

use crate::provider::{
    detect::parts,
    raw::{Kind, Object, Raw},
};

/// Reads each message of a history; `read` adds what it holds.
pub(super) fn transcript_by(history: &[Value], read: fn(&Object<'_>, &mut Vec<Message>)) -> Vec<Message> {
    let mut messages = Vec::with_capacity(history.len());
    for message in history {
        let text = message.to_string();
        if let Some(object) = Raw::read(&text).ok().and_then(Raw::object) {
            read(&object, &mut messages);
        }
    }
    messages
}

/// The text of a content: its own, or that of its parts, a line each.
pub(super) fn text_of(content: Option<Raw<'_>>) -> String {
    let texts = parts(content).into_iter().filter_map(|part| match part.kind() {
        Kind::String => Some(part.content().into_owned()),
        _ => part.object()?.string("text").map(String::from),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Adds a message with text or calls; one with neither says nothing.
pub(super) fn said(role: Role, text: String, calls: Vec<ToolCall>, messages: &mut Vec<Message>) {
    if !text.is_empty() || !calls.is_empty() {
        let mut message = Message::new(role, text);
        message.tool_calls = calls;
        messages.push(message);
    }
}

/// Adds the message that answers a call.
pub(super) fn answer(id: String, text: String, is_error: bool, messages: &mut Vec<Message>) {
    let mut message = Message::new(Role::Tool, text);
    message.tool_call_id = Some(id.into());
    message.is_error = is_error;
    messages.push(message);
}
