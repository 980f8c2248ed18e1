//! Why a document has no message whose calls could be read.

use serde::Serialize;

use crate::provider::Provider;

/// Why a document has no message to read calls from.
///
/// A message in which single calls are faulty is none of these: each such call is read, and answered by its own result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// 2401: there is nothing.
    #[error("the input is empty: expected a model's message, or the response that holds it, as JSON")]
    Empty,
    /// 2402: the text ends before the JSON does.
    #[error("the input ends within its JSON, at line {line}, column {column}: give the whole response")]
    Truncated {
        /// The line where it ends, from 1.
        line: usize,
        /// The column where it ends, in bytes from 1.
        column: usize,
    },
    /// 2403: the text is no JSON.
    #[error("the input is no JSON: {problem} at line {line}, column {column}; {}", advice(*.is_stream))]
    Malformed {
        /// What is wrong there.
        problem: String,
        /// The line, from 1.
        line: usize,
        /// The column, in bytes from 1.
        column: usize,
        /// Whether it looks like the events of a stream.
        is_stream: bool,
    },
    /// 2404: the JSON is neither an object nor an array of messages.
    #[error("the input is {found}: expected the object of a model's message, or the response that holds it")]
    NotAnObject {
        /// What it is instead, with its article.
        found: &'static str,
    },
    /// 2405: the message is another provider's.
    #[error("expected {}, and this looks like {}: read it as `{}`", .expected.described(), .found.described(), .found)]
    OtherProvider {
        /// Whose message was to be read.
        expected: Provider,
        /// Whose it looks like.
        found: Provider,
    },
    /// 2406: there is no message of the model where one was looked for.
    #[error("found no message of the model: expected {expected}, but found {found}")]
    NoMessage {
        /// What was looked for.
        expected: &'static str,
        /// What is there.
        found: String,
    },
    /// 2407: the provider answered with an error.
    #[error("the provider answered with an error and no message: {message}")]
    Failed {
        /// What the provider said.
        message: String,
    },
    /// 2408: no known provider writes such a document.
    #[error(
        "cannot tell which provider this is of: expected one of {}, but found {found}: give one of these, or name the provider",
        known()
    )]
    Unrecognized {
        /// What is there.
        found: String,
    },
    /// 2409: what was given in the place of a response does not serialize.
    #[error("the response does not serialize as JSON: {problem}")]
    NotSerializable {
        /// What its type said.
        problem: String,
    },
}

impl ProviderError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Empty => 2401,
            Self::Truncated { .. } => 2402,
            Self::Malformed { .. } => 2403,
            Self::NotAnObject { .. } => 2404,
            Self::OtherProvider { .. } => 2405,
            Self::NoMessage { .. } => 2406,
            Self::Failed { .. } => 2407,
            Self::Unrecognized { .. } => 2408,
            Self::NotSerializable { .. } => 2409,
        }
    }
}

/// The JSON text of a response that is a value already.
pub(super) fn text_of(response: &impl Serialize) -> Result<String, ProviderError> {
    serde_json::to_string(response)
        .map_err(|error| ProviderError::NotSerializable { problem: error.to_string() })
}

fn advice(is_stream: bool) -> &'static str {
    if is_stream {
        "this looks like the events of a stream: gather them into one response, or ask for one that is not streamed"
    } else {
        "give the body of the response, or one message, as it came"
    }
}

fn known() -> String {
    Provider::ALL.iter().map(|provider| provider.described()).collect::<Vec<_>>().join(", ")
}

/// The beginning of what the provider or its client wrote.
pub(super) fn excerpt(text: &str) -> String {
    crate::excerpt::excerpt(text, 300)
}
