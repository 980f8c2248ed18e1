//! A number or boolean as text: `"5"` for `5`, `"false"` for `false`.

use serde_json::Value;

use super::super::json::{self, Limits};
use super::place::Place;

/// The number or boolean that a text spells, where no text is taken and such a one is.
pub(super) fn reading(place: &Place<'_>, value: &Value) -> Option<Value> {
    let text = value.as_str().filter(|_| !place.takes_kind_of(value))?;
    let read = spelled(text.trim())?;
    (!place.refuses(&read)).then_some(read)
}

/// Only what JSON spells so itself, and the words in any letter case: `yes` or `1,000` may be meant otherwise.
fn spelled(text: &str) -> Option<Value> {
    match text {
        _ if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        _ if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        _ => {
            let number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
            let reading = json::read(text, &Limits::default()).ok().filter(|_| number)?;
            reading.defects.is_empty().then_some(reading.value)
        }
    }
}
