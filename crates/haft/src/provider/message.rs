//! A message that answers calls, ready to be sent.

use std::{borrow::Cow, fmt};

use haft_core::{Content, ToolResult};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

/// What stands in the place of an output that says nothing: providers refuse a blank result as if none had been sent.
const NO_OUTPUT: &str = "(no output)";

/// A message, in a provider's form, that answers calls.
///
/// Its JSON text has the keys in the order of the provider's documentation, whatever features `serde_json` is built with; as a
/// [`Value`] it goes into a host's own history.
///
/// ```
/// use haft::{ToolOutput, ToolResult, provider::Provider};
///
/// let results = [ToolResult::succeeded("call_1", "add", ToolOutput::text("3"))];
/// let messages = Provider::OpenaiChat.messages(&results);
/// assert_eq!(messages[0].as_json(), r#"{"role":"tool","tool_call_id":"call_1","content":"3"}"#);
/// ```
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct ProviderMessage(Box<RawValue>);

impl ProviderMessage {
    pub(super) fn new(message: &impl Serialize) -> Self {
        // The messages of this crate are texts in structs, which always serialize.
        Self(serde_json::value::to_raw_value(message).unwrap_or_default())
    }

    /// The message as JSON text.
    pub fn as_json(&self) -> &str {
        self.0.get()
    }
}

impl fmt::Display for ProviderMessage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_json())
    }
}

impl PartialEq for ProviderMessage {
    fn eq(&self, other: &Self) -> bool {
        self.as_json() == other.as_json()
    }
}

impl Eq for ProviderMessage {}

impl From<ProviderMessage> for Value {
    fn from(message: ProviderMessage) -> Self {
        serde_json::from_str(message.as_json()).unwrap_or_default()
    }
}

/// The text, or a note where it is blank.
pub(super) fn non_blank(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_blank(&text) { Cow::Borrowed(NO_OUTPUT) } else { text }
}

pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The kinds of picture that providers take; others are told of in words.
const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// A part of an output that has more than text.
pub(super) enum Piece {
    Text(String),
    Picture { mime_type: String, data: String },
}

/// The parts of an output that say something; `None` where one text says it all.
pub(super) fn pieces(result: &ToolResult) -> Option<Vec<Piece>> {
    let output = result.outcome().ok().filter(|output| output.has_blocks())?;
    let pieces: Vec<Piece> = output.content().iter().filter_map(piece).collect();
    pieces.iter().any(|piece| matches!(piece, Piece::Picture { .. })).then_some(pieces)
}

fn piece(content: &Content) -> Option<Piece> {
    if let Content::Image { data, mime_type } = content
        && PICTURES.contains(&mime_type.as_str())
    {
        return Some(Piece::Picture { mime_type: mime_type.clone(), data: data.clone() });
    }
    let text = content.to_text();
    (!is_blank(&text)).then(|| Piece::Text(text.into_owned()))
}
