//! Turns the schemas of Gemini's declarations, which are no JSON Schema, into ones that mean the same.

use serde_json::{Map, Value, json};

/// Counts, which are 64-bit integers there and so may be written as text.
const COUNTS: [&str; 6] =
    ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];

/// The schema as JSON Schema; one that is not of that dialect comes back as it was.
pub(super) fn json_schema(mut schema: Value) -> Value {
    if schema.get("type").and_then(Value::as_str).is_some_and(|name| lower_type(name).is_some()) {
        convert(&mut schema);
    }
    schema
}

/// `OBJECT` → `object`; null where no type is stated.
fn lower_type(name: &str) -> Option<Value> {
    match name {
        "TYPE_UNSPECIFIED" => Some(Value::Null),
        "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" | "ARRAY" | "OBJECT" | "NULL" => {
            Some(Value::from(name.to_ascii_lowercase()))
        }
        _ => None,
    }
}

// The depth is bounded by that of the JSON text that it was read from.
fn convert(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    if let Some(lower) = keywords.get("type").and_then(Value::as_str).and_then(lower_type) {
        keywords.insert("type".to_owned(), lower);
        if keywords.get("type").is_some_and(Value::is_null) {
            keywords.remove("type");
        }
    }
    for count in COUNTS {
        let number = keywords.get(count).and_then(Value::as_str).and_then(|text| text.parse::<u64>().ok());
        if let Some(number) = number {
            keywords.insert(count.to_owned(), Value::from(number));
        }
    }
    if keywords.remove("nullable") == Some(Value::Bool(true)) {
        admit_null(keywords);
    }
    for keyword in ["items", "additionalProperties"] {
        keywords.get_mut(keyword).into_iter().for_each(convert);
    }
    for keyword in ["anyOf", "prefixItems"] {
        keywords.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten().for_each(convert);
    }
    for keyword in ["properties", "defs", "$defs"] {
        let inner = keywords.get_mut(keyword).and_then(Value::as_object_mut);
        inner.into_iter().flat_map(Map::values_mut).for_each(convert);
    }
}

fn admit_null(keywords: &mut Map<String, Value>) {
    if let Some(name) = keywords.get("type").and_then(Value::as_str) {
        let types = json!([name, "null"]);
        keywords.insert("type".to_owned(), types);
    }
    if let Some(values) = keywords.get_mut("enum").and_then(Value::as_array_mut)
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_become_json_schema() {
        let schema = json_schema(json!({
            "type": "OBJECT",
            "properties": {
                "tags": {"type": "ARRAY", "items": {"type": "STRING", "maxLength": "8"}, "minItems": "1"},
                "kind": {"type": "STRING", "enum": ["a"], "nullable": true},
                "any": {"anyOf": [{"type": "INTEGER"}, {"type": "TYPE_UNSPECIFIED"}]},
            },
        }));
        let expected = json!({
            "type": "object",
            "properties": {
                "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}, "minItems": 1},
                "kind": {"type": ["string", "null"], "enum": ["a", null]},
                "any": {"anyOf": [{"type": "integer"}, {}]},
            },
        });
        assert_eq!(schema, expected);
    }

    #[test]
    fn json_schema_stays_as_it_is() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "STRING"}}, "nullable": true});
        assert_eq!(json_schema(schema.clone()), schema);
    }
}
