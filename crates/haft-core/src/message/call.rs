//! A call as a model sent it, unchecked.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// The id of a call: the model's, or a generated one where no model stands behind the call.
///
/// At best it is unique in its turn; the first of two calls of one id runs, the second is refused.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct ToolCallId(Arc<str>);

impl ToolCallId {
    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ToolCallId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl From<String> for ToolCallId {
    fn from(id: String) -> Self {
        Self(id.into())
    }
}

impl From<ToolCallId> for String {
    fn from(id: ToolCallId) -> Self {
        id.as_str().to_owned()
    }
}

impl fmt::Display for ToolCallId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
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
