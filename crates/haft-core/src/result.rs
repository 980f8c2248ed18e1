//! The one result that every call ends in.

use std::{borrow::Cow, sync::Arc};

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    error::{ErrorBody, ErrorStyle, ToolError},
    message::ToolCallId,
    schema::Repair,
    tool::ToolOutput,
};

/// How one call ended: an output, or an error that the model can act on.
///
/// It serializes as `{"output","isError","content"?,"structured"?,"metadata"?}`.
///
/// ```
/// use haft_core::{ToolError, ToolResult};
///
/// let result = ToolResult::failed("call_1", "search", ToolError::new("no such index"));
/// assert!(result.is_error());
/// assert!(result.text().contains(r#""kind":"execution""#));
/// ```
#[derive(Debug, Clone)]
pub struct ToolResult {
    id: ToolCallId,
    tool_name: Arc<str>,
    outcome: Result<ToolOutput, Arc<ToolError>>,
    style: ErrorStyle,
    /// Few results say more; those that do not stay small.
    more: Option<Arc<More>>,
}

/// What few results say.
#[derive(Debug)]
struct More {
    called: Option<Arc<str>>,
    repaired: Vec<Repair>,
    returned: Option<ToolOutput>,
    note: Option<String>,
}

/// What a result says beside its outcome.
#[derive(Debug, Default)]
pub(crate) struct Record {
    pub(crate) style: ErrorStyle,
    /// The name that the model called, where it is not the tool's.
    pub(crate) called: Option<Arc<str>>,
    pub(crate) repaired: Vec<Repair>,
    pub(crate) returned: Option<ToolOutput>,
    /// What the model has to be told beside.
    pub(crate) note: Option<String>,
}

impl ToolResult {
    pub(crate) fn new(
        id: ToolCallId,
        tool_name: Arc<str>,
        outcome: Result<ToolOutput, ToolError>,
        record: Record,
    ) -> Self {
        let Record { style, called, repaired, returned, note } = record;
        let plain = called.is_none() && repaired.is_empty() && returned.is_none() && note.is_none();
        let more = (!plain).then(|| Arc::new(More { called, repaired, returned, note }));
        Self { id, tool_name, outcome: outcome.map_err(Arc::new), style, more }
    }

    /// A result that is its output and nothing more.
    pub(crate) fn plain(id: ToolCallId, tool_name: Arc<str>, output: ToolOutput, style: ErrorStyle) -> Self {
        Self { id, tool_name, outcome: Ok(output), style, more: None }
    }

    /// A result with an output, for one's own wrappers.
    pub fn succeeded(id: impl Into<ToolCallId>, tool_name: impl AsRef<str>, output: ToolOutput) -> Self {
        Self::new(id.into(), tool_name.as_ref().into(), Ok(output), Record::default())
    }

    /// A result with an error, for one's own wrappers.
    pub fn failed(id: impl Into<ToolCallId>, tool_name: impl AsRef<str>, error: ToolError) -> Self {
        Self::new(id.into(), tool_name.as_ref().into(), Err(error), Record::default())
    }

    /// The id of the call.
    pub fn id(&self) -> &ToolCallId {
        &self.id
    }

    /// The name of the tool; as the model wrote it where there is no such tool.
    pub fn tool_name(&self) -> &str {
        &self.tool_name
    }

    /// The name as the model wrote it, which some providers want to see again beside the result.
    pub fn called_name(&self) -> &str {
        self.more.as_ref().and_then(|more| more.called.as_deref()).unwrap_or(&self.tool_name)
    }

    /// Whether the call failed.
    pub fn is_error(&self) -> bool {
        self.outcome.is_err()
    }

    /// The output or the error.
    ///
    /// # Errors
    /// The call's own.
    pub fn outcome(&self) -> Result<&ToolOutput, &ToolError> {
        self.outcome.as_ref().map_err(AsRef::as_ref)
    }

    /// The error, if the call failed.
    pub fn error(&self) -> Option<&ToolError> {
        self.outcome().err()
    }

    /// What the model is told: the text of the output, or the body of the error.
    ///
    /// It is empty where the tool said nothing; providers' codecs then write a note in its place.
    pub fn text(&self) -> Cow<'_, str> {
        let text = match self.outcome() {
            Ok(output) => output.to_text(),
            Err(error) => Cow::Owned(ErrorBody::new(&self.tool_name, error).to_text(self.style)),
        };
        match self.more.as_ref().and_then(|more| more.note.as_ref()) {
            None => text,
            Some(note) if text.is_empty() => Cow::Owned(note.clone()),
            Some(note) => Cow::Owned(format!("{text}\n\n{note}")),
        }
    }

    pub(crate) fn note(&self) -> Option<&str> {
        self.more.as_ref()?.note.as_deref()
    }

    /// What was changed about the arguments before they were accepted.
    pub fn repaired(&self) -> &[Repair] {
        self.more.as_ref().map_or(&[], |more| &more.repaired)
    }

    /// What the function returned, where that did not match its output schema: for the host alone.
    pub fn returned(&self) -> Option<&ToolOutput> {
        self.more.as_ref()?.returned.as_ref()
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("output", &self.text())?;
        map.serialize_entry("isError", &self.is_error())?;
        if let Ok(output) = &self.outcome {
            if output.has_blocks() {
                map.serialize_entry("content", &output.content())?;
            }
            if let Some(structured) = output.structured_text() {
                map.serialize_entry("structured", structured)?;
            }
            if let Some(metadata) = output.metadata() {
                map.serialize_entry("metadata", metadata)?;
            }
        }
        map.end()
    }
}
