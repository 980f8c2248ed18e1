//! The same conversation reads the same, whichever provider's form it has.

use haft::{Message, Role, ToolCall, ToolError, ToolOutput, ToolResult, provider::Provider};
use serde_json::{Value, json};

/// A question, two calls, their results as the codec writes them, and an answer.
fn history(provider: Provider, results: &[ToolResult]) -> Vec<Value> {
    let (before, after) = match provider {
        Provider::OpenaiChat => (
            vec![
                json!({"role": "system", "content": "Be brief."}),
                json!({"role": "user", "content": [{"type": "text", "text": "Paris?"}]}),
                json!({"role": "assistant", "content": "Let me see.", "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "look", "arguments": r#"{"at":1}"#}},
                    {"id": "b", "type": "function", "function": {"name": "look", "arguments": "{}"}},
                ]}),
            ],
            json!({"role": "assistant", "content": "17 degrees"}),
        ),
        Provider::OpenaiResponses => (
            vec![
                json!({"role": "developer", "content": "Be brief."}),
                json!({"role": "user", "content": [{"type": "input_text", "text": "Paris?"}]}),
                json!({"type": "reasoning", "summary": []}),
                json!({"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": "Let me see."}]}),
                json!({"type": "function_call", "call_id": "a", "name": "look", "arguments": r#"{"at":1}"#}),
                json!({"type": "function_call", "call_id": "b", "name": "look", "arguments": "{}"}),
            ],
            json!({"role": "assistant", "content": "17 degrees"}),
        ),
        Provider::Anthropic => (
            vec![
                json!({"role": "user", "content": "Paris?"}),
                json!({"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "Hm.", "signature": "x"},
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "a", "name": "look", "input": {"at": 1}},
                    {"type": "tool_use", "id": "b", "name": "look", "input": {}},
                ]}),
            ],
            json!({"role": "assistant", "content": [{"type": "text", "text": "17 degrees"}]}),
        ),
        Provider::Gemini => (
            vec![
                json!({"role": "user", "parts": [{"text": "Paris?"}]}),
                json!({"role": "model", "parts": [
                    {"text": "Hm.", "thought": true},
                    {"text": "Let me see."},
                    {"functionCall": {"id": "a", "name": "look", "args": {"at": 1}}},
                    {"functionCall": {"id": "b", "name": "look", "args": {}}},
                ]}),
            ],
            json!({"role": "model", "parts": [{"text": "17 degrees"}]}),
        ),
        other => panic!("{other}: write its form here"),
    };
    let answers = provider.messages(results).into_iter().map(Value::from);
    before.into_iter().chain(answers).chain([after]).collect()
}

#[test]
fn a_conversation_reads_the_same_in_every_form() {
    let results = [
        ToolResult::succeeded("a", "look", ToolOutput::text("17")),
        ToolResult::failed("b", "look", ToolError::new("fog")),
    ];
    let mut asked = Message::new(Role::Assistant, "Let me see.");
    asked.tool_calls = vec![ToolCall::new("a", "look", r#"{"at":1}"#), ToolCall::new("b", "look", "{}")];
    let expected = [
        Message::new(Role::User, "Paris?"),
        asked,
        Message::tool(&results[0]),
        Message::tool(&results[1]),
        Message::new(Role::Assistant, "17 degrees"),
    ];
    for provider in Provider::ALL {
        let mut expected = expected.clone();
        // OpenAI's forms have no sign of failure beside the text.
        expected[3].is_error = matches!(provider, Provider::Anthropic | Provider::Gemini);
        assert_eq!(provider.transcript(&history(*provider, &results)), expected, "{provider}");
    }
}

#[test]
fn answers_without_an_id_belong_to_the_calls_before_them() {
    let history = [
        json!({"role": "model", "parts": [{"functionCall": {"name": "f"}}, {"functionCall": {"name": "f"}}]}),
        json!({"role": "user", "parts": [
            {"functionResponse": {"name": "f", "response": {"output": "one"}}},
            {"functionResponse": {"name": "f", "response": {"two": 2}}},
        ]}),
    ];
    let messages = Provider::Gemini.transcript(&history);
    let answered: Vec<_> = messages
        .iter()
        .skip(1)
        .map(|message| (message.tool_call_id.as_ref().unwrap().as_str(), message.text.as_str()))
        .collect();
    assert_eq!(answered, [("haft-1", "one"), ("haft-2", r#"{"two":2}"#)]);
}

#[test]
fn what_is_no_message_is_left_out() {
    let history =
        [json!(null), json!([]), json!({}), json!({"role": 7}), json!({"role": "user", "content": null})];
    for provider in Provider::ALL {
        assert_eq!(provider.transcript(&history), []);
    }
}
