//! The keys of a table: what each is called, what it takes and what it is for. Reader, schema and messages have them
//! from one place.

use serde_json::{Value, json};

use crate::nearest::nearest;

/// A key of a table of `haft.toml`.
pub(super) struct Field {
    pub(super) name: &'static str,
    /// What it is for, for people in their editor.
    pub(super) help: &'static str,
    /// What it takes, as JSON Schema.
    pub(super) schema: fn() -> Value,
    /// What other programs call it.
    pub(super) also: &'static [&'static str],
}

/// The known key that an unknown one is meant for: by its name elsewhere, or nearly its own.
pub(super) fn meant(key: &str, fields: &'static [Field]) -> Option<&'static str> {
    let elsewhere = fields.iter().find(|field| field.also.contains(&key)).map(|field| field.name);
    elsewhere.or_else(|| nearest(key, fields.iter().map(|field| field.name)))
}

/// The keys, for a message.
pub(super) fn names(fields: &'static [Field]) -> String {
    let names: Vec<String> = fields.iter().map(|field| format!("`{}`", field.name)).collect();
    names.join(", ")
}

/// The schema of a table that has these keys and no others.
pub(super) fn schema(fields: &'static [Field]) -> Value {
    let properties: serde_json::Map<String, Value> = fields
        .iter()
        .map(|field| {
            let mut schema = (field.schema)();
            if let Some(schema) = schema.as_object_mut() {
                schema.insert("description".to_owned(), field.help.into());
            }
            (field.name.to_owned(), schema)
        })
        .collect();
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

pub(super) fn text() -> Value {
    json!({"type": "string"})
}

pub(super) fn boolean() -> Value {
    json!({"type": "boolean"})
}

pub(super) fn texts() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

pub(super) fn table_of_texts() -> Value {
    json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}})
}

pub(super) fn time() -> Value {
    json!({"type": "string", "pattern": r"^\s*[0-9]+(ms|s|m|h)(\s+[0-9]+(ms|s|m|h))*\s*$"})
}

pub(super) fn count() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": 65_536})
}
