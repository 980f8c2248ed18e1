//! Schemas of Rust types: what is published, and that every value the type takes is accepted.
#![allow(dead_code)]

use std::collections::BTreeMap;

use haft_core::{InputSchema, Leniency, OutputSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

fn published<T: JsonSchema>() -> Value {
    InputSchema::typed::<T>().expect("a valid schema").published().clone()
}

fn accepts<T: JsonSchema>(text: &str) -> bool {
    let schema = InputSchema::typed::<T>().expect("a valid schema");
    schema.judge(text, &Leniency::default()).verdict.is_ok()
}

#[derive(JsonSchema, Deserialize, Serialize)]
struct Place {
    /// City, in English.
    city: String,
    zip: Option<u32>,
}

#[derive(JsonSchema, Deserialize)]
struct Forecast {
    place: Place,
    other: Option<Place>,
    #[schemars(range(min = 1, max = 14))]
    days: Option<u8>,
    #[serde(default)]
    tags: Vec<Option<String>>,
    #[serde(default = "celsius")]
    unit: Option<String>,
}

#[expect(clippy::unnecessary_wraps, reason = "serde wants the field's type")]
fn celsius() -> Option<String> {
    Some("c".to_owned())
}

#[test]
fn structs_are_closed_and_options_plain() {
    assert_eq!(
        published::<Forecast>(),
        json!({
            "type": "object",
            "properties": {
                "place": {"$ref": "#/$defs/Place"},
                "other": {"$ref": "#/$defs/Place"},
                "days": {"type": "integer", "minimum": 1, "maximum": 14},
                "tags": {"type": "array", "items": {"type": ["string", "null"]}, "default": []},
                // Leaving it out means "c", null means none: both stay sayable.
                "unit": {"type": ["string", "null"], "default": "c"},
            },
            "required": ["place"],
            "additionalProperties": false,
            "$defs": {"Place": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "City, in English."},
                    "zip": {"type": "integer", "minimum": 0},
                },
                "required": ["city"],
                "additionalProperties": false,
            }},
        })
    );
    let schema = InputSchema::typed::<Forecast>().expect("a valid schema");
    assert_eq!(schema.fields(), ["place", "days", "other", "tags", "unit"]);
    let judgement =
        schema.judge(r#"{"place":{"city":"Oslo","zip":null},"other":null}"#, &Leniency::default());
    assert_eq!(judgement.verdict, Ok(json!({"place": {"city": "Oslo"}, "tags": [], "unit": "c"})));
    assert!(!accepts::<Forecast>(r#"{"place":{"city":"Oslo","town":1}}"#));
    assert!(!accepts::<Forecast>(r#"{"place":{"city":"Oslo"},"days":15}"#));
}

#[derive(JsonSchema, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    Circle { radius: f64 },
    At(Place),
    Nothing,
}

#[derive(JsonSchema, Deserialize)]
struct Drawing {
    shape: Shape,
    plain: Place,
}

/// A definition that is a part of a tagged enum and stands alone too is there twice: open and closed.
#[test]
fn tagged_enums_are_closed_outside() {
    let schema = published::<Drawing>();
    let shape = &schema["$defs"]["Shape"];
    assert_eq!(shape["unevaluatedProperties"], json!(false));
    assert_eq!(schema["$defs"]["Place"]["additionalProperties"], json!(false));
    assert_eq!(schema["$defs"]["Place-open"].get("additionalProperties"), None);
    let drawing = |shape: &str| format!(r#"{{"shape":{shape},"plain":{{"city":"Oslo"}}}}"#);
    for (shape, accepted) in [
        (r#"{"kind":"circle","radius":1}"#, true),
        (r#"{"kind":"at","city":"Oslo","zip":null}"#, true),
        (r#"{"kind":"nothing"}"#, true),
        (r#"{"kind":"circle","radius":1,"city":"Oslo"}"#, false),
        (r#"{"kind":"at","city":"Oslo","town":"x"}"#, false),
        (r#"{"kind":"square"}"#, false),
    ] {
        assert_eq!(accepts::<Drawing>(&drawing(shape)), accepted, "{shape}");
    }
    let schema = InputSchema::typed::<Drawing>().expect("a valid schema");
    let refused =
        schema.judge(&drawing(r#"{"kind":"square"}"#), &Leniency::default()).verdict.expect_err("refused");
    assert_eq!(refused.issues[0].expected, r#"one of "circle", "at", "nothing""#);
    assert_eq!(refused.issues[0].path, "/shape/kind");
    assert_eq!(refused.issues.len(), 1, "{refused:?}");
}

#[derive(JsonSchema, Deserialize)]
enum Amount {
    Cents(u64),
    Split { parts: Vec<u64> },
}

#[derive(JsonSchema, Deserialize)]
struct Payment {
    note: String,
    #[serde(flatten)]
    amount: Amount,
    #[serde(flatten)]
    place: Place,
}

#[test]
fn flattened_types_take_what_their_parts_list() {
    assert!(accepts::<Payment>(r#"{"note":"n","Cents":5,"city":"Oslo"}"#));
    assert!(accepts::<Payment>(r#"{"note":"n","Split":{"parts":[1]},"city":"Oslo","zip":1}"#));
    assert!(!accepts::<Payment>(r#"{"note":"n","Cents":5,"city":"Oslo","town":"x"}"#));
    assert!(!accepts::<Payment>(r#"{"note":"n","Split":{"parts":[1],"x":1},"city":"Oslo"}"#));
}

#[derive(JsonSchema, Deserialize)]
#[serde(untagged)]
enum Target {
    Id(u64),
    Named { name: String },
    Full { name: String, host: Place },
}

#[derive(JsonSchema, Deserialize)]
struct Tree {
    label: String,
    target: Option<Target>,
    #[serde(default)]
    children: Vec<Tree>,
    limits: BTreeMap<String, Option<u32>>,
    anything: Value,
}

#[test]
fn recursion_unions_and_maps() {
    let tree = |target: &str, children: &str| {
        format!(
            r#"{{"label":"l","target":{target},"children":{children},"limits":{{"a":null,"b":1}},"anything":null}}"#
        )
    };
    assert!(accepts::<Tree>(&tree("3", &format!("[{}]", tree("null", "[]")))));
    assert!(accepts::<Tree>(&tree(r#"{"name":"n","host":{"city":"Oslo"}}"#, "[]")));
    assert!(!accepts::<Tree>(&tree(r#"{"name":"n","hosts":{}}"#, "[]")));
    assert!(!accepts::<Tree>(&tree("3", &format!("[{}]", tree("null", r#"[{"x":1}]"#)))));
}

#[derive(JsonSchema, Deserialize)]
struct Nothing;

#[derive(JsonSchema, Deserialize)]
struct Bare {}

#[test]
fn types_without_content_take_no_arguments() {
    for schema in [published::<()>(), published::<Nothing>(), published::<Bare>()] {
        assert_eq!(schema["type"], json!("object"));
        assert_eq!(schema["properties"], json!({}));
        assert_eq!(schema["additionalProperties"], json!(false));
    }
    assert_eq!(InputSchema::typed::<()>().expect("valid"), InputSchema::empty());
    for code in [InputSchema::typed::<String>(), InputSchema::typed::<Vec<u8>>()] {
        assert_eq!(code.expect_err("not an object").code(), 2022);
    }
}

#[derive(JsonSchema, Serialize)]
struct Report {
    at: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[test]
fn output_follows_what_is_serialised() {
    let schema = OutputSchema::typed::<Report>().expect("a valid schema");
    assert_eq!(schema.published()["required"], json!(["at"]));
    assert!(schema.check(&json!({"at": null})).is_empty());
    assert!(schema.check(&json!({"at": {"city": "Oslo", "zip": 1}, "more": 1})).is_empty());
    let issues = schema.check(&json!({"at": {"city": 1, "zip": null}}));
    assert_eq!(issues.iter().map(|issue| issue.path.as_str()).collect::<Vec<_>>(), ["/at/city"]);
}
