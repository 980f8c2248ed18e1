//! The rules of providers that take little of JSON Schema.

use haft_core::{Args, ChangeKind, Profile, Projection, Target, Tool, ToolCall, ToolRegistry};
use serde_json::{Value, json};

fn project(projection: Projection, schema: &Value) -> Value {
    projection.schema(schema).unwrap_or_else(|error| panic!("{schema}: {error}")).value
}

fn object(properties: &Value) -> Value {
    json!({"type": "object", "properties": properties})
}

fn property(projection: Projection, schema: &Value) -> Value {
    project(projection, &object(&json!({"p": schema})))["properties"]["p"].clone()
}

/// B01: a type list with null is one type that may be null, at every depth and however it is written.
#[test]
fn gemini_has_one_type_that_may_be_null() {
    let tags = json!({"type": "array", "nullable": true, "items": {"type": "string"}});
    for schema in [
        json!({"type": ["array", "null"], "items": {"type": "string"}}),
        json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "null"}, {"type": ["array"], "items": {"type": "string"}}]}),
    ] {
        assert_eq!(property(Projection::Gemini, &schema), tags);
        let deep = json!({"type": "object", "properties": {"in": {"type": "array", "items": {"$ref": "#/$defs/T"}}}, "$defs": {"T": schema}});
        assert_eq!(project(Projection::Gemini, &deep)["properties"]["in"]["items"], tags);
    }
    let text = json!({"type": ["string", "null"], "enum": ["a", "b", null]});
    assert_eq!(
        property(Projection::Gemini, &text),
        json!({"type": "string", "nullable": true, "enum": ["a", "b"]})
    );
    let either =
        json!({"type": ["string", "integer", "null"], "description": "Which.", "minimum": 1, "minLength": 2});
    assert_eq!(
        property(Projection::Gemini, &either),
        json!({"anyOf": [
            {"type": "string", "minLength": 2, "description": "Which.", "nullable": true},
            {"type": "integer", "minimum": 1},
        ]})
    );
}

/// B05: an array always says what its items are.
#[test]
fn gemini_always_has_items() {
    let any = json!({"anyOf": [
        {"type": "string", "nullable": true}, {"type": "number"}, {"type": "boolean"}, {"type": "object"},
        {"type": "array", "items": {"type": "string"}},
    ]});
    for schema in [
        json!({"type": "array"}),
        json!({"type": "array", "items": true}),
        json!({"type": "array", "items": {}}),
        json!({"anyOf": [{"type": "array"}]}),
    ] {
        assert_eq!(property(Projection::Gemini, &schema), json!({"type": "array", "items": any}));
    }
    let maybe = json!({"anyOf": [{"type": "array"}, {"type": "null"}]});
    assert_eq!(
        property(Projection::Gemini, &maybe),
        json!({"type": "array", "nullable": true, "items": any})
    );
    let pair =
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false});
    assert_eq!(
        property(Projection::Gemini, &pair)["items"],
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})
    );
}

/// B07, B10: only the provider's keywords, and only in the place of keywords; what is dropped is told.
#[test]
fn gemini_gets_only_its_own_keywords() {
    let todo = json!({"type": "array", "items": {"ref": "Todo", "type": "object", "properties": {
        "ref": {"type": "string"}, "format": {"type": "string"}, "$ref": {"type": "string"},
    }}});
    assert_eq!(
        property(Projection::Gemini, &todo)["items"],
        json!({"type": "object", "properties": {
            "ref": {"type": "string"}, "format": {"type": "string"}, "$ref": {"type": "string"},
        }})
    );
    let ids = json!({
        "type": "array", "description": "Ids", "items": {"type": "string", "format": "uri", "x-order": 1},
        "uniqueItems": true, "minItems": 1, "minContains": 1, "contains": {"const": "a"},
    });
    let projected = Projection::Gemini.schema(&object(&json!({"ids": ids}))).expect("it projects");
    assert_eq!(
        projected.value["properties"]["ids"],
        json!({
            "type": "array",
            "description": "Ids. At least 1 item. No item twice. Holds an item that matches {\"const\":\"a\"}. At least 1 such item.",
            "items": {"type": "string", "description": "Format: uri."},
        })
    );
    let dropped: Vec<&str> = projected.report.rows().iter().map(|row| row.pointer.as_str()).collect();
    for pointer in ["/properties/ids/uniqueItems", "/properties/ids/contains", "/properties/ids/items/format"]
    {
        assert!(dropped.contains(&pointer), "{pointer}: {dropped:?}");
    }
    let number = json!({"type": "integer", "exclusiveMinimum": 0, "multipleOf": 5, "default": 10});
    assert_eq!(
        property(Projection::Gemini, &number),
        json!({"type": "integer", "minimum": 1, "description": "A multiple of 5. Default: 10."})
    );
}

