//! What is repaired, and `--strict`, which repairs nothing.

use serde_json::json;

use crate::haft::{Folder, haft, haft_with, validate};

const TOOLS: &str = r#"[{"name":"book_seat","inputSchema":{"type":"object","required":["seat"],"properties":{
    "seat":{"type":"integer"},"class":{"enum":["first","second"]},"tags":{"type":"array","items":{"type":"string"}},
    "note":{"type":"string","minLength":1},"at":{"type":"object","properties":{"day":{"type":"integer"}}}}}}]"#;

const CALLS: &str = r#"{"name":"book-seat","arguments":{"seat":"4","class":"FIRST"}}
{"name":"book_seat","arguments":{"seat":4,"tags":"new","note":"","at":"{\"day\": 3}"}}
{"name":"book_seat","arguments":"Here: {\"seat\": 4}"}
{"name":"book_seat","arguments":"\"{\\\"seat\\\": 4}\""}
{"name":"book_seat","arguments":{"seat":"four"}}
"#;

#[test]
fn a_verdict_names_each_repair_and_its_place() {
    let run = validate(TOOLS, CALLS).exits(1).quiet();
    let lines: Vec<&str> = run.stdout.lines().collect();
    insta::assert_snapshot!(lines[..4].join("\n"), @r#"
    {"name":"book-seat","valid":true,"arguments":{"class":"first","seat":4},"repaired":[{"rule":"name","path":""},{"rule":"enum-case","path":"/class"},{"rule":"scalar-text","path":"/seat"}]}
    {"name":"book_seat","valid":true,"arguments":{"at":{"day":3},"seat":4,"tags":["new"]},"repaired":[{"rule":"empty-text","path":"/note"},{"rule":"json-text","path":"/at"},{"rule":"single-value","path":"/tags"}]}
    {"name":"book_seat","valid":true,"arguments":{"seat":4},"repaired":[{"rule":"surrounding-text","path":""}]}
    {"name":"book_seat","valid":true,"arguments":{"seat":4},"repaired":[{"rule":"json-text","path":""}]}
    "#);
    assert_eq!(run.json_lines()[4]["error"]["issues"][0]["message"], "seat: expected integer, got \"four\"");
}

#[test]
fn nothing_is_repaired_when_strict() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", TOOLS);
    let calls = format!("{{\"name\":\"book_seat\",\"arguments\":{{\"seat\":1,\"note\":null}}}}\n{CALLS}");
    let run = haft_with(&["validate", "--strict", "--tools", &tools], calls).exits(1).quiet();
    let verdicts = run.json_lines();
    let valid: Vec<bool> = verdicts.iter().map(|verdict| verdict["valid"] == true).collect();
    assert_eq!(valid, [true, false, false, false, false, false]);
    assert_eq!(
        verdicts[0]["repaired"],
        json!([{"rule": "null", "path": "/note"}]),
        "null is no repair of a fault"
    );
    assert_eq!(verdicts[1]["error"]["kind"], "not-found");
}

/// A tool that can not be used keeps its name.
#[test]
fn a_repair_never_takes_the_calls_of_a_refused_tool() {
    let tools = r#"[{"name":"book-seat","inputSchema":{"type":7}},{"name":"book_seat"}]"#;
    let calls = "{\"name\":\"book-seat\"}\n{\"name\":\"Book_Seat\"}\n";
    let run = validate(tools, calls).exits(1);
    let verdicts = run.json_lines();
    assert_eq!((&verdicts[0]["valid"], &verdicts[0]["error"]["kind"]), (&json!(false), &json!("not-found")));
    assert_eq!((&verdicts[1]["valid"], &verdicts[1]["repaired"][0]["rule"]), (&json!(true), &json!("name")));
}

#[test]
fn calls_and_turns_repair_unless_strict() {
    let call = ["call", "Day-Name", "```json\n{\"date\": \"2026-11-30\"}\n```"];
    let run = haft(&call).exits(0).quiet();
    assert_eq!(run.stdout, "Monday\n");
    haft(&[&call[..], &["--strict"]].concat()).exits(1);

    let folder = Folder::new();
    let message = r#"{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"day_name",
        "arguments":"\"{\\\"date\\\":\\\"2026-11-30\\\"}\""}}]}"#;
    let message = folder.file("message.json", message);
    let run = haft(&["turn", "--fail-on-error", &message]).exits(0);
    assert!(run.stdout.contains("Monday"), "{run:#?}");
    let run = haft(&["turn", "--strict", "--fail-on-error", &message]).exits(1);
    assert!(run.stdout.contains("ToolArgumentsValidationError"), "{run:#?}");
}
