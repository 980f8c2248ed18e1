//! Anthropic's messages.
//!
//! Read are whole responses (`{"type":"message","content":[…]}`), messages (`{"role":"assistant","content":[…]}`), and
//! conversations, of which the model's last message counts. Blocks of type `tool_use` are calls. Tools that the provider
//! runs itself (`server_tool_use`, `mcp_tool_use` and their results) pass through, with a note.

mod request;
mod response;
mod transcript;

use haft_core::{Message, ToolResult};
use serde::Serialize;
use serde_json::Value;

pub(super) use request::messages;
pub(super) use response::recognises;

use crate::provider::{Calls, ProviderError, error::text_of, transcript::transcript_by};

/// The calls of a response, a message, or the last message of the model in a conversation, given as JSON text.
///
/// # Errors
/// When there is no such message; never for the sake of a single call.
pub fn calls(response: &str) -> Result<Calls, ProviderError> {
    response::calls(response)
}

/// The same for a response that is no text any more: a [`Value`], or the type of a client library.
///
/// Prefer the text: a [`Value`] has lost the second of two equal keys and the digits of large numbers already.
///
/// # Errors
/// As [`calls`]; and when it does not serialize.
///
/// ```
/// use haft::provider::anthropic;
/// use serde_json::json;
///
/// let calls = anthropic::calls_from(&json!({"role": "assistant", "content": [
///     {"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}},
/// ]}))?;
/// assert_eq!(calls.as_slice()[0].arguments, "{}");
/// # Ok::<(), haft::provider::ProviderError>(())
/// ```
pub fn calls_from(response: &impl Serialize) -> Result<Calls, ProviderError> {
    calls(&text_of(response)?)
}

/// The one message that answers all of a turn's calls, in the same order: append it to the history. A turn without calls
/// has none to append.
///
/// ```
/// use haft::{ToolOutput, ToolResult, provider::anthropic};
///
/// let results = [ToolResult::succeeded("toolu_1", "forget", ToolOutput::empty())];
/// let message = anthropic::results(&results);
/// assert_eq!(message["role"], "user");
/// assert_eq!(message["content"][0]["tool_use_id"], "toolu_1");
/// ```
pub fn results(results: &[ToolResult]) -> Value {
    request::message(results).into()
}

/// A history in a form that belongs to no provider, for [`TurnBuilder::messages`](haft_core::TurnBuilder::messages): give it what
/// the model had seen, without the message with the calls. System prompts are left out.
pub fn transcript(history: &[Value]) -> Vec<Message> {
    transcript_by(history, transcript::read)
}