/// B08: literals in alternatives are one enum, their descriptions kept; `oneOf` is `anyOf`.
#[test]
fn gemini_lists_literals() {
    let mode = json!({"anyOf": [{"const": "fast"}, {"const": "safe"}]});
    assert_eq!(property(Projection::Gemini, &mode), json!({"type": "string", "enum": ["fast", "safe"]}));
    let told = json!({"description": "How.", "oneOf": [
        {"const": "fast", "description": "Skips checks."}, {"type": "string", "enum": ["safe", "slow"]}, {"type": "null"},
    ]});
    assert_eq!(
        property(Projection::Gemini, &told),
        json!({"type": "string", "nullable": true, "enum": ["fast", "safe", "slow"], "description": "How. \"fast\": Skips checks."})
    );
    for (schema, expected) in [
        (json!({"const": true}), json!({"type": "boolean", "description": "One of [true]."})),
        (json!({"enum": [1, 2]}), json!({"type": "integer", "description": "One of [1,2]."})),
        (json!({"enum": ["", "x"]}), json!({"type": "string", "enum": ["x"]})),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "object", "properties": {"a": {"type": "string"}}}]}),
        ),
    ] {
        assert_eq!(property(Projection::Gemini, &schema), expected);
    }
}

/// B22, B23: a definition is written out to a bounded depth that ends in something free; wide ones stay bounded.
#[test]
fn gemini_has_recursion_written_out_to_a_bound() {
    let tree = json!({"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}},
    }});
    let one = |items: Value| {
        json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "children": {"type": "array", "items": items},
        }})
    };
    assert_eq!(
        project(Projection::Gemini, &tree),
        one(one(one(json!({"type": "object", "description": "Entries have names of your own."}))))
    );
    let lean = |items: Value| {
        json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"}, "children": {"type": "array", "items": items},
        }})
    };
    assert_eq!(project(Projection::Lean, &tree), lean(lean(lean(json!({"type": "object"})))));
    // Each definition holds the next one twice: written out in full it would be 2^40 objects.
    let mut definitions = serde_json::Map::new();
    for index in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
        definitions
            .insert(format!("d{index}"), json!({"type": "object", "properties": {"a": next, "b": next}}));
    }
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    let wide = json!({"type": "object", "properties": {"d": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    for projection in Projection::ALL {
        let size = project(projection, &wide).to_string().len();
        assert!(size < 2_000_000, "{projection}: {size}");
    }
    let mut chain = serde_json::Map::new();
    for index in 0..5_000 {
        let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
        chain.insert(format!("d{index}"), json!({"type": "object", "properties": {"a": next}}));
    }
    chain.insert("d5000".to_owned(), json!({"type": "string"}));
    let long = json!({"type": "object", "properties": {"d": {"$ref": "#/$defs/d0"}}, "$defs": chain});
    project(Projection::Gemini, &long);
    let mut doubling = serde_json::Map::new();
    for index in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", index + 1)});
        doubling.insert(
            format!("d{index}"),
            json!({"anyOf": [next, {"allOf": [next]}, {"properties": {format!("p{index}"): true}}]}),
        );
    }
    doubling.insert("d40".to_owned(), json!({"type": "object"}));
    let composed = json!({"$ref": "#/$defs/d0", "$defs": doubling});
    for projection in Projection::ALL.into_iter().filter(|projection| *projection != Projection::Lean) {
        assert_eq!(project(projection, &composed)["type"], "object");
    }
}

/// B19: what strict mode can not say leaves the one tool without it, is named, and is never closed to nothing.
#[test]
fn strict_is_decided_per_tool() {
    for (schema, pointer) in [
        (
            object(&json!({"fields": {"type": "object", "additionalProperties": {"type": "string"}}})),
            "/properties/fields/additionalProperties",
        ),
        (
            object(&json!({"k": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}})),
            "/properties/k/propertyNames",
        ),
        (object(&json!({"o": {"type": "object"}})), "/properties/o"),
        (object(&json!({"o": {}})), "/properties/o"),
        (object(&json!({"o": {"type": "array"}})), "/properties/o"),
        (json!({"type": "object", "additionalProperties": {"type": "string"}}), "/additionalProperties"),
    ] {
        let projected = Projection::OpenAiStrict.schema(&schema).expect("it projects");
        assert_eq!(projected.strict, Some(false), "{schema}");
        let rows = projected.report.rows();
        let row = rows.iter().find(|row| row.what == "strict").unwrap_or_else(|| panic!("{schema}"));
        assert_eq!((row.kind, row.pointer.as_str()), (ChangeKind::Weakened, pointer));
        assert_eq!(projected.value, project(Projection::OpenAi, &schema), "{schema}");
    }
    let run = |Args(arguments): Args<Value>| arguments.to_string();
    let define =
        |name: &str, schema: Value| Tool::builder(name).description("A tool.").schema(schema).run_sync(run);
    let registry = ToolRegistry::builder()
        .tool(define(
            "map",
            object(&json!({"m": {"type": "object", "additionalProperties": {"type": "string"}}})),
        ))
        .tool(define("plain", object(&json!({"s": {"type": "string"}}))))
        .build()
        .expect("it builds");
    let sent: Value = serde_json::from_str(Projection::OpenAiStrict.list(&registry).json()).expect("JSON");
    assert_eq!(sent[0]["function"]["strict"], json!(false));
    assert_eq!(sent[1]["function"]["strict"], json!(true));
}

