//! The one canonical text of a JSON value: what digests, locks and journals are made of.
//!
//! Keys stand in the order of their code points, numbers of equal value are written alike, escapes are minimal and there
//! are no blanks. Two values have the same text exactly when JSON Schema calls them equal. The order in which a
//! [`serde_json::Value`] keeps its members never shows.

use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// Floats of at least this size are no longer whole numbers that a `u64` can hold.
const U64_END: f64 = 18_446_744_073_709_551_616.0;
/// Floats below this do not fit an `i64`.
const I64_START: f64 = -9_223_372_036_854_775_808.0;

/// The canonical text of `value`.
///
/// ```
/// let value = serde_json::json!({"b": 1.0, "a": [true, "é\n"]});
/// assert_eq!(haft_core::canonical(&value), r#"{"a":[true,"é\n"],"b":1}"#);
/// ```
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    let mut tasks = vec![Task::Value(value)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(text) => out.push_str(text),
            Task::Key(key) => {
                string(&mut out, key);
                out.push(':');
            }
            Task::Value(Value::Null) => out.push_str("null"),
            Task::Value(Value::Bool(flag)) => out.push_str(if *flag { "true" } else { "false" }),
            Task::Value(Value::Number(value)) => out.push_str(&number(value)),
            Task::Value(Value::String(text)) => string(&mut out, text),
            Task::Value(Value::Array(items)) => array(&mut tasks, items),
            Task::Value(Value::Object(members)) => object(&mut tasks, members),
        }
    }
    out
}

/// A piece of text that is still to be written; a stack of them replaces recursion, so depth does not matter.
enum Task<'v> {
    Value(&'v Value),
    Key(&'v str),
    Text(&'static str),
}

fn array<'v>(tasks: &mut Vec<Task<'v>>, items: &'v [Value]) {
    tasks.push(Task::Text("]"));
    for (index, item) in items.iter().enumerate().rev() {
        tasks.push(Task::Value(item));
        if index > 0 {
            tasks.push(Task::Text(","));
        }
    }
    tasks.push(Task::Text("["));
}

fn object<'v>(tasks: &mut Vec<Task<'v>>, members: &'v Map<String, Value>) {
    let mut sorted: Vec<_> = members.iter().collect();
    // UTF-8 sorts by bytes as its code points do.
    sorted.sort_unstable_by_key(|(key, _)| key.as_str());
    tasks.push(Task::Text("}"));
    for (index, (key, member)) in sorted.into_iter().enumerate().rev() {
        tasks.push(Task::Value(member));
        tasks.push(Task::Key(key));
        if index > 0 {
            tasks.push(Task::Text(","));
        }
    }
    tasks.push(Task::Text("{"));
}

/// Integers exactly, whole floats as the integer they are, others as the shortest text that reads back the same.
fn number(value: &Number) -> String {
    if let Some(integer) = value.as_i64() {
        return integer.to_string();
    }
    if let Some(integer) = value.as_u64() {
        return integer.to_string();
    }
    match value.as_f64() {
        Some(float) => match whole(float) {
            Some(integer) => integer.to_string(),
            None if (1e-7..1e21).contains(&float.abs()) => float.to_string(),
            None if float.is_finite() => format!("{float:e}"),
            None => value.to_string(),
        },
        None => value.to_string(),
    }
}

/// The integer that `float` is, when it is one that fits `i64` or `u64`.
pub(crate) fn whole(float: f64) -> Option<i128> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the value is whole and within the bounds just checked"
    )]
    (float.fract() == 0.0 && (I64_START..U64_END).contains(&float)).then_some(float as i128)
}

fn string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control @ '\0'..='\u{1f}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
#[path = "canon_tests.rs"]
mod tests;
