//! One thing that is wrong with a value, said so that a model can mend it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::{self, Limits};
use super::{canon, pointer};

/// Characters of the offending value that an issue shows.
const MOST_SHOWN: usize = 120;

/// One mismatch between a value and its schema.
///
/// Serialises as `{"path","expected","got","message"}`, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Issue {
    /// JSON pointer of the value, `""` for the whole.
    pub path: String,
    /// What the schema wants there: a type with its bound (`integer ≤ 50`) or the allowed values.
    pub expected: String,
    /// The value as JSON text, cut where it is long; `nothing` where a field is missing.
    pub got: String,
    /// The whole issue as one sentence that can be read alone.
    pub message: String,
}

impl Issue {
    /// An issue with a value: `limit: expected integer ≤ 50, got 99`.
    pub(crate) fn mismatch(path: &str, expected: impl Into<String>, got: &Value) -> Self {
        Self::stated(path, expected, shown(got), "")
    }

    /// As [`Issue::mismatch`], with the value already shown and a sentence of advice behind it.
    pub(crate) fn stated(path: &str, expected: impl Into<String>, got: String, advice: &str) -> Self {
        let expected = expected.into();
        let place = if path.is_empty() { String::new() } else { format!("{}: ", pointer::dotted(path)) };
        let gap = if advice.is_empty() { "" } else { ". " };
        let message = format!("{place}expected {expected}, got {got}{gap}{advice}");
        Self { path: path.to_owned(), expected, got, message }
    }

    /// A required field is missing; `expected` says what belongs there.
    pub(crate) fn missing(path: &str, expected: impl Into<String>) -> Self {
        let expected = expected.into();
        let text = format!("missing field {}{}: expected {expected}", name(path), inside(path));
        Self { path: path.to_owned(), expected, got: "nothing".to_owned(), message: placed(path, text) }
    }

    /// A field that the schema does not take, with the nearest of the `fields` that it takes.
    pub(crate) fn unknown(path: &str, got: &Value, fields: &[&str]) -> Self {
        let unknown = pointer::last(path).unwrap_or_default();
        let advice = match nearest(&unknown, fields) {
            _ if holds_fields(got, fields) => {
                format!("; send what is inside it in its place, without {}", name(path))
            }
            Some(near) => format!("; did you mean `{near}`?"),
            None if fields.is_empty() => "; no fields are taken here".to_owned(),
            None => match fields {
                [only] => format!("; the only field is `{only}`"),
                several => format!("; the fields are {}", listed(several)),
            },
        };
        let expected = match fields {
            [] => "no fields".to_owned(),
            [only] => format!("the field `{only}`"),
            several => format!("one of the fields {}", listed(several)),
        };
        let text = format!("unknown field {}{}{advice}", name(path), inside(path));
        Self { path: path.to_owned(), expected, got: shown(got), message: placed(path, text) }
    }

    /// A field whose value a tool's function refuses, in its own words.
    pub(crate) fn refused(
        field: &str,
        expected: impl Into<String>,
        got: &Value,
        message: impl Into<String>,
    ) -> Self {
        Self::told(&pointer::child("", field), expected, shown(got), message)
    }

    /// An issue that is said in other words than "expected, got".
    pub(crate) fn told(
        path: &str,
        expected: impl Into<String>,
        got: String,
        text: impl Into<String>,
    ) -> Self {
        Self { path: path.to_owned(), expected: expected.into(), got, message: placed(path, text.into()) }
    }
}

/// `text` with the dotted path in front, unless the field's name already stands in it as a word.
pub(crate) fn placed(path: &str, text: String) -> String {
    let named = pointer::last(path).is_none_or(|name| has_word(&text, &name));
    if named { text } else { format!("{}: {text}", pointer::dotted(path)) }
}

/// Whether `word` stands in `text` with no letter, digit or `_` beside it.
fn has_word(text: &str, word: &str) -> bool {
    let part_of_word = |character: char| character.is_alphanumeric() || character == '_';
    !word.is_empty()
        && text.match_indices(word).any(|(start, _)| {
            let before = text.get(..start).and_then(|head| head.chars().next_back());
            let after = text.get(start + word.len()..).and_then(|tail| tail.chars().next());
            !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
        })
}

/// The value as JSON text, cut where it is long.
pub(crate) fn shown(value: &Value) -> String {
    cut(&canon::canonical(value))
}

/// `text`, cut where it is long.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

fn name(path: &str) -> String {
    format!("`{}`", cut(&pointer::last(path).unwrap_or_default()))
}

fn inside(path: &str) -> String {
    match pointer::parent(path) {
        "" => String::new(),
        parent => format!(" in `{}`", pointer::dotted(parent)),
    }
}

/// Field names in a row, cut where there are many.
pub(super) fn listed(fields: &[&str]) -> String {
    const MOST: usize = 20;
    let mut names: Vec<String> = fields.iter().take(MOST).map(|field| format!("`{field}`")).collect();
    if fields.len() > MOST {
        names.push(format!("and {} more", fields.len() - MOST));
    }
    names.join(", ")
}

/// Whether a value is an object of nothing but fields that are taken here, or its text: the arguments, wrapped once more.
fn holds_fields(value: &Value, fields: &[&str]) -> bool {
    let read = value.as_str().filter(|text| text.trim_start().starts_with('{'));
    let read = read.and_then(|text| json::read(text, &Limits::default()).ok()).map(|reading| reading.value);
    let members = read.as_ref().unwrap_or(value).as_object().filter(|members| !members.is_empty());
    members.is_some_and(|members| members.keys().all(|name| fields.contains(&name.as_str())))
}

/// The declared name that `unknown` most likely stands for.
fn nearest<'f>(unknown: &str, fields: &[&'f str]) -> Option<&'f str> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_', ' '], "");
    let wanted = plain(unknown);
    fields
        .iter()
        .map(|field| (strsim::jaro_winkler(&wanted, &plain(field)), *field))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, field)| field)
}
