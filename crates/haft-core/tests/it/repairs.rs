//! Repairs of what models are known to send: the kinds of faults, and what is refused all the same.

use haft_core::{InputSchema, Leniency, RefusalReason, RepairRule};
use serde_json::{Value, json};

/// Both kinds of schema: the ones made here and the ones from elsewhere.
fn both(schema: &Value) -> [InputSchema; 2] {
    [
        InputSchema::local(schema.clone()).expect("a valid schema"),
        InputSchema::remote(schema.clone()).expect("a valid schema"),
    ]
}

type Repaired<'a> = &'a [(&'a str, &'a str)];

/// `sent` is repaired to `wanted` by these rules at these places, and by nothing less.
#[track_caller]
fn repaired(schema: &Value, sent: &str, wanted: &Value, by: Repaired<'_>) {
    for schema in both(schema) {
        let judgement = schema.judge(sent, &Leniency::default());
        assert_eq!(judgement.verdict.as_ref(), Ok(wanted), "{sent}");
        let mut made: Vec<_> = judgement.repaired.iter().map(|repair| (repair.rule, &*repair.path)).collect();
        made.sort_unstable();
        assert_eq!(made, by, "{sent}");

        let strict = schema.judge(sent, &Leniency::strict());
        assert!(strict.verdict.is_err(), "{sent} needs no repair");
        for rule in RepairRule::ALL {
            let without = schema.judge(sent, &Leniency::default().with_repair(rule, false));
            let made = by.iter().any(|(made, _)| *made == rule.as_str());
            assert_eq!(without.verdict.is_err(), made, "{sent} without {rule}");
            if made {
                assert_eq!(without, strict, "{sent} without {rule}: the issues are those of what was sent");
            }
        }
        let again = schema.judge(&wanted.to_string(), &Leniency::default());
        assert_eq!((again.verdict.as_ref(), again.repaired.as_slice()), (Ok(wanted), &[][..]), "{sent}");
    }
}

/// `sent` is refused, with the issues that it has without any repair.
#[track_caller]
fn refused(schema: &Value, sent: &str) {
    for schema in both(schema) {
        let judgement = schema.judge(sent, &Leniency::default());
        assert!(judgement.verdict.is_err(), "{sent}: {judgement:?}");
        assert_eq!(judgement, schema.judge(sent, &Leniency::strict()), "{sent}");
    }
}

/// The value of one property, in a schema that says this of it.
#[track_caller]
fn property(schema: &Value, sent: &Value, wanted: &Value, by: Repaired<'_>) {
    let schema = json!({"type": "object", "properties": {"p": schema}});
    repaired(&schema, &json!({"p": sent}).to_string(), &json!({"p": wanted}), by);
}

#[track_caller]
fn property_refused(schema: &Value, sent: &Value) {
    let schema = json!({"type": "object", "properties": {"p": schema}});
    refused(&schema, &json!({"p": sent}).to_string());
}

const JSON: (&str, &str) = ("json-text", "/p");
const SCALAR: (&str, &str) = ("scalar-text", "/p");
const SINGLE: (&str, &str) = ("single-value", "/p");
const CASE: (&str, &str) = ("enum-case", "/p");

