//! For any calls and any outputs: n calls read, n results sent, same ids, same order, no blank content.

use haft::{Content, ToolCall, ToolError, ToolOutput, ToolResult, provider::Provider};
use proptest::{
    prelude::*,
    test_runner::{Config, RngSeed},
};
use serde_json::{Value, json};

/// One call as a model makes it: the id, the name, the arguments as text.
type Made = (String, String, String);

/// Writes the calls as the provider's message; arguments that it holds as JSON must be JSON.
fn message(provider: Provider, calls: &[Made]) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let parts: Vec<String> = calls
        .iter()
        .map(|(id, name, arguments)| {
            let (id, name) = (quoted(id), quoted(name));
            match provider {
                Provider::OpenaiChat => format!(
                    r#"{{"id":{id},"type":"function","function":{{"name":{name},"arguments":{}}}}}"#,
                    quoted(arguments)
                ),
                Provider::OpenaiResponses => format!(
                    r#"{{"type":"function_call","call_id":{id},"name":{name},"arguments":{}}}"#,
                    quoted(arguments)
                ),
                Provider::Anthropic => {
                    format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{arguments}}}"#)
                }
                Provider::Gemini => {
                    format!(r#"{{"functionCall":{{"id":{id},"name":{name},"args":{arguments}}}}}"#)
                }
                other => panic!("{other}: write its form here"),
            }
        })
        .collect();
    let parts = parts.join(" ,\n");
    match provider {
        Provider::OpenaiChat => {
            format!(r#"{{"choices":[{{"message":{{"role":"assistant","tool_calls":[{parts}]}}}}]}}"#)
        }
        Provider::OpenaiResponses => format!(r#"{{"object":"response","output":[{parts}]}}"#),
        Provider::Anthropic => format!(r#"{{"type":"message","role":"assistant","content":[{parts}]}}"#),
        Provider::Gemini => format!(r#"{{"role":"model","parts":[{parts}]}}"#),
        other => panic!("{other}: write its form here"),
    }
}

/// Whether arguments are JSON text in a string on the wire.
fn is_quoted(provider: Provider) -> bool {
    matches!(provider, Provider::OpenaiChat | Provider::OpenaiResponses)
}

/// The id and the text of each result in the messages, in order.
fn answered(provider: Provider, messages: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        blocks => blocks.as_array().unwrap().iter().map(Value::to_string).collect(),
    };
    let pair = |id: &Value, content: &Value| (id.as_str().unwrap().to_owned(), text(content));
    match provider {
        Provider::OpenaiChat => messages
            .iter()
            .inspect(|message| assert!(message["content"].is_string(), "{message}"))
            .map(|message| pair(&message["tool_call_id"], &message["content"]))
            .collect(),
        Provider::OpenaiResponses => {
            messages.iter().map(|item| pair(&item["call_id"], &item["output"])).collect()
        }
        Provider::Gemini => messages
            .iter()
            .flat_map(|content| content["parts"].as_array().unwrap())
            .map(|part| &part["functionResponse"])
            .map(|answer| {
                let response = answer["response"].as_object().unwrap();
                assert_eq!(response.len(), 1);
                pair(&answer["id"], response.values().next().unwrap())
            })
            .collect(),
        Provider::Anthropic => messages
            .iter()
            .flat_map(|message| message["content"].as_array().unwrap())
            .map(|block| pair(&block["tool_use_id"], &block["content"]))
            .collect(),
        other => panic!("{other}: read its form here"),
    }
}

/// JSON text in any of the ways to write it.
fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just(" 1.50E+2".trim().to_owned()),
        "-?[1-9][0-9]{0,40}",
        any::<String>().prop_map(|text| Value::from(text).to_string()),
        Just(r#""\ud83d \/ \u0000""#.to_owned()),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" , "))),
            // Equal keys are meant to come up.
            prop::collection::vec(("[ab]{1}", inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> =
                    entries.into_iter().map(|(key, value)| format!("\"{key}\" :{value}")).collect();
                format!("{{\n{} }}", entries.join(",\t"))
            }),
        ]
    })
}

