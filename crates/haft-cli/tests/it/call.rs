//! `haft call`: the text of the result, or the body of the failure.

use serde_json::{Value, json};

use crate::haft::{haft, haft_with};

#[test]
fn a_result_is_printed_as_text() {
    for (expression, expected) in [("0.1+0.2", "0.3\n"), ("2^10", "1024\n"), ("-(1)", "-1\n")] {
        let run = haft(&["call", "calculate", &json!({"expression": expression}).to_string()]);
        assert_eq!(run.exits(0).quiet().stdout, expected, "{expression}");
    }
}

#[test]
fn arguments_come_from_standard_input_too() {
    let run = haft_with(&["call", "day_name", "-"], r#"{"date": "2026-11-30"}"#).exits(0).quiet();
    assert_eq!(run.stdout, "Monday\n");
}

#[test]
fn no_arguments_are_the_empty_object() {
    let run = haft(&["call", "current_date"]).exits(0).quiet();
    assert!(run.stdout.contains("UTC"), "{run:#?}");
    let run = haft(&["call", "day_name"]).exits(1).quiet();
    assert!(run.stdout.contains("missing field `date`"), "{run:#?}");
}

#[test]
fn a_failure_is_the_body_that_a_model_would_read() {
    let cases: [(&[&str], &str, u16); 6] = [
        (&["calculate", r#"{"expression":"1/0"}"#], "execution", 1011),
        (&["calculate", r#"{"expression":"1+"}"#], "validation", 1001),
        (&["calculate", r#"{"expression":"1"#], "validation", 1001),
        (&["calculate", "{}"], "validation", 1001),
        (&["calculate", "-1"], "validation", 1001),
        (&["calculator", "{}"], "not-found", 1003),
    ];
    for (arguments, kind, code) in cases {
        let run = haft(&[&["call"], arguments].concat()).exits(1).quiet();
        let body = run.json();
        assert_eq!((&body["kind"], &body["code"]), (&json!(kind), &json!(code)), "{run:#?}");
    }
}

#[test]
fn the_whole_result_is_json_on_request() {
    let run = haft(&["call", "calculate", r#"{"expression":"1+1"}"#, "--json"]).exits(0).quiet();
    insta::assert_snapshot!(run.stdout, @r#"{"output":"2","isError":false,"toolName":"calculate"}"#);

    let run = haft(&["call", "--json", "calculator"]).exits(1).quiet();
    let report = run.json();
    assert_eq!(report["isError"], true);
    assert_eq!(serde_json::from_str::<Value>(report["output"].as_str().unwrap()).unwrap(), report["error"]);
    assert_eq!(report["error"]["kind"], "not-found");
}

/// Nobody is at a terminal: what changes nothing runs all the same, with and without `--yes`.
#[test]
fn what_changes_nothing_runs_unasked() {
    for yes in [&["--yes"][..], &[]] {
        let arguments = [&["call", "calculate", r#"{"expression":"1+1"}"#], yes].concat();
        assert_eq!(haft(&arguments).exits(0).quiet().stdout, "2\n");
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/first-call.json");
        let run = haft(&[&["turn", file], yes].concat()).exits(0).quiet();
        assert!(run.stdout.contains("307.2"), "{run:#?}");
    }
}
