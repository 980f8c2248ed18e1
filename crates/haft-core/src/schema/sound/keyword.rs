//! One keyword of a schema, and whether its value is in the ordinary form.

use std::collections::HashSet;

use serde_json::Value;

use super::{is_part_sound, pattern, reference};

const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Whether `value` is what `keyword` takes, in every dialect that is known here.
///
/// `false` also for keywords that are not known: the validator is asked then.
pub(super) fn is_sound(root: &Value, keyword: &str, value: &Value) -> bool {
    match keyword {
        "type" => is_type(value),
        "title" | "description" | "$comment" | "format" => value.is_string(),
        "properties" | "$defs" | "definitions" | "dependentSchemas" => members(root, value),
        "required" => value.as_array().is_some_and(|names| are_different_texts(names)),
        "items"
        | "additionalProperties"
        | "propertyNames"
        | "not"
        | "contains"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties" => is_part_sound(root, value),
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => parts(root, value),
        "enum" | "examples" => value.as_array().is_some_and(|_| is_data(value)),
        "const" | "default" | "example" => is_data(value),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|step| step > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            value.is_u64()
        }
        "uniqueItems" | "readOnly" | "writeOnly" | "deprecated" | "nullable" => value.is_boolean(),
        "pattern" => value.as_str().is_some_and(pattern::is_sound),
        "$ref" => value.as_str().is_some_and(|target| reference::leads_to_part(root, target)),
        _ => false,
    }
}

fn is_type(value: &Value) -> bool {
    let known = |value: &Value| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Value::Array(names) => !names.is_empty() && names.iter().all(known) && are_different_texts(names),
        one => known(one),
    }
}

/// Schemas by name. A name that looks like a keyword of its own is left to the validator.
fn members(root: &Value, value: &Value) -> bool {
    let sound = |(name, schema): (&String, &Value)| !name.starts_with('$') && is_part_sound(root, schema);
    value.as_object().is_some_and(|members| members.iter().all(sound))
}

fn parts(root: &Value, value: &Value) -> bool {
    let sound = |parts: &Vec<Value>| !parts.is_empty() && parts.iter().all(|part| is_part_sound(root, part));
    value.as_array().is_some_and(sound)
}

fn are_different_texts(names: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(names.len());
    names.iter().all(|name| name.as_str().is_some_and(|name| seen.insert(name)))
}

/// Whether nothing in a value can be taken for an identifier or a reference.
fn is_data(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().all(is_data),
        Value::Object(members) => {
            members.iter().all(|(name, member)| !name.starts_with('$') && is_data(member))
        }
        _ => true,
    }
}
