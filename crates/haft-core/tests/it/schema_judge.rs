//! The verdict on arguments: kinds of faults that models are known to make.

use haft_core::{InputSchema, Issue, Leniency, RefusalReason, UnknownFields};
use serde_json::{Value, json};

fn issues(schema: &InputSchema, text: &str) -> Vec<Issue> {
    schema.judge(text, &Leniency::default()).verdict.expect_err(text).issues
}

fn messages(schema: &InputSchema, text: &str) -> Vec<String> {
    issues(schema, text).into_iter().map(|issue| issue.message).collect()
}

fn accepted(schema: &InputSchema, text: &str) -> Value {
    schema.judge(text, &Leniency::default()).verdict.unwrap_or_else(|refused| panic!("{text}: {refused:?}"))
}

/// Both kinds of schema: the ones made here and the ones from elsewhere.
fn both(schema: &Value) -> [InputSchema; 2] {
    [
        InputSchema::local(schema.clone()).expect("a valid schema"),
        InputSchema::remote(schema.clone()).expect("a valid schema"),
    ]
}

/// B38: no text, blank text and `null` are no arguments; required fields are then missing.
#[test]
fn no_text_is_no_arguments() {
    for schema in both(&json!({"type": "object", "properties": {}})) {
        for text in ["", "   ", "\n\t", "null", " null ", "{}"] {
            assert_eq!(accepted(&schema, text), json!({}), "{text:?}");
        }
    }
    for schema in both(&json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}))
    {
        for text in ["", "  ", "null", "{}"] {
            assert_eq!(messages(&schema, text), ["missing field `a`: expected string"], "{text:?}");
        }
    }
}

#[test]
fn other_values_than_objects_are_refused() {
    for schema in both(&json!({"type": "object", "properties": {"a": {}}})) {
        for text in ["[]", "3", "\"x\"", "true"] {
            let refused = schema.judge(text, &Leniency::default()).verdict.expect_err(text);
            assert_eq!(refused.issues.len(), 1, "{text}");
            assert!(refused.issues[0].message.contains("one JSON object"), "{text}");
            assert_eq!(refused.reason, None);
        }
    }
}

/// B40: null for an optional field that refuses null is left out, at any depth.
#[test]
fn null_counts_as_left_out_where_it_is_refused() {
    let schema = json!({"type": "object", "required": ["url"], "properties": {
        "url": {"type": "string"}, "wait": {"type": "integer"},
        "o": {"type": "object", "properties": {"p": {"type": "string"}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"q": {"enum": ["a"]}}}},
    }});
    for schema in both(&schema) {
        let text =
            r#"{"url":"https://example.test","wait":null,"o":{"p":null},"list":[{"q":null},{"q":"a"}]}"#;
        let judgement = schema.judge(text, &Leniency::default());
        let wanted = json!({"url": "https://example.test", "o": {}, "list": [{}, {"q": "a"}]});
        assert_eq!(judgement.verdict, Ok(wanted));
        let mut paths: Vec<_> =
            judgement.repaired.iter().map(|repair| (repair.rule, repair.path.as_str())).collect();
        paths.sort_unstable();
        assert_eq!(paths, [("null", "/list/0/q"), ("null", "/o/p"), ("null", "/wait")]);

        assert_eq!(messages(&schema, r#"{"url":null}"#), ["missing field `url`: expected string"]);
        assert!(schema.judge(text, &Leniency::none()).verdict.is_err());
    }
}

/// B41: null where the schema allows it keeps its meaning.
#[test]
fn null_is_kept_where_it_is_allowed() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string"}, "b": {"type": ["string", "null"], "default": null},
        "c": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "d": {}, "e": {"$ref": "#/$defs/n"},
    }, "$defs": {"n": {"oneOf": [{"const": null}, {"type": "string"}]}}});
    for schema in both(&schema) {
        let text = r#"{"a":null,"b":null,"c":null,"d":null,"e":null}"#;
        assert_eq!(accepted(&schema, text), json!({"b": null, "c": null, "d": null, "e": null}));
    }
}