/// Every object is closed and requires all of its properties; what may be left out may be null, and is then left out again.
#[test]
fn strict_requires_everything_and_takes_null() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "minLength": 1},
        "b": {"type": "integer", "default": 3},
        "c": {"enum": ["x", "y"]},
        "d": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"e": {"type": "boolean"}}, "additionalProperties": false}]},
        "f": {"type": "array", "items": {"type": "string", "format": "uri"}},
    }});
    let projected = Projection::OpenAiStrict.schema(&schema).expect("it projects");
    assert_eq!(projected.strict, Some(true));
    assert_eq!(
        projected.value,
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "At least 1 character."},
                "b": {"type": ["integer", "null"], "description": "Default: 3."},
                "c": {"type": ["string", "null"], "enum": ["x", "y", null]},
                "d": {"anyOf": [
                    {"type": "string"},
                    {"type": "object", "properties": {"e": {"type": ["boolean", "null"]}}, "required": ["e"], "additionalProperties": false},
                    {"type": "null"},
                ]},
                "f": {"type": ["array", "null"], "items": {"type": "string", "description": "Format: uri."}},
            },
            "required": ["a", "b", "c", "d", "f"],
            "additionalProperties": false,
        })
    );
    let widened: Vec<&str> = projected
        .report
        .rows()
        .iter()
        .filter(|row| row.what == "required")
        .map(|row| row.pointer.as_str())
        .collect();
    assert_eq!(
        widened,
        [
            "/properties/b",
            "/properties/c",
            "/properties/d",
            "/properties/d/anyOf/1/properties/e",
            "/properties/f"
        ]
    );
    let run = |Args(arguments): Args<Value>| arguments.to_string();
    let tool = Tool::builder("t").description("A tool.").schema(schema).run_sync(run).expect("it is defined");
    let registry = ToolRegistry::builder().tool(tool).build().expect("it builds");
    let call = ToolCall::new("1", "t", r#"{"a":"x","b":null,"c":null,"d":{"e":null},"f":null}"#);
    let validation = registry.validate(&call).expect("it is there");
    assert!(validation.valid, "{validation:?}");
    assert_eq!(validation.arguments, Some(json!({"a": "x", "b": 3, "d": {}})));
}

