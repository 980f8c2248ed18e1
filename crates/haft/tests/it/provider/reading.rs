//! Messages to calls: every call is read, whatever is wrong with it, and its arguments stay as they were written.

use haft::provider::{Calls, Note, anthropic, openai_chat};

fn calls(calls: &Calls) -> Vec<(&str, &str, &str)> {
    calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), call.arguments.as_str())).collect()
}

fn notes(calls: &Calls) -> Vec<String> {
    calls.notes().iter().map(Note::to_string).collect()
}

#[test]
fn arguments_stay_as_they_were_written() {
    let arguments = r#"{ "id":4400000000000000017, "id" : 1.0e2,"text":"\u00e9\/" }"#;
    let quoted = serde_json::to_string(arguments).unwrap();
    let message =
        format!(r#"{{"tool_calls":[{{"id":"a","function":{{"name":"f","arguments":{quoted}}}}}]}}"#);
    assert_eq!(calls(&openai_chat::calls(&message).unwrap()), [("a", "f", arguments)]);

    let message = format!(
        r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"a","name":"f","input": {arguments} }}]}}"#
    );
    assert_eq!(calls(&anthropic::calls(&message).unwrap()), [("a", "f", arguments)]);
}

#[test]
fn arguments_in_other_forms_are_read_as_they_stand() {
    let message = r#"{"role":"assistant","tool_calls":[
        {"id":"object","function":{"name":"f","arguments":{"a": 1}}},
        {"id":"null","function":{"name":"f","arguments":null}},
        {"id":"absent","function":{"name":"f"}},
        {"id":"twice","function":{"name":"f","arguments":"\"{\\\"a\\\":1}\""}},
        {"id":"half a pair","function":{"name":"f","arguments":"{\"a\":\"\ud83d\"}"}},
        {"id":"custom","type":"custom","custom":{"name":"shell","input":"ls \"x\"\n"}},
        {"id":"flat","name":"f","arguments":"{}"}
    ]}"#;
    assert_eq!(
        calls(&openai_chat::calls(message).unwrap()),
        [
            ("object", "f", r#"{"a": 1}"#),
            ("null", "f", ""),
            ("absent", "f", ""),
            ("twice", "f", r#""{\"a\":1}""#),
            ("half a pair", "f", r#"{"a":"\ud83d"}"#),
            ("custom", "shell", r#"{"input":"ls \"x\"\n"}"#),
            ("flat", "f", "{}"),
        ]
    );
}

/// B49: where the output limit ends a message in a call, the provider closes what was written of its input; it is cut off
/// all the same, and no tool runs on it.
#[test]
fn the_call_that_an_output_limit_ends_is_cut_off() {
    let message = |reason: &str, last: &str| {
        format!(
            r#"{{"role":"assistant","stop_reason":"{reason}","content":[
                {{"type":"tool_use","id":"a","name":"f","input":{{}}}},{last}]}}"#
        )
    };
    let call = |input: &str| format!(r#"{{"type":"tool_use","id":"b","name":"g","input":{input}}}"#);
    for reason in ["max_tokens", "model_context_window_exceeded"] {
        for (input, left) in [
            ("{}", "{"),
            (r#"{"path":"a.txt"}"#, r#"{"path":"a.txt""#),
            (r#"{"a":{"b":1} }"#, r#"{"a":{"b":1} "#),
            ("null", "{"),
        ] {
            let read = anthropic::calls(&message(reason, &call(input))).unwrap();
            assert_eq!(calls(&read), [("a", "f", "{}"), ("b", "g", left)], "{input}");
            let cut_off =
                format!("the model's output was cut off ({reason}): its last call may be incomplete");
            assert_eq!(notes(&read), [cut_off]);
        }
        // The limit was met behind the calls.
        let read = anthropic::calls(&message(reason, r#"{"type":"text","text":"Now I"}"#)).unwrap();
        assert_eq!(calls(&read), [("a", "f", "{}")]);
    }
    for reason in ["tool_use", "end_turn"] {
        let read = anthropic::calls(&message(reason, &call("{}"))).unwrap();
        assert_eq!(calls(&read), [("a", "f", "{}"), ("b", "g", "{}")]);
    }
}

#[test]
fn no_single_call_fails_the_others() {
    let message = r#"{"role":"assistant","tool_calls":[
        7, null, {"id":3,"function":{"name":"f","arguments":"{}"}}, {"id":"haft-2"},
        {"id":"","function":{"name":["g"],"arguments":"{}"}}
    ]}"#;
    let read = openai_chat::calls(message).unwrap();
    assert_eq!(
        calls(&read),
        [
            ("haft-1", "", "7"),
            ("haft-3", "", "null"),
            ("haft-4", "f", "{}"),
            ("haft-2", "", ""),
            ("haft-5", "", "{}")
        ]
    );
    assert_eq!(read.notes().len(), 4);
    assert_eq!(
        notes(&read)[2],
        "call 3 (f) came without an id: its result goes back as haft-4, which the model's message needs as well"
    );
    let message = r#"{"role":"assistant","content":[{"type":"tool_use"},"text",{"type":"tool_use","id":"a","name":5,"input":"x"}]}"#;
    assert_eq!(calls(&anthropic::calls(message).unwrap()), [("haft-1", "", ""), ("a", "", r#""x""#)]);
}
