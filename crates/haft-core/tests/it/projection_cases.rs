//! Schemas that some provider refused, each as a test of the whole kind of fault.

use haft_core::{
    Args, ChangeKind, DefinitionError, IconTheme, Projection, Tool, ToolIcon, ToolPresentation, ToolRegistry,
    Toolkit,
};
use serde_json::{Value, json};

fn project(projection: Projection, schema: &Value) -> Value {
    projection.schema(schema).unwrap_or_else(|error| panic!("{schema}: {error}")).value
}

fn tool(name: &str, schema: Value) -> Tool {
    Tool::builder(name)
        .description("Does what a test needs.")
        .schema(schema)
        .run_sync(|Args(arguments): Args<Value>| arguments.to_string())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// B02: a property that may be left out does not offer null as a second way to say so.
#[test]
fn mcp_offers_one_way_to_leave_a_property_out() {
    for note in [
        json!({"type": ["string", "null"]}),
        json!({"type": ["string", "null"], "default": null}),
        json!({"anyOf": [{"type": "string"}, {"type": "null"}]}),
        json!({"anyOf": [{"type": "null"}, {"type": "string"}], "default": null}),
        json!({"oneOf": [{"type": "string"}, {"type": "null"}]}),
    ] {
        let schema =
            json!({"type": "object", "properties": {"in": {"type": "object", "properties": {"note": note}}}});
        let projected = Projection::Mcp.schema(&schema).expect("it projects");
        assert_eq!(
            projected.value["properties"]["in"]["properties"]["note"],
            json!({"type": "string"}),
            "{note}"
        );
        let row = &projected.report.rows()[0];
        assert_eq!(
            (row.kind, row.pointer.as_str()),
            (ChangeKind::Narrowed, "/properties/in/properties/note")
        );
    }
    let kept = json!({"type": "object", "properties": {
        "required": {"type": ["string", "null"]},
        "distinct": {"type": ["string", "null"], "default": "x"},
    }, "required": ["required"]});
    assert_eq!(project(Projection::Mcp, &kept), kept);
}

/// B04: formats of no vocabulary go, everything else stays, and a property is never taken for a keyword.
#[test]
fn formats_of_no_vocabulary_are_stripped_everywhere() {
    let schema = json!({
        "type": "object",
        "properties": {
            "format": {"type": "string", "format": "date-time"},
            "n": {"$ref": "#/$defs/R"},
            "list": {"type": "array", "items": {"type": "integer", "format": "uint32"}},
        },
        "$defs": {"R": {"type": "object", "properties": {"end": {"type": "integer", "format": "uint", "minimum": 0}}}},
    });
    for projection in [Projection::Mcp, Projection::OpenAi, Projection::Anthropic] {
        let value = project(projection, &schema);
        assert_eq!(value["properties"]["format"], json!({"type": "string", "format": "date-time"}));
        assert_eq!(value["properties"]["list"]["items"], json!({"type": "integer"}));
        assert_eq!(value["$defs"]["R"]["properties"]["end"], json!({"type": "integer", "minimum": 0}));
    }
}

/// B11: what is no schema is refused with its place, when a tool is defined as well; `true` is a schema.
#[test]
fn what_is_no_schema_is_refused_with_its_place() {
    for (schema, pointer) in [
        (json!({"type": "object", "properties": {"x": "string"}}), "/properties/x"),
        (json!({"type": "object", "properties": {"x": ["string"]}}), "/properties/x"),
        (json!({"type": "object", "properties": {"x": {"items": 5}}}), "/properties/x/items"),
        (json!({"type": "object", "properties": {"x": {"type": "datetime2"}}}), "/properties/x/type"),
        (
            json!({"type": "object", "properties": {"x": {"anyOf": {"type": "string"}}}}),
            "/properties/x/anyOf",
        ),
        (json!({"type": "object", "properties": {"x": {"minLength": "3"}}}), "/properties/x/minLength"),
        (json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/gone"}}}), "/properties/x/$ref"),
    ] {
        for projection in Projection::ALL {
            let error = projection.schema(&schema).expect_err("it is no schema");
            assert_eq!(error.pointer, pointer, "{projection}: {error}");
        }
        let run = |Args(arguments): Args<Value>| arguments.to_string();
        let error = Tool::builder("x").description("A tool.").schema(schema.clone()).run_sync(run);
        assert!(error.expect_err("it is no schema").to_string().contains(pointer), "{schema}");
    }
    let anything = json!({"type": "object", "properties": {"x": true}});
    assert_eq!(project(Projection::Anthropic, &anything)["properties"]["x"], json!(true));
}

/// B13: alternatives at the root leave the wire copy, are said in the description, and still hold.
#[test]
fn alternatives_at_the_root_are_told_and_still_hold() {
    let schema = json!({
        "type": "object",
        "description": "Writes.",
        "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
        "anyOf": [{"required": ["title"]}, {"required": ["body"]}],
    });
    for projection in [Projection::OpenAi, Projection::Anthropic] {
        let projected = projection.schema(&schema).expect("it projects");
        assert_eq!(
            projected.value,
            json!({
                "type": "object",
                "description": "Writes. At least one of these must be given: title; body.",
                "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
            })
        );
        assert!(projected.report.has(ChangeKind::Weakened));
    }
    let registry = ToolRegistry::builder().tool(tool("write", schema)).build().expect("it builds");
    for (arguments, valid) in [("{}", false), (r#"{"title":"x"}"#, true)] {
        let call = haft_core::ToolCall::new("c", "write", arguments);
        assert_eq!(registry.validate(&call).expect("it is there").valid, valid, "{arguments}");
    }
}

/// B14, B22: whatever stands at the root, providers get one object; what the root composes is put together.
#[test]
fn the_root_is_always_one_object() {
    let composed = json!({
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}, "required": ["kind", "x"]},
            {"$ref": "#/$defs/B"},
        ],
        "allOf": [{"properties": {"id": {"type": "string"}}, "required": ["id"]}],
        "$defs": {"B": {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]}},
    });
    for projection in [Projection::OpenAi, Projection::Anthropic] {
        let value = project(projection, &composed);
        assert_eq!(value["type"], "object");
        assert_eq!(value["required"], json!(["id", "kind"]));
        assert_eq!(value["properties"]["kind"], json!({"anyOf": [{"const": "a"}, {"const": "b"}]}));
        assert_eq!(
            value["description"],
            "Exactly one of these must hold: kind = \"a\" with x; kind = \"b\"."
        );
        for keyword in ["oneOf", "allOf", "anyOf", "$ref"] {
            assert!(value.get(keyword).is_none(), "{keyword}");
        }
    }
    for schema in [json!({}), json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}), json!(true)] {
        for projection in Projection::ALL.into_iter().filter(|projection| *projection != Projection::Lean) {
            assert_eq!(project(projection, &schema)["type"], "object", "{schema}");
        }
    }
    let tree = json!({
        "$ref": "#/$defs/Tree",
        "$defs": {"Tree": {"type": "object", "properties": {
            "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        }, "required": ["name"]}},
    });
    let value = project(Projection::Anthropic, &tree);
    assert_eq!(value["properties"]["children"]["items"], json!({"$ref": "#/$defs/Tree"}));
    assert!(value["$defs"]["Tree"].is_object());
}

/// B14: a tool that has no form is left out of the list and named; the others are there, in their order.
#[test]
fn one_bad_tool_does_not_sink_the_others() {
    let scalar = json!({"type": "object", "allOf": [{"type": "object"}], "enum": ["never an object"]});
    let registry = ToolRegistry::builder()
        .tool(tool("first", json!({"type": "object", "properties": {"a": {"type": "string"}}})))
        .tool(tool("bad", scalar))
        .tool(tool("last", json!({})))
        .build()
        .expect("it builds");
    let tools = Projection::Anthropic.list(&registry);
    let names: Vec<&str> = tools.tools().iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["first", "last"]);
    assert_eq!(tools.refused().len(), 1);
    assert_eq!(tools.refused()[0].name, "bad");
    let sent: Value = serde_json::from_str(tools.json()).expect("it is JSON");
    assert_eq!(sent.as_array().map(Vec::len), Some(2));
}

/// B16, B17: null counts as absent, no schema as no arguments; neither is sent.
#[test]
fn null_and_absent_keywords_are_never_sent() {
    let schema = json!({"type": "object", "properties": null, "required": null, "description": null});
    for projection in Projection::ALL {
        let value = project(projection, &schema);
        assert_eq!(value["type"], "object");
        assert!(!value.to_string().contains("null"), "{projection}: {value}");
    }
    let none = Tool::builder("now").description("The time.").run_sync(|| "now").expect("it is defined");
    let sent: Value =
        serde_json::from_str(Projection::OpenAi.tool(&none).expect("it projects").json()).expect("JSON");
    assert_eq!(sent["function"]["parameters"]["type"], "object");
    assert_eq!(sent["function"]["parameters"]["properties"], json!({}));
    tool("null_properties", schema);
}

/// B22, B23: loops of references neither overflow nor hang, in input and in output.
#[test]
fn loops_of_references_end() {
    for schema in [
        json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "type": "object",
            "properties": {"v": {"$ref": "#/$defs/a"}}}),
        json!({"$defs": {"J": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/J"}}]}},
            "type": "object", "properties": {"v": {"$ref": "#/$defs/J"}}}),
        json!({"allOf": [{"$ref": "#/$defs/x"}], "$defs": {"x": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "object"}]}}}),
    ] {
        for projection in Projection::ALL {
            match projection.schema(&schema) {
                Ok(projected) => assert_eq!(projected.value["type"], "object"),
                // A loop that says nothing, and a union of texts and lists, are of no one type.
                Err(error) => {
                    assert_eq!((projection, error.pointer.as_str()), (Projection::Lean, "/properties/v"));
                }
            }
        }
        let listed = Tool::builder("loop")
            .description("A tool.")
            .source(haft_core::ToolSource::Mcp)
            .schema(schema.clone())
            .output_schema(schema)
            .run_sync(|| "done")
            .expect("it is defined");
        Projection::Mcp.tool(&listed).expect("it is listed");
    }
}

