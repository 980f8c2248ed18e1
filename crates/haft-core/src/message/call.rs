//! A call as a model sent it, unchecked.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};

/// The id of a call: the model's, or a generated one where no model stands behind the call.
///
/// At best it is unique in its turn; the first of two calls of one id runs, the second is refused.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ToolCallId(Written);

/// An id in text, or one whose text is written when somebody asks for it.
#[derive(Clone)]
enum Written {
    Text(Arc<str>),
    Later { prefix: u64, number: u64, text: OnceLock<Arc<str>> },
}

impl ToolCallId {
    /// An id that was generated: 16 hex digits and a number.
    pub(crate) fn numbered(prefix: u64, number: u64) -> Self {
        Self(Written::Later { prefix, number, text: OnceLock::new() })
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Written::Text(text) => text,
            Written::Later { prefix, number, text } => {
                text.get_or_init(|| format!("{prefix:016x}-{number}").into())
            }
        }
    }
}

impl fmt::Debug for ToolCallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ToolCallId").field(&self.as_str()).finish()
    }
}

impl PartialEq for ToolCallId {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for ToolCallId {}

impl Hash for ToolCallId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl From<&str> for ToolCallId {
    fn from(id: &str) -> Self {
        Self(Written::Text(id.into()))
    }
}

impl From<String> for ToolCallId {
    fn from(id: String) -> Self {
        Self(Written::Text(id.into()))
    }
}

impl From<ToolCallId> for String {
    fn from(id: ToolCallId) -> Self {
        id.as_str().to_owned()
    }
}

impl fmt::Display for ToolCallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A call as a model sent it: nothing about it has been checked.
///
/// ```
/// use haft_core::ToolCall;
///
/// let call = ToolCall::new("call_1", "add", r#"{"a":1,"b":2}"#);
/// assert_eq!(call.id.as_str(), "call_1");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCall {
    /// The model's id for the call.
    pub id: ToolCallId,
    /// The name that the model called; empty where it sent none.
    pub name: String,
    /// The arguments, as raw JSON text, byte for byte as sent; empty stands for no arguments.
    pub arguments: String,
    /// The call inside of which a function made this one; none where a model made it.
    pub parent: Option<ToolCallId>,
}

impl ToolCall {
    /// A call of `name` with `arguments` as raw JSON text.
    pub fn new(id: impl Into<ToolCallId>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into(), parent: None }
    }
}
