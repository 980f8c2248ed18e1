//! The places where serde and JSON Schema differ, one by one: the fast road leaves each to the complete one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::read_value;
use super::roads::Both;
use crate::InputSchema;

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Subject {
    #[schemars(range(max = 1))]
    small: Option<f32>,
    count: Option<i32>,
    name: Option<String>,
    choice: Option<Choice>,
    structure: Option<Structure>,
    #[serde(default)]
    seven: u8,
    #[serde(alias = "bb")]
    b: Option<bool>,
    #[schemars(length(min = 2, max = 3))]
    chars: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
enum Choice {
    #[serde(rename = "high")]
    High,
}

#[derive(Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
struct Structure {
    text: String,
    number: i64,
}

fn read(text: &str) -> Option<Subject> {
    InputSchema::typed::<Subject>().unwrap().read_typed(text)
}

#[test]
fn what_serde_takes_and_the_schema_does_not_is_left_to_the_complete_road() {
    for text in [
        r#"{"small":1.0000000000000002}"#,
        r#"{"structure":["text",1]}"#,
        r#"{"choice":{"high":null}}"#,
        r#"{"bb":true}"#,
        r#"{"other":1}"#,
        r#"{"name":"\ud800"}"#,
        r#"{"chars":"é"}"#,
        r#"{"chars":"éééé"}"#,
        r#"{"chars":"\u00e9"}"#,
        r#"{"name":"a","name":"b"}"#,
        r#"{"name":"a","n\u0061me":"b"}"#,
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn what_the_schema_takes_and_serde_does_not_is_left_to_the_complete_road() {
    for text in [
        r#"{"count":1.0}"#,
        r#"{"count":1e2}"#,
        r#"{"count":4294967296}"#,
        r#"{"count":18446744073709551616}"#,
        r#"{"seven":null}"#,
        r#"{"name":null}"#,
        "",
        "null",
        "{} {}",
        "{",
        "[]",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn plain_calls_are_decided_fast() {
    let text = r#" { "name" : "\u0061\n" , "count" : -3, "chars":"ééé", "choice":"high",
        "structure":{"text":"","number":9223372036854775807}, "small":0.5 } "#;
    let subject = read(text).unwrap();
    assert_eq!(subject.name.as_deref(), Some("a\n"));
    assert_eq!(subject.choice, Some(Choice::High));
    assert_eq!(subject.structure, Some(Structure { text: String::new(), number: i64::MAX }));
    assert_eq!(read(r#"{"count":-0}"#).unwrap().count, Some(0));
}

/// A value's free part keeps the JSON crate's private names from meaning anything.
#[test]
fn private_names_are_left_to_the_complete_road() {
    let both = Both::of(json!({"type": "object", "properties": {"any": {}}}), true).unwrap();
    for name in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        let text = json!({"any": {name: "1"}}).to_string();
        assert_eq!(read_value(&text, both.checks.as_ref().unwrap()), None);
    }
}

#[test]
fn defaults_are_filled() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer", "default": 4}, "b": {"type": "string", "default": 5}, "c": {"type": "string"},
    }});
    let both = Both::of(schema, true).unwrap();
    let read = |text| read_value(text, both.checks.as_ref().unwrap());
    assert_eq!(read("{}"), Some(json!({"a": 4})));
    assert_eq!(read(r#"{"a":1,"c":"x"}"#), Some(json!({"a": 1, "c": "x"})));
    assert_eq!(read("{}").as_ref(), both.complete("{}").as_ref().ok());
}

/// `if`, `not` and the like have no plan, and neither has a schema with a keyword that nobody knows.
#[test]
fn a_schema_that_is_not_understood_has_no_plan() {
    for keyword in
        ["not", "if", "dependentRequired", "propertyNames", "contains", "x-own", "unevaluatedItems"]
    {
        let value: Value = if keyword == "dependentRequired" { json!({}) } else { json!({"type": "object"}) };
        let schema = json!({"type": "object", "properties": {"a": {keyword: value}}});
        assert!(Both::of(schema, false).unwrap().checks.is_none(), "{keyword}");
    }
}

/// Schemas of which long runs found that their plans accepted too much.
#[test]
fn what_was_once_accepted_wrongly_is_left_to_the_complete_road() {
    let requiring = json!({
        "type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
        "unevaluatedProperties": false,
    });
    let branch = json!({"properties": {"b": {}}, "required": ["b", "c"], "type": "object"});
    let unlisted = json!({"type": "object", "properties": {"u": {
        "anyOf": [{"type": "object", "properties": {"d": {}}, "required": ["d"]}, branch], "unevaluatedProperties": false,
    }}});
    let older = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
        "properties": {"u": {"type": "object", "unevaluatedProperties": false}},
    });
    for (schema, text) in
        [(requiring, r#"{"a":1,"x":2}"#), (unlisted, r#"{"u":{"b":1,"c":2}}"#), (older, r#"{"u":{"a":1}}"#)]
    {
        let both = Both::of(schema, false).unwrap();
        assert_eq!(both.difference(text), None);
    }
}