/// Foreign spellings whose meaning is plain are read as meant; a name in a schema of names is no keyword.
#[test]
fn foreign_schemas_are_read_as_meant() {
    let schema = json!({
        "type": "dict",
        "properties": {
            "type": {"type": "float"},
            "required": {"type": "any", "required": true},
            "pair": {"type": "tuple", "items": [{"type": "str"}, {"type": "int"}]},
            "n": {"type": "Integer", "minimum": 1, "exclusiveMinimum": true},
            "$filter": {"type": ["string", "none"]},
            "empty": {"type": "object", "properties": []},
        },
    });
    let value = project(Projection::OpenAi, &schema);
    assert_eq!(
        value,
        json!({
            "type": "object",
            "properties": {
                "type": {"type": "number"},
                "required": {},
                "pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {}},
                "n": {"type": "integer", "exclusiveMinimum": 1},
                "$filter": {"type": ["string", "null"]},
                "empty": {"type": "object", "properties": {}},
            },
            "required": ["required"],
        })
    );
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"pair": {"items": [{"type": "string"}], "additionalItems": false}, "r": {"$ref": "#/definitions/R", "type": "string"}},
        "dependencies": {"pair": ["r"]},
        "definitions": {"R": {"type": "integer"}},
    });
    let value = project(Projection::Anthropic, &draft_7);
    assert_eq!(value["properties"]["pair"], json!({"prefixItems": [{"type": "string"}], "items": false}));
    assert_eq!(value["properties"]["r"], json!({"$ref": "#/definitions/R"}));
    assert_eq!(value["dependentRequired"], json!({"pair": ["r"]}));
    assert!(value.get("$schema").is_none());
}

