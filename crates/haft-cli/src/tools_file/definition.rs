//! Reads one definition of a tool, in the form of any provider or of MCP.

use haft::ToolAnnotations;
use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::dialect;

/// Where providers and protocols put the schema of the arguments.
const SCHEMA_KEYS: [&str; 6] =
    ["inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema", "schema"];

/// A definition, as far as it was given.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) title: Option<String>,
    /// The schema of the arguments; null where there is none.
    pub(super) schema: Value,
    pub(super) output_schema: Option<Value>,
    pub(super) annotations: ToolAnnotations,
}

/// The name in what is no definition, so that it can be reported by it.
pub(super) fn name(item: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        name: Option<String>,
        #[serde(alias = "toolSpec", alias = "custom")]
        function: Option<Box<Self>>,
    }
    // A list would be read as the fields in their order.
    let named: Named = item.get().starts_with('{').then(|| serde_json::from_str(item.get()).ok())??;
    named.name.or_else(|| named.function?.name)
}

/// Reads a definition, or says why it is none.
pub(super) fn read(item: &RawValue) -> Result<Definition, String> {
    let value = serde_json::from_str(item.get()).map_err(|error| format!("it can not be read: {error}"))?;
    let Value::Object(mut outer) = value else {
        return Err(format!("it is {}; a definition of a tool is an object", described(&value)));
    };
    let kind = outer.get("type").and_then(Value::as_str).map(str::to_owned);
    let mut fields =
        match ["function", "toolSpec", "custom"].into_iter().find_map(|key| object(&mut outer, key)) {
            Some(inner) => inner,
            None => outer,
        };
    let name = match fields.remove("name") {
        Some(Value::String(name)) => name,
        None if kind.as_deref().is_some_and(|kind| kind != "function") => {
            return Err(no_schema(kind.as_deref().unwrap_or_default()));
        }
        None | Some(Value::Null) => return Err("it has no \"name\"".to_owned()),
        Some(other) => return Err(format!("its \"name\" is {}, not text", described(&other))),
    };
    let schema = SCHEMA_KEYS.into_iter().find_map(|key| present(&mut fields, key));
    match (schema.is_some(), kind.as_deref()) {
        (false, Some("custom")) => {
            return Err("it takes free text, not arguments: there is no schema to judge by".to_owned());
        }
        (false, Some(kind)) if kind != "function" => return Err(no_schema(kind)),
        _ => {}
    }
    let hints = object(&mut fields, "annotations").unwrap_or_default();
    Ok(Definition {
        description: text(&mut fields, "description")?,
        title: text(&mut fields, "title")?.or_else(|| hints.get("title")?.as_str().map(str::to_owned)),
        schema: dialect::json_schema(unwrapped(schema.unwrap_or_default())),
        output_schema: present(&mut fields, "outputSchema"),
        annotations: annotations(&hints),
        name,
    })
}

fn no_schema(kind: &str) -> String {
    format!("it is of type {kind:?}, which the provider runs itself: there is no schema to judge by")
}

/// Takes out a field that is there and not null.
fn present(fields: &mut Map<String, Value>, key: &str) -> Option<Value> {
    fields.remove(key).filter(|value| !value.is_null())
}

/// Takes out a field that is an object.
fn object(fields: &mut Map<String, Value>, key: &str) -> Option<Map<String, Value>> {
    match fields.remove(key) {
        Some(Value::Object(inner)) => Some(inner),
        _ => None,
    }
}

/// Takes out a text.
fn text(fields: &mut Map<String, Value>, key: &str) -> Result<Option<String>, String> {
    match present(fields, key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("its {key:?} is {}, not text", described(&other))),
    }
}

/// Amazon's form puts the schema one level deeper, under `json` alone.
fn unwrapped(schema: Value) -> Value {
    match schema {
        Value::Object(mut fields)
            if fields.len() == 1 && fields.get("json").is_some_and(Value::is_object) =>
        {
            fields.remove("json").unwrap_or_default()
        }
        other => other,
    }
}

fn annotations(hints: &Map<String, Value>) -> ToolAnnotations {
    let said = |hint: &str| hints.get(hint).and_then(Value::as_bool);
    let mut annotations = ToolAnnotations::new();
    annotations.read_only = said("readOnlyHint");
    annotations.destructive = said("destructiveHint");
    annotations.idempotent = said("idempotentHint");
    annotations.open_world = said("openWorldHint");
    annotations
}

fn described(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
