//! `haft validate`: one verdict for each line, in order.

use serde_json::{Value, json};

use crate::haft::{Folder, haft, haft_with, validate};

const TOOLS: &str = r#"[{"name":"book","inputSchema":{"type":"object","properties":{
    "seat":{"type":"integer","minimum":1},"note":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}},
    "class":{"type":"string","default":"second"}},"required":["seat"]}}]"#;

#[test]
fn a_verdict_has_the_arguments_the_repairs_or_the_error() {
    let calls = r#"
{"name":"book","arguments":{"seat":4,"note":null}}
{"name":"book","arguments":{"seat":0,"sea":1}}
{"name":"boat","arguments":{"seat":1}}
"#
    .trim_start();
    let run = validate(TOOLS, calls).exits(1).quiet();
    insta::assert_snapshot!(run.stdout, @r#"
    {"name":"book","valid":true,"arguments":{"seat":4},"repaired":[{"rule":"null","path":"/note"}]}
    {"name":"book","valid":false,"error":{"error":"ToolArgumentsValidationError","toolName":"book","message":"unknown field `sea`; did you mean `seat`?; seat: expected integer ≥ 1, got 0","kind":"validation","code":1001,"issues":[{"path":"/sea","expected":"one of the fields `class`, `note`, `seat`, `tags`","got":"1","message":"unknown field `sea`; did you mean `seat`?"},{"path":"/seat","expected":"integer ≥ 1","got":"0","message":"seat: expected integer ≥ 1, got 0"}],"fields":["seat","class","note","tags"]}}
    {"name":"boat","valid":false,"error":{"error":"ToolNotFoundError","toolName":"boat","message":"there is no tool \"boat\"; call one of those listed","kind":"not-found","code":1003,"tools":["book"]}}
    "#);
}

#[test]
fn arguments_are_judged_as_they_were_sent() {
    // The arguments as JSON, and whether they are accepted.
    let cases = [
        (r#"{"seat":1}"#, true),
        (r#""{\"seat\":1}""#, true),
        (r#"{"seat":1.0}"#, true),
        (r#"{"seat":18446744073709551615}"#, true),
        (r#"{"seat":18446744073709551616}"#, false),
        (r#"{"seat":1,"seat":2}"#, false),
        (r#""{\"seat\":1,\"seat\":2}""#, false),
        (r#""{\"seat\":1""#, false),
        (r#""""#, false),
        (r#""null""#, false),
        ("null", false),
        ("{}", false),
        ("1", false),
        ("true", false),
        (r#"[{"seat":1}]"#, false),
        (r#""[1]""#, false),
    ];
    let calls: Vec<String> = cases
        .iter()
        .map(|(arguments, _)| format!("{{\"name\":\"book\",\"arguments\":{arguments}}}"))
        .collect();
    let run = validate(TOOLS, &calls.join("\n")).exits(1).quiet();
    let verdicts = run.json_lines();
    assert_eq!(verdicts.len(), cases.len());
    for ((arguments, valid), verdict) in cases.iter().zip(&verdicts) {
        assert_eq!(verdict["valid"], *valid, "{arguments}: {verdict}");
        assert_eq!(verdict.get("arguments").is_some(), *valid, "{arguments}: {verdict}");
        assert_eq!(verdict.get("error").is_none(), *valid, "{arguments}: {verdict}");
    }
    assert!(run.stdout.contains(r#""arguments":{"seat":18446744073709551615}"#), "{}", run.stdout);
}

#[test]
fn no_default_is_filled_in() {
    let run = validate(TOOLS, r#"{"name":"book","arguments":{"seat":1}}"#).exits(0).quiet();
    assert_eq!(run.stdout, "{\"name\":\"book\",\"valid\":true,\"arguments\":{\"seat\":1}}\n");
}

#[test]
fn a_line_that_holds_no_call_has_a_verdict_too() {
    let cases: [(&str, Value, &str); 15] = [
        ("nope", Value::Null, "line 2 is not JSON: expected ident at column 2"),
        (r#"{"name":"book","#, Value::Null, "line 2 ends before its JSON does"),
        (r#"{"name":"book"} {}"#, Value::Null, "line 2 is not JSON: trailing characters at column 17"),
        ("", Value::Null, "line 2 is blank"),
        (" \t ", Value::Null, "line 2 is blank"),
        ("[]", Value::Null, "line 2 is not an object"),
        (r#"["book",{}]"#, Value::Null, "line 2 is not an object"),
        (r#""book""#, Value::Null, "line 2 is not an object"),
        (
            r#"{"name":"book","name":"book"}"#,
            Value::Null,
            "line 2 has \"name\" twice; give the name of one tool",
        ),
        (
            r#"{"name":"book","arguments":{"seat":1},"arguments":null}"#,
            json!("book"),
            "line 2 has \"arguments\" twice; give them once",
        ),
        (r#"{"arguments":{}}"#, Value::Null, "line 2 names no tool"),
        (r#"{"name":null}"#, Value::Null, "line 2 names no tool"),
        (r#"{"name":""}"#, json!(""), "line 2 has an empty \"name\""),
        (r#"{"name":[7]}"#, json!([7]), "line 2 has a \"name\" that is no text"),
        (r#"{"name":"book","args":{"seat":1}}"#, json!("book"), "rename that to \"arguments\""),
    ];
    let good = r#"{"name":"book","arguments":{"seat":1}}"#;
    for (line, name, message) in cases {
        let run = validate(TOOLS, &format!("{good}\n{line}\n{good}\n")).exits(1).quiet();
        let verdicts = run.json_lines();
        let valid: Vec<&Value> = verdicts.iter().map(|verdict| &verdict["valid"]).collect();
        assert_eq!(valid, [true, false, true], "{line}");
        assert_eq!(verdicts[1]["name"], name, "{line}");
        let error = &verdicts[1]["error"];
        assert_eq!(
            (&error["error"], &error["kind"], &error["code"]),
            (&json!("MalformedToolCallError"), &json!("validation"), &json!(1012)),
            "{line}"
        );
        assert!(error["message"].as_str().unwrap().contains(message), "{line}: {error}");
    }
}

#[test]
fn bytes_that_are_no_text_cost_their_line_alone() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", TOOLS);
    let good = br#"{"name":"book","arguments":{"seat":1}}"#;
    let calls = [good.as_slice(), b"{\"name\":\"b\xff\"}", good].join(&b'\n');
    let run = haft_with(&["validate", "--tools", &tools], calls).exits(1).quiet();
    let verdicts = run.json_lines();
    assert_eq!(
        verdicts.iter().map(|verdict| verdict["valid"] == true).collect::<Vec<_>>(),
        [true, false, true]
    );
    assert!(run.stdout.contains("line 2 is not UTF-8 after byte 10"), "{}", run.stdout);
}

#[test]
fn a_line_larger_than_the_bound_costs_itself_alone() {
    let folder = Folder::new();
    let tools = folder.file("tools.json", TOOLS);
    let good = "{\"name\":\"book\",\"arguments\":{\"seat\":1}}\n";
    let huge = "x".repeat(33 * 1024 * 1024);
    let run = haft_with(&["validate", "--tools", &tools], format!("{good}{huge}\n{good}")).exits(1).quiet();
    assert_eq!(run.json_lines().len(), 3);
    assert!(run.json_lines()[1]["error"]["message"].as_str().unwrap().contains("longer than 32 MiB"));
    assert_eq!(run.json_lines()[2]["valid"], true);
}

#[test]
fn deep_arguments_are_refused_and_not_crashed_on() {
    let deep = format!(
        "{{\"name\":\"book\",\"arguments\":{}{}}}",
        "{\"a\":".repeat(100_000),
        "1".to_owned() + &"}".repeat(100_000)
    );
    let run = validate(TOOLS, &deep).exits(1).quiet();
    assert_eq!(run.json_lines()[0]["error"]["kind"], "validation");
}

#[test]
fn blank_lines_at_the_end_are_no_lines() {
    let call = r#"{"name":"book","arguments":{"seat":1}}"#;
    for end in ["", "\n", "\r\n", "\n\n  \n\n"] {
        let run = validate(TOOLS, &format!("{call}{end}")).exits(0).quiet();
        assert_eq!(run.json_lines().len(), 1, "{end:?}");
    }
    for nothing in ["", "\n \r\n\n"] {
        let run = validate(TOOLS, nothing).exits(0);
        assert_eq!(run.stdout, "", "{nothing:?}");
        insta::allow_duplicates! {
            insta::assert_snapshot!(run.stderr, @r#"haft: note: standard input holds no call; each line is one object {"name": …, "arguments": …}"#);
        }
    }
}

#[test]
fn the_calls_may_stand_in_a_file_and_the_tools_on_standard_input() {
    let folder = Folder::new();
    let calls = folder.file("calls.jsonl", r#"{"name":"book","arguments":{"seat":1}}"#);
    let run = haft_with(&["validate", "--tools", "-", &calls], TOOLS).exits(0).quiet();
    assert_eq!(run.json_lines().len(), 1);
    let run = haft(&["validate", "--tools", "-"]).exits(2);
    assert!(run.stderr.contains("can not both come from standard input"), "{run:#?}");
}

#[test]
fn half_of_a_surrogate_pair_is_malformed_wherever_it_is_written() {
    // In the arguments as an object, in their text, and as an escape of the line's own.
    for arguments in [
        r#"{"note":"\ud800"}"#,
        r#""{\"note\":\"\\ud800\"}""#,
        r#""{\"note\":\"\ud800\"}""#,
        r#""\udc00""#,
        r#"{"\ud800":1}"#,
    ] {
        let run = validate(TOOLS, &format!(r#"{{"name":"book","arguments":{arguments}}}"#)).exits(1).quiet();
        let error = &run.json_lines()[0]["error"];
        assert_eq!((&error["code"], &error["reason"]), (&json!(1001), &json!("malformed")), "{arguments}");
    }
    let pair = r#"{"name":"book","arguments":"{\"seat\":1,\"note\":\"\ud83d\ude00\"}"}"#;
    let run = validate(TOOLS, pair).exits(0).quiet();
    assert_eq!(run.json_lines()[0]["arguments"]["note"], "😀");
}

#[test]
fn the_name_is_given_back_as_it_was_written() {
    let names = [
        r#""book""#,
        r#""\u0062ook""#,
        r#"" book""#,
        r#""BOOK""#,
        r#""größer""#,
        r#""""#,
        "7",
        "1e999",
        "[ 1 ]",
        r#"{"a":1,"a":2}"#,
        "12345678901234567890123",
    ];
    let calls: Vec<String> = names.iter().map(|name| format!(r#"{{ "name" : {name} , "x":1}}"#)).collect();
    let run = validate(TOOLS, &calls.join("\r\n")).exits(1).quiet();
    for (name, line) in names.iter().zip(run.stdout.lines()) {
        assert!(line.starts_with(&format!(r#"{{"name":{name},"valid":false,"error":{{"#)), "{name}: {line}");
    }
    assert_eq!(run.stdout.lines().count(), names.len());
}
