//! One of the allowed values in another letter case: `"MARKDOWN"` for `"markdown"`.

use serde_json::Value;

use super::place::Place;

/// The one allowed text that differs from the value in nothing but letter case.
pub(super) fn reading(place: &Place<'_>, value: &Value) -> Option<Value> {
    let meant = value.as_str()?.to_lowercase();
    let alike = place.texts().into_iter().filter(|text| text.to_lowercase() == meant);
    let mut allowed = alike.map(Value::from).filter(|text| !place.refuses(text));
    let only = allowed.next()?;
    allowed.next().is_none().then_some(only)
}
