//! Where schemas are closed, what unknown fields are, and which defaults are filled.

use haft_core::{InputSchema, Leniency, OutputSchema, UnknownFields};
use serde_json::{Value, json};

fn published(schema: Value) -> Value {
    InputSchema::local(schema).expect("a valid schema").published().clone()
}

fn remote(schema: &Value) -> InputSchema {
    InputSchema::remote(schema.clone()).expect("a valid schema")
}

fn accepts(schema: &InputSchema, value: &Value) -> bool {
    schema.judge(&value.to_string(), &Leniency::default()).verdict.is_ok()
}

#[test]
fn one_place_is_closed_there() {
    let schema = json!({"type": "object", "properties": {
        "o": {"type": "object", "properties": {"a": {"type": "string"}}},
        "list": {"type": "array", "items": {"properties": {"b": {}}}},
        "map": {"type": "object", "additionalProperties": {"properties": {"c": {}}}},
        "free": {"type": "object"}, "said": {"properties": {"d": {}}, "additionalProperties": true},
        "pattern": {"properties": {"e": {}}, "patternProperties": {"^x-": {}}},
        "empty": {"type": "object", "properties": {}},
    }});
    assert_eq!(
        published(schema),
        json!({"type": "object", "additionalProperties": false, "properties": {
            "o": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false},
            "list": {"type": "array", "items": {"properties": {"b": {}}, "additionalProperties": false}},
            "map": {"type": "object", "additionalProperties": {"properties": {"c": {}}, "additionalProperties": false}},
            "free": {"type": "object"}, "said": {"properties": {"d": {}}, "additionalProperties": true},
            "pattern": {"properties": {"e": {}}, "patternProperties": {"^x-": {}}},
            "empty": {"type": "object", "properties": {}, "additionalProperties": false},
        }})
    );
}

/// A composed object is closed once, outside; a definition that serves alone too is there closed and open.
#[test]
fn composed_objects_are_closed_outside() {
    let schema = json!({"type": "object", "$defs": {
        "Base": {"type": "object", "properties": {"id": {"type": "integer"}, "in": {"properties": {"x": {}}}}},
        "Only": {"properties": {"only": {}}},
    }, "properties": {
        "alone": {"$ref": "#/$defs/Base", "description": "alone"},
        "more": {"$ref": "#/$defs/Base", "properties": {"more": {}}},
        "either": {"anyOf": [{"$ref": "#/$defs/Only"}, {"type": "object", "properties": {"other": {}}}, {"type": "null"}]},
        "tested": {"properties": {"k": {}}, "if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {"v": {}}}},
        "not": {"not": {"properties": {"n": {"properties": {"m": false}}}}},
    }});
    assert_eq!(
        published(schema.clone()),
        json!({"type": "object", "$defs": {
            "Base": {"type": "object", "properties": {"id": {"type": "integer"}, "in": {"properties": {"x": {}}, "additionalProperties": false}}, "additionalProperties": false},
            "Base-open": {"type": "object", "properties": {"id": {"type": "integer"}, "in": {"properties": {"x": {}}, "additionalProperties": false}}},
            "Only": {"properties": {"only": {}}},
        }, "properties": {
            "alone": {"$ref": "#/$defs/Base", "description": "alone"},
            "more": {"$ref": "#/$defs/Base-open", "properties": {"more": {}}, "unevaluatedProperties": false},
            "either": {"anyOf": [{"$ref": "#/$defs/Only"}, {"type": "object", "properties": {"other": {}}}, {"type": "null"}], "unevaluatedProperties": false},
            "tested": {"properties": {"k": {}}, "if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {"v": {}}}, "unevaluatedProperties": false},
            "not": {"not": {"properties": {"n": {"properties": {"m": false}}}}},
        }, "additionalProperties": false})
    );
    let local = InputSchema::local(schema).expect("a valid schema");
    for (value, accepted) in [
        (json!({"alone": {"id": 1}}), true),
        (json!({"alone": {"id": 1, "more": 1}}), false),
        (json!({"more": {"id": 1, "more": 1, "in": {"x": 1}}}), true),
        (json!({"more": {"id": 1, "less": 1}}), false),
        (json!({"more": {"in": {"y": 1}}}), false),
        (json!({"either": {"only": 1}}), true),
        (json!({"either": null}), true),
        (json!({"either": {"neither": 1}}), false),
        (json!({"tested": {"k": 1, "v": 1}}), true),
        (json!({"tested": {"k": 2, "v": 1}}), false),
    ] {
        assert_eq!(accepts(&local, &value), accepted, "{value}");
    }
}

/// Dialects that cannot see what parts list get the names listed once more, outside.
#[test]
fn older_dialects_are_closed_by_listing() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"o": {
        "allOf": [{"$ref": "#/definitions/B"}], "properties": {"a": {"type": "integer"}},
    }}, "definitions": {"B": {"properties": {"b": {"type": "string"}}}}});
    let made = published(schema);
    assert_eq!(made["properties"]["o"]["additionalProperties"], json!(false));
    assert_eq!(made["properties"]["o"]["properties"], json!({"a": {"type": "integer"}, "b": {}}));
    assert_eq!(made["definitions"]["B"], json!({"properties": {"b": {"type": "string"}}}));
    let own = OutputSchema::new(made).expect("a valid schema");
    assert!(own.check(&json!({"o": {"a": 1, "b": "x"}})).is_empty());
    assert!(!own.check(&json!({"o": {"a": 1, "b": 1}})).is_empty());
    assert!(!own.check(&json!({"o": {"a": 1, "c": 1}})).is_empty());
}