/// B20: a reference has no siblings; what is said of the field wins over what is said of its type.
#[test]
fn strict_references_stand_alone() {
    let level = json!({
        "type": "object", "required": ["level"], "additionalProperties": false,
        "properties": {"level": {"description": "how loud", "$ref": "#/$defs/L"}},
        "$defs": {"L": {"type": "string", "description": "a level", "enum": ["low", "high"]}},
    });
    assert_eq!(
        project(Projection::OpenAiStrict, &level)["properties"]["level"],
        json!({"type": "string", "enum": ["low", "high"], "description": "how loud"})
    );
    let tree = json!({
        "type": "object", "required": ["left", "right", "root"], "additionalProperties": false,
        "properties": {"left": {"$ref": "#/$defs/T"}, "right": {"$ref": "#/$defs/T", "description": "The other."}, "root": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        "$defs": {"T": {"type": "object", "required": ["in"], "additionalProperties": false, "properties": {
            "in": {"$ref": "#/$defs/T", "description": "Deeper."}, "maybe": {"$ref": "#/$defs/T"},
        }}},
    });
    let projected = Projection::OpenAiStrict.schema(&tree).expect("it projects");
    assert_eq!(projected.strict, Some(true), "{:?}", projected.report);
    let value = projected.value;
    let inner = json!({"anyOf": [{"$ref": "#/$defs/T"}], "description": "Deeper."});
    assert_eq!(value["properties"]["right"]["properties"]["in"], inner);
    assert_eq!(value["$defs"]["T"]["properties"]["in"], inner);
    assert_eq!(
        value["$defs"]["T"]["properties"]["maybe"],
        json!({"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]})
    );
    assert_eq!(value["properties"]["root"], json!({"anyOf": [{"$ref": "#/$defs/root_1"}, {"type": "null"}]}));
    assert_eq!(value["$defs"]["root_1"]["required"], json!(["left", "right", "root"]));
}

/// S1: the lean listing holds six keywords; what is of no one type is refused with its place.
#[test]
fn lean_lists_what_is_of_one_type() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["a", "b", "e"],
        "properties": {
            "a": {"type": ["string", "null"], "description": "A text.", "minLength": 3, "title": "A"},
            "b": {"type": "integer", "default": 1, "minimum": 0},
            "c": {"anyOf": [{"type": "null"}, {"type": "number"}, {"type": "string"}]},
            "d": {"type": "object", "additionalProperties": {"type": "string"}},
            "e": {"type": "array", "items": {"type": "object", "properties": {"x": {"const": true}}, "required": ["x"]}},
            "f": {"oneOf": [{"const": 1}, {"const": 2}]},
            "g": {"type": ["number", "string"]},
            "h": {"type": "array"},
        },
    });
    assert_eq!(
        project(Projection::Lean, &schema),
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "string", "description": "A text."},
                "b": {"type": "integer"},
                "c": {"type": "number"},
                "d": {"type": "object"},
                "e": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "boolean", "enum": [true]}}, "required": ["x"]}},
                "f": {"type": "integer", "enum": [1, 2]},
                "g": {"type": "number"},
                "h": {"type": "array"},
            },
            "required": ["a", "e"],
        })
    );
    for (property, pointer) in [
        (json!({}), "/properties/p"),
        (json!(true), "/properties/p"),
        (json!({"description": "unknown"}), "/properties/p"),
        (json!({"enum": ["a", 1]}), "/properties/p"),
        (json!({"type": "null"}), "/properties/p"),
        (json!({"type": "array", "items": {}}), "/properties/p/items"),
        (json!({"type": "object", "properties": {"deep": {}}}), "/properties/p/properties/deep"),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false}),
            "/properties/p",
        ),
    ] {
        let error = Projection::Lean.schema(&object(&json!({"p": property}))).expect_err("of no one type");
        assert_eq!(error.pointer, pointer, "{property}: {error}");
        assert!(error.reason.contains("one type"), "{error}");
    }
}

