//! Lists of choices that do not fit the type beside them, as generators of schemas write them.

use serde_json::{Map, Value};

use super::types::Types;

/// What became of a list of choices.
pub(super) fn settle(keywords: &mut Map<String, Value>) -> Option<&'static str> {
    let types = keywords.get("type").map(Types::of)?;
    let choices = keywords.get("enum").and_then(Value::as_array).filter(|choices| !choices.is_empty())?;
    let fitting: Vec<Value> = choices.iter().filter(|choice| types.accepts(choice)).cloned().collect();
    if fitting.len() == choices.len() {
        return None;
    }
    if types == Types::NULL && fitting.is_empty() {
        keywords.remove("enum");
        return Some("choices that were copied beside the type of null say nothing there");
    }
    if fitting.is_empty() {
        return None;
    }
    keywords.insert("enum".to_owned(), Value::Array(fitting));
    Some("choices of another type can not be accepted")
}
