//! Closing the schemas of tools that are defined here.

use serde_json::Value;

/// `schema`, closed.
pub(super) fn closed(mut schema: Value) -> Value {
    close(&mut schema, true);
    schema
}

fn close(schema: &mut Value, root: bool) {
    let Some(keywords) = schema.as_object_mut() else { return };
    let speaks = ["additionalProperties", "patternProperties", "unevaluatedProperties"]
        .iter()
        .any(|k| keywords.contains_key(*k));
    if (root || keywords.contains_key("properties")) && !speaks {
        if root {
            keywords.entry("type").or_insert_with(|| "object".into());
            keywords.entry("properties").or_insert_with(|| Value::Object(serde_json::Map::new()));
        }
        keywords.insert("additionalProperties".into(), Value::Bool(false));
    }
    for keyword in ["properties", "$defs", "definitions"] {
        for (_, child) in keywords.get_mut(keyword).and_then(Value::as_object_mut).into_iter().flatten() {
            close(child, false);
        }
    }
    if let Some(items) = keywords.get_mut("items") {
        close(items, false);
    }
}
