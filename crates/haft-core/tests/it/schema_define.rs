//! Schemas that are refused when a tool is defined, and ones that must not hurt.

use haft_core::{InputSchema, Leniency, OutputSchema, SchemaError};
use serde_json::{Map, Value, json};

fn refusal(schema: &Value) -> SchemaError {
    let local = InputSchema::local(schema.clone()).expect_err("refused");
    // What makes a closed object uncallable does not hurt an open one.
    if local.code() != 2026 {
        assert_eq!(InputSchema::remote(schema.clone()).expect_err("refused").code(), local.code());
    }
    local
}

/// B11: a fault is named by its place, with what to write instead.
#[test]
fn faults_are_named_by_their_place() {
    let messages: Vec<String> = [
        json!({"type": "object", "properties": {"x": "string"}}),
        json!({"type": "object", "properties": {"x": {"type": "strin"}}}),
        json!({"type": "object", "properties": {"x": {"type": "array", "items": {"type": "integer", "minimum": "3"}}}}),
        json!({"type": "object", "properties": {"x": {"pattern": "(["}}}),
        json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/q"}}}),
        json!({"type": "object", "properties": {"x": {"$ref": "https://example.test/x.json"}}}),
        json!({"$schema": "https://example.test/own", "type": "object"}),
        json!({"type": "string"}),
        json!([1]),
        json!({"type": "object", "properties": {"a": {}}, "required": ["b"]}),
        json!({"type": "object", "properties": {"a": {}}, "required": "a"}),
        json!({"type": "object", "properties": {"a": {"enum": {"b": 1}}}}),
    ]
    .iter()
    .map(|schema| refusal(schema).to_string())
    .collect();
    insta::assert_debug_snapshot!(messages, @r##"
    [
        "the schema is not valid JSON Schema at `/properties/x`: a property needs a schema, such as {\"type\": \"string\"}; found \"string\"",
        "the schema is not valid JSON Schema at `/properties/x/type`: \"strin\" is no type; the types are \"object\", \"array\", \"string\", \"number\", \"integer\", \"boolean\", \"null\"",
        "the schema is not valid JSON Schema at `/properties/x/items/minimum`: expected number, found \"3\"",
        "the schema is not valid JSON Schema at `/properties/x/pattern`: \"([\" is not a regular expression",
        "the reference \"#/$defs/q\" at `/properties/x/$ref` leads nowhere: define its target in the schema, under \"$defs\"",
        "the reference \"https://example.test/x.json\" at `/properties/x/$ref` leads out of the schema, and nothing is fetched: copy what it refers to into the schema, under \"$defs\"",
        "the schema declares the unknown dialect \"https://example.test/own\" in `/$schema`: declare \"https://json-schema.org/draft/2020-12/schema\" or an earlier draft, or leave it out for 2020-12",
        "the schema cannot describe arguments: at `/type` it is \"string\", but arguments are always one object; give it \"type\": \"object\" and put each argument under \"properties\"",
        "the schema cannot describe arguments: at its root it is [1], but arguments are always one object; give it \"type\": \"object\" and put each argument under \"properties\"",
        "\"b\" is required at its root, but no part of the object declares it, so nothing could be accepted there: add it under \"properties\" or take it out of \"required\"",
        "the schema is not valid JSON Schema at `/required`: expected array, found \"a\"",
        "the schema is not valid JSON Schema at `/properties/a/enum`: expected array, found {\"b\":1}",
    ]
    "##);
}

#[test]
fn no_schema_is_no_arguments() {
    for schema in [
        json!(null),
        json!(true),
        json!({}),
        json!({"type": "object"}),
        json!({"type": "object", "title": "t"}),
    ] {
        for made in [InputSchema::local(schema.clone()), InputSchema::remote(schema.clone())] {
            let made = made.expect("a valid schema");
            assert!(made.judge("", &Leniency::default()).verdict.is_ok());
            assert!(made.judge(r#"{"a":1}"#, &Leniency::default()).verdict.is_err(), "{schema}");
            assert!(made.judge(r#"{"a":null}"#, &Leniency::default()).verdict.is_err(), "{schema}");
        }
        let remote = InputSchema::remote(schema.clone()).expect("a valid schema");
        if schema.is_object() {
            assert_eq!(remote.published(), &schema, "published untouched");
        }
    }
}

/// Below the root an object without `properties` is free-form; a root that speaks of properties is not empty.
#[test]
fn free_form_objects_stay_open() {
    for schema in [
        json!({"type": "object", "properties": {"o": {"type": "object"}}}),
        json!({"type": "object", "additionalProperties": {"type": "object"}}),
        json!({"type": "object", "patternProperties": {"^o": {}}}),
        json!({"type": "object", "propertyNames": {"maxLength": 3}}),
        json!({"type": "object", "minProperties": 1}),
    ] {
        for made in [InputSchema::local(schema.clone()), InputSchema::remote(schema.clone())] {
            let verdict =
                made.expect("a valid schema").judge(r#"{"o":{"free":1}}"#, &Leniency::default()).verdict;
            assert_eq!(verdict, Ok(json!({"o": {"free": 1}})), "{schema}");
        }
    }
}

fn judged(schema: Value, text: &str) -> bool {
    let schema = InputSchema::remote(schema).expect("a valid schema");
    schema.judge(text, &Leniency::default()).verdict.is_ok()
}

/// B22, B23: recursion follows the arguments, loops that say nothing end.
#[test]
fn recursion_and_loops_end() {
    let tree = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}},
    }});
    assert!(judged(tree.clone(), r#"{"name":"a","children":[{"name":"b","children":[]}]}"#));
    assert!(!judged(tree.clone(), r#"{"name":"a","children":[{"name":"b","children":[{}]}]}"#));
    let local = InputSchema::local(tree).expect("a valid schema");
    assert!(
        local
            .judge(r#"{"name":"a","children":[{"name":"b","kids":[]}]}"#, &Leniency::default())
            .verdict
            .is_err()
    );

    let alias = json!({"$defs": {"J": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/J"}}]}},
        "type": "object", "properties": {"v": {"$ref": "#/$defs/J"}}});
    assert!(judged(alias.clone(), r#"{"v":[["a"],"b"]}"#));
    assert!(!judged(alias.clone(), r#"{"v":[["a"],1]}"#));
    assert!(OutputSchema::new(alias).expect("a valid schema").check(&json!({"v": [1]})).len() == 1);

    for looping in [
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"anyOf": [{"type": "object"}, {"$ref": "#"}], "properties": {"a": {"$ref": "#"}}}),
        json!({"properties": {"a": {"not": {"$ref": "#/properties/a"}}}}),
        json!({"properties": {"a": {"if": {"$ref": "#/properties/a"}, "then": {"$ref": "#/properties/a"}}}}),
    ] {
        for made in [InputSchema::local(looping.clone()), InputSchema::remote(looping.clone())] {
            let made = made.expect("a valid schema");
            let _ = made.judge(r#"{"a":{"a":null}}"#, &Leniency::default());
            assert!(made.judge("[]", &Leniency::default()).verdict.is_err());
        }
    }
}

fn chain(links: usize, link: impl Fn(Value) -> Value, end: Value) -> Value {
    let mut definitions = Map::new();
    for index in 0..links {
        definitions.insert(format!("a{index}"), link(json!({"$ref": format!("#/$defs/a{}", index + 1)})));
    }
    definitions.insert(format!("a{links}"), end);
    json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": definitions})
}

/// A schema from elsewhere must not be able to take the host's stack, memory or time.
#[test]
fn hostile_schemas_are_refused_or_bounded() {
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"properties": {"a": deep}});
    }
    assert_eq!(refusal(&deep).code(), 2027);
    let many: Vec<Value> = (0..200_000).map(Value::from).collect();
    assert_eq!(refusal(&json!({"type": "object", "properties": {"a": {"enum": many}}})).code(), 2027);

    let started = std::time::Instant::now();
    // Doubling at each link: two to the fortieth evaluations when followed naively.
    let doubling = chain(40, |next| json!({"allOf": [next.clone(), next]}), json!({"type": "integer"}));
    for made in [InputSchema::remote(doubling.clone()), InputSchema::local(doubling)] {
        let made = made.expect("a valid schema");
        let refused = made.judge(r#"{"x":"s"}"#, &Leniency::default()).verdict.expect_err("too costly");
        assert!(refused.issues[0].message.contains("reasonable time"), "{refused:?}");
    }
    // Doubling at each level of the arguments: shallow ones are judged, deep ones refused.
    let branching = InputSchema::remote(json!({"type": "object", "anyOf": [
        {"properties": {"x": {"$ref": "#"}}, "required": ["q"]},
        {"properties": {"x": {"$ref": "#"}}, "required": ["z"]},
    ]}));
    let branching = branching.expect("a valid schema");
    for depth in [4, 16, 100] {
        let arguments = format!("{}{}{}", r#"{"x":"#.repeat(depth), "{}", "}".repeat(depth));
        assert!(branching.judge(&arguments, &Leniency::default()).verdict.is_err());
    }
    assert!(branching.judge(r#"{"q":1,"x":{"z":1}}"#, &Leniency::none()).verdict.is_ok());
    assert!(started.elapsed().as_secs() < 300, "took {:?}", started.elapsed());

    let long = chain(2_000, |next| json!({"allOf": [next]}), json!({"type": "integer"}));
    assert_eq!(refusal(&long).code(), 2027);
}

/// Every schema of real servers is taken, as one from elsewhere and as one made here; closing leaves a valid schema.
#[test]
fn schemas_of_real_servers_are_taken() {
    let Some(folder) = crate::support::data("schemas_of_real_servers_are_taken") else { return };
    let (mut tools, mut refused) = (0, Vec::new());
    for file in std::fs::read_dir(folder.join("mcp_tools")).expect("the data is there") {
        let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
        let listed: Value = serde_json::from_str(&text).expect("JSON");
        for tool in listed["tools"].as_array().expect("tools") {
            tools += 1;
            let mut note =
                |how: &str, error: SchemaError| refused.push(format!("{} {how}: {error}", tool["name"]));
            let schema = &tool["inputSchema"];
            match InputSchema::remote(schema.clone()) {
                Ok(made) => assert_eq!(made.published(), schema),
                Err(error) => note("remote", error),
            }
            if let Err(error) = InputSchema::local(schema.clone()) {
                note("local", error);
            }
            if let Some(Err(error)) = tool.get("outputSchema").map(|schema| OutputSchema::new(schema.clone()))
            {
                note("output", error);
            }
        }
    }
    // Its items require names that they do not declare.
    let faulty = "\"worker_put\" local: \"tag\" is required at `/properties/migrations/items`";
    assert!(refused.len() == 1 && refused[0].starts_with(faulty), "{refused:#?}");
    assert_eq!(tools, 1081);
}
