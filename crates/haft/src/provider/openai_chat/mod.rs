//! `OpenAI` chat completions, and the many servers that speak the same.
//!
//! Read are whole responses (`{"choices":[…]}`), messages (`{"role":"assistant","tool_calls":[…]}`), and conversations, of which
//! the model's last message counts. Calls are functions or custom tools; the text of a custom call becomes the argument
//! `input`, which is what a [simple tool](haft_core::Tool::simple) takes. What servers add to the form is read as well:
//! arguments as an object, no `type`, no id, the older `function_call`.

mod request;
mod response;
mod transcript;

use haft_core::{Message, ToolResult};
use serde::Serialize;
use serde_json::Value;

pub(super) use request::messages;
pub(super) use response::recognises;

use crate::provider::{Calls, ProviderError, error::text_of, transcript::transcript_by};

/// The id of a call in the form `function_call`, which has none; its result goes back in that form too.
const FUNCTION_CALL_ID: &str = "haft-function-call";

/// The calls of a response, a message, or the last message of the model in a conversation, given as JSON text.
///
/// # Errors
/// When there is no such message; never for the sake of a single call.
pub fn calls(response: &str) -> Result<Calls, ProviderError> {
    response::calls(response)
}

/// The same for a response that is no text any more: a [`Value`], or the type of a client library.
///
/// # Errors
/// As [`calls`]; and when it does not serialize.
///
/// ```
/// use haft::provider::openai_chat;
/// use serde_json::json;
///
/// let calls = openai_chat::calls_from(&json!({"choices": [{"message": {"role": "assistant", "tool_calls": [
///     {"id": "call_1", "type": "function", "function": {"name": "now", "arguments": ""}},
/// ]}}]}))?;
/// assert_eq!(calls.as_slice()[0].name, "now");
/// # Ok::<(), haft::provider::ProviderError>(())
/// ```
pub fn calls_from(response: &impl Serialize) -> Result<Calls, ProviderError> {
    calls(&text_of(response)?)
}

/// The messages that answer a turn's calls, one a call, in the same order: append them to the history.
///
/// ```
/// use haft::{ToolOutput, ToolResult, provider::openai_chat};
///
/// let results = [ToolResult::succeeded("call_1", "forget", ToolOutput::empty())];
/// let messages = openai_chat::results(&results);
/// assert_eq!(messages[0]["content"], "(no output)", "a blank result counts as none");
/// ```
pub fn results(results: &[ToolResult]) -> Vec<Value> {
    messages(results).into_iter().map(Value::from).collect()
}

/// A history in a form that belongs to no provider, for [`TurnBuilder::messages`](haft_core::TurnBuilder::messages): give it what
/// the model had seen, without the message with the calls. System prompts are left out.
pub fn transcript(history: &[Value]) -> Vec<Message> {
    transcript_by(history, transcript::read)
}