/// B44: `""` for a field that may be left out and does not take it; kept where it is taken, never for required fields.
#[test]
fn empty_text_is_left_out_where_it_is_refused() {
    let schema = json!({"type": "object", "required": ["ns"], "properties": {
        "ns": {"type": "string"}, "sel": {"type": "string", "pattern": "^[a-z]+="}, "limit": {"type": "integer"},
        "note": {"type": "string"}, "kind": {"enum": ["a", "b"]}, "least": {"type": "string", "minLength": 1},
        "one": {"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]},
        "o": {"type": "object", "properties": {"at": {"type": "number"}, "by": {"type": "number"}}, "required": ["by"]},
    }});
    let empty = |path| ("empty-text", path);
    let sent = r#"{"ns":"n1","sel":"","limit":""}"#;
    repaired(&schema, sent, &json!({"ns": "n1"}), &[empty("/limit"), empty("/sel")]);
    let sent = r#"{"ns":"","note":"","kind":"","least":"","one":"","o":{"at":"","by":1}}"#;
    let by = [empty("/kind"), empty("/least"), empty("/o/at"), empty("/one")];
    repaired(&schema, sent, &json!({"ns": "", "note": "", "o": {"by": 1}}), &by);

    refused(&schema, r#"{"ns":"n","o":{"by":""}}"#);
    refused(&schema, r#"{"ns":"n","sel":" "}"#);
    refused(&schema, r#"{"ns":"n","nothing":""}"#);
    let required = json!({"properties": {"sel": {"type": "string", "minLength": 1}}, "required": ["sel"]});
    refused(&required, r#"{"sel":""}"#);
    let branches = json!({"properties": {"sel": {"type": "integer"}}, "anyOf": [{"required": ["sel"]}]});
    refused(&branches, r#"{"sel":""}"#);
    // The keys of a map are data, not fields.
    property_refused(
        &json!({"type": "object", "additionalProperties": {"type": "integer"}}),
        &json!({"k": ""}),
    );
    property_refused(&json!({"type": "array", "items": {"type": "integer"}}), &json!([1, ""]));
}

/// A default takes the place of what was left out.
#[test]
fn a_default_is_filled_for_empty_text() {
    let schema = json!({"properties": {"limit": {"type": "integer", "default": 5}}});
    let local = InputSchema::local(schema).expect("a valid schema");
    let judgement = local.judge(r#"{"limit":""}"#, &Leniency::default());
    assert_eq!(judgement.verdict, Ok(json!({"limit": 5})));
}

/// B46: all arguments encoded once more; one level, and never mended into an empty call.
#[test]
fn arguments_encoded_twice_are_decoded_once() {
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}});
    let bag = ("json-text", "");
    repaired(&schema, r#""{\"city\":\"Oslo\"}""#, &json!({"city": "Oslo"}), &[bag]);
    repaired(&schema, r#"" {\"city\": \"Oslo\"}\n""#, &json!({"city": "Oslo"}), &[bag]);
    repaired(&schema, r#""{\"days\":\"3\"}""#, &json!({"days": 3}), &[bag, ("scalar-text", "/days")]);
    repaired(&schema, r#""{}""#, &json!({}), &[bag]);
    for sent in [
        r#""""#,
        r#""null""#,
        r#""Oslo""#,
        r#""[{\"city\":\"Oslo\"}]""#,
        r#""{\"city\":\"Oslo\"""#,
        r#""{\"city\":\"Oslo\",\"city\":\"Rome\"}""#,
        r#""{\"town\":\"Oslo\"}""#,
        r#""\"{\\\"city\\\":\\\"Oslo\\\"}\"""#,
        r#"["{\"city\":\"Oslo\"}"]"#,
    ] {
        refused(&schema, sent);
        for schema in both(&schema) {
            let issues = schema.judge(sent, &Leniency::default()).verdict.expect_err(sent).issues;
            assert_eq!((issues.len(), issues[0].got.as_str()), (1, sent), "the original text is shown");
        }
    }
}

/// B47: numbers and booleans as text, only as JSON spells them; "false" is false.
#[test]
fn numbers_and_booleans_are_read_out_of_text() {
    let schema = json!({"type": "object", "properties": {
        "id": {"type": "integer"}, "draft": {"type": "boolean"}, "opt": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    }});
    let scalar = |path| ("scalar-text", path);
    let wanted = json!({"id": 123, "draft": false, "opt": true});
    let by = [scalar("/draft"), scalar("/id"), scalar("/opt")];
    repaired(&schema, r#"{"id":"123","draft":"false","opt":"true"}"#, &wanted, &by);

    let integer = json!({"type": "integer"});
    for (sent, wanted) in [("-7", json!(-7)), ("18446744073709551615", json!(u64::MAX)), (" 5 ", json!(5))] {
        property(&integer, &json!(sent), &wanted, &[SCALAR]);
    }
    property(&integer, &json!("2.0"), &json!(2), &[SCALAR]);
    for sent in [
        "abc",
        "1.5",
        "yes",
        "",
        " ",
        "1,000",
        "0x10",
        "+5",
        "05",
        "five",
        "true",
        "null",
        "1e400",
        "NaN",
        "18446744073709551616",
        "5 items",
        "[5]",
    ] {
        property_refused(&json!({"type": "integer", "minimum": -9}), &json!({"p": sent}));
        if !sent.is_empty() {
            property_refused(&integer, &json!(sent));
        }
    }
    for (sent, wanted) in [("1.5", json!(1.5)), ("-1e3", json!(-1000.0)), ("5", json!(5))] {
        property(&json!({"type": "number"}), &json!(sent), &wanted, &[SCALAR]);
    }
    for (sent, wanted) in [("true", true), ("False", false), ("TRUE", true)] {
        property(&json!({"type": "boolean"}), &json!(sent), &json!(wanted), &[SCALAR]);
    }
    for sent in ["yes", "no", "1", "0", "on", "t", "null"] {
        property_refused(&json!({"type": "boolean"}), &json!(sent));
    }
    property(&json!({"enum": [1, 2]}), &json!("2"), &json!(2), &[SCALAR]);
    property(&json!({"type": ["integer", "boolean"]}), &json!("true"), &json!(true), &[SCALAR]);
    property(&json!({"allOf": [{"type": "number"}, {"minimum": 3}]}), &json!("4"), &json!(4), &[SCALAR]);
    let referring = json!({"type": "object", "properties": {"p": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}});
    repaired(&referring, r#"{"p":"4"}"#, &json!({"p": 4}), &[SCALAR]);
    // The bound holds for what was read, and then the text itself is what is told.
    property_refused(&json!({"type": "integer", "maximum": 3}), &json!("4"));
    property_refused(&json!({"enum": [1, 2]}), &json!("3"));
    // Where text is taken, text may be what was meant.
    property_refused(&json!({"type": ["integer", "string"], "pattern": "^[a-z]$"}), &json!("4"));
    property_refused(&json!({"anyOf": [{"type": "integer"}, {"enum": ["all"]}]}), &json!("4"));
}

/// B58: another letter case of one allowed value.
#[test]
fn allowed_values_are_found_in_another_letter_case() {
    let schema = json!({"type": "object", "properties": {"fmt": {"enum": ["markdown", "json"]}}});
    repaired(&schema, r#"{"fmt":"MARKDOWN"}"#, &json!({"fmt": "markdown"}), &[("enum-case", "/fmt")]);
    for schema in both(&schema) {
        let issues = schema
            .judge(r#"{"fmt":"HTML"}"#, &Leniency::default())
            .verdict
            .expect_err("none is alike")
            .issues;
        assert_eq!(issues[0].message, r#"fmt: expected one of "markdown", "json", got "HTML""#);
    }
    property(&json!({"enum": ["Straße", "x"]}), &json!("STRAßE"), &json!("Straße"), &[CASE]);
    property(&json!({"const": "One"}), &json!("one"), &json!("One"), &[CASE]);
    property(&json!({"type": ["string", "null"], "enum": ["A", null]}), &json!("a"), &json!("A"), &[CASE]);
    property(
        &json!({"anyOf": [{"const": "A"}, {"const": "B"}, {"type": "integer"}]}),
        &json!("b"),
        &json!("B"),
        &[CASE],
    );
    property_refused(&json!({"enum": ["Day", "DAY"]}), &json!("day"));
    property_refused(&json!({"enum": ["week-day"]}), &json!("week_day"));
    property_refused(&json!({"enum": ["day"]}), &json!(" day"));
    property_refused(&json!({"anyOf": [{"enum": ["A"]}, {"type": "string", "minLength": 5}]}), &json!("a"));
    property_refused(&json!({"enum": ["A", "B"], "not": {"const": "A"}}), &json!("a"));
}

#[test]
fn objects_and_arrays_are_read_out_of_text() {
    let object = json!({"type": "object", "properties": {"a": {"type": "integer"}, "s": {"type": "string"}}});
    property(&object, &json!(r#"{"a": 1}"#), &json!({"a": 1}), &[JSON]);
    let list = json!({"type": "array", "items": {"type": "string"}});
    property(&list, &json!("[\"a\", \"b\"]\n"), &json!(["a", "b"]), &[JSON]);
    property(&list, &json!("[]"), &json!([]), &[JSON]);
    property(&json!({"anyOf": [list, {"type": "null"}]}), &json!("[\"a\"]"), &json!(["a"]), &[JSON]);
    // What stands inside is checked, and repaired, as if it had been sent so.
    let inner = [JSON, ("null", "/p/s"), ("scalar-text", "/p/a")];
    property(&object, &json!(r#"{"a": "1", "s": null}"#), &json!({"a": 1}), &inner);
    let nested = json!({"type": "object", "properties": {"o": object}});
    let twice = [JSON, ("json-text", "/p/o")];
    property(&nested, &json!(r#"{"o": "{\"a\": 1}"}"#), &json!({"o": {"a": 1}}), &twice);
    property(
        &json!({"type": "array", "items": object}),
        &json!(r#"{"a": 1}"#),
        &json!([{"a": 1}]),
        &[JSON, SINGLE],
    );
    // One level only; what is broken, or not taken, is refused.
    for sent in [
        r#""{\"a\": 1}""#,
        r#"{"a": 1"#,
        r#"{"a": 1,}"#,
        r"{'a': 1}",
        r#"{"a": 1, "a": 2}"#,
        r#"{"b": 1}"#,
        "[]",
        "a",
        "null",
        r#"{"a": 1} and more"#,
    ] {
        property_refused(&object, &json!(sent));
    }
    for sent in ["[\"a\", \"b\"", "['a']", "{}", "[1]", "\"[]\""] {
        property_refused(&list, &json!(sent));
    }
    property_refused(&json!({"type": ["string", "object"], "maxLength": 3}), &json!(r#"{"a": 1}"#));
    let deep = format!("{}{}", "[".repeat(128), "]".repeat(128));
    property_refused(&json!({"type": "array"}), &json!(deep));
}

#[test]
fn one_value_becomes_the_array_of_it() {
    let list = |items: Value| json!({"type": "array", "items": items});
    property(&list(json!({"type": "string"})), &json!("new"), &json!(["new"]), &[SINGLE]);
    property(&list(json!({"type": "integer"})), &json!(5), &json!([5]), &[SINGLE]);
    property(&list(json!({"type": "boolean"})), &json!(true), &json!([true]), &[SINGLE]);
    let objects = list(json!({"type": "object", "properties": {"a": {"type": "integer"}}}));
    property(&objects, &json!({"a": 1}), &json!([{"a": 1}]), &[SINGLE]);
    property(&objects, &json!({"a": "1"}), &json!([{"a": 1}]), &[("scalar-text", "/p/0/a"), SINGLE]);
    property(
        &list(json!({"enum": ["a", "b"]})),
        &json!("A"),
        &json!(["a"]),
        &[("enum-case", "/p/0"), SINGLE],
    );
    property(&list(json!({"type": "integer"})), &json!("5"), &json!([5]), &[("scalar-text", "/p/0"), SINGLE]);
    property(
        &json!({"type": ["array", "null"], "items": {"type": "string"}}),
        &json!("x"),
        &json!(["x"]),
        &[SINGLE],
    );
    let both_read = json!({"anyOf": [{"type": "integer"}, list(json!({"type": "integer"}))]});
    property(&both_read, &json!("5"), &json!(5), &[SCALAR]);

    for sent in [
        json!("a, b"),
        json!("a\nb"),
        json!("a;b"),
        json!(""),
        json!(" "),
        json!("[a"),
        json!("{"),
        json!(5),
        json!({}),
    ] {
        property_refused(
            &json!({"type": "array", "items": {"type": "string"}, "minItems": 0}),
            &json!({"p": sent.clone()}),
        );
        if sent != json!("") {
            property_refused(&list(json!({"type": "string"})), &sent);
        }
    }
    // B43: words for no value are no item, unless they are among the allowed ones.
    for word in ["null", "None", "NULL", "nil", " undefined "] {
        property_refused(&list(json!({"type": "string"})), &json!(word));
        property_refused(
            &json!({"anyOf": [list(json!({"type": "string"})), {"type": "null"}], "default": null}),
            &json!(word),
        );
    }
    property(&list(json!({"enum": ["none", "all"]})), &json!("none"), &json!(["none"]), &[SINGLE]);
    // Two readings, none of them plainer than the other.
    property_refused(&json!({"anyOf": [{"type": "integer"}, list(json!({"type": "string"}))]}), &json!("5"));
    // Nothing says what such a value is.
    property_refused(&json!({"type": "array"}), &json!("x"));
    property_refused(&list(json!({})), &json!("x"));
    property_refused(&json!({"type": "array", "items": {"type": "string"}, "minItems": 2}), &json!("x"));
    property_refused(
        &json!({"type": ["array", "string"], "items": {"type": "string"}, "maxLength": 0}),
        &json!("x"),
    );
}

#[test]
fn text_around_one_object_is_left_out() {
    let schema = json!({"type": "object", "properties": {
        "city": {"type": "string"}, "filter": {"type": "object", "properties": {"city": {"type": "string"}}},
    }});
    let around = ("surrounding-text", "");
    let wanted = json!({"city": "Oslo"});
    for sent in [
        "```json\n{\"city\": \"Oslo\"}\n```",
        "```\n{\"city\": \"Oslo\"}```",
        "Here are the arguments: {\"city\": \"Oslo\"}",
        "Sure, here you go:\n\n```json\n{\"city\": \"Oslo\"}\n```\n\nI'll call it now.",
        "{\"city\": \"Oslo\"} trailing",
        "<tool_call>{\"city\": \"Oslo\"}</tool_call>",
    ] {
        repaired(&schema, sent, &wanted, &[around]);
    }
    repaired(&schema, "Call: {\"city\": \"{x} \\\"y\\\"\"}.", &json!({"city": "{x} \"y\""}), &[around]);
    repaired(&schema, "it is {\"city\": null}", &json!({}), &[("null", "/city"), around]);

    for sent in [
        "{\"city\": \"Oslo\"}{\"city\": \"Rome\"}",
        "{\"city\": \"Oslo\"}\n{\"city\": \"Rome\"",
        "{\"city\": \"Oslo\"}}",
        "[{\"city\": \"Oslo\"}] and",
        "\"filter\": {\"city\": \"Oslo\"}",
        "filter: {\"city\": \"Oslo\"}",
        "{'filter': {\"city\": \"Oslo\"}}",
        "{filter: {\"city\": \"Oslo\"}}",
        "Here: {\"city\": \"Oslo\"",
        "Here: {\"filter\": {\"city\": \"Oslo\"}, \"ci",
        "```json\n{\"city\": \"Oslo\"}",
        "{\"city\": \"Oslo\"},",
        "{\"city\": \"Oslo\", \"city\": \"Rome\"} x",
        "{\"town\": \"Oslo\"} x",
        "no object",
        "```json\n[]\n```",
    ] {
        refused(&schema, sent);
    }
}

/// B49, B50: a text that ends early is never mended, whatever it looks like.
#[test]
fn what_was_cut_off_is_never_mended() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"type": "string"}}, "o": {"type": "object"}, "n": {"type": "integer"},
    }});
    let whole = r#"{"a": ["x", "{\"y\": 1}"], "o": {"k": {}}, "n": "12"}"#;
    for schema in both(&schema) {
        assert!(schema.judge(whole, &Leniency::default()).verdict.is_ok());
        for end in 1..whole.len() {
            let cut = whole.get(..end).expect("all is ASCII");
            let refused = schema.judge(cut, &Leniency::default()).verdict.expect_err(cut);
            assert_eq!(refused.reason, Some(RefusalReason::Truncated), "{cut}");
            for (before, reason) in [
                ("Here: ", RefusalReason::Malformed),
                ("```json {}", RefusalReason::Malformed),
                ("```json\n", RefusalReason::Truncated),
                ("```", RefusalReason::Truncated),
                ("\u{feff}", RefusalReason::Truncated),
            ] {
                let cut = format!("{before}{cut}");
                let refused = schema.judge(&cut, &Leniency::default()).verdict.expect_err(&cut);
                assert_eq!(refused.reason, Some(reason), "{cut}");
                let place = format!("(byte {})", cut.len());
                let ends = refused.issues[0].message.contains(&place);
                assert_eq!(ends, reason == RefusalReason::Truncated, "{}", refused.issues[0].message);
            }
            let inside = Value::from(cut).to_string();
            assert!(schema.judge(&inside, &Leniency::default()).verdict.is_err(), "{inside}");
            let inside = json!({"o": cut, "a": cut}).to_string();
            assert!(schema.judge(&inside, &Leniency::default()).verdict.is_err(), "{inside}");
        }
    }
}

#[test]
fn repairs_combine_and_count_only_together() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {
        "n": {"type": "integer"}, "unit": {"enum": ["day"]}, "tags": {"type": "array", "items": {"type": "string"}},
        "o": {"type": "object", "properties": {"b": {"type": "boolean"}}}, "s": {"type": "string", "minLength": 1},
    }});
    let sent = "```json\n{\"n\": \"1\", \"unit\": \"DAY\", \"tags\": \"x\", \"o\": \"{\\\"b\\\": \\\"true\\\"}\", \"s\": \"\"}\n```";
    let wanted = json!({"n": 1, "unit": "day", "tags": ["x"], "o": {"b": true}});
    let by = [
        ("empty-text", "/s"),
        ("enum-case", "/unit"),
        ("json-text", "/o"),
        ("scalar-text", "/n"),
        ("scalar-text", "/o/b"),
        ("single-value", "/tags"),
        ("surrounding-text", ""),
    ];
    repaired(&schema, sent, &wanted, &by);
    refused(&schema, &sent.replace("\"1\"", "\"one\""));
    refused(&schema, &sent.replace("DAY", "YEAR"));
}

/// A tag in another letter case rules all alternatives out, so what they say of the other fields is heard in turn.
#[test]
fn alternatives_that_a_tag_tells_apart() {
    let branch = |tag: &str, field: &str, kind: &str| {
        json!({"type": "object", "required": ["kind", field],
        "properties": {"kind": {"const": tag}, field: {"type": kind}}})
    };
    let branches = [branch("circle", "radius", "number"), branch("text", "body", "string")];
    for union in ["anyOf", "oneOf"] {
        let schema = json!({"type": "object", "properties": {"shape": {(union): branches}}});
        let by = [("enum-case", "/shape/kind"), ("scalar-text", "/shape/radius")];
        let wanted = json!({"shape": {"kind": "circle", "radius": 2}});
        repaired(&schema, r#"{"shape":{"kind":"Circle","radius":"2"}}"#, &wanted, &by);
        refused(&schema, r#"{"shape":{"kind":"square","radius":"2"}}"#);
        refused(&schema, r#"{"shape":{"kind":"text","body":2}}"#);
    }
}

/// Work is bounded: much that is wrong costs no more than looking at it some times.
#[test]
fn much_that_is_wrong_is_refused_in_time() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "array", "items": {"$ref": "#/$defs/n"}}}, "$defs": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}});
    for schema in both(&schema) {
        let many = json!({"a": vec!["7"; 20_000]}).to_string();
        let judgement = schema.judge(&many, &Leniency::default());
        assert_eq!(judgement.verdict, Ok(json!({"a": vec![7; 20_000]})));
        assert_eq!(judgement.repaired.len(), 20_000);
        let nested = (0..40).fold("x".to_owned(), |inside, _| {
            json!({"a": inside.get(..1_000).unwrap_or(&inside)}).to_string()
        });
        assert!(schema.judge(&nested, &Leniency::default()).verdict.is_err());
        let braces = "{\"a\":".repeat(50_000);
        assert!(schema.judge(&format!("x {braces}"), &Leniency::default()).verdict.is_err());
    }
}
