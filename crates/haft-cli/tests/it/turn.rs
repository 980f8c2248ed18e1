//! `haft turn`: a message in, the messages that answer it out.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::haft::{Folder, Run, haft, haft_with};

/// An OpenAI message with these calls: id, name, argument text.
fn openai(calls: &[(Value, Value, Value)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls}).to_string()
}

/// Ids and contents of the messages, as OpenAI wants them.
fn answers(run: &Run) -> Vec<(String, String)> {
    let document = run.json();
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {run:#?}")).to_owned();
    let messages = document["messages"].as_array().unwrap().iter();
    messages
        .map(|message| {
            assert_eq!(message["role"], "tool");
            (text(&message["tool_call_id"]), text(&message["content"]))
        })
        .collect()
}

fn kind(content: &str) -> String {
    let body: Value = serde_json::from_str(content).unwrap_or_else(|error| panic!("{error}: {content}"));
    body["kind"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_call_of_the_readme_answers_every_call() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/first-call.json");
    let run = haft(&["turn", file]).exits(0).quiet();
    let answers = answers(&run);
    let ids: Vec<&str> = answers.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["call_1", "call_2", "call_3", "call_4", "call_5"]);
    assert_eq!(answers[0].1, "307.2");
    let kinds: Vec<String> = answers[1..].iter().map(|(_, content)| kind(content)).collect();
    assert_eq!(kinds, ["validation", "validation", "not-found", "execution"]);

    let on_one_line = haft(&["turn", "--json", file]).exits(0).quiet();
    assert_eq!(on_one_line.stdout.lines().count(), 1);
    assert_eq!(on_one_line.json(), run.json());
    let in_order = haft(&["turn", "--concurrency", "1", file]).exits(0).quiet();
    assert_eq!(in_order.stdout, run.stdout);
}

#[test]
fn faulty_calls_are_answered_and_the_others_run() {
    let deep = format!("{{\"expression\":{}{}}}", "[".repeat(5_000), "]".repeat(5_000));
    let huge = format!("{{\"expression\":\"1\",\"x\":\"{}\"}}", "x".repeat(5 * 1024 * 1024));
    let name = || json!("calculate");
    let good = r#"{"expression":"1+1"}"#;
    // What is wrong; the call; the kind of its answer.
    let cases = [
        ("no JSON", (json!("a"), name(), json!("nope")), "validation"),
        ("cut off", (json!("a"), name(), json!("{\"expression\":\"1")), "validation"),
        ("deep", (json!("a"), name(), json!(deep)), "validation"),
        ("huge", (json!("a"), name(), json!(huge)), "validation"),
        ("empty", (json!("a"), name(), json!("")), "validation"),
        ("null", (json!("a"), name(), Value::Null), "validation"),
        ("no object", (json!("a"), name(), json!("[1]")), "validation"),
        (
            "twice the field",
            (json!("a"), name(), json!(r#"{"expression":"1","expression":"2"}"#)),
            "validation",
        ),
        ("another field", (json!("a"), name(), json!(r#"{"expression":"1","x":1}"#)), "validation"),
        ("unknown tool", (json!("a"), json!("calculator"), json!("{}")), "not-found"),
        ("no name", (json!("a"), json!(""), json!(good)), "validation"),
        ("duplicate id", (json!("first"), name(), json!(good)), "validation"),
        ("fails", (json!("a"), name(), json!(r#"{"expression":"1/0"}"#)), "execution"),
    ];
    for (what, call, expected) in cases {
        let id = call.0.as_str().unwrap().to_owned();
        let first = (json!("first"), name(), json!(good));
        let last = (json!("last"), json!("day_name"), json!(r#"{"date":"2026-11-30"}"#));
        let message = openai(&[first, call, last]);
        let run = haft_with(&["turn"], &message).exits(0);
        let answers = answers(&run);
        let ids: Vec<&str> = answers.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["first", &id, "last"], "{what}");
        assert_eq!((answers[0].1.as_str(), answers[2].1.as_str()), ("2", "Monday"), "{what}");
        assert_eq!(kind(&answers[1].1), expected, "{what}: {answers:?}");
        haft_with(&["turn", "--fail-on-error"], &message).exits(1);
    }
}

#[test]
fn a_call_without_an_id_gets_one_and_a_note() {
    let call = |id: Value| (id, json!("calculate"), json!(r#"{"expression":"2"}"#));
    let run = haft_with(&["turn"], openai(&[call(Value::Null), call(json!("b"))])).exits(0);
    let answers = answers(&run);
    assert!(answers[0].0 != "b" && !answers[0].0.is_empty() && answers[1].0 == "b", "{answers:?}");
    assert!(run.stderr.starts_with("haft: note: call 1 (calculate) came without an id"), "{run:#?}");
    let nameless = openai(&[(Value::Null, Value::Null, json!("{}"))]);
    let run = haft_with(&["turn"], nameless).exits(0);
    assert!(run.stderr.starts_with("haft: note: call 1 came without an id and without a name: "), "{run:#?}");
}

#[test]
fn each_provider_is_answered_in_its_form() {
    let anthropic = json!({"role": "assistant", "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t1", "name": "calculate", "input": {"expression": "2^3"}},
        {"type": "tool_use", "id": "t2", "name": "calculate", "input": {}},
    ]})
    .to_string();
    for from in ["auto", "anthropic"] {
        let run = haft_with(&["turn", "--from", from], &anthropic).exits(0).quiet();
        let messages = run.json()["messages"].clone();
        assert_eq!(messages.as_array().unwrap().len(), 1, "one message of the user holds all results");
        assert_eq!(messages[0]["role"], "user");
        let blocks = messages[0]["content"].as_array().unwrap();
        let ids: Vec<&Value> = blocks.iter().map(|block| &block["tool_use_id"]).collect();
        assert_eq!(ids, ["t1", "t2"]);
        assert_eq!((&blocks[0]["content"], &blocks[1]["is_error"]), (&json!("8"), &json!(true)));
    }
    let openai = openai(&[(json!("c"), json!("calculate"), json!(r#"{"expression":"2^3"}"#))]);
    for from in ["auto", "openai-chat"] {
        let run = haft_with(&["turn", "--from", from], &openai).exits(0).quiet();
        assert_eq!(answers(&run), [("c".to_owned(), "8".to_owned())]);
    }
}

#[test]
fn the_newer_providers_are_answered_in_their_form_too() {
    let item = json!({"type": "function_call", "call_id": "c", "name": "calculate", "arguments": "{\"expression\":\"2^3\"}"});
    let answer = json!([{"type": "function_call_output", "call_id": "c", "output": "8"}]);
    for message in
        [item.clone(), json!([item]), json!({"object": "response", "output": [{"type": "reasoning"}, item]})]
    {
        for from in ["auto", "openai-responses"] {
            let run = haft_with(&["turn", "--from", from], message.to_string()).exits(0).quiet();
            assert_eq!(run.json()["messages"], answer, "{message}");
        }
    }
    let content = json!({"role": "model", "parts": [
        {"functionCall": {"name": "calculate", "args": {"expression": "2^3"}}},
        {"functionCall": {"id": "b", "name": "calculate", "args": {"expression": "2^4"}}},
    ]});
    let answer = json!([{"role": "user", "parts": [
        {"functionResponse": {"name": "calculate", "response": {"output": "8"}}},
        {"functionResponse": {"id": "b", "name": "calculate", "response": {"output": "16"}}},
    ]}]);
    for message in [content.clone(), json!({"candidates": [{"content": content, "finishReason": "STOP"}]})] {
        for from in ["auto", "gemini"] {
            let run = haft_with(&["turn", "--from", from], message.to_string()).exits(0).quiet();
            assert_eq!(run.json()["messages"], answer, "{message}");
        }
    }
}

#[test]
fn every_recorded_message_is_answered_or_refused_as_a_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/providers");
    let mut seen = 0;
    for provider in ["anthropic", "gemini", "openai-chat", "openai-responses"] {
        for entry in fs::read_dir(folder.join(provider)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.ends_with(".results.json") {
                continue;
            }
            seen += 1;
            let file = path.to_str().unwrap();
            let run = haft(&["turn", file]);
            if name == "error-response.json" {
                assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}");
                continue;
            }
            let run = run.exits(0);
            assert!(run.json()["messages"].is_array(), "{name}");
            assert_eq!(haft(&["turn", "--from", provider, file]).exits(0).json(), run.json(), "{name}");
        }
    }
    assert!(seen > 30, "{seen} messages");
}

#[test]
fn a_message_without_calls_needs_no_answer() {
    for message in [
        r#"{"role":"assistant","content":"Hello."}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"Hello."}],"type":"message"}"#,
    ] {
        let run = haft_with(&["turn", "--fail-on-error"], message).exits(0);
        assert_eq!(run.stdout, "{\"messages\":[]}\n");
        assert_eq!(run.stderr, "haft: note: the message calls no tool\n");
    }
}

#[test]
fn without_a_message_nothing_runs() {
    let folder = Folder::new();
    let path = folder.path();
    let missing = format!("{path}/none.json");
    let anthropic =
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"calculate","input":{}}]}"#;
    let openai = openai(&[(json!("c"), json!("calculate"), json!("{}"))]);
    // Arguments after `turn`, standard input, what is said.
    let cases: [(&[&str], &str, &str); 25] = [
        (&[&missing], "", "none.json does not exist"),
        (&[&path], "", "is a folder"),
        (&[], "", "standard input is empty"),
        (&["-"], "nope", "standard input: the input is no JSON: expected ident at line 1, column 2"),
        (&[], "{\"role\":", "ends within its JSON"),
        (&[], "data: {\"id\":1}\n\ndata: [DONE]", "the events of a stream"),
        (&[], "17", "the input is a number"),
        (&[], "[]", "an empty array"),
        (&[], "{}", "an object without keys"),
        (&[], r#"{"generations":[{"text":"hi"}]}"#, "cannot tell which provider"),
        (&[], r#"{"error":{"message":"no credit","type":"billing"}}"#, "billing: no credit"),
        (
            &[],
            r#"{"weather":"fine"}"#,
            "but found an object with `weather`: give one of these, or name the provider with \
             `--from openai-chat|openai-responses|anthropic|gemini`",
        ),
        (
            &[],
            r#"{"role":"user","content":"hi"}"#,
            "found a message of role `user`: give the one that the model wrote",
        ),
        (&["--from", "gemini"], r#"{"role":"system","parts":[]}"#, "found a message of role `system`"),
        (&[], r#"{"role":"tool","tool_call_id":"a","content":"1"}"#, "found a message of role `tool`"),
        (
            &[],
            r#"{"messages":[{"role":"system","content":"be kind"},{"role":"user","content":"hi"}]}"#,
            "found a conversation of 2 without a message of the model, the last of role `user`",
        ),
        (&[], r#"{"type":"function_call_output","call_id":"a","output":"1"}"#, "found an object with `type`"),
        (
            &[],
            r#"[{"type":"function_call_output","call_id":"a","output":"1"}]"#,
            "found an array of 1 without",
        ),
        (
            &[],
            r#"{"role":"user","content":[{"type":"input_text","text":"hi"}]}"#,
            "found a message of role `user`",
        ),
        (&[], "[1, 2]", "found an array of 2 without a message of the model: give one of these"),
        (&[], r#"{"role":"\u001b[2J"}"#, r"found a message of role `\u{1b}[2J`"),
        (&["--from", "openai-chat"], anthropic, "read it as `anthropic` (`--from anthropic`)"),
        (&["--from", "anthropic"], &openai, "read it as `openai-chat`"),
        (&["--from", "gemini"], &openai, "read it as `openai-chat`"),
        (
            &["--from", "cohere"],
            &openai,
            "possible values: auto, openai-chat, openai-responses, anthropic, gemini",
        ),
    ];
    for (arguments, input, message) in cases {
        let run = haft_with(&[&["turn"], arguments].concat(), input).exits(2);
        assert_eq!(run.stdout, "", "{arguments:?} {input}");
        assert!(run.stderr.contains(message), "{arguments:?} {input}: {run:#?}");
    }
}

#[test]
fn events_are_lines_of_json_in_a_file_or_on_standard_error() {
    let folder = Folder::new();
    let file = folder.file("events.jsonl", "what stood there before");
    let message = openai(&[
        (json!("a"), json!("calculate"), json!(r#"{"expression":"2"}"#)),
        (json!("b"), json!("calculate"), json!("{}")),
    ]);
    haft_with(&["turn", "--events", &file], &message).exits(0).quiet();
    let to_stderr = haft_with(&["turn", "--events", "-"], &message).exits(0).stderr;
    for log in [fs::read_to_string(&file).unwrap(), to_stderr] {
        let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        assert_eq!(seqs, (0..events.len() as u64).collect::<Vec<_>>());
        assert!(events.iter().all(|event| event["at"].as_u64().unwrap() > 1_700_000_000_000));
        let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        let counts = ["tool.started", "tool.executing", "tool.completed", "tool.failed"].map(of);
        assert_eq!(counts, [2, 1, 1, 1], "{log}");
    }
    let nowhere = format!("{}/none/events.jsonl", folder.path());
    let run = haft_with(&["turn", "--events", &nowhere], &message).exits(2);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("events can not be written to the file"), "{run:#?}");
}

#[test]
fn text_of_the_model_is_escaped_in_messages_events_and_notes() {
    let hostile = "x\u{1b}[2J\u{9b}\u{202e}\u{2066}y";
    let message = openai(&[(Value::Null, json!(hostile), json!({hostile: hostile}).to_string().into())]);
    let run = haft_with(&["turn", "--events", "-"], &message).exits(0);
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{2066}']), "{run:#?}");
    }
    let unknown: Value = serde_json::from_str(&answers(&run)[0].1).unwrap();
    assert_eq!(unknown["toolName"], hostile);
}