/// Two parts that describe the same object must not close it against each other.
#[test]
fn parts_that_share_an_object_leave_it_open() {
    let schema = json!({"type": "object", "allOf": [
        {"properties": {"o": {"properties": {"a": {"type": "integer"}}}}},
        {"properties": {"o": {"properties": {"b": {"type": "integer"}}}}},
    ]});
    for made in [remote(&schema), InputSchema::local(schema).expect("a valid schema")] {
        assert!(accepts(&made, &json!({"o": {"a": 1, "b": 2}})));
        assert!(!accepts(&made, &json!({"o": {"a": 1, "b": "x"}})));
        assert!(!accepts(&made, &json!({"o": {"a": 1, "c": 2}})));
        assert!(!accepts(&made, &json!({"p": 1})));
    }
}

/// A recursive root that is extended somewhere gets an open copy of itself.
#[test]
fn a_root_can_be_a_part() {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "child": {"$ref": "#", "properties": {"extra": {}}}, "plain": {"$ref": "#"},
    }});
    let made = InputSchema::local(schema).expect("a valid schema");
    assert!(accepts(&made, &json!({"name": "a", "child": {"name": "b", "extra": 1, "child": {"extra": 2}}})));
    assert!(!accepts(&made, &json!({"plain": {"extra": 1}})));
    assert!(!accepts(&made, &json!({"child": {"other": 1}})));
}

/// For schemas from elsewhere a field is unknown when no part lists it, in every dialect, and only where all are silent.
#[test]
fn remote_fields_are_unknown_where_no_part_lists_them() {
    for dialect in ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"] {
        let uri = match dialect {
            "2020-12" | "2019-09" => format!("https://json-schema.org/draft/{dialect}/schema"),
            _ => format!("http://json-schema.org/{dialect}/schema#"),
        };
        let schema = json!({"$schema": uri, "type": "object", "definitions": {"D": {"properties": {"d": {}}}},
            "properties": {"a": {}, "o": {"allOf": [{"$ref": "#/definitions/D"}], "properties": {"e": {}}},
                "said": {"properties": {"x": {}}, "anyOf": [{"additionalProperties": {"type": "integer"}}]}},
            "anyOf": [{"properties": {"b": {"type": "string"}}}, {"properties": {"c": {}}, "required": ["c"]}]});
        let made = remote(&schema);
        assert_eq!(made.published(), &schema);
        for (value, accepted) in [
            (json!({"a": 1, "b": "x", "c": 2}), true),
            // Listed by a part that does not hold here: the schema allows it, so it is not unknown.
            (json!({"b": 1, "c": 2}), true),
            (json!({"d": 1}), false),
            (json!({"d": null}), false),
            (json!({"o": {"d": 1, "e": 2}}), true),
            (json!({"o": {"f": 1}}), false),
            (json!({"said": {"y": 1}}), true),
            (json!({"said": {"y": "s"}}), false),
        ] {
            assert_eq!(accepts(&made, &value), accepted, "{dialect} {value}");
        }
        let as_schema = Leniency::default().with_unknown_fields(UnknownFields::AsSchema);
        assert!(made.judge(r#"{"d":1,"o":{"f":1}}"#, &as_schema).verdict.is_ok());
    }
}

/// Null is dropped by the branch that applies, where one property tells which that is.
#[test]
fn null_follows_the_branch_that_applies() {
    let schema = json!({"type": "object", "properties": {"shape": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "string"}}, "required": ["kind"]},
        {"type": "object", "properties": {"kind": {"const": "b"}, "x": {"type": ["string", "null"]}}, "required": ["kind"]},
    ]}}});
    for made in [remote(&schema), InputSchema::local(schema).expect("a valid schema")] {
        let effective = |kind: &str| {
            let text = format!(r#"{{"shape":{{"kind":"{kind}","x":null}}}}"#);
            made.judge(&text, &Leniency::default()).verdict.expect("accepted")
        };
        assert_eq!(effective("a"), json!({"shape": {"kind": "a"}}));
        assert_eq!(effective("b"), json!({"shape": {"kind": "b", "x": null}}));
    }
}

