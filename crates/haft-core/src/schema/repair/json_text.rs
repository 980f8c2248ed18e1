//! JSON inside of text: `"{\"city\":\"Oslo\"}"` for `{"city":"Oslo"}`. One level only.

use serde_json::Value;

use super::super::json::{self, Limits};
use super::place::Place;
use super::single_value;

/// All arguments, where the text is exactly one object.
pub(super) fn bag(text: &str) -> Option<Value> {
    container(text, Limits::default().depth).filter(Value::is_object)
}

/// The object or array that a text holds, where no text is taken and such a one is.
pub(super) fn reading(place: &Place<'_>, value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|text| looks_like_json(text) && !place.takes_kind_of(value))?;
    let read = container(text, place.depth_left())?;
    (!place.refuses(&read) || single_value::reading(place, &read).is_some()).then_some(read)
}

/// Whether a text begins as an object or array does: if it is neither, it is a broken one.
pub(super) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

fn container(text: &str, depth: usize) -> Option<Value> {
    let reading = json::read(text, &Limits { depth, ..Limits::default() }).ok()?;
    let is_container = reading.value.is_object() || reading.value.is_array();
    (is_container && reading.defects.is_empty()).then_some(reading.value)
}
