//! Documents that hold no message: each is told apart, with a place and with what to do.

use haft::provider::{Provider, ProviderError, anthropic, openai_chat};
use insta::assert_snapshot;

const ANTHROPIC: &str =
    r#"{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"add","input":{}}]}"#;
const OPENAI: &str =
    r#"{"role":"assistant","tool_calls":[{"id":"call_1","function":{"name":"add","arguments":"{}"}}]}"#;

fn chat(text: &str) -> String {
    shown(&openai_chat::calls(text).unwrap_err())
}

fn shown(error: &ProviderError) -> String {
    format!("{}: {error}", error.code())
}

#[test]
fn text_that_is_no_json_says_where() {
    assert_snapshot!(chat(""), @"2401: the input is empty: expected a model's message, or the response that holds it, as JSON");
    assert_snapshot!(chat("\u{feff} \n"), @"2401: the input is empty: expected a model's message, or the response that holds it, as JSON");
    assert_snapshot!(chat("{\"choices\": [\n  {\"message\": {\"role\": \"assi"), @"2402: the input ends within its JSON, at line 2, column 28: give the whole response");
    assert_snapshot!(chat("{\"choices\": [}"), @"2403: the input is no JSON: expected value at line 1, column 14; give the body of the response, or one message, as it came");
    assert_snapshot!(chat("{\"choices\": []} and more"), @"2403: the input is no JSON: trailing characters at line 1, column 17; give the body of the response, or one message, as it came");
    assert_snapshot!(chat("<html>502 Bad Gateway</html>"), @"2403: the input is no JSON: expected value at line 1, column 1; give the body of the response, or one message, as it came");
    assert_snapshot!(chat("data: {\"choices\":[{\"delta\":{}}]}\n\ndata: [DONE]\n"), @"2403: the input is no JSON: expected value at line 1, column 1; this looks like the events of a stream: gather them into one response, or ask for one that is not streamed");
}

