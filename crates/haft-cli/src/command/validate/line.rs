//! Reads one line: the call that it holds, or why it holds none.

use haft::ToolCall;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::{fields::Fields, text};
use crate::lines::Line;

/// What a line has to be.
pub(super) const EXPECTED: &str = r#"each line is one object {"name": …, "arguments": …}"#;

/// A call, and its name as it was written.
#[derive(Debug)]
pub(super) struct Sent<'line> {
    pub(super) name: &'line RawValue,
    pub(super) call: ToolCall,
}

/// A line that holds no call.
#[derive(Debug)]
pub(super) struct Faulty<'line> {
    /// The name as it was written, when there was one.
    pub(super) name: Option<&'line RawValue>,
    /// The name as text, when it was text.
    pub(super) tool: Option<String>,
    /// What is wrong, where, and what to do.
    pub(super) fault: String,
}

/// Reads the line of that number, counted from 1.
pub(super) fn read(line: &Line, number: usize) -> Result<Sent<'_>, Faulty<'_>> {
    let fields = fields(line).map_err(|fault| Faulty {
        name: None,
        tool: None,
        fault: format!("line {number} {fault}; {EXPECTED}"),
    })?;
    let faulty = |tool: Option<&str>, fault: &str| Faulty {
        name: fields.name,
        tool: tool.map(str::to_owned),
        fault: format!("line {number} {fault}"),
    };
    if fields.repeats_name {
        return Err(Faulty { name: None, ..faulty(None, "has \"name\" twice; give the name of one tool") });
    }
    let Some(name) = fields.name else {
        return Err(faulty(None, "names no tool; add \"name\" with the name of one"));
    };
    let Ok(tool) = serde_json::from_str::<String>(name.get()) else {
        return Err(faulty(None, "has a \"name\" that is no text; give the name of a tool"));
    };
    if tool.is_empty() {
        return Err(faulty(Some(""), "has an empty \"name\"; give the name of a tool"));
    }
    let arguments = arguments(&fields).map_err(|fault| faulty(Some(&tool), &fault))?;
    Ok(Sent { name, call: ToolCall::new(format!("line {number}"), tool, arguments) })
}

/// The arguments as a model sent them, or what is wrong about the line.
fn arguments(fields: &Fields<'_>) -> Result<String, String> {
    if fields.repeats_arguments {
        return Err("has \"arguments\" twice; give them once".to_owned());
    }
    match (fields.arguments, fields.stray) {
        (Some(text), _) if text.get().starts_with('"') => text::read(text.get())
            .map_err(|error| format!("has \"arguments\" that can not be read as text: {error}")),
        // The text itself is judged, so that duplicate keys and large integers are seen.
        (Some(json), _) => Ok(json.get().to_owned()),
        (None, Some(key)) => Err(format!("has no \"arguments\", but {key:?}; rename that to \"arguments\"")),
        (None, None) => Ok(String::new()),
    }
}

fn fields(line: &Line) -> Result<Fields<'_>, String> {
    let Line::Bytes(bytes) = line else {
        return Err(format!("is longer than {} MiB", super::MOST_BYTES / (1024 * 1024)));
    };
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8 after byte {}", error.valid_up_to()))?;
    if text.trim().is_empty() {
        return Err("is blank".to_owned());
    }
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).map_err(|error| unreadable(&error));
    }
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => Err("is not an object".to_owned()),
        Err(error) => Err(unreadable(&error)),
    }
}

/// The error without its line, which is the first of this text and not that of the stream.
fn unreadable(error: &serde_json::Error) -> String {
    let (message, column) = (error.to_string(), error.column());
    let reason = message.strip_suffix(&format!(" at line 1 column {column}")).unwrap_or(&message);
    if error.is_data() {
        format!("can not be read: {reason} at column {column}")
    } else if error.is_eof() {
        format!("ends before its JSON does: {reason} at column {column}")
    } else {
        format!("is not JSON: {reason} at column {column}")
    }
}
