//! What a function gives back, and what becomes of it: for the model, for the host, on the wire.

use haft_core::{
    Args, CallContext, Content, DefinitionProblem, Dispatcher, ErrorCode, IntoTool, IntoToolOutput, Json,
    Message, Role, Rows, SchemaError, Tool, ToolBuilder, ToolCall, ToolOutput, ToolRegistry, ToolResult,
    or_note, size_of,
};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

use crate::script;

fn tool(name: &str) -> ToolBuilder {
    Tool::builder(name).description("Gives something back.")
}

fn call(tool: impl IntoTool, arguments: &str) -> ToolResult {
    let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).build().unwrap());
    let name = dispatcher.registry().iter().next().unwrap().name().to_owned();
    script::paused().block_on(dispatcher.call(&name, arguments, CallContext::new().call_id("c"))).unwrap()
}

#[derive(Debug, thiserror::Error)]
#[error("no")]
struct No;

/// A failure inside of JSON would count as a success: it is refused when the tool is defined, whatever its schema is said
/// to be, while a `Result` around JSON is what it should be.
#[test]
fn a_result_inside_of_json_is_no_output() {
    type Failing<T> = Json<Result<T, String>>;
    let defined = [
        tool("a").run_sync(|| Json(Ok::<u8, String>(1))),
        tool("a").run_blocking(|| Json(Err::<Vec<String>, _>(7))),
        tool("a").run(|| async { Ok::<Failing<u8>, No>(Json(Ok(1))) }),
        tool("a").output_schema(json!({"type": "object"})).run_sync(|| Json(Ok::<u8, String>(1))),
    ];
    for defined in defined {
        let error = defined.unwrap_err();
        assert!(
            matches!(error.problems(), [DefinitionProblem::Output(SchemaError::ResultInside)]),
            "{error}"
        );
        assert!(error.to_string().contains("return `Result<Json<T>, E>`"), "{error}");
    }
    assert!(tool("a").run_sync(|| Ok::<_, No>(Json(1))).is_ok());
    assert!(tool("a").run_sync(|| Json(vec![Ok::<u8, String>(1)])).is_ok(), "many outcomes are a value");
}

