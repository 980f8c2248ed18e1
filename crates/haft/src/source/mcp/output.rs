//! What a server answers to a call, as a tool's output or error.

use haft_core::{Content, ErrorCode, ToolError, ToolOutput};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny},
};
use serde_json::{Map, Value, json, value::RawValue};

/// The name of the metadata that holds what has no place in an output.
const METADATA: &str = "mcp";

/// The result of a call, as it was written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallResult<'a> {
    #[serde(borrow, default, deserialize_with = "blocks")]
    content: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<Value>,
    #[serde(default)]
    pub(super) result_type: Option<String>,
    #[serde(default, rename = "_meta")]
    meta: Option<Value>,
    /// What revisions before 2024-11-05 called the result.
    #[serde(borrow, default)]
    tool_result: Option<&'a RawValue>,
    #[serde(default)]
    task: Option<IgnoredAny>,
    #[serde(default)]
    pub(super) input_requests: Option<Map<String, Value>>,
    #[serde(default)]
    pub(super) request_state: Option<String>,
}

impl CallResult<'_> {
    /// Whether the server says that it works on the call, and nothing of what comes of it.
    pub(super) fn is_task_alone(&self) -> bool {
        self.task.is_some() && self.content.is_empty() && self.structured_content.is_none()
    }

    /// The output, or the error that the server's tool ended in; one that declares structured output has to send it.
    pub(super) fn into_outcome(self, declares_output: bool) -> Result<ToolOutput, ToolError> {
        let raw = self.content;
        let blocks: Vec<Content> = raw.iter().map(|block| read(block)).collect();
        let structured = self.structured_content.or(self.tool_result).filter(|json| json.get() != "null");
        let lossless = raw.iter().zip(&blocks).all(|(raw, block)| holds_all(raw, block));
        let beside = |content: bool| {
            let content = content.then(|| raw.iter().map(|block| value(block)).collect());
            let parts = [("content", content), ("_meta", self.meta)];
            let parts = parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), part?)));
            Some(parts.collect()).filter(|parts: &Map<String, Value>| !parts.is_empty())
        };
        // Beside its message an error has blocks for the host alone.
        let more_than_text = blocks.iter().any(|block| !matches!(block, Content::Text { .. }));
        let failed = |error: ToolError, parts: Option<Map<String, Value>>| {
            Err(parts.into_iter().fold(error, |error, parts| error.with_metadata(METADATA, parts)))
        };
        if self.is_error.as_ref().is_some_and(is_true) {
            return failed(error(&blocks, structured), beside(more_than_text));
        }
        if declares_output && structured.is_none() {
            return failed(unstructured(&blocks), beside(more_than_text));
        }
        let output = output(blocks, structured);
        let parts = beside(!lossless);
        Ok(parts.into_iter().fold(output, |output, parts| output.with_metadata(METADATA, parts)))
    }
}

/// The blocks of a content: a list, or, as some servers have it, one block or a text alone.
fn blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<&'de RawValue>, D::Error> {
    let content = <&RawValue>::deserialize(deserializer)?;
    match content.get().as_bytes().first() {
        Some(b'[') => serde_json::from_str(content.get()).map_err(D::Error::custom),
        Some(b'{' | b'"') => Ok(vec![content]),
        Some(b'n') => Ok(Vec::new()),
        _ => Err(D::Error::custom("the content is no list of blocks")),
    }
}

/// Whether something is said to be so, in whatever way.
fn is_true(said: &Value) -> bool {
    match said {
        Value::Bool(said) => *said,
        Value::String(said) => said.eq_ignore_ascii_case("true"),
        Value::Number(said) => said.as_f64() != Some(0.0),
        _ => false,
    }
}

/// A block of content; one of a kind that is not known is the text that it was written as.
fn read(block: &RawValue) -> Content {
    let text = || serde_json::from_str::<String>(block.get()).map(Content::text);
    let read = serde_json::from_str(block.get()).or_else(|_| text());
    read.unwrap_or_else(|_| Content::text(block.get()))
}

fn value(json: &RawValue) -> Value {
    serde_json::from_str(json.get()).unwrap_or_default()
}

/// Whether nothing of a block was lost when it was read.
fn holds_all(raw: &RawValue, block: &Content) -> bool {
    serde_json::to_value(block).is_ok_and(|block| block == value(raw))
}

fn output(blocks: Vec<Content>, structured: Option<&RawValue>) -> ToolOutput {
    let output = match (blocks.as_slice(), structured) {
        ([], Some(structured)) => return ToolOutput::raw_json(structured),
        // Most servers repeat a structured result as text.
        ([Content::Text { text }], Some(structured)) if is_same(text, structured) => {
            return ToolOutput::raw_json(structured);
        }
        ([], None) => ToolOutput::empty(),
        ([Content::Text { text }], _) => ToolOutput::text(text.clone()),
        _ => ToolOutput::blocks(blocks),
    };
    match structured {
        Some(structured) => output.with_structured(structured),
        None => output,
    }
}

fn is_same(text: &str, structured: &RawValue) -> bool {
    text == structured.get()
        || serde_json::from_str::<Value>(text).is_ok_and(|text| text == value(structured))
}

/// The error of a call that the server says has failed: its text is for the model.
fn error(blocks: &[Content], structured: Option<&RawValue>) -> ToolError {
    let texts: Vec<_> = blocks.iter().map(Content::to_text).collect();
    let text = texts.join("\n");
    let message = match (text.trim().is_empty(), structured) {
        (false, _) => text,
        (true, Some(structured)) => structured.get().to_owned(),
        (true, None) => "the tool failed, and its server did not say why".to_owned(),
    };
    let error = ToolError::of(ErrorCode::Mcp, message);
    match structured {
        Some(structured) => error.with_field("structured", value(structured)),
        None => error,
    }
}

/// The error of a call whose server breaks its word; the model still sees what it said.
fn unstructured(blocks: &[Content]) -> ToolError {
    let texts: Vec<_> = blocks.iter().map(Content::to_text).collect();
    let said = texts.join("\n");
    let said = if said.trim().is_empty() { "nothing".to_owned() } else { format!("this: {said}") };
    let message = format!("the tool declares structured output, and its server sent none of it but {said}");
    ToolError::of(ErrorCode::Mcp, message)
}

/// The error of a request that the server refused.
pub(super) fn refused(server: &str, error: &rmcp::ErrorData) -> ToolError {
    let told = format!("the MCP server {server:?} refused the call: {}", error.message);
    let mut made = ToolError::of(ErrorCode::Mcp, told).with_field("rpcCode", json!(error.code.0));
    if let Some(data) = &error.data {
        made = made.with_field("data", data.clone());
    }
    made
}