#[test]
fn valid_defaults_are_filled_for_tools_made_here() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer", "default": 5}, "wrong": {"type": "integer", "default": "x"},
        "null": {"type": "string", "default": null}, "nullable": {"type": ["string", "null"], "default": null},
        "o": {"type": "object", "properties": {"p": {"type": "boolean", "default": true}}, "default": {}},
        "q": {"type": "object", "properties": {"r": {"enum": ["a", "b"], "default": "a"}}},
        "ref": {"$ref": "#/$defs/R", "default": 3},
    }, "$defs": {"R": {"type": "integer", "maximum": 4}}});
    let local = InputSchema::local(schema.clone()).expect("a valid schema");
    let effective =
        |made: &InputSchema, text: &str| made.judge(text, &Leniency::default()).verdict.expect("accepted");
    assert_eq!(
        effective(&local, r#"{"q":{}}"#),
        json!({
            "n": 5, "nullable": null, "o": {"p": true}, "q": {"r": "a"}, "ref": 3,
        })
    );
    assert_eq!(
        effective(&local, r#"{"n":null,"o":{"p":false},"ref":4,"nullable":"x"}"#),
        json!({
            "n": 5, "nullable": "x", "o": {"p": false}, "ref": 4,
        })
    );
    assert_eq!(effective(&remote(&schema), r#"{"q":{}}"#), json!({"q": {}}));
}

#[test]
fn messages_name_the_place() {
    let schema = json!({"type": "object", "required": ["to"], "properties": {
        "to": {"type": "object", "required": ["zip_code"], "properties": {
            "city_name": {"type": "string"}, "zip_code": {"type": "string", "pattern": "^[0-9]+$"}}},
        "items": {"type": "array", "items": {"anyOf": [
            {"type": "object", "properties": {"sku": {"type": "string"}, "count": {"type": "integer", "minimum": 1}}, "required": ["sku"]},
            {"type": "string"}]}},
        "when": {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["now", "later"]}]},
        "none": false,
    }});
    let made = remote(&schema);
    let issues = |text: &str| made.judge(text, &Leniency::default()).verdict.expect_err("refused").issues;
    let issues = issues(
        r#"{"to":{"cityname":"Oslo"},"items":[{"sku":"a","count":0},3],"when":"soon","none":1,"CITY":null}"#,
    );
    let told: Vec<_> = issues.iter().map(|issue| serde_json::to_string(issue).expect("serialises")).collect();
    insta::assert_debug_snapshot!(told, @r###"
    [
        "{\"path\":\"/CITY\",\"expected\":\"one of the fields `items`, `none`, `to`, `when`\",\"got\":\"null\",\"message\":\"unknown field `CITY`; the fields are `items`, `none`, `to`, `when`\"}",
        "{\"path\":\"/to/cityname\",\"expected\":\"one of the fields `city_name`, `zip_code`\",\"got\":\"\\\"Oslo\\\"\",\"message\":\"unknown field `cityname` in `to`; did you mean `city_name`?\"}",
        "{\"path\":\"/to/zip_code\",\"expected\":\"string matching `^[0-9]+$`\",\"got\":\"nothing\",\"message\":\"missing field `zip_code` in `to`: expected string matching `^[0-9]+$`\"}",
        "{\"path\":\"/items/0/count\",\"expected\":\"integer ≥ 1\",\"got\":\"0\",\"message\":\"items.0.count: expected integer ≥ 1, got 0\"}",
        "{\"path\":\"/items/1\",\"expected\":\"object with `sku` or string\",\"got\":\"3\",\"message\":\"items.1: expected object with `sku` or string, got 3\"}",
        "{\"path\":\"/none\",\"expected\":\"no value\",\"got\":\"1\",\"message\":\"none: expected no value, got 1\"}",
        "{\"path\":\"/when\",\"expected\":\"integer ≥ 0 or one of \\\"now\\\", \\\"later\\\"\",\"got\":\"\\\"soon\\\"\",\"message\":\"when: expected integer ≥ 0 or one of \\\"now\\\", \\\"later\\\", got \\\"soon\\\"\"}",
    ]
    "###);
}
