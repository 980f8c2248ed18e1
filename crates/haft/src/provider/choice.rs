//! The providers, as a value that is chosen while the program runs.

use std::fmt;

use haft_core::{Message, ToolResult};
use serde_json::Value;

use crate::provider::{
    Calls, ProviderError, ProviderMessage, anthropic, detect, gemini, openai_chat, openai_responses,
};

/// Whose form a message has.
///
/// ```
/// use haft::provider::Provider;
///
/// let response = r#"{"type":"message","role":"assistant","content":[
///     {"type":"tool_use","id":"toolu_1","name":"add","input":{"a":1}}]}"#;
/// let provider = Provider::detect(response)?;
/// assert_eq!(provider.name(), "anthropic");
/// assert_eq!(provider.calls(response)?.as_slice()[0].arguments, r#"{"a":1}"#);
/// # Ok::<(), haft::provider::ProviderError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Provider {
    /// OpenAI's chat completions, which most compatible servers speak.
    OpenaiChat,
    /// OpenAI's responses.
    OpenaiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini, `generateContent`.
    Gemini,
}

impl Provider {
    /// All of them.
    pub const ALL: &[Self] = &[Self::OpenaiChat, Self::OpenaiResponses, Self::Anthropic, Self::Gemini];

    /// The name, as it is written on a command line: `openai-chat`, `openai-responses`, `anthropic`, `gemini`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenaiChat => "openai-chat",
            Self::OpenaiResponses => "openai-responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The provider of that [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|provider| provider.name() == name)
    }

    /// The name with its article, for messages.
    pub(super) const fn described(self) -> &'static str {
        match self {
            Self::OpenaiChat => "an OpenAI chat completion",
            Self::OpenaiResponses => "an OpenAI response",
            Self::Anthropic => "an Anthropic message",
            Self::Gemini => "a Gemini response",
        }
    }

    /// Whose form a response, a message or a conversation has. A message of plain text, which several providers write alike,
    /// counts as the first one's.
    ///
    /// # Errors
    /// When it is no JSON, has the form of none, or is a provider's error.
    pub fn detect(document: &str) -> Result<Self, ProviderError> {
        detect::detect(document)
    }

    /// The calls of a response, of a message, or of the last message that the model wrote in a conversation.
    ///
    /// # Errors
    /// When there is no such message; never for the sake of a single call.
    pub fn calls(self, response: &str) -> Result<Calls, ProviderError> {
        match self {
            Self::OpenaiChat => openai_chat::calls(response),
            Self::OpenaiResponses => openai_responses::calls(response),
            Self::Anthropic => anthropic::calls(response),
            Self::Gemini => gemini::calls(response),
        }
    }

    /// The messages that answer a turn's calls, to be appended to the conversation after the message with the calls; none
    /// where there is no result.
    pub fn messages(self, results: &[ToolResult]) -> Vec<ProviderMessage> {
        match self {
            Self::OpenaiChat => openai_chat::messages(results),
            Self::OpenaiResponses => openai_responses::messages(results),
            Self::Anthropic => anthropic::messages(results),
            Self::Gemini => gemini::messages(results),
        }
    }

    /// A history in a form that belongs to no provider: what the model had seen, without the message with the calls.
    pub fn transcript(self, history: &[Value]) -> Vec<Message> {
        match self {
            Self::OpenaiChat => openai_chat::transcript(history),
            Self::OpenaiResponses => openai_responses::transcript(history),
            Self::Anthropic => anthropic::transcript(history),
            Self::Gemini => gemini::transcript(history),
        }
    }

    /// Whether an object has a form that only this provider writes.
    pub(super) fn recognises(self, object: &crate::provider::raw::Object<'_>) -> bool {
        match self {
            Self::OpenaiChat => openai_chat::recognises(object),
            Self::OpenaiResponses => openai_responses::recognises(object),
            Self::Anthropic => anthropic::recognises(object),
            Self::Gemini => gemini::recognises(object),
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
