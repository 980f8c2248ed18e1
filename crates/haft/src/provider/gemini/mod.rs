//! Google's Gemini, as `generateContent` speaks.
//!
//! Read are whole responses (`{"candidates":[…]}`), contents (`{"role":"model","parts":[…]}`), and conversations, of which the
//! model's last content counts. Parts with a `functionCall` are calls. Most come without an id, and get one here that does not
//! go back: results are matched by their order. Code that the provider runs passes through, with a note.

mod request;
mod response;
mod transcript;

use haft_core::{Message, ToolResult};
use serde::Serialize;
use serde_json::Value;

pub(super) use request::messages;
pub(super) use response::recognises;

use crate::provider::{Calls, ProviderError, error::text_of, transcript::transcript_by};

/// The calls of a response, a content, or the last content of the model in a conversation, given as JSON text.
///
/// # Errors
/// When there is no such content; never for the sake of a single call.
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
/// use haft::provider::gemini;
/// use serde_json::json;
///
/// let calls = gemini::calls_from(&json!({"candidates": [{"content": {"role": "model", "parts": [
///     {"functionCall": {"name": "now", "args": {}}},
/// ]}}]}))?;
/// assert_eq!(calls.as_slice()[0].name, "now");
/// # Ok::<(), haft::provider::ProviderError>(())
/// ```
pub fn calls_from(response: &impl Serialize) -> Result<Calls, ProviderError> {
    calls(&text_of(response)?)
}

/// The one content that answers all of a turn's calls, in the same order: append it to the history. A turn without calls has
/// none to append.
///
/// ```
/// use haft::{ToolOutput, ToolResult, provider::gemini};
///
/// let results = [ToolResult::succeeded("haft-1", "forget", ToolOutput::empty())];
/// let content = gemini::results(&results);
/// assert_eq!(content["role"], "user");
/// assert_eq!(content["parts"][0]["functionResponse"]["response"]["output"], "(no output)");
/// ```
pub fn results(results: &[ToolResult]) -> Value {
    request::content(results).into()
}

/// A history in a form that belongs to no provider, for [`TurnBuilder::messages`](haft_core::TurnBuilder::messages): give it what
/// the model had seen, without the message with the calls. System prompts are left out.
pub fn transcript(history: &[Value]) -> Vec<Message> {
    transcript_by(history, transcript::read)
}
