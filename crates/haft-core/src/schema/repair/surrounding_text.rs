//! Text or code fences around one JSON object: `Here you are: {"city": "Oslo"}`.

use serde_json::Value;

use super::super::json::{self, Fault, FaultKind, Limits, Position};
use super::super::plan::Pool;
use super::super::road::Road;

const FENCE: &str = "```";

/// The one object in a text that is no JSON; none where what stands around it could be more than talk about it.
pub(super) fn object(text: &str, road: &Road) -> Option<Value> {
    let (before, from) = text.split_at_checked(text.find('{')?)?;
    let (reading, length) = json::read_first(from, &Limits::default()).ok()?;
    let after = from.get(length..)?;
    let sound = reading.defects.is_empty() && reading.value.is_object();
    (sound && is_talk(before) && is_talk(after) && ends_there(before, after) && !is_named(before, road))
        .then_some(reading.value)
}

/// How an object ends early that begins a text, but for a byte order mark or the opening of a fence.
pub(in crate::schema) fn cut_off(text: &str) -> Option<Fault> {
    let start = text.find('{')?;
    let (before, from) = text.split_at_checked(start)?;
    let opening = before.trim_start_matches('\u{feff}').trim();
    let fence = opening.strip_prefix(FENCE).map(str::trim);
    if !opening.is_empty() && !fence.is_some_and(|language| language.chars().all(char::is_alphanumeric)) {
        return None;
    }
    let fault = json::read_first(from, &Limits::default())
        .err()
        .filter(|fault| fault.kind == FaultKind::Truncated)?;
    Some(Fault { position: Position::of(text, start + fault.position.offset), ..fault })
}

/// No piece of JSON: a bracket or quote would tell of an object that this one is only a part of, or of a second one.
fn is_talk(text: &str) -> bool {
    !text.contains(['{', '}', '[', ']', '"'])
}

/// Nothing tells of more that was to come: a fence that is not closed, or a comma.
fn ends_there(before: &str, after: &str) -> bool {
    let fences = before.matches(FENCE).count() + after.matches(FENCE).count();
    fences.is_multiple_of(2) && !after.trim_start().starts_with([',', ':'])
}

/// Whether a field stands in front, so that the object is its value: `filter: {"state": "open"}`.
fn is_named(before: &str, road: &Road) -> bool {
    let Some(before) = before.trim_end().strip_suffix([':', '=']) else { return false };
    let word = |text: &str| {
        text.rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-')).next().map(str::to_owned)
    };
    let pool = Pool::root(&road.plan, &Value::Object(serde_json::Map::new()));
    word(before.trim_end().trim_end_matches(['\'', '`', '*']))
        .is_some_and(|word| road.plan.names(&pool).contains(word.as_str()))
}