fn output() -> impl Strategy<Value = Result<ToolOutput, ToolError>> {
    let content = prop_oneof![
        any::<String>().prop_map(Content::text),
        "[ \n\t]{0,3}".prop_map(Content::text),
        Just(
            serde_json::from_value(json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}))
                .unwrap()
        ),
    ];
    prop_oneof![
        any::<String>().prop_map(|text| Ok(ToolOutput::text(text))),
        "[ \n\t]{0,3}".prop_map(|text| Ok(ToolOutput::text(text))),
        prop::collection::vec(content, 0..4).prop_map(|blocks| Ok(ToolOutput::blocks(blocks))),
        any::<String>().prop_map(|text| Err(ToolError::new(text))),
    ]
}

fn config() -> Config {
    Config { cases: 256, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_call_is_read_as_it_was_made(
        calls in prop::collection::vec((any::<String>(), any::<String>(), json_text()), 0..6),
        plain in prop::collection::vec((any::<String>(), any::<String>(), any::<String>()), 0..6),
    ) {
        for provider in Provider::ALL {
            // Where arguments are text on the wire, they may be any text.
            let calls = if is_quoted(*provider) { calls.iter().chain(&plain) } else { calls.iter().chain(&[]) };
            let calls: Vec<Made> = calls.cloned().collect();
            let read = provider.calls(&message(*provider, &calls)).unwrap();
            prop_assert_eq!(read.len(), calls.len());
            for (call, (id, name, arguments)) in read.iter().zip(&calls) {
                let generated = id.is_empty() && call.id.as_str().starts_with("haft-");
                prop_assert!(generated || call.id.as_str() == id);
                prop_assert_eq!(&call.name, name);
                let empty = !is_quoted(*provider) && arguments == "null";
                prop_assert_eq!(&call.arguments, if empty { "" } else { arguments });
            }
        }
    }

    #[test]
    fn every_result_goes_back_once(
        outcomes in prop::collection::vec((any::<String>(), output()), 0..6),
    ) {
        let results: Vec<ToolResult> = outcomes.into_iter().map(|(id, outcome)| match outcome {
            Ok(output) => ToolResult::succeeded(id, "tool", output),
            Err(error) => ToolResult::failed(id, "tool", error),
        }).collect();
        for provider in Provider::ALL {
            let messages = provider.messages(&results);
            let values: Vec<Value> = messages.iter().cloned().map(Value::from).collect();
            let answered = answered(*provider, &values);
            prop_assert_eq!(answered.len(), results.len());
            for ((id, text), result) in answered.iter().zip(&results) {
                prop_assert_eq!(id, result.id().as_str());
                prop_assert!(!text.trim().is_empty());
                prop_assert!(!text.contains(r#""text":"""#), "{}", text);
            }
            for (message, value) in messages.iter().zip(&values) {
                let first = [r#"{"role":""#, r#"{"type":""#].iter().any(|key| message.as_json().starts_with(key));
                prop_assert!(first, "{}", message);
                prop_assert_eq!(&serde_json::to_value(message).unwrap(), value);
            }
        }
    }

    #[test]
    fn ids_make_the_way_there_and_back(ids in prop::collection::vec("\\PC{1,12}", 1..6)) {
        for provider in Provider::ALL {
            let made: Vec<Made> = ids.iter().map(|id| (id.clone(), "f".to_owned(), "{}".to_owned())).collect();
            let calls: Vec<ToolCall> = provider.calls(&message(*provider, &made)).unwrap().into_vec();
            let results: Vec<ToolResult> = calls
                .iter()
                .map(|call| ToolResult::succeeded(call.id.clone(), &call.name, ToolOutput::text("done")))
                .collect();
            let values: Vec<Value> = provider.messages(&results).into_iter().map(Value::from).collect();
            let back: Vec<String> = answered(*provider, &values).into_iter().map(|(id, _)| id).collect();
            prop_assert_eq!(&back, &ids);
        }
    }
}
