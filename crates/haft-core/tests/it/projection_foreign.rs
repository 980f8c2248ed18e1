//! Schemas as other tools and servers write them: what is plainly meant holds, and no provider gets what it refuses.

use haft_core::{InputSchema, Leniency, Profile, Projected, Projection, ProjectionError};
use serde_json::{Value, json};

/// Every form in which JSON Schema itself is sent.
fn forms(schema: &Value) -> Vec<(String, Result<Projected, ProjectionError>)> {
    let projections = Projection::ALL.into_iter().map(|one| (one.to_string(), one.schema(schema)));
    let profiles = Profile::ALL.into_iter().map(|one| (one.to_string(), one.schema(schema)));
    projections.chain(profiles).collect()
}

fn with(property: &Value) -> Value {
    json!({"type": "object", "properties": {"a": property}})
}

/// Every reference of a schema, with its place.
fn references(schema: &Value, found: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

fn percent_decoded(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(digits, 16).expect("two digits"));
        bytes.extend(rest.bytes());
    }
    String::from_utf8(bytes).expect("text")
}

/// Schemas whose property `a` is a text of at most 3 characters, wherever that stands.
fn of_short_texts() -> Vec<Value> {
    let of = |reference: &str, more: Value| {
        let mut schema = json!({"type": "object", "properties": {
            "a": {"$ref": reference},
            "own": {"type": "object", "properties": {"deep": {"type": "string", "maxLength": 3}}},
        }});
        schema.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        schema
    };
    let text = json!({"type": "string", "maxLength": 3});
    vec![
        of("#/$defs/A", json!({"$defs": {"A": text}})),
        of("#/definitions/A", json!({"definitions": {"A": text}})),
        // Where other documents keep them.
        of("#/components/schemas/A", json!({"components": {"schemas": {"A": text}}})),
        of(
            "#/components/schemas/B",
            json!({"components": {"schemas": {"A": text, "B": {"$ref": "#/components/schemas/A"}}}}),
        ),
        of("#/schemas/A", json!({"schemas": {"A": text}, "$defs": {"A": {"type": "integer"}}})),
        of("#/properties/own/properties/deep", json!({})),
        of("#/$defs/A/properties/x", json!({"$defs": {"A": {"type": "object", "properties": {"x": text}}}})),
        of("#/allOf/0/properties/x", json!({"allOf": [{"properties": {"x": text}}]})),
        of(
            "#/properties/list/items/1",
            json!({
                "$schema": "http://json-schema.org/draft-07/schema#",
                "properties": {"a": {"$ref": "#/properties/list/items/1"}, "list": {"type": "array", "items": [{"type": "integer"}, text]}},
            }),
        ),
        of("#text", json!({"$defs": {"A": {"$anchor": "text", "type": "string", "maxLength": 3}}})),
        of(
            "https://example.com/tool#/$defs/A",
            json!({"$id": "https://example.com/tool", "$defs": {"A": text}}),
        ),
        of(
            "text.json",
            json!({"$defs": {"A": {"$id": "text.json", "$ref": "#/$defs/B", "$defs": {"B": text}}}}),
        ),
        // Names of generic types, and names that no URI may hold.
        of("#/$defs/List<String>", json!({"$defs": {"List<String>": text}})),
        of("#/$defs/List%3CString%3E", json!({"$defs": {"List<String>": text}})),
        of("#/$defs/A[B, C]", json!({"$defs": {"A[B, C]": text}})),
        of("#/$defs/A|B{C}^", json!({"$defs": {"A|B{C}^": text}})),
        of("#/$defs/Größe", json!({"$defs": {"Größe": text}})),
        of("#/$defs/a~1b", json!({"$defs": {"a/b": text}})),
        of("#/$defs/100%", json!({"$defs": {"100%": text}})),
        of("#/$defs/A%20B", json!({"$defs": {"A%20B": text}})),
        // The other name of the table, and a table that was nested.
        of("#/definitions/A", json!({"$defs": {"A": text}})),
        of("#/$defs/A", json!({"definitions": {"A": text}})),
        of("#/$defs/A", json!({"properties": {"a": {"$ref": "#/$defs/A", "$defs": {"A": text}}}})),
        of(
            "#/$defs/A",
            json!({"properties": {
                "a": {"anyOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": {"$ref": "#/$defs/B"}, "B": text}},
            }}),
        ),
    ]
}

