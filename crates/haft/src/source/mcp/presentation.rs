//! How a server wants its tools to be shown to people.

use haft_core::{IconTheme, ToolIcon, ToolPresentation};
use serde_json::{Map, Value};

/// What stands in a tool's listing for programs and people. What can not be read is left out, and costs nothing else.
pub(super) fn presentation(listed: &Map<String, Value>) -> ToolPresentation {
    let mut presentation = ToolPresentation::new();
    let icons = listed.get("icons").and_then(Value::as_array);
    presentation.icons = icons.into_iter().flatten().filter_map(icon).collect();
    presentation.meta = listed.get("_meta").and_then(Value::as_object).cloned().unwrap_or_default();
    let annotations = listed.get("annotations").and_then(Value::as_object);
    presentation.annotated_title = annotations.and_then(|annotations| text(annotations, "title"));
    presentation
}

/// A text that says something.
pub(super) fn text(object: &Map<String, Value>, field: &str) -> Option<String> {
    object.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

fn icon(icon: &Value) -> Option<ToolIcon> {
    let icon = icon.as_object()?;
    let mut read = ToolIcon::new(text(icon, "src")?);
    read.mime_type = text(icon, "mimeType");
    read.sizes = match icon.get("sizes") {
        Some(Value::Array(sizes)) => sizes.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        // Drafts of the protocol had them in one text.
        Some(Value::String(sizes)) => sizes.split_whitespace().map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    read.theme = match icon.get("theme").and_then(Value::as_str) {
        Some("light") => Some(IconTheme::Light),
        Some("dark") => Some(IconTheme::Dark),
        _ => None,
    };
    Some(read)
}