/// B28, B31: every name that a provider is given is one that it takes, and calling it reaches the tool.
#[test]
fn every_name_that_is_sent_reaches_its_tool() {
    let names = [
        "3d_render",
        "_3d_render",
        "-x",
        "_-x",
        "plain",
        "9",
        "-",
        "a-b",
        &"7".repeat(64),
        &format!("_{}", "7".repeat(63)),
    ];
    let tools = names.map(|name| Tool::builder(name).description("A tool.").run_sync(|| "done"));
    let registry = ToolRegistry::builder().tools(tools).build().expect("it builds");
    for projection in Projection::ALL {
        let list = projection.list(&registry);
        let sent: std::collections::BTreeSet<&str> = list.tools().iter().map(|tool| tool.name()).collect();
        assert_eq!(sent.len(), names.len(), "{projection}: {sent:?}");
        for tool in list.tools() {
            let first = tool.name().chars().next().expect("it is not empty");
            assert!(
                projection != Projection::Gemini || first.is_ascii_alphabetic() || first == '_',
                "{}",
                tool.name()
            );
            assert!(tool.name().len() <= 64);
            let reached = registry.get(tool.name()).expect("the name that was sent is known");
            assert_eq!(reached.name(), tool.original_name(), "{projection}");
            let call = list.restore(ToolCall::new("1", tool.name(), "{}"));
            assert_eq!(call.name, tool.original_name());
        }
    }
    assert!(Tool::builder("").description("A tool.").run_sync(|| "done").is_err());
}

/// Arguments of Gemini have plain names; a call brings their own back.
#[test]
fn gemini_arguments_have_plain_names() {
    let projected = Projection::Gemini
        .schema(&object(&json!({"user-id": {"type": "string"}, "9": {"type": "string"}})))
        .expect("it projects");
    assert_eq!(
        projected.value["properties"],
        json!({"user_id": {"type": "string"}, "_9": {"type": "string"}})
    );
    let run = |Args(arguments): Args<Value>| arguments.to_string();
    let none = Tool::builder("none").description("Takes none.").run_sync(run).expect("it is defined");
    assert_eq!(
        Projection::Gemini.tool(&none).expect("it projects").json(),
        r#"{"name":"none","description":"Takes none."}"#
    );
}

/// Servers that speak `OpenAI`'s form differ in little: each variation is that form but for its habit.
#[test]
fn profiles_vary_one_habit() {
    let schema = object(&json!({
        "a": {"type": ["string", "null"]},
        "b": {"type": "integer"},
        "c": {"enum": ["x", "y"], "description": "Which."},
        "d": {"$ref": "#/$defs/D", "description": "Deep."},
        "e": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "f": {},
        "g": {"type": ["string", "integer"]},
    }));
    let mut schema = schema;
    schema["$defs"] =
        json!({"D": {"type": "object", "properties": {"n": {"type": "string"}}, "required": ["n"]}});
    let of = |profile: Profile| profile.schema(&schema).expect("it projects").value;
    assert_eq!(of(Profile::Mistral), project(Projection::OpenAi, &schema));
    assert_eq!(
        of(Profile::Groq)["properties"],
        json!({
            "a": {"type": ["string", "null"]},
            "b": {"type": ["integer", "null"]},
            "c": {"enum": ["x", "y", null], "description": "Which."},
            "d": {"anyOf": [{"$ref": "#/$defs/D"}, {"type": "null"}], "description": "Deep."},
            "e": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            "f": {},
            "g": {"type": ["string", "integer", "null"]},
        })
    );
    assert_eq!(of(Profile::Groq)["$defs"]["D"]["properties"]["n"], json!({"type": "string"}));
    assert_eq!(of(Profile::Ollama)["properties"]["a"], json!({"type": "string"}));
    assert_eq!(
        of(Profile::Ollama)["properties"]["g"],
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})
    );
    let run = |Args(arguments): Args<Value>| arguments.to_string();
    let tool = Tool::builder("t")
        .description("A tool.")
        .schema(schema.clone())
        .run_sync(run)
        .expect("it is defined");
    for profile in Profile::ALL {
        assert_eq!(Profile::parse(profile.name()), Some(profile));
        assert!(
            profile
                .tool(&tool)
                .expect("it projects")
                .json()
                .starts_with(r#"{"type":"function","function":{"name":"t","#)
        );
    }
}