#[test]
fn json_without_a_message_says_what_is_there() {
    assert_snapshot!(chat("\"hello\""), @"2404: the input is a string: expected the object of a model's message, or the response that holds it");
    assert_snapshot!(chat("[]"), @"2406: found no message of the model: expected a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`, but found an empty array");
    assert_snapshot!(chat("{}"), @"2406: found no message of the model: expected a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`, but found an object without keys");
    assert_snapshot!(chat(r#"{"a":1,"\u001b[2J":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}"#), @r#"2406: found no message of the model: expected a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`, but found an object with `a`, `\u{1b}[2J`, `c`, `d`, `e`, `f`, `g`, `h`, …"#);
    assert_snapshot!(chat(r#"{"role":"user","content":"hi"}"#), @"2406: found no message of the model: expected a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`, but found a message of role `user`: give the one that the model wrote");
    assert_snapshot!(chat(r#"{"object":"chat.completion","choices":[]}"#), @"2406: found no message of the model: expected a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`, but found an object with `object`, `choices`");
    assert_snapshot!(chat(r#"[{"role":"user","content":"hi"}]"#), @"2406: found no message of the model: expected a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`, but found a conversation of 1 without a message of the model, the last of role `user`");
    assert_snapshot!(shown(&anthropic::calls(r#"{"type":"message","role":"assistant"}"#).unwrap_err()), @"2406: found no message of the model: expected a response of type `message`, or a message of role `assistant`, with `content`, but found an object with `type`, `role`");
    assert_snapshot!(shown(&anthropic::calls(r#"{"content":5,"role":"user"}"#).unwrap_err()), @"2406: found no message of the model: expected a response of type `message`, or a message of role `assistant`, with `content`, but found a message of role `user`: give the one that the model wrote");
}

#[test]
fn a_message_of_another_provider_says_which() {
    assert_snapshot!(chat(ANTHROPIC), @"2405: expected an OpenAI chat completion, and this looks like an Anthropic message: read it as `anthropic`");
    assert_snapshot!(shown(&anthropic::calls(OPENAI).unwrap_err()), @"2405: expected an Anthropic message, and this looks like an OpenAI chat completion: read it as `openai-chat`");
    let conversation = format!(
        r#"[{ANTHROPIC},{{"role":"user","content":"thanks"}},{{"role":"assistant","content":"bye"}}]"#
    );
    assert!(matches!(openai_chat::calls(&conversation), Err(ProviderError::OtherProvider { .. })));
    assert!(anthropic::calls(&conversation).unwrap().is_empty());
}

#[test]
fn an_error_of_the_provider_is_shown() {
    assert_snapshot!(
        chat(r#"{"error":{"message":"Rate limit reached\nfor \"gpt\"","type":"requests","code":"rate_limit_exceeded"}}"#),
        @r#"2407: the provider answered with an error and no message: requests: Rate limit reached\nfor "gpt""#
    );
    assert_snapshot!(
        shown(&anthropic::calls(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#).unwrap_err()),
        @"2407: the provider answered with an error and no message: overloaded_error: Overloaded"
    );
    assert_snapshot!(chat(r#"{"error":"model 'x' not found"}"#), @"2407: the provider answered with an error and no message: model 'x' not found");
    assert_snapshot!(chat(r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT"}}]"#), @r#"2407: the provider answered with an error and no message: {"code":400,"status":"INVALID_ARGUMENT"}"#);
}

#[test]
fn detection_names_the_provider_or_says_why_not() {
    for provider in Provider::ALL {
        assert_eq!(Provider::from_name(provider.name()), Some(*provider));
    }
    assert_eq!(Provider::from_name("other"), None);
    assert_eq!(Provider::detect(OPENAI), Ok(Provider::OpenaiChat));
    assert_eq!(Provider::detect(ANTHROPIC), Ok(Provider::Anthropic));
    assert_eq!(Provider::detect(r#"{"role":"assistant","content":"hi"}"#), Ok(Provider::OpenaiChat));
    assert_snapshot!(shown(&Provider::detect(r#"{"weather":"fine"}"#).unwrap_err()), @"2408: cannot tell which provider this is of: expected one of an OpenAI chat completion, an OpenAI response, an Anthropic message, a Gemini response, but found an object with `weather`: give one of these, or name the provider");
    assert_eq!(Provider::detect("").unwrap_err(), ProviderError::Empty);
    assert_snapshot!(shown(&Provider::detect(r#"{"error":{"message":"no"}}"#).unwrap_err()), @"2407: the provider answered with an error and no message: no");
}

#[test]
fn a_response_without_content_says_why() {
    let gemini = |text: &str| shown(&Provider::Gemini.calls(text).unwrap_err());
    let responses = |text: &str| shown(&Provider::OpenaiResponses.calls(text).unwrap_err());
    assert_snapshot!(gemini(r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#), @"2406: found no message of the model: expected a response whose `candidates` hold a `content`, or a content of role `model` with `parts`, but found a candidate without parts, finished with the reason `MALFORMED_FUNCTION_CALL`");
    assert_snapshot!(gemini(r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#), @"2406: found no message of the model: expected a response whose `candidates` hold a `content`, or a content of role `model` with `parts`, but found an object with `promptFeedback`");
    assert_snapshot!(gemini(r#"{"role":"user","parts":[{"text":"hi"}]}"#), @"2406: found no message of the model: expected a response whose `candidates` hold a `content`, or a content of role `model` with `parts`, but found a message of role `user`: give the one that the model wrote");
    assert_snapshot!(responses(r#"{"object":"response","status":"in_progress","output":[]}"#), @"2406: found no message of the model: expected a finished response with `output`, or a list of its items, but found an object with `object`, `status`, `output`");
    assert_snapshot!(responses(r#"{"role":"user","content":"hi"}"#), @"2406: found no message of the model: expected a finished response with `output`, or a list of its items, but found a message of role `user`: give the one that the model wrote");
    assert!(
        Provider::Gemini
            .calls(r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}"#)
            .is_ok()
    );
}
