//! What a subschema wants, in a few words.

use serde_json::Value;

use super::super::issue::{cut, listed, shown};

/// Allowed values that are named before the rest is counted.
const MOST_CHOICES: usize = 30;
/// References and unions inside each other that are followed.
const DEEPEST: usize = 4;

/// `schema`, a part of `root`, in a few words: `integer ≤ 50`, `one of "a", "b"`, `array of string`.
pub(in crate::schema) fn describe(root: &Value, schema: &Value) -> String {
    described(root, schema, DEEPEST).unwrap_or_else(|| "a value".to_owned())
}

/// An alternative in a few words: as [`describe`], with the fields that tell an object from the other alternatives.
pub(super) fn describe_alternative(root: &Value, schema: &Value) -> String {
    let reference = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#'));
    let target = reference.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema);
    let is_object = target.get("type").is_none_or(|name| name == "object");
    requirement(target).filter(|_| is_object).unwrap_or_else(|| describe(root, schema))
}

/// An object with the names of its required fields, where a schema has some.
fn requirement(schema: &Value) -> Option<String> {
    let required = schema.get("required")?.as_array()?;
    let names: Vec<&str> = required.iter().filter_map(Value::as_str).collect();
    (!names.is_empty()).then(|| format!("object with {}", listed(&names)))
}

fn described(root: &Value, schema: &Value, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    if schema == &Value::Bool(false) {
        return Some("nothing".to_owned());
    }
    if let Some(only) = schema.get("const") {
        return Some(shown(only));
    }
    if let Some(Value::Array(choices)) = schema.get("enum") {
        return Some(one_of(choices));
    }
    if let Some(types) = schema.get("type") {
        return match types {
            Value::String(name) => Some(bounded(root, schema, name, depth)),
            Value::Array(names) => joined(names.iter().filter_map(Value::as_str).map(str::to_owned)),
            _ => None,
        };
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(branches)) = schema.get(keyword) {
            return joined(branches.iter().filter_map(|branch| described(root, branch, depth)));
        }
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.strip_prefix('#')?)?;
        return described(root, target, depth);
    }
    if let Some(Value::Array(parts)) = schema.get("allOf") {
        return parts.iter().find_map(|part| described(root, part, depth));
    }
    requirement(schema).or_else(|| schema.get("properties").map(|_| "object".to_owned()))
}

/// `one of "a", "b"`; a single choice stands alone.
pub(in crate::schema) fn one_of(choices: &[Value]) -> String {
    let mut shown_choices: Vec<String> = choices.iter().take(MOST_CHOICES).map(shown).collect();
    if choices.len() > MOST_CHOICES {
        shown_choices.push(format!("and {} more", choices.len() - MOST_CHOICES));
    }
    match choices {
        [only] => shown(only),
        _ => format!("one of {}", shown_choices.join(", ")),
    }
}

/// Descriptions joined by "or", each once.
pub(super) fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    let mut distinct: Vec<String> = Vec::new();
    for part in parts {
        if !distinct.contains(&part) {
            distinct.push(part);
        }
    }
    (!distinct.is_empty()).then(|| distinct.join(" or "))
}

/// A type with its bounds.
fn bounded(root: &Value, schema: &Value, name: &str, depth: usize) -> String {
    let bound = |keyword: &str| schema.get(keyword).filter(|bound| bound.is_number()).map(shown);
    match name {
        "integer" | "number" => match (bound("minimum"), bound("maximum")) {
            (Some(least), Some(most)) => format!("{name} from {least} to {most}"),
            (Some(least), None) => format!("{name} ≥ {least}"),
            (None, Some(most)) => format!("{name} ≤ {most}"),
            (None, None) => match (bound("exclusiveMinimum"), bound("exclusiveMaximum")) {
                (Some(below), Some(above)) => format!("{name} > {below} and < {above}"),
                (Some(below), None) => format!("{name} > {below}"),
                (None, Some(above)) => format!("{name} < {above}"),
                (None, None) => name.to_owned(),
            },
        },
        "string" => {
            match (bound("minLength"), bound("maxLength"), schema.get("pattern").and_then(Value::as_str)) {
                (_, _, Some(pattern)) => format!("string matching `{}`", cut(pattern)),
                (Some(least), Some(most), _) => format!("string of {least} to {most} characters"),
                (Some(least), None, _) if least == "1" => "non-empty string".to_owned(),
                (Some(least), None, _) => format!("string of at least {}", counted(&least, "character")),
                (None, Some(most), _) => format!("string of at most {}", counted(&most, "character")),
                (None, None, None) => name.to_owned(),
            }
        }
        "array" => match schema.get("items").and_then(|items| described(root, items, depth)) {
            Some(items) => format!("array of {items}"),
            None => name.to_owned(),
        },
        _ => name.to_owned(),
    }
}

/// `1 item`, `2 items`.
pub(super) fn counted(count: &str, thing: &str) -> String {
    if count == "1" { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
