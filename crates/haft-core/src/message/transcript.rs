//! The messages that a model had seen before its turn, in a form that belongs to no provider.

use serde::Serialize;

use crate::message::{ToolCall, ToolCallId};

/// Who speaks in a [`Message`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The person or program that the model works for.
    User,
    /// The model.
    Assistant,
    /// The result of a call.
    Tool,
}

/// One message of a conversation, without the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text; empty where the message is calls only.
    pub text: String,
    /// The calls of an assistant's message.
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool's message answers.
    pub tool_call_id: Option<ToolCallId>,
    /// Whether a tool's message tells of a failure.
    pub is_error: bool,
}

impl Message {
    /// A message of text.
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), tool_calls: Vec::new(), tool_call_id: None, is_error: false }
    }

    /// The message that answers a call.
    pub fn tool(result: &crate::ToolResult) -> Self {
        Self {
            tool_call_id: Some(result.id().clone()),
            is_error: result.is_error(),
            ..Self::new(Role::Tool, result.text())
        }
    }
}