/// B49, B50: text that ends early is told from text that is wrong; neither is mended.
#[test]
fn truncated_and_malformed_differ() {
    let schema =
        json!({"type": "object", "properties": {"commands": {"type": "array", "items": {"type": "string"}}}});
    for schema in both(&schema) {
        for (text, reason) in [
            (r#"{"commands":["mkdir a","mkdir b""#, RefusalReason::Truncated),
            (r#"{"path":"a.txt","content":"line"#, RefusalReason::Truncated),
            (r#"{"mode": openn"}"#, RefusalReason::Malformed),
            (r#"{"commands":[]} {"#, RefusalReason::Malformed),
            (r#"{"commands":["\ud800"]}"#, RefusalReason::Malformed),
        ] {
            let refused = schema.judge(text, &Leniency::default()).verdict.expect_err(text);
            assert_eq!(refused.reason, Some(reason), "{text}");
            assert_eq!(refused.issues.len(), 1);
        }
    }
    let schema = InputSchema::empty();
    insta::assert_debug_snapshot!(messages(&schema, r#"{"path":"a.txt","content":"line"#), @r#"
    [
        "the arguments were cut off: the text ends inside a string at line 1, column 32 (byte 31). Nothing was run. Send the whole call again; if the output limit cut it, send less in one call",
    ]
    "#);
    insta::assert_debug_snapshot!(messages(&schema, "{\"mode\":\n openn\"}"), @r#"
    [
        "the arguments are not valid JSON: expected a value (object, array, string, number, true, false or null), found `o` at line 2, column 2 (byte 10). Nothing was run. Send the call again with one valid JSON object",
    ]
    "#);
}

/// B52, B53: integers stay exact; those that no 64-bit type holds are refused with advice.
#[test]
fn integers_stay_exact() {
    let schema =
        json!({"type": "object", "properties": {"id": {"type": "integer"}, "n": {"type": "number"}}});
    for schema in both(&schema) {
        for digits in
            ["9007199254740993", "4400000000000000017", "18446744073709551615", "-9223372036854775808"]
        {
            let value = accepted(&schema, &format!(r#"{{"id":{digits}}}"#));
            assert_eq!(value["id"].to_string(), digits);
        }
        assert_eq!(accepted(&schema, r#"{"id":1.0,"n":1.5}"#)["id"].as_i64(), Some(1));
        for (text, path) in [
            (r#"{"id":18446744073709551616}"#, "/id"),
            (r#"{"id":1e30}"#, "/id"),
            (r#"{"n":-9223372036854775809}"#, "/n"),
        ] {
            let issues = issues(&schema, text);
            assert_eq!(issues.len(), 1, "{text}: {issues:?}");
            assert_eq!(issues[0].path, path);
            assert_eq!(issues[0].expected, "integer from -9223372036854775808 to 18446744073709551615");
        }
        assert!(schema.judge(r#"{"n":1e30}"#, &Leniency::default()).verdict.is_ok());
        assert!(!issues(&schema, r#"{"n":1e400}"#).is_empty());
    }
}

/// B56: duplicate keys are refused at any depth, compared unescaped.
#[test]
fn duplicate_keys_are_refused() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}, "o": {"type": "object"}}});
    for schema in both(&schema) {
        for (text, path) in [
            (r#"{"n":2,"n":3}"#, "/n"),
            (r#"{"n":2,"\u006e":2}"#, "/n"),
            (r#"{"o":{"a":[{"k":1,"k":1}]}}"#, "/o/a/0/k"),
        ] {
            let issues = issues(&schema, text);
            assert_eq!(issues.iter().map(|issue| issue.path.as_str()).collect::<Vec<_>>(), [path]);
            assert!(issues[0].message.contains("more than once"));
        }
    }
}

/// B25, B26: an unknown field comes first, with the nearest name; the missing one after it.
#[test]
fn unknown_fields_are_refused_and_named() {
    for schema in
        both(&json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}))
    {
        assert_eq!(
            messages(&schema, r#"{"town":"Oslo"}"#),
            ["unknown field `town`; the only field is `city`", "missing field `city`: expected string",]
        );
        assert_eq!(
            messages(&schema, r#"{"City":null,"city":"Oslo"}"#),
            ["unknown field `City`; did you mean `city`?"]
        );
        assert!(schema.judge(r#"{"city":"Oslo","lang":"de"}"#, &Leniency::default()).verdict.is_err());
    }
    let schema = json!({"type": "object", "properties": {"term": {"type": "string"}}, "required": ["term"]});
    let remote = InputSchema::remote(schema.clone()).expect("a valid schema");
    assert_eq!(remote.published(), &schema);
    let leniency = Leniency::default().with_unknown_fields(UnknownFields::AsSchema);
    assert!(remote.judge(r#"{"term":"f","lang":"de"}"#, &leniency).verdict.is_ok());
}

/// B25: arguments that are wrapped once more are said to be so; the model would else repeat the wrapper.
#[test]
fn arguments_in_a_wrapper_are_told_where_they_belong() {
    let schema = json!({"type": "object", "properties": {
        "city": {"type": "string"}, "days": {"type": "integer"}, "at": {"type": "object", "properties": {"city": {"type": "string"}}},
    }, "required": ["city"]});
    for schema in both(&schema) {
        for (text, advice) in [
            (
                r#"{"arguments":{"city":"Oslo","days":2}}"#,
                "; send what is inside it in its place, without `arguments`",
            ),
            (
                r#"{"name":"weather","parameters":{"city":"Oslo"}}"#,
                "; send what is inside it in its place, without `parameters`",
            ),
            (r#"{"input":"{\"city\":\"Oslo\"}"}"#, "; send what is inside it in its place, without `input`"),
            // What is inside belongs elsewhere, or there is nothing.
            (r#"{"input":"{\"city\":"}"#, "; the fields are `at`, `city`, `days`"),
            (r#"{"arguments":{"town":"Oslo"}}"#, "; the fields are `at`, `city`, `days`"),
            (r#"{"arguments":{}}"#, "; the fields are `at`, `city`, `days`"),
        ] {
            let told = messages(&schema, text);
            assert!(told.iter().any(|message| message.ends_with(advice)), "{text}: {told:?}");
        }
    }
}

/// What a model writes as its own language would is answered with the JSON for it.
#[test]
fn malformed_text_is_answered_with_what_to_write() {
    let schema = InputSchema::empty();
    for (text, advice) in [
        ("{\"a\":\"x\ny\"}", r"to be written `\n`"),
        ("{\"a\":\"x\ty\"}", r"to be written `\t`"),
        ("{\"a\":\"x\u{1}y\"}", r"to be written `\u0001`"),
        (r#"{"a":"C:\Users"}"#, r"a backslash itself is written `\\`"),
        (r#"{"a":"it\'s"}"#, r"a backslash itself is written `\\`"),
        ("{'a':1}", "a key in double quotes"),
        ("{a:1}", "a key in double quotes"),
        (r#"{"a":True}"#, "true, false or null"),
        (r#"{"a":None}"#, "true, false or null"),
        ("`{", "found a backtick"),
    ] {
        let told = messages(&schema, text);
        assert!(told.iter().any(|message| message.contains(advice)), "{text}: {told:?}");
    }
}

#[test]
fn issues_state_the_bound() {
    let schema = json!({"type": "object", "properties": {
        "limit": {"type": "integer", "minimum": 1, "maximum": 50}, "unit": {"enum": ["c", "f"]},
        "name": {"type": "string", "minLength": 1}, "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
    }});
    for schema in both(&schema) {
        assert_eq!(
            messages(&schema, r#"{"limit":99,"unit":"k","name":"","tags":["a",1,"b"]}"#),
            [
                "limit: expected integer ≤ 50, got 99",
                "name: expected non-empty string, got \"\"",
                "tags: expected array of at most 2 items, got [\"a\",1,\"b\"]",
                "tags.1: expected string, got 1",
                "unit: expected one of \"c\", \"f\", got \"k\"",
            ]
        );
    }
}

/// Alternatives that differ in the fields they require are told by those fields.
#[test]
fn alternatives_are_told_by_the_fields_that_they_require() {
    let union = |rule: Value| {
        let mut schema =
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}});
        schema.as_object_mut().expect("an object").extend(rule.as_object().expect("an object").clone());
        schema
    };
    let either = json!([{"required": ["a"]}, {"type": "object", "required": ["b"]}]);
    // The rule, arguments that break it, what is expected.
    let cases = [
        (json!({"anyOf": either}), "{}", "object with `a` or object with `b`"),
        (json!({"oneOf": either}), "{}", "object with `a` or object with `b`"),
        (
            json!({"oneOf": either}),
            r#"{"a":"x","b":"y"}"#,
            "exactly one of object with `a` or object with `b`",
        ),
        (
            json!({"not": {"required": ["a", "b"]}}),
            r#"{"a":"x","b":"y"}"#,
            "anything but object with `a`, `b`",
        ),
        (
            json!({"anyOf": [{"$ref": "#/$defs/both"}, {"required": ["b"]}], "$defs": {"both": {"required": ["a", "b"]}}}),
            "{}",
            "object with `a`, `b` or object with `b`",
        ),
    ];
    for (rule, text, expected) in cases {
        for schema in both(&union(rule.clone())) {
            let found: Vec<String> = issues(&schema, text).into_iter().map(|issue| issue.expected).collect();
            assert_eq!(found, [expected], "{rule} {text}");
        }
    }
}
