//! Results as they are written, and read back to the same bytes.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    error::{Effects, ErrorCode, ToolError},
    message::ToolCallId,
    refusal::Refusal,
    result::{Record, ToolResult},
    schema::Issue,
    tool::{Content, ToolOutput},
};

/// A result, recorded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedResult {
    /// The name of the tool.
    pub tool: String,
    /// What the tool gave back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<RecordedOutput>,
    /// How the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RecordedError>,
    /// What the model was told beside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// An output, recorded: one of `text`, `json` and `blocks` is there, or `json` beside one of the others.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecordedOutput {
    /// Text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Structured output, as the JSON text that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// Blocks of content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Vec<Content>>,
    /// The form for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display: Option<String>,
    /// The metadata for the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// An error, recorded with all that its body holds.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecordedError {
    /// The number of its row.
    pub code: u16,
    /// Its name.
    pub name: String,
    /// Its message, whole.
    pub message: String,
    /// What did not match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<Vec<Issue>>,
    /// The fields that the tool takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
    /// The reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether there is a way on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recoverable: Option<bool>,
    /// A person's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What is known about effects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// The tools that exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// How many more exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<usize>,
    /// The refusal, as its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Whether the same call may succeed later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// How long to wait before, in nanoseconds: what the model reads has all its digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Further fields, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<(String, Value)>,
    /// The metadata for the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// Whether it aborted the run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub propagates: bool,
}

impl RecordedResult {
    /// Records a result.
    pub fn of(result: &ToolResult) -> Self {
        let (output, error) = match result.outcome() {
            Ok(output) => (Some(output.record()), None),
            Err(error) => (None, Some(RecordedError::of(error))),
        };
        Self { tool: result.tool_name().to_owned(), output, error, note: result.note().map(str::to_owned) }
    }

    /// The result, as it was.
    pub(crate) fn restore(self, id: ToolCallId, record: Record) -> ToolResult {
        let record = Record { note: self.note, ..record };
        let outcome = match (self.output, self.error) {
            (Some(output), _) => Ok(ToolOutput::restore(output)),
            (None, Some(error)) => Err(error.restore()),
            (None, None) => Ok(ToolOutput::empty()),
        };
        ToolResult::new(id, self.tool.as_str().into(), outcome, record)
    }
}

impl RecordedError {
    fn of(error: &ToolError) -> Self {
        let details = error.details();
        Self {
            code: error.code().number(),
            name: error.name().to_owned(),
            message: error.message().to_owned(),
            issues: details.issues.clone(),
            fields: details.fields.clone(),
            reason: details.reason.as_ref().map(ToString::to_string),
            recoverable: details.recoverable,
            note: details.note.clone(),
            effects: details.effects,
            tools: details.tools.clone(),
            more: details.more,
            refusal: details.refusal.as_ref().map(Refusal::body),
            retryable: details.retryable,
            retry_after: details.retry_after.map(|wait| u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX)),
            further: details.further.clone(),
            metadata: details.metadata.clone(),
            propagates: error.propagates(),
        }
    }

    fn restore(self) -> ToolError {
        let row = ErrorCode::ALL
            .into_iter()
            .find(|code| code.number() == self.code)
            .unwrap_or(ErrorCode::Execution);
        let error = ToolError::of(row, self.message).with_name(self.name).detail(|details| {
            details.issues = self.issues;
            details.fields = self.fields;
            details.reason = self.reason.map(Into::into);
            details.recoverable = self.recoverable;
            details.note = self.note;
            details.effects = self.effects;
            details.tools = self.tools;
            details.more = self.more;
            details.refusal = self.refusal.as_deref().and_then(Refusal::parse);
            details.retryable = self.retryable;
            details.retry_after = self.retry_after.map(Duration::from_nanos);
            details.further = self.further;
            details.metadata = self.metadata;
        });
        if self.propagates { error.propagate() } else { error }
    }
}
