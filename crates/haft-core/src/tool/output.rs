//! What a tool gives back: for the model, and for the host.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::journal::RecordedOutput;

/// A structured result: `T` as JSON, its schema is the tool's output schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper that users construct and match")]
pub struct Json<T>(pub T);

/// Tab-separated lines: each value is made safe for its field.
///
/// ```
/// use haft_core::Rows;
///
/// let rows = Rows::new().row(["id", "title"]).row(["7", "a\tb"]);
/// assert_eq!(rows.to_string(), "id\ttitle\n7\ta b");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rows(Vec<Vec<String>>);

impl Rows {
    /// No rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a row.
    #[must_use]
    pub fn row<I>(mut self, fields: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        self.0.push(fields.into_iter().map(|value| crate::field(value.as_ref()).into_owned()).collect());
        self
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Display for Rows {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, row) in self.0.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            formatter.write_str(&row.join("\t"))?;
        }
        Ok(())
    }
}

/// A block of content, in the shapes of the Model Context Protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// The bytes in base64.
        data: String,
        /// Such as `image/png`.
        mime_type: String,
    },
    /// A recording.
    Audio {
        /// The bytes in base64.
        data: String,
        /// Such as `audio/wav`.
        mime_type: String,
    },
    /// A link to something that the model can ask for.
    ResourceLink {
        /// Where it is.
        uri: String,
        /// What it is called.
        name: String,
        /// What it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Such as `text/plain`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
    /// Something embedded whole: `{"uri", "mimeType"?, "text" or "blob"}`.
    Resource {
        /// The resource, as the protocol defines it.
        resource: Value,
    },
}

impl Content {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// What a client that reads only text sees of the block.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text { text } => Cow::Borrowed(text),
            Self::Image { mime_type, data } => {
                Cow::Owned(format!("[image {mime_type}, {} bytes]", decoded(data)))
            }
            Self::Audio { mime_type, data } => {
                Cow::Owned(format!("[audio {mime_type}, {} bytes]", decoded(data)))
            }
            Self::ResourceLink { uri, name, .. } => Cow::Owned(format!("[{name}]({uri})")),
            Self::Resource { resource } => match resource.get("text").and_then(Value::as_str) {
                Some(text) => Cow::Borrowed(text),
                None => Cow::Owned(format!(
                    "[resource {}]",
                    resource.get("uri").and_then(Value::as_str).unwrap_or("without uri")
                )),
            },
        }
    }
}

/// The number of bytes behind base64 text.
fn decoded(data: &str) -> usize {
    data.trim_end_matches('=').len() * 3 / 4
}

#[derive(Debug, Clone, PartialEq)]
enum Body {
    Text(String),
    /// Structured, kept as the JSON text that was written: most models read just that.
    Json(String),
    Blocks(Vec<Content>),
}

/// What a tool gives back.
///
/// ```
/// use haft_core::{Json, IntoToolOutput, ToolOutput};
///
/// let output = ToolOutput::text("42").with_metadata("title", "answer");
/// assert_eq!(output.to_text(), "42");
///
/// let output = Json(vec![1, 2]).into_tool_output().unwrap();
/// assert_eq!(output.structured(), Some(serde_json::json!([1, 2])));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    body: Body,
    /// Few outputs have more than what the model sees; those that have not stay small.
    beside: Option<Box<Beside>>,
}

/// What the model does not see.
#[derive(Debug, Clone, Default, PartialEq)]
struct Beside {
    /// The structured value of an output whose body is for models alone, as JSON text.
    structured: Option<String>,
    display: Option<String>,
    metadata: Option<Map<String, Value>>,
}