/// One row a type: its text, and the result on the wire.
#[test]
fn every_return_type_has_its_forms() {
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Point {
        x: i32,
    }
    let blocks = || {
        vec![
            Content::text("see"),
            serde_json::from_value(json!({"type": "image", "data": "aGFmdA==", "mimeType": "image/png"}))
                .unwrap(),
            serde_json::from_value(json!({"type": "audio", "data": "aGFm", "mimeType": "audio/wav"}))
                .unwrap(),
            serde_json::from_value(json!({"type": "resource_link", "uri": "file:///a", "name": "a"}))
                .unwrap(),
            serde_json::from_value(
                json!({"type": "resource", "resource": {"uri": "file:///b", "text": "inside"}}),
            )
            .unwrap(),
            serde_json::from_value(
                json!({"type": "resource", "resource": {"uri": "file:///c", "blob": "aGFm"}}),
            )
            .unwrap(),
        ]
    };
    let text = "see\n[image image/png, 4 bytes]\n[audio audio/wav, 3 bytes]\n[a](file:///a)\ninside\n[resource file:///c]";
    let wire: Value = serde_json::to_value(blocks()).unwrap();
    let rows: Vec<(ToolResult, &str, Value)> = vec![
        (call(tool("a").run_sync(|| "text"), "{}"), "text", json!({})),
        (call(tool("a").run_sync(|| String::from("text")), "{}"), "text", json!({})),
        (call(tool("a").run_sync(|| ()), "{}"), "", json!({})),
        (
            call(tool("a").run_sync(|| Rows::new().row(["a", "b\tc"]).row(["d"])), "{}"),
            "a\tb c\nd",
            json!({}),
        ),
        (
            call(tool("a").run_sync(|| Json(Point { x: 1 })), "{}"),
            r#"{"x":1}"#,
            json!({"structured": {"x": 1}}),
        ),
        (call(tool("a").run_sync(|| Json(Vec::<Point>::new())), "{}"), "[]", json!({"structured": []})),
        (call(tool("a").run_sync(|| Json(None::<Point>)), "{}"), "null", json!({"structured": null})),
        (
            call(tool("a").run_sync(|| Content::text("one")), "{}"),
            "one",
            json!({"content": [{"type": "text", "text": "one"}]}),
        ),
        (call(tool("a").run_sync(blocks), "{}"), text, json!({"content": wire})),
        (call(tool("a").run_sync(Vec::<Content>::new), "{}"), "", json!({"content": []})),
        (call(tool("a").run_sync(|| Ok::<_, No>("fine")), "{}"), "fine", json!({})),
        (
            call(
                tool("a").run_sync(|| ToolOutput::text("m").with_display("p").with_metadata("title", "t")),
                "{}",
            ),
            "m",
            json!({"metadata": {"title": "t"}}),
        ),
        (
            call(tool("a").run_sync(|| ToolOutput::json(&json!({"b": 1}))), "{}"),
            r#"{"b":1}"#,
            json!({"structured": {"b": 1}}),
        ),
    ];
    for (result, text, mut wire) in rows {
        assert!(!result.is_error());
        assert_eq!(result.text(), text);
        let fields = wire.as_object_mut().unwrap();
        fields.insert("output".to_owned(), text.into());
        fields.insert("isError".to_owned(), false.into());
        assert_eq!(serde_json::to_value(&result).unwrap(), wire);
        assert!(serde_json::to_string(&result).unwrap().starts_with(r#"{"output":"#));
    }
    let failed = call(tool("a").run_sync(|| Err::<&str, _>(No)), "{}");
    assert_eq!((failed.error().unwrap().name(), failed.error().unwrap().source().is_some()), ("No", true));
}

/// B70: what is stored of nothing is nothing; an empty list, null and no blocks are told apart from it.
#[test]
fn nothing_stays_nothing() {
    assert_eq!(call(tool("a").run_sync(|| ""), "{}").text(), "");
    assert_eq!(call(tool("a").run_sync(|| Json(json!([]))).unwrap(), "{}").text(), "[]");
    assert_eq!(call(tool("a").run_sync(|| Json(json!(null))).unwrap(), "{}").text(), "null");
    let output = ToolOutput::empty();
    assert!(output.content().is_empty() && !output.has_blocks() && output.structured().is_none());
    assert!(ToolOutput::blocks(Vec::new()).has_blocks());
}

/// B74: only what the function said decides, never how a text begins.
#[test]
fn a_text_that_looks_like_a_failure_is_a_success() {
    for text in [
        "Error: lines found in log: 3",
        "refused\tno\tno",
        r#"{"isError":true}"#,
        r#"{"error":"ToolExecutionError","kind":"execution"}"#,
    ] {
        let result = call(tool("a").run_sync(move || text), "{}");
        assert!(!result.is_error());
        assert_eq!(result.text(), text);
        let message = Message::tool(&result);
        assert_eq!((message.role, message.is_error, message.text.as_str()), (Role::Tool, false, text));
    }
}

#[test]
fn a_message_answers_its_call() {
    let failed = call(tool("a").run_sync(|| Err::<&str, _>(No)), "{}");
    let message = Message::tool(&failed);
    assert!(message.is_error && message.text.contains(r#""kind":"execution""#));
    assert_eq!(message.tool_call_id, Some(ToolCall::new("c", "", "").id));
}

fn rows_schema() -> Value {
    json!({"type": "object", "properties": {"rows": {"type": "integer", "maximum": 9}}, "required": ["rows"]})
}

/// A mismatch is a failed call; the host still has what the function returned.
#[test]
fn output_is_checked_against_its_schema() {
    let made = |output: Value| tool("a").output_schema(rows_schema()).run_sync(move || Json(output.clone()));
    assert_eq!(call(made(json!({"rows": 3})), "{}").text(), r#"{"rows":3}"#);
    for (output, path) in [
        (json!({"rows": "3"}), "/rows"),
        (json!({}), "/rows"),
        (json!([]), ""),
        (json!({"rows": 10}), "/rows"),
    ] {
        let result = call(made(output.clone()), "{}");
        let error = result.error().unwrap();
        assert_eq!((error.code(), error.issues()[0].path.as_str()), (ErrorCode::Output, path));
        assert_eq!(result.returned().unwrap().structured(), Some(output));
        let wire = serde_json::to_value(&result).unwrap();
        assert!(wire.get("structured").is_none(), "the model never sees it");
    }
}

/// B80: a tool that declares structured output and gives none has failed, with its text kept for the host.
#[test]
fn declared_output_has_to_be_there() {
    let result = call(tool("a").output_schema(rows_schema()).run_sync(|| "three"), "{}");
    let error = result.error().unwrap();
    assert_eq!(error.code(), ErrorCode::Output);
    assert!(error.message().contains("declares structured output and returned none"), "{}", error.message());
    assert_eq!(result.returned().unwrap().to_text(), "three");
}

/// B79: a failure is not held against the schema of output, and carries no structured value.
#[test]
fn a_failure_is_no_output() {
    let result = call(tool("a").output_schema(rows_schema()).run_sync(|| Err::<Json<Value>, _>(No)), "{}");
    assert_eq!(result.error().unwrap().name(), "No");
    let wire = serde_json::to_value(&result).unwrap();
    assert_eq!((&wire["isError"], wire.get("structured")), (&json!(true), None));
    assert!(result.returned().is_none());
}

#[test]
fn the_schema_of_output_is_that_of_what_is_returned() {
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Found {
        rows: u8,
    }
    let published =
        |tool: Tool| tool.definition().output.as_ref().map(|output| output.published()["required"].clone());
    assert_eq!(published(tool("a").run_sync(|| Json(Found { rows: 1 })).unwrap()), Some(json!(["rows"])));
    assert_eq!(
        published(tool("a").run_sync(|| Ok::<_, No>(Json(Found { rows: 1 }))).unwrap()),
        Some(json!(["rows"]))
    );
    assert_eq!(
        published(tool("a").run(|| async { Json(Found { rows: 1 }) }).unwrap()),
        Some(json!(["rows"]))
    );
    assert_eq!(published(tool("a").run_sync(|| "text").unwrap()), None);
}

/// What can not be written as JSON is a failed call.
#[test]
fn a_value_that_is_no_json_is_a_failed_call() {
    #[derive(serde::Serialize)]
    struct Keys(std::collections::BTreeMap<(u8, u8), u8>);
    impl schemars::JsonSchema for Keys {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "Keys".into()
        }

        fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
            schemars::json_schema!({"type": "object"})
        }
    }
    let keys = || std::collections::BTreeMap::from([((1, 2), 3)]);
    let result = call(tool("a").run_sync(move || Json(Keys(keys()))), "{}");
    assert_eq!(result.error().unwrap().code(), ErrorCode::Output);
    assert!(Json(Keys(keys())).into_tool_output().is_err());
}

#[test]
fn rows_are_one_line_each() {
    script::runner(500)
        .run(&vec(vec(any::<String>(), 1..4), 0..5), |rows| {
            let made = rows.iter().fold(Rows::new(), Rows::row);
            let text = made.to_string();
            assert_eq!(made.is_empty(), rows.is_empty());
            if !rows.is_empty() {
                let lines: Vec<Vec<&str>> = text.split('\n').map(|line| line.split('\t').collect()).collect();
                assert_eq!(
                    lines.iter().map(Vec::len).collect::<Vec<_>>(),
                    rows.iter().map(Vec::len).collect::<Vec<_>>()
                );
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_list_of_nothing_has_its_note() {
    assert_eq!(or_note(Vec::new(), "No orders."), ["No orders."]);
    assert_eq!(or_note(vec![String::new()], "No orders."), [""]);
}

#[test]
fn sizes_are_told_in_one_unit() {
    for (text, told) in [
        (String::new(), "0 characters"),
        ("x".to_owned(), "1 character"),
        ("ä🦀".to_owned(), "2 characters"),
        ("x".repeat(999), "999 characters"),
        ("x".repeat(1_000), "1.0 kB"),
        ("x".repeat(999_949), "999.9 kB"),
        ("x".repeat(999_950), "1.0 MB"),
        ("x".repeat(1_250_000), "1.2 MB"),
    ] {
        assert_eq!(size_of(&text), told);
    }
}

/// A required text has its own message for a missing, null or empty one, and for nothing else.
#[test]
fn a_required_text_has_its_own_message() {
    const OWN: &str = "Say which city.";
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}, "a/b~c": {"type": "string"}, "n": {"type": "integer"}}});
    let made = || {
        let made = tool("weather")
            .schema(schema.clone())
            .required_field("city", OWN)
            .required_field("a/b~c", "Say a/b.");
        made.run(|Args(all): Args<Value>| async { Json(all) })
    };
    let messages = |text: &str| -> Vec<String> {
        let result = call(made(), text);
        let error = result.error();
        error
            .map(|error| error.issues().iter().map(|issue| issue.message.clone()).collect())
            .unwrap_or_default()
    };
    for text in [r#"{"a/b~c":"x"}"#, r#"{"a/b~c":"x","city":null}"#, r#"{"a/b~c":"x","city":""}"#] {
        assert_eq!(messages(text), [OWN], "{text}");
    }
    for text in ["", "null", "{}", r#"{"a/b~c":"","city":""}"#] {
        assert_eq!(messages(text).len(), 2, "{text}");
        assert!(messages(text).contains(&"Say a/b.".to_owned()) && messages(text).contains(&OWN.to_owned()));
    }
    assert_eq!(messages(r#"{"a/b~c":"x","city":7}"#), ["city: expected string, got 7"]);
    assert_eq!(messages(r#"{"a/b~c":"x","city":"Oslo","n":"x"}"#), ["n: expected integer, got \"x\""]);
    assert!(messages(r#"{"a/b~c":"x","city":" "}"#).is_empty());
    let published = made().unwrap().definition().input.published().clone();
    assert_eq!(published["properties"]["city"], json!({"type": "string", "minLength": 1}));
    assert!(!published.to_string().contains(OWN), "the message is not published");
}

/// D3, D4, D5: the tools that are more than their schema.
#[test]
fn small_tools_have_small_schemas() {
    let simple = Tool::simple("shout", |input: String| async move { input.to_uppercase() }).unwrap();
    assert_eq!(simple.definition().description, "shout");
    assert_eq!(
        *simple.definition().input.published(),
        json!({"type": "object", "properties": {"input": {"type": "string", "description": "<tool-input>"}},
            "required": ["input"], "additionalProperties": false})
    );
    assert_eq!(call(&simple, r#"{"input":"hey"}"#).text(), "HEY");
    assert!(call(&simple, "{}").is_error());

    let search = Tool::parameters("search", "Searches.")
        .param("query", "Words")
        .optional_param("category", "Where")
        .run(|texts, context| async move {
            format!("{} {:?} {}", texts["query"], texts.get("category"), context.tool_call_id())
        });
    let search = search.unwrap();
    let published = search.definition().input.published();
    assert_eq!(published["required"], json!(["query"]));
    assert_eq!(published["properties"]["category"], json!({"type": "string", "description": "Where"}));
    assert_eq!(call(&search, r#"{"query":"a"}"#).text(), "a None c");
    assert_eq!(call(&search, r#"{"query":"a","category":"b"}"#).text(), "a Some(\"b\") c");
    assert!(call(&search, r#"{"query":1}"#).is_error());

    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    for schema in
        [None, Some(json!({})), Some(json!(true)), Some(json!({"type": "object"})), Some(Value::Null)]
    {
        let builder = tool("none");
        let made = match &schema {
            Some(schema) => builder.schema(schema.clone()).run_sync(|| "called"),
            None => builder.run_sync(|| "called"),
        };
        let made = made.unwrap();
        assert_eq!(*made.definition().input.published(), empty, "{schema:?}");
        assert_eq!(call(&made, "").text(), "called");
        assert!(call(&made, r#"{"a":1}"#).is_error());
    }
}

/// D12: how a tool is shown, and the form in which it goes to a model.
#[test]
fn a_tool_is_shown_and_sent_in_one_form() {
    let add = tool("add").schema(
        json!({"type": "object", "properties": {"b": {"type": "integer"}, "a": {"type": "integer"}}}),
    );
    let add = add.run_sync(|_: Args<Value>| "").unwrap();
    assert_eq!(add.to_string(), "Tool(add): Gives something back.");
    assert_eq!(format!("{add:?}"), "Tool(\"add\")");
    let sent = serde_json::to_string(&add).unwrap();
    assert!(sent.starts_with(r#"{"type":"function","function":{"name":"add","description":"Gives something back.","parameters":{"#), "{sent}");
    let sent: Value = serde_json::from_str(&sent).unwrap();
    assert_eq!(sent["function"]["parameters"], *add.definition().input.published());
}

/// V6 holds without a dispatcher too.
#[test]
fn output_is_checked_of_a_tool_that_runs_alone() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let alone = |value: Value| {
        let made = tool("count").output_schema(schema.clone()).run_sync(move || Json(value.clone())).unwrap();
        let outcome = script::paused().block_on(made.call("{}", haft_core::ToolContext::detached()));
        outcome.map(|output| output.to_text().into_owned()).map_err(|error| error.code())
    };
    assert_eq!(alone(json!({"n": 1})).unwrap(), r#"{"n":1}"#);
    assert_eq!(alone(json!({"n": "one"})).unwrap_err(), ErrorCode::Output);
}

/// X4, for wrappers of one's own.
#[test]
fn a_result_of_ones_own_is_like_ours() {
    let ours = call(tool("a").run_sync(|| Err::<&str, _>(No)), "{}");
    let own = ToolResult::failed("c", "a", No.into());
    assert_eq!((own.text(), own.id(), own.tool_name()), (ours.text(), ours.id(), ours.tool_name()));
    assert_eq!(serde_json::to_string(&own).unwrap(), serde_json::to_string(&ours).unwrap());
    let own = ToolResult::succeeded("c", "a", ToolOutput::text("x"));
    assert_eq!((own.text(), own.is_error()), ("x".into(), false));
}
