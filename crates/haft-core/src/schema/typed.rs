//! The schema of a Rust type, made by schemars and cleaned for models.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::implied;

/// The schema of what `T` deserialises from. `Option` fields show the plain type: leaving them out and `null` mean the same.
pub(super) fn arguments<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    clean::<T>(&mut schema);
    each_schema(&mut schema, &mut plain_options);
    // A type without any content takes no arguments.
    if schema.get("type").is_some_and(|name| name == "null") { Value::Null } else { schema }
}

/// The schema of what `T` serialises to, and whether the type holds all that it says.
pub(super) fn output<T: JsonSchema>() -> (Value, bool) {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let implied = implied::by_the_type(&schema);
    clean::<T>(&mut schema);
    (schema, implied)
}

/// Drops what tells a model nothing: the dialect (2020-12 goes without saying), the type's Rust name, Rust's number formats.
fn clean<T: JsonSchema>(schema: &mut Value) {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.remove("$schema");
        if keywords.get("title").is_some_and(|title| title == T::schema_name().as_ref()) {
            keywords.remove("title");
        }
    }
    each_schema(schema, &mut |keywords| {
        let of_number = |format: &Value| {
            let format = format.as_str().unwrap_or_default();
            let digits = format.trim_start_matches("uint").trim_start_matches("int");
            matches!(format, "float" | "double")
                || (format.contains("int") && digits.bytes().all(|digit| digit.is_ascii_digit()))
        };
        if keywords.get("format").is_some_and(of_number) {
            keywords.remove("format");
        }
    });
}

/// Applies `change` to every subschema.
fn each_schema(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    let Some(keywords) = schema.as_object_mut() else { return };
    change(keywords);
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(named),
            ) => named.values_mut().for_each(|schema| each_schema(schema, change)),
            ("allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(list)) => {
                for schema in list {
                    each_schema(schema, change);
                }
            }
            (
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "contains"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames",
                single,
            ) => each_schema(single, change),
            _ => {}
        }
    }
}

/// Takes `null` out of the fields that may be left out, unless leaving them out means something else than `null`.
fn plain_options(keywords: &mut Map<String, Value>) {
    let required = keywords.get("required").cloned();
    let is_required = |name: &str| {
        required.as_ref().and_then(Value::as_array).is_some_and(|names| names.iter().any(|one| one == name))
    };
    let Some(properties) = keywords.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
        let Some(property) = property.as_object_mut() else { continue };
        if property.get("default").is_none_or(Value::is_null) {
            without_null(property);
            property.remove("default");
        }
    }
}

/// Takes `null` out of a type list, an enum, or a union of one other branch.
fn without_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(names)) = property.get_mut("type") {
        if names.len() > 1 {
            names.retain(|name| name != "null");
        }
        if let [only] = names.as_slice() {
            let only = only.clone();
            property.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = property.get_mut("enum")
        && choices.len() > 1
    {
        choices.retain(|choice| !choice.is_null());
    }
    let null = |branch: &Value| {
        branch
            .as_object()
            .is_some_and(|branch| branch.len() == 1 && branch.get("type").is_some_and(|name| name == "null"))
    };
    let Some(Value::Array(branches)) = property.get_mut("anyOf") else { return };
    if branches.len() > 1 {
        branches.retain(|branch| !null(branch));
    }
    let [Value::Object(only)] = branches.as_mut_slice() else { return };
    let only = std::mem::take(only);
    property.remove("anyOf");
    for (keyword, value) in only {
        property.entry(keyword).or_insert(value);
    }
}