/// Ollama leaves references out without a word: definitions are written out, to a bounded depth.
#[test]
fn ollama_has_definitions_written_out() {
    let level = json!({"type": "string", "enum": ["low", "high"], "description": "How loud."});
    let schema = json!({"type": "object", "properties": {
        "plain": {"$ref": "#/$defs/Level"},
        "described": {"$ref": "#/$defs/Level", "description": "Of the alarm."},
        "bounded": {"$ref": "#/$defs/Level", "minLength": 4},
        "many": {"type": "array", "items": {"$ref": "#/$defs/Level"}},
        "perhaps": {"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}], "default": null},
        "chain": {"$ref": "#/$defs/Chain"},
    }, "$defs": {"Level": level, "Chain": {"$ref": "#/$defs/Level", "description": "Of the chain."}}});
    let projected = Profile::Ollama.schema(&schema).expect("it projects");
    let described = |text: &str| json!({"type": "string", "enum": ["low", "high"], "description": text});
    assert_eq!(
        projected.value,
        json!({"type": "object", "properties": {
            "plain": level,
            "described": described("Of the alarm."),
            "bounded": {"minLength": 4, "allOf": [level]},
            "many": {"type": "array", "items": level},
            "perhaps": level,
            "chain": described("Of the chain."),
        }})
    );
    assert!(!projected.report.has(ChangeKind::Weakened));

    let node =
        |more: Value| json!({"type": "object", "properties": {"name": {"type": "string"}, "in": more}});
    let tree = json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {
        "Node": node(json!({"$ref": "#/$defs/Node"})),
    }});
    let projected = Profile::Ollama.schema(&tree).expect("it projects");
    assert_eq!(projected.value["properties"]["root"], node(json!({"type": "object"})));
    assert!(projected.report.has(ChangeKind::Weakened), "what is in it is free");

    // Each definition refers to the next one twice.
    let definition = |n: usize| {
        let next = json!({"$ref": format!("#/$defs/D{}", n + 1)});
        (format!("D{n}"), json!({"type": "object", "properties": {"a": next, "b": next}}))
    };
    let definitions: serde_json::Map<String, Value> =
        (0..30).map(definition).chain([("D30".to_owned(), json!({"type": "string"}))]).collect();
    let wide = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/D0"}}, "$defs": definitions});
    let text = Profile::Ollama.schema(&wide).expect("it projects").value.to_string();
    assert!(text.len() < 40_000 && !text.contains("$ref"), "{} bytes", text.len());
}

/// What can not be said for a server is told with the server's name; its list leaves out that tool alone.
#[test]
fn a_profile_is_a_target_like_a_projection() {
    let tool = |name: &str, schema: Value| {
        let run = |Args(arguments): Args<Value>| arguments.to_string();
        Tool::builder(name)
            .description("Does what a test needs.")
            .schema(schema)
            .run_sync(run)
            .expect("it is defined")
    };
    let optional = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let registry = ToolRegistry::builder().tool(tool("first", optional.clone())).build().expect("it builds");
    for profile in Profile::ALL {
        let target = Target::from(profile);
        assert_eq!(Target::parse(target.name()), Some(target));
        let list = target.list(&registry);
        assert!(list.refused().is_empty());
        let sent: Value = serde_json::from_str(list.json()).expect("JSON");
        let mut whole = target
            .schema(registry.get("first").expect("it is there").definition().input.published())
            .expect("it projects")
            .value;
        assert_eq!(sent[0]["function"]["parameters"], whole.take(), "{profile}");
        let error = target.schema(&json!({"properties": {"a": 5}})).expect_err("it is no schema");
        assert_eq!((error.profile, error.projection), (Some(profile), Projection::OpenAi));
        assert!(
            error.to_string().starts_with(&format!("no {profile} form: at `/properties/a`: ")),
            "{error}"
        );
    }
    for projection in Projection::ALL {
        assert_eq!(Target::parse(projection.name()), Some(projection.into()));
    }
    assert_eq!(Target::parse("vax"), None);
}
