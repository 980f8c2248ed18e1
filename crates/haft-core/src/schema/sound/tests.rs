//! What is plainly sound compiles, and nearly all schemas of real tools are plainly sound.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::check::Checker;
use super::{is_plainly_sound, pattern};

/// Values of every kind, for a keyword that takes only some of them.
fn odd_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(1.0),
        json!(1.5),
        json!(-0.0),
        json!(u64::MAX),
        json!(1e300),
        json!(""),
        json!("string"),
        json!("strin"),
        json!("#"),
        json!("#/$defs/a"),
        json!("#/$defs/b"),
        json!("#/properties/a"),
        json!("#/properties/a/items"),
        json!("#/anyOf/0"),
        json!("#/anyOf/00"),
        json!("#/default"),
        json!("a"),
        json!("^a+$"),
        json!("("),
        json!("[]"),
        json!("a{2,1}"),
        json!("http://json-schema.org/draft-07/schema#"),
        json!("https://json-schema.org/draft/2020-12/schema"),
        json!([]),
        json!([1]),
        json!(["a"]),
        json!(["a", "a"]),
        json!(["string", "null"]),
        json!([{}]),
        json!([true]),
        json!([{"type": "strin"}]),
        json!({}),
        json!({"a": {}}),
        json!({"a": 1}),
        json!({"a": ["b"]}),
        json!({"a": {"type": "string", "items": {}}}),
        json!({"$id": "x"}),
        json!({"$ref": "#/$defs/a"}),
        json!({"$ref": {"type": "string"}}),
        json!({"(": {}}),
    ]
}

const KEYWORDS: &[&str] = &[
    "type",
    "title",
    "description",
    "$comment",
    "format",
    "properties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "required",
    "items",
    "additionalProperties",
    "propertyNames",
    "not",
    "contains",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "prefixItems",
    "enum",
    "examples",
    "const",
    "default",
    "example",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "readOnly",
    "writeOnly",
    "deprecated",
    "nullable",
    "pattern",
    "$ref",
    "$schema",
    "$id",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$vocabulary",
    "$recursiveRef",
    "$recursiveAnchor",
    "id",
    "additionalItems",
    "dependencies",
    "dependentRequired",
    "patternProperties",
    "contentSchema",
    "x-other",
];

/// What plain judgement lets pass although the validator does not compile it.
fn wronged(schema: &Value) -> Option<String> {
    let error = Checker::compile(schema).err().filter(|_| is_plainly_sound(schema))?;
    Some(format!("{schema}: {error}"))
}

#[test]
fn every_keyword_with_every_value_compiles_where_it_is_plainly_sound() {
    let mut wrong = Vec::new();
    let mut sound = 0;
    for keyword in KEYWORDS.iter().copied() {
        for value in odd_values() {
            for dialect in [None, Some("http://json-schema.org/draft-07/schema#")] {
                let mut schema = json!({
                    "type": "object",
                    "properties": {"a": {"type": "array", "items": {"type": "string"}}},
                    "$defs": {"a": {"type": "object"}},
                    "anyOf": [{"required": ["a"]}],
                    "default": {"a": []},
                });
                if let Some(dialect) = dialect {
                    schema["$schema"] = json!(dialect);
                }
                let inner = json!({"type": "object", "properties": {"b": {keyword: value.clone()}}, "$defs": {"a": true}});
                schema[keyword] = value.clone();
                sound += usize::from(is_plainly_sound(&schema)) + usize::from(is_plainly_sound(&inner));
                wrong.extend([&schema, &inner].into_iter().filter_map(wronged));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(sound > 800, "only {sound} are plainly sound");
}

#[test]
fn faults_are_left_to_the_validator() {
    for faulty in [
        json!({"type": "dict"}),
        json!({"type": []}),
        json!({"properties": {"a": "string"}}),
        json!({"properties": {"a": {"required": true}}}),
        json!({"required": ["a", "a"]}),
        json!({"items": {"enum": "a"}}),
        json!({"$ref": "#/$defs/none"}),
        json!({"anyOf": []}),
        json!({"pattern": "a**"}),
        json!({"pattern": "(a"}),
        json!({"$schema": "http://example.com/schema"}),
        json!({"minLength": -1}),
    ] {
        assert!(!is_plainly_sound(&faulty), "{faulty}");
    }
}

#[test]
fn ordinary_patterns_are_known() {
    for plain in [
        "",
        "^a$",
        "^[a-zA-Z0-9_-]+$",
        r"^\d{4}-\d{2}$",
        "^(?:a|b)+$",
        r"^[A-Z][A-Z0-9_]+-\d+(?:-\d+)*$",
        r"^[\w.-]+@[a-z]{2,}$",
        "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
    ] {
        assert!(pattern::is_sound(plain), "{plain}");
    }
    for other in [
        "(",
        "a{200}{200}",
        // Neither is much alone.
        ".{200}.{200}.{200}.{200}",
        "[^a]{200}|[^b]{200}|[^c]{200}|[^d]{200}",
        "(?:[^a]{20}[^b]{20}){9}[^c]{200}[^d]{100}",
        "(a{100}){100}",
        "[z-a]",
        "[]",
        "(?<name>a)",
        "(?=a)",
        "a++",
        r"\p{L}",
        r"[\d-z]",
        "a{,2}",
    ] {
        assert!(!pattern::is_sound(other), "{other}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sound_patterns_compile(pattern in r"[ab09A\[\](){}|*+?^$\\.,:dws-]{0,14}") {
        let schema = json!({"pattern": pattern.clone()});
        prop_assert!(!pattern::is_sound(&pattern) || Checker::compile(&schema).is_ok(), "{pattern}");
    }
}

fn folder(test: &str) -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("HAFT_DATA");
    if folder.is_none() {
        assert!(std::env::var("HAFT_STRICT").as_deref() != Ok("1"), "{test}: HAFT_DATA is not set");
        eprintln!("skipped: {test}: HAFT_DATA is not set");
    }
    folder.map(Into::into)
}

/// Files of recorded schemas, one value a line or a document each.
fn recorded(test: &str) -> Option<Vec<Value>> {
    let folder = folder(test)?;
    let folder = folder.as_path();
    let suite = std::fs::read_to_string(folder.join("jsonschema/suite.jsonl")).unwrap();
    let suite = suite.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["schema"].clone());
    Some(suite.chain(tools(folder)).collect())
}

fn tools(folder: &std::path::Path) -> Vec<Value> {
    let files = std::fs::read_dir(folder.join("mcp_tools")).unwrap().map(|entry| entry.unwrap().path());
    let documents =
        files.map(|path| serde_json::from_str::<Value>(&std::fs::read_to_string(path).unwrap()).unwrap());
    documents
        .flat_map(|document| document["tools"].as_array().unwrap().clone())
        .map(|tool| tool["inputSchema"].clone())
        .collect()
}

#[test]
fn recorded_schemas_compile_where_they_are_plainly_sound() {
    let Some(schemas) = recorded("recorded_schemas_compile_where_they_are_plainly_sound") else { return };
    let wrong: Vec<String> = schemas.iter().filter_map(wronged).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn nearly_all_recorded_tools_are_plainly_sound() {
    let Some(folder) = folder("nearly_all_recorded_tools_are_plainly_sound") else { return };
    let schemas = tools(&folder);
    let others: Vec<&Value> = schemas.iter().filter(|schema| !is_plainly_sound(schema)).collect();
    assert!(others.len() * 20 < schemas.len(), "{} of {}: {others:#?}", others.len(), schemas.len());
}