impl ToolOutput {
    /// Text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::of(Body::Text(text.into()))
    }

    /// A structured value, given as its JSON text.
    pub(crate) fn json_text(text: String) -> Self {
        Self::of(Body::Json(text))
    }

    /// A structured value.
    pub fn json(value: &Value) -> Self {
        Self::json_text(value.to_string())
    }

    /// A structured value, given as JSON text: numbers keep all their digits.
    ///
    /// ```
    /// use haft_core::ToolOutput;
    /// use serde_json::value::RawValue;
    ///
    /// let exact = RawValue::from_string("{\"total\":1.2300}".to_owned()).unwrap();
    /// assert_eq!(ToolOutput::raw_json(&exact).to_text(), "{\"total\":1.2300}");
    /// ```
    pub fn raw_json(json: &RawValue) -> Self {
        Self::json_text(json.get().to_owned())
    }

    /// Adds the structured value of an output that models read in another form.
    ///
    /// ```
    /// use haft_core::ToolOutput;
    /// use serde_json::{json, value::RawValue};
    ///
    /// let degrees = RawValue::from_string("{\"degrees\":21}".to_owned()).unwrap();
    /// let output = ToolOutput::text("It is warm.").with_structured(&degrees);
    /// assert_eq!(output.to_text(), "It is warm.");
    /// assert_eq!(output.structured(), Some(json!({"degrees": 21})));
    /// ```
    #[must_use]
    pub fn with_structured(mut self, json: &RawValue) -> Self {
        self.beside.get_or_insert_default().structured = Some(json.get().to_owned());
        self
    }

    /// Blocks of content.
    pub fn blocks(content: Vec<Content>) -> Self {
        Self::of(Body::Blocks(content))
    }

    /// Nothing to say.
    pub fn empty() -> Self {
        Self::text(String::new())
    }

    pub(crate) fn record(&self) -> RecordedOutput {
        let mut recorded = RecordedOutput {
            display: self.beside.as_ref().and_then(|beside| beside.display.clone()),
            metadata: self.metadata().cloned(),
            ..RecordedOutput::default()
        };
        match &self.body {
            Body::Text(text) => recorded.text = Some(text.clone()),
            Body::Json(_) => {}
            Body::Blocks(blocks) => recorded.blocks = Some(blocks.clone()),
        }
        recorded.json = self.as_json_text().map(str::to_owned);
        recorded
    }

    pub(crate) fn restore(recorded: RecordedOutput) -> Self {
        let (body, structured) = match (recorded.blocks, recorded.text, recorded.json) {
            (Some(blocks), _, json) => (Body::Blocks(blocks), json),
            (None, None, Some(json)) => (Body::Json(json), None),
            (None, text, json) => (Body::Text(text.unwrap_or_default()), json),
        };
        let beside = Beside { structured, display: recorded.display, metadata: recorded.metadata };
        Self { body, beside: (beside != Beside::default()).then(|| Box::new(beside)) }
    }

    fn of(body: Body) -> Self {
        Self { body, beside: None }
    }

    /// Adds a form for people, beside the form for the model.
    #[must_use]
    pub fn with_display(mut self, text: impl Into<String>) -> Self {
        self.beside.get_or_insert_default().display = Some(text.into());
        self
    }

    /// Adds metadata for the host, which the model never sees; haft itself reads `title` and `files`.
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let metadata = &mut self.beside.get_or_insert_default().metadata;
        metadata.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// What a model that reads only text sees; empty where the tool said nothing.
    pub fn to_text(&self) -> Cow<'_, str> {
        match &self.body {
            Body::Text(text) | Body::Json(text) => Cow::Borrowed(text),
            Body::Blocks(blocks) => match blocks.as_slice() {
                [only] => only.to_text(),
                blocks => Cow::Owned(blocks.iter().map(Content::to_text).collect::<Vec<_>>().join("\n")),
            },
        }
    }

    /// The blocks of content; text and structured results are one block of text.
    pub fn content(&self) -> Cow<'_, [Content]> {
        match &self.body {
            Body::Blocks(blocks) => Cow::Borrowed(blocks),
            Body::Text(text) if text.is_empty() => Cow::Borrowed(&[]),
            Body::Text(text) | Body::Json(text) => Cow::Owned(vec![Content::text(text)]),
        }
    }

    /// Whether the output is blocks that more than text may be among.
    pub fn has_blocks(&self) -> bool {
        matches!(self.body, Body::Blocks(_))
    }

    /// The structured value as it was written.
    pub(crate) fn as_json_text(&self) -> Option<&str> {
        match &self.body {
            Body::Json(text) => Some(text),
            _ => self.beside.as_ref()?.structured.as_deref(),
        }
    }

    /// The structured value, when there is one.
    pub fn structured(&self) -> Option<Value> {
        serde_json::from_str(self.as_json_text()?).ok()
    }

    /// The structured value as it was written, whose numbers keep all their digits.
    pub fn structured_text(&self) -> Option<&RawValue> {
        serde_json::from_str(self.as_json_text()?).ok()
    }

    /// The form for people; the model's text where there is none.
    pub fn display(&self) -> Cow<'_, str> {
        let display = self.beside.as_ref().and_then(|beside| beside.display.as_deref());
        display.map_or_else(|| self.to_text(), Cow::Borrowed)
    }

    /// The metadata for the host.
    pub fn metadata(&self) -> Option<&Map<String, Value>> {
        self.beside.as_ref()?.metadata.as_ref()
    }
}