/// An argument whose name a provider refuses is sent under another, and gets its own back in a call.
#[test]
fn refused_argument_names_come_back_as_they_were() {
    let schema = json!({"type": "object", "properties": {
        "$top": {"type": "integer"}, "_top": {"type": "string"}, "filter[id]": {"type": "string"},
    }, "required": ["$top"]});
    let projected = Projection::Anthropic.tool(&tool("list", schema)).expect("it projects");
    let sent: Value = serde_json::from_str(projected.json()).expect("JSON");
    let names: Vec<&String> =
        sent["input_schema"]["properties"].as_object().expect("an object").keys().collect();
    assert_eq!(names, ["_top", "_top_81bf98e4", "filter_id_"]);
    assert_eq!(sent["input_schema"]["required"], json!(["_top_81bf98e4"]));
    let call =
        haft_core::ToolCall::new("c", "list", r#"{"_top_81bf98e4": 9007199254740993, "filter_id_":"x"}"#);
    assert_eq!(projected.restore(call).arguments, r#"{"$top":9007199254740993,"filter[id]":"x"}"#);
    let broken = haft_core::ToolCall::new("c", "list", r#"{"_top_81bf98e4": "#);
    assert_eq!(projected.restore(broken).arguments, r#"{"_top_81bf98e4": "#);
}

/// Only the outermost names come back in a call: a schema that refers to itself keeps its own names inside.
#[test]
fn renaming_stays_at_the_root() {
    let tree = json!({"type": "object", "properties": {"$name": {"type": "string"}, "in": {"$ref": "#"}, "of": {"$ref": "#/properties/$name"}}});
    let value = project(Projection::Anthropic, &tree);
    assert_eq!(value["properties"]["_name"], json!({"type": "string"}));
    assert_eq!(value["properties"]["in"], json!({"$ref": "#/$defs/arguments"}));
    assert_eq!(value["$defs"]["arguments"]["properties"]["$name"], json!({"type": "string"}));
    assert_eq!(value["$defs"]["arguments"]["properties"]["of"], json!({"$ref": "#/$defs/_name"}));
    assert_eq!(value["$defs"]["_name"], json!({"type": "string"}));
}

/// What is sent has one order of keys, the name first.
#[test]
fn tool_objects_have_one_form() {
    let adder = Tool::builder("add")
        .description("Adds \"two\" numbers.\n")
        .display_name("Add")
        .read_only(true)
        .schema(json!({"type": "object", "required": ["b"], "properties": {"b": {"type": "number", "maximum": 10.0}}}))
        .output_schema(json!({"type": "object", "properties": {"sum": {"type": ["number", "null"], "format": "double"}}}))
        .run_sync(|| "3")
        .expect("it is defined");
    let sent = |projection: Projection| projection.tool(&adder).expect("it projects").json().to_owned();
    let input = r#"{"additionalProperties":false,"properties":{"b":{"maximum":10,"type":"number"}},"required":["b"],"type":"object"}"#;
    let named = r#"{"name":"add","title":"Add","description":"Adds \"two\" numbers.\n""#;
    let rest = r#""outputSchema":{"properties":{"sum":{"type":["number","null"]}},"type":"object"},"annotations":{"readOnlyHint":true}}"#;
    assert_eq!(sent(Projection::Mcp), format!("{named},\"inputSchema\":{input},{rest}"));
    let named = r#"{"name":"add","description":"Adds \"two\" numbers.\n""#;
    let function = format!("{named},\"parameters\":{input}}}");
    assert_eq!(sent(Projection::OpenAi), format!("{{\"type\":\"function\",\"function\":{function}}}"));
    assert_eq!(sent(Projection::Anthropic), format!("{named},\"input_schema\":{input}}}"));
}

/// What programs show to people is for MCP clients, in one order; no model pays for it.
#[test]
fn icons_and_metadata_are_for_mcp_clients_alone() {
    let mut presentation = ToolPresentation::new()
        .icon(ToolIcon::new("https://x.example/i.svg").mime_type("image/svg+xml").size("any"))
        .icon(ToolIcon::new("data:,").theme(IconTheme::Dark));
    presentation.meta = json!({"z": 1.0, "a": {"c": null, "b": "\u{202e}"}}).as_object().unwrap().clone();
    presentation.annotated_title = Some("Add (old)".to_owned());
    let make = |presentation| {
        let builder = Tool::builder("add").description("Adds.").read_only(true);
        builder.presentation(presentation).run_sync(|| "3").expect("it is defined")
    };
    let (shown, bare) = (make(presentation), make(ToolPresentation::new()));
    let sent =
        |tool: &Tool, projection: Projection| projection.tool(tool).expect("it projects").json().to_owned();
    let wanted = concat!(
        r#"{"name":"add","description":"Adds.","inputSchema":{"additionalProperties":false,"properties":{},"type":"object"},"#,
        r#""annotations":{"title":"Add (old)","readOnlyHint":true},"#,
        r#""icons":[{"src":"https://x.example/i.svg","mimeType":"image/svg+xml","sizes":["any"]},{"src":"data:,","theme":"dark"}],"#,
        r#""_meta":{"a":{"b":"#,
        "\"\u{202e}\"",
        r#","c":null},"z":1}}"#,
    );
    assert_eq!(sent(&shown, Projection::Mcp), wanted);
    assert!(bare.definition().presentation().is_none());
    for projection in Projection::ALL.into_iter().filter(|projection| *projection != Projection::Mcp) {
        assert_eq!(sent(&shown, projection), sent(&bare, projection), "{projection}");
    }
    let renamed = Toolkit::new("kit").tool(Ok::<_, DefinitionError>(shown.clone())).renamed("add", "sum");
    let registry = ToolRegistry::builder().toolkit(renamed).build().expect("a registry");
    let tool = registry.get("sum").expect("the tool");
    assert_eq!(tool.definition().presentation(), shown.definition().presentation());
}