/// Wherever a definition stands and whatever its name holds, what is sent refers to what is sent as well, by a URI.
#[test]
fn references_lead_to_definitions_that_are_sent() {
    for schema in of_short_texts() {
        for (form, projected) in forms(&schema) {
            let value = match projected {
                Ok(projected) => projected.value,
                // A tuple has no short form.
                Err(error) if form == "lean" && error.pointer == "/properties/list" => continue,
                Err(error) => panic!("{schema}: {error}"),
            };
            let mut found = Vec::new();
            references(&value, &mut found);
            for reference in found {
                let path = reference.strip_prefix('#').expect("a reference inside the schema");
                assert!(
                    path.is_ascii() && !path.contains(['<', '>', '[', ']', '{', '}', '|', '^', ' ']),
                    "{reference}"
                );
                let at = percent_decoded(path);
                let table = at.split('/').nth(1).unwrap_or_default();
                assert!(
                    at.is_empty() || ["$defs", "definitions"].contains(&table),
                    "{form}: {reference} of {schema}"
                );
                assert!(value.pointer(&at).is_some(), "{form}: {reference} leads nowhere in {value}");
            }
            if form != "lean" {
                assert!(
                    value.to_string().contains("maxLength") || value.to_string().contains("At most 3"),
                    "{form}: {value}"
                );
            }
        }
        let input = InputSchema::remote(schema.clone()).unwrap_or_else(|error| panic!("{schema}: {error}"));
        for (arguments, valid) in [(r#"{"a": "abc"}"#, true), (r#"{"a": "abcd"}"#, false)] {
            assert_eq!(input.judge(arguments, &Leniency::default()).verdict.is_ok(), valid, "{schema}");
        }
    }
}

/// A reference that leads nowhere is refused with its place, whatever it holds.
#[test]
fn references_to_nothing_are_named() {
    for reference in ["#/$defs/B", "#/$defs/B<C>", "#/components/schemas/B", "#nothing", "#/$defs"] {
        let schema = json!({"type": "object", "properties": {"a": {"$ref": reference}}, "$defs2": {"A": {}}});
        for (form, projected) in forms(&schema) {
            let error = projected.expect_err("it leads nowhere");
            assert_eq!(error.pointer, "/properties/a/$ref", "{form}: {error}");
        }
    }
}

/// Servers without backtracking refuse the whole request for one such expression; it still holds at a call.
#[test]
fn expressions_that_look_around_are_told_in_words() {
    for (expression, stays) in [
        (r"^(?!\.)[a-z.]+$", false),
        (r"^(?=.*\S)[^\x00-\x1f]+$", false),
        (r"(?<=a)b", false),
        (r"^(a|b)\1$", false),
        (r"^(?:a|b)[(?=]+\(?=$", true),
        (r"^[\w.-]+$", true),
    ] {
        let schema = with(&json!({"type": "string", "pattern": expression, "description": "A name"}));
        for (form, projected) in forms(&schema) {
            let value = projected.expect("it projects").value;
            let property = &value["properties"]["a"];
            let takes = matches!(form.as_str(), "mcp" | "anthropic" | "gemini") || stays;
            let sent = property.get("pattern").and_then(Value::as_str) == Some(expression);
            assert_eq!(sent, takes && form != "lean", "{form}: {property}");
            let told = property["description"].as_str().is_some_and(|text| text.contains(expression));
            assert_eq!(told, !sent && form != "lean", "{form}: {property}");
        }
    }
    let by_name = with(&json!({
        "type": "object", "patternProperties": {"^(?!x)": {"type": "string"}, "^y": {}}, "additionalProperties": false,
    }));
    let value = Projection::OpenAi.schema(&by_name).expect("it projects").value;
    assert_eq!(value["properties"]["a"].get("additionalProperties"), None, "{value}");
    assert_eq!(value["properties"]["a"].get("patternProperties"), None, "{value}");
}

/// A property schema as written, what is meant by it, values that match and values that do not.
type Meant = (Value, Value, Vec<Value>, Vec<Value>);

fn meant() -> Vec<Meant> {
    let reference = json!({"$ref": "#/$defs/E"});
    vec![
        // OpenAPI 3.0.
        (
            json!({"type": "string", "nullable": true}),
            json!({"type": ["string", "null"]}),
            vec![json!("x"), json!(null)],
            vec![json!(1)],
        ),
        (
            json!({"type": "string", "enum": ["x"], "nullable": true}),
            json!({"type": ["string", "null"], "enum": ["x", null]}),
            vec![json!("x"), json!(null)],
            vec![json!("y")],
        ),
        (
            json!({"allOf": [reference], "nullable": true, "description": "One."}),
            json!({"anyOf": [{"allOf": [reference]}, {"type": "null"}], "description": "One."}),
            vec![json!("e"), json!(null)],
            vec![json!("f")],
        ),
        (
            json!({"$ref": "#/$defs/E", "nullable": true}),
            json!({"anyOf": [reference, {"type": "null"}]}),
            vec![json!("e"), json!(null)],
            vec![json!("f")],
        ),
        (
            json!({"type": "array", "items": {"type": "integer", "nullable": true}}),
            json!({"type": "array", "items": {"type": ["integer", "null"]}}),
            vec![json!([1, null])],
            vec![json!(["x"])],
        ),
        (
            json!({"type": "string", "nullable": false}),
            json!({"type": "string"}),
            vec![json!("x")],
            vec![json!(1)],
        ),
        // Lists that name something twice.
        (
            json!({"enum": ["x", "y", "x"]}),
            json!({"enum": ["x", "y"]}),
            vec![json!("x"), json!("y")],
            vec![json!("z")],
        ),
        (
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b", "b"]}),
            json!({"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}),
            vec![json!({"b": "x"})],
            vec![json!({})],
        ),
        // Choices beside a type that they are not of.
        (
            json!({"type": "string", "enum": ["x", null, 1]}),
            json!({"type": "string", "enum": ["x"]}),
            vec![json!("x")],
            vec![json!(null), json!(1)],
        ),
        (
            json!({"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null", "enum": ["x"]}]}),
            json!({"anyOf": [{"type": "string", "enum": ["x"]}, {"type": "null"}]}),
            vec![json!("x"), json!(null)],
            vec![json!("y")],
        ),
        // Expressions of other engines.
        (
            json!({"type": "string", "pattern": r"^[\w-.]+@[\w-.]+\Z"}),
            json!({"type": "string", "pattern": r"^[\w\-.]+@[\w\-.]+$"}),
            vec![json!("a-b@c.d")],
            vec![json!("a b@c"), json!("a@b\n")],
        ),
        (
            json!({"type": "object", "patternProperties": {r"^{[\w-.]}$": {"type": "string"}}}),
            json!({"type": "object", "patternProperties": {r"^\{[\w\-.]}$": {"type": "string"}}}),
            vec![json!({"{-}": "x"})],
            vec![json!({"{-}": 1})],
        ),
    ]
}

/// What other tools write and plainly mean is judged as meant, and sent as JSON Schema.
#[test]
fn what_is_plainly_meant_holds() {
    for (written, meant, valid, invalid) in meant() {
        let definitions = json!({"E": {"type": "string", "enum": ["e"]}});
        let whole = |property: &Value| json!({"type": "object", "properties": {"a": property}, "required": ["a"], "$defs": definitions});
        let projected =
            Projection::Mcp.schema(&whole(&written)).unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(projected.value["properties"]["a"], meant, "{written}");
        assert!(!projected.report.is_empty(), "{written}: the mend is told");
        let input = InputSchema::remote(whole(&written)).unwrap_or_else(|error| panic!("{written}: {error}"));
        let judged = |value: &Value| input.judge(&json!({"a": value}).to_string(), &Leniency::none()).verdict;
        for value in valid {
            assert!(judged(&value).is_ok(), "{written} takes {value}: {:?}", judged(&value));
        }
        for value in invalid {
            assert!(judged(&value).is_err(), "{written} does not take {value}");
        }
        for (form, projected) in forms(&whole(&written)) {
            assert!(projected.is_ok() || form == "lean", "{form}: {written}");
        }
    }
    let elsewhere = json!({
        "type": "object", "properties": {"a": {"$ref": "#/components/schemas/E"}}, "required": ["a"],
        "components": {"schemas": {"E": {"type": "str", "nullable": true}}},
    });
    let input =
        InputSchema::remote(elsewhere).expect("types of other languages are understood there as well");
    assert!(input.judge(r#"{"a": null}"#, &Leniency::none()).verdict.is_ok());
    assert!(input.judge(r#"{"a": 1}"#, &Leniency::none()).verdict.is_err());
    let old = json!({
        "$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"a": {}}, "required": [],
    });
    assert!(InputSchema::remote(old).is_ok(), "an empty list of draft 4");
}

/// Arguments are one object: a root that says otherwise is refused for every provider, one that says it among others is
/// that object.
#[test]
fn the_root_is_an_object_or_nothing() {
    for (schema, pointer) in [
        (json!({"type": "string"}), "/type"),
        (json!({"type": "array", "items": {}}), "/type"),
        (json!({"type": ["string", "null"]}), "/type"),
        (json!(false), ""),
        (json!("object"), ""),
    ] {
        for (form, projected) in forms(&schema) {
            let error = projected.expect_err("it is no object");
            assert_eq!(error.pointer, pointer, "{form}: {error}");
            assert!(error.to_string().contains("arguments are always one object"), "{form}: {error}");
            assert!(!error.to_string().contains("``"), "{form}: {error}");
        }
    }
    for schema in
        [json!(true), json!(null), json!({}), json!({"type": ["object", "null"]}), json!({"nullable": true})]
    {
        for (form, projected) in forms(&schema) {
            let value = projected.unwrap_or_else(|error| panic!("{form}: {schema}: {error}")).value;
            assert_eq!(value["type"], "object", "{form}: {schema}");
            assert_eq!(value.get("nullable"), None, "{form}: {schema}");
        }
    }
}

/// A list without choices is refused by servers; that nothing is accepted shows at a call.
#[test]
fn no_list_of_choices_is_sent_empty() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "enum": []}, "b": {"type": "string"}}});
    for (form, projected) in forms(&schema).into_iter().filter(|(form, _)| form != "mcp") {
        let text = projected.expect("it projects").value.to_string();
        assert!(!text.contains(r#""enum":[]"#), "{form}: {text}");
    }
}

/// Draft 4 wrote exclusive bounds as booleans: every form has them as numbers, or says them.
#[test]
fn exclusive_bounds_of_draft_4_are_numbers() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#", "type": "object",
        "properties": {
            "a": {"type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": true},
            "b": {"type": "number", "minimum": 0, "exclusiveMinimum": false},
        },
    });
    for (form, projected) in forms(&schema).into_iter().filter(|(form, _)| form != "mcp" && form != "lean") {
        let value = projected.unwrap_or_else(|error| panic!("{form}: {error}")).value;
        let (a, b) = (&value["properties"]["a"], &value["properties"]["b"]);
        if form == "gemini" {
            assert_eq!(a["description"], "Less than 9. More than 0.");
        } else {
            assert_eq!(
                (&a["exclusiveMinimum"], &a["exclusiveMaximum"]),
                (&json!(0), &json!(9)),
                "{form}: {a}"
            );
        }
        assert_eq!((a.get("minimum"), a.get("maximum")), (None, None), "{form}: {a}");
        assert_eq!((&b["minimum"], b.get("exclusiveMinimum")), (&json!(0), None), "{form}: {b}");
    }
}
