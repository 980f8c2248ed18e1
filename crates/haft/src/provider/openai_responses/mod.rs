//! OpenAI's responses.
//!
//! Read are whole responses (`{"object":"response","output":[…]}`), their output alone, and conversations made of such items, of
//! which the calls without an output count. Calls are items of type `function_call` and `custom_tool_call`; the text of
//! a custom call becomes the argument `input`, which is what a [simple tool](haft_core::Tool::simple) takes. Tools that the
//! provider runs itself (`web_search_call`, `mcp_call` and the like) pass through, with a note.
//!
//! The id of a custom call is its `call_id` with `haft-custom:` in front, since its result goes back in a form of its own.

mod request;
mod response;
mod transcript;

use haft_core::{Message, ToolResult};
use serde::Serialize;
use serde_json::Value;

pub(super) use request::messages;
pub(super) use response::recognises;

use crate::provider::{Calls, ProviderError, error::text_of, transcript::transcript_by};

/// What stands before the `call_id` of a custom call.
const CUSTOM: &str = "haft-custom:";

/// The calls of a response, of output items, or of a conversation, given as JSON text.
///
/// # Errors
/// When there are no such items; never for the sake of a single call.
pub fn calls(response: &str) -> Result<Calls, ProviderError> {
    response::calls(response)
}

/// The same for a response that is no text any more: a [`Value`], or the type of a client library.
///
/// # Errors
/// As [`calls`]; and when it does not serialize.
///
/// ```
/// use haft::provider::openai_responses;
/// use serde_json::json;
///
/// let calls = openai_responses::calls_from(&json!({"object": "response", "output": [
///     {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "now", "arguments": "{}"},
/// ]}))?;
/// assert_eq!(calls.as_slice()[0].id.as_str(), "call_1");
/// # Ok::<(), haft::provider::ProviderError>(())
/// ```
pub fn calls_from(response: &impl Serialize) -> Result<Calls, ProviderError> {
    calls(&text_of(response)?)
}

/// The items that answer a turn's calls, one a call, in the same order: append them to the next request's `input`.
///
/// ```
/// use haft::{ToolOutput, ToolResult, provider::openai_responses};
///
/// let results = [ToolResult::succeeded("call_1", "forget", ToolOutput::empty())];
/// let items = openai_responses::results(&results);
/// assert_eq!(items[0]["type"], "function_call_output");
/// assert_eq!(items[0]["output"], "(no output)", "a blank result counts as none");
/// ```
pub fn results(results: &[ToolResult]) -> Vec<Value> {
    messages(results).into_iter().map(Value::from).collect()
}

/// A history in a form that belongs to no provider, for [`TurnBuilder::messages`](haft_core::TurnBuilder::messages): give it what
/// the model had seen, without the message with the calls. System prompts are left out.
pub fn transcript(history: &[Value]) -> Vec<Message> {
    transcript_by(history, transcript::read)
}
