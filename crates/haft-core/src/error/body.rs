//! The body of a failed call, as the model reads it.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::{
    error::{ErrorCode, ToolError, ToolErrorKind},
    refusal::Refusal,
};

/// How a dispatcher writes failures for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ErrorStyle {
    /// A JSON object: `{"error","toolName","message","kind","code",…}`.
    #[default]
    Object,
    /// Tab-separated lines: `refused<TAB>code<TAB>message`, then a row a line.
    Refusal,
}

/// The longest message in a body, in characters.
const MESSAGE_LIMIT: usize = 2_000;
const CUT: &str = "... (truncated)";

/// The body of a failed call, for one's own wrappers byte-equal to haft's.
///
/// ```
/// use haft_core::{ErrorBody, ToolError, ToolErrorKind};
///
/// let error = ToolError::new("no such host").with_name("ConnectError");
/// let body = ErrorBody::new("search", &error).kind(ToolErrorKind::Mcp).field("server", "docs");
/// assert_eq!(
///     body.to_json(),
///     r#"{"error":"ConnectError","toolName":"search","message":"no such host","kind":"mcp","code":1010,"server":"docs"}"#
/// );
/// ```
#[derive(Debug)]
pub struct ErrorBody<'a> {
    tool_name: &'a str,
    error: &'a ToolError,
    code: ErrorCode,
    further: Vec<(String, Value)>,
}

/// The names that are haft's own: a further field never replaces one.
const OWN: [&str; 18] = [
    "error",
    "toolName",
    "message",
    "kind",
    "code",
    "issues",
    "fields",
    "reason",
    "_recoverable",
    "note",
    "effects",
    "tools",
    "more",
    "refusal",
    "retryable",
    "retry_after",
    "tool_name",
    "is_error",
];

impl<'a> ErrorBody<'a> {
    /// The body of `error` for a call of the tool `tool_name`.
    pub fn new(tool_name: &'a str, error: &'a ToolError) -> Self {
        Self { tool_name, error, code: error.code(), further: Vec::new() }
    }

    /// Chooses another kind than the error's own.
    #[must_use]
    pub fn kind(mut self, kind: ToolErrorKind) -> Self {
        if kind != self.code.kind() {
            self.code = ErrorCode::of_kind(kind);
        }
        self
    }

    /// Adds a field after haft's own.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.further.push((name.into(), value.into()));
        self
    }

    /// The body as JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The body as refusal text: codes `bad-arguments` and `unknown-tool` with their rows, else the kind.
    pub fn to_refusal(&self) -> Refusal {
        let details = self.error.details();
        if let Some(refusal) = &details.refusal {
            return refusal.clone();
        }
        let (code, mut rows) = match self.code {
            ErrorCode::Arguments => ("bad-arguments", vec![row("fields", details.fields.iter().flatten())]),
            ErrorCode::NotFound => ("unknown-tool", vec![row("tools", details.tools.iter().flatten())]),
            other => (other.kind().as_str(), Vec::new()),
        };
        if let (ErrorCode::NotFound, Some(more)) = (self.code, details.more) {
            rows.push(vec!["more".to_owned(), more.to_string()]);
        }
        if let Some(retryable) = details.retryable {
            rows.push(vec!["retryable".to_owned(), retryable.to_string()]);
        }
        if let Some(wait) = details.retry_after {
            rows.push(vec!["retry_after".to_owned(), wait.as_secs_f64().to_string()]);
        }
        let mut refusal = Refusal::lenient(code, &self.message());
        for row in rows {
            refusal.push_row(row);
        }
        refusal
    }

    /// The body in the style that a dispatcher was given.
    pub fn to_text(&self, style: ErrorStyle) -> String {
        match style {
            ErrorStyle::Object => self.to_json(),
            ErrorStyle::Refusal => self.to_refusal().body(),
        }
    }

    fn name(&self) -> &str {
        if self.code == self.error.code() { self.error.name() } else { self.chosen_name() }
    }

    /// The error's own name where it has one; else the name of the chosen kind.
    fn chosen_name(&self) -> &str {
        let own = self.error.name();
        if own == self.error.code().error_name() { self.code.error_name() } else { own }
    }

    fn message(&self) -> String {
        let message = self.error.message();
        match message.char_indices().nth(MESSAGE_LIMIT) {
            None => message.to_owned(),
            Some((end, _)) => format!("{}{CUT}", message.get(..end).unwrap_or_default()),
        }
    }
}

fn row<'a>(name: &str, values: impl Iterator<Item = &'a String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(values.cloned()).collect()
}

impl Serialize for ErrorBody<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let details = self.error.details();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("error", self.name())?;
        map.serialize_entry("toolName", self.tool_name)?;
        map.serialize_entry("message", &self.message())?;
        map.serialize_entry("kind", &self.code.kind())?;
        map.serialize_entry("code", &self.code)?;
        optional(&mut map, "issues", details.issues.as_ref())?;
        optional(&mut map, "fields", details.fields.as_ref())?;
        optional(&mut map, "reason", details.reason.as_ref())?;
        optional(&mut map, "_recoverable", details.recoverable.as_ref())?;
        optional(&mut map, "note", details.note.as_ref())?;
        optional(&mut map, "effects", details.effects.as_ref())?;
        optional(&mut map, "tools", details.tools.as_ref())?;
        optional(&mut map, "more", details.more.as_ref())?;
        optional(&mut map, "refusal", details.refusal.as_ref())?;
        optional(&mut map, "retryable", details.retryable.as_ref())?;
        // Seconds, as in the HTTP header Retry-After.
        optional(&mut map, "retry_after", details.retry_after.map(|wait| wait.as_secs_f64()).as_ref())?;
        let further: Vec<_> = details.further.iter().chain(&self.further).collect();
        for (index, (name, value)) in further.iter().enumerate() {
            // A name that stands there twice has its last value, at its last place.
            let again = further.iter().skip(index + 1).any(|(later, _)| later == name);
            if !again && !OWN.contains(&name.as_str()) {
                map.serialize_entry(name, value)?;
            }
        }
        map.end()
    }
}

fn optional<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}
