//! One value where an array of such is taken: `"new"` for `["new"]`.

use serde_json::Value;

use super::json_text::looks_like_json;
use super::place::Place;
use super::{enum_case, scalar_text};

/// The array of this one value, where an array of such is taken and the value itself is not.
pub(super) fn reading(place: &Place<'_>, value: &Value) -> Option<Value> {
    let plain = match value {
        Value::Null | Value::Array(_) => false,
        Value::String(text) => is_one(text),
        _ => true,
    };
    if !plain || place.takes_kind_of(value) {
        return None;
    }
    let array = Value::Array(vec![value.clone()]);
    if place.refuses(&array) {
        return None;
    }
    let seeds = place.items_of(&array);
    let item = place.inside(&seeds);
    // Items that may be anything do not say what such a value is.
    let says = item.refuses(&Value::Array(Vec::new()));
    if value.as_str().is_some_and(|text| means_nothing(text) && !item.texts().contains(text)) {
        return None;
    }
    let such = || !item.refuses(value) || is_such_once_repaired(place, &item, value);
    (says && such()).then_some(array)
}

/// Whether the item will be repaired in its turn. What can be repaired as it stands is not put into an array first.
fn is_such_once_repaired(place: &Place<'_>, item: &Place<'_>, value: &Value) -> bool {
    let readable = |place: &Place<'_>| scalar_text::reading(place, value).is_some();
    !readable(place) && (readable(item) || enum_case::reading(item, value).is_some())
}

/// Whether a text spells that there is no value. Where it is not one of the allowed ones, an array of it is hardly meant.
fn means_nothing(text: &str) -> bool {
    ["null", "none", "nil", "undefined"].iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// Whether a text is one value, and no list in its own notation, JSON that would have to be read, or nothing.
fn is_one(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && !looks_like_json(text) && !text.starts_with('"') && !text.contains([',', ';', '\n'])
}
