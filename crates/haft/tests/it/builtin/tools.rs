//! The built-in tools as a model meets them: their definitions, and what a dispatcher makes of their calls.

use haft::{CallContext, Clock, Dispatcher, ToolRegistry, ToolSource, builtin};
use serde_json::{Value, json};

/// 2026-11-30T01:02:03Z.
#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now_millis(&self) -> u64 {
        1_796_000_523_000
    }
}

fn dispatcher() -> Dispatcher {
    let registry = ToolRegistry::builder()
        .tool(builtin::calculate())
        .tool(builtin::day_name())
        .tool(builtin::current_date(Still))
        .build()
        .unwrap();
    Dispatcher::new(registry)
}

async fn call(name: &str, arguments: Value) -> String {
    let result = dispatcher().call(name, &arguments.to_string(), CallContext::new()).await.unwrap();
    let text = result.text().into_owned();
    assert_eq!(result.is_error(), text.starts_with('{'), "{text}");
    text
}

/// Kind, code and message of the error that a call gets.
async fn error(name: &str, arguments: Value) -> (String, u64, String) {
    let body: Value = serde_json::from_str(&call(name, arguments).await).unwrap();
    let text = |field: &str| body[field].as_str().unwrap().to_owned();
    (text("kind"), body["code"].as_u64().unwrap(), text("message"))
}

#[test]
fn definitions_say_what_a_model_needs() {
    let tools = builtin::tools().unwrap();
    let names: Vec<&str> = tools.iter().map(haft::Tool::name).collect();
    assert_eq!(names, ["calculate", "current_date", "day_name"]);
    for tool in &tools {
        let definition = tool.definition();
        assert_eq!(definition.source, ToolSource::Builtin);
        assert_eq!(definition.annotations.read_only, Some(true));
        assert!(definition.output.is_none(), "results are text");
        let schema = definition.input.published();
        for (field, property) in schema["properties"].as_object().unwrap() {
            assert!(
                property["description"].as_str().is_some_and(|text| text.len() > 30),
                "{field}: {property}"
            );
        }
    }
    let schema = tools[1].definition().input.published();
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"]["zone"]["type"], json!("string"));
    assert_eq!(schema.get("required"), None);
}

#[tokio::test]
async fn answers_are_plain_text() {
    assert_eq!(call("calculate", json!({"expression": "0.1+0.2"})).await, "0.3");
    assert_eq!(call("calculate", json!({"expression": "2^10"})).await, "1024");
    assert_eq!(call("day_name", json!({"date": "2024-02-29"})).await, "Thursday");
    let utc = "utc\t2026-11-30T01:02:03Z\nlocal\t2026-11-30T01:02:03+00:00\nzone\tUTC\nweekday\tMonday";
    assert_eq!(call("current_date", json!({})).await, utc);
    for nothing in [json!(null), json!("")] {
        assert_eq!(call("current_date", json!({"zone": nothing})).await, utc);
    }
    assert_eq!(
        call("current_date", json!({"zone": "America/New_York"})).await,
        "utc\t2026-11-30T01:02:03Z\nlocal\t2026-11-29T20:02:03-05:00\nzone\tAmerica/New_York\nweekday\tSunday"
    );
}

#[tokio::test]
async fn what_does_not_parse_is_a_validation_error() {
    for expression in ["__import__('os').system('id')", "().__class__", "1; x", ""] {
        let (kind, code, message) = error("calculate", json!({ "expression": expression })).await;
        assert_eq!((kind.as_str(), code), ("validation", 1001), "{expression}");
        assert!(message.starts_with("the expression does not parse at column "), "{message}");
    }
    let (kind, code, message) = error("day_name", json!({"date": "2023-02-29"})).await;
    assert_eq!((kind.as_str(), code), ("validation", 1001));
    assert_eq!(message, "date: there is no day 29: February 2023 has 28 days");
    let (kind, code, message) = error("current_date", json!({"zone": "Berlin"})).await;
    assert_eq!((kind.as_str(), code), ("validation", 1001));
    assert!(message.contains("the most similar names: Europe/Berlin"), "{message}");
}

#[tokio::test]
async fn what_cannot_be_computed_is_an_execution_error() {
    let deep = format!("{}1+1{}", "(".repeat(10_000), ")".repeat(10_000));
    for expression in ["9**9**9", "10**1000000000", "9^9^9", "1/0", "1 % 0", "0^-1", "2^0.5", &deep] {
        let (kind, code, message) = error("calculate", json!({ "expression": expression })).await;
        assert_eq!((kind.as_str(), code), ("execution", 1011), "{expression}");
        assert!(!message.is_empty());
    }
}

#[tokio::test]
async fn a_refused_argument_reads_like_one_that_the_schema_refuses() {
    let body = call("calculate", json!({"expression": "2(3)"})).await;
    let body: Value = serde_json::from_str(&body).unwrap();
    let message = "the expression does not parse at column 2: expected an operator (one of + - * / % ^) or the end, \
                   found `(`; multiplication is written with *";
    assert_eq!(
        body,
        json!({
            "error": "ToolArgumentsValidationError",
            "toolName": "calculate",
            "message": message,
            "kind": "validation",
            "code": 1001,
            "issues": [{
                "path": "/expression",
                "expected": "an arithmetic expression",
                "got": "\"2(3)\"",
                "message": message,
            }],
            "fields": ["expression"],
        })
    );
    let alone = builtin::day_name().unwrap().call(r#"{"date": "x"}"#, haft::ToolContext::detached()).await;
    assert_eq!(alone.unwrap_err().code().number(), 1001);
}
