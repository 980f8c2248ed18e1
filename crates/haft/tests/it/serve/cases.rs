//! The cases of the list of faults that a server has to do with.

use serde_json::{Value, json};

use super::kit::{Client, service};

/// The lines of a case, where the list is at hand.
#[expect(clippy::print_stderr, reason = "the test runner collects what is skipped")]
fn case(id: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("HAFT_CASES") else {
        eprintln!("skipped: case {id}: HAFT_CASES is not set");
        return None;
    };
    let file = std::path::Path::new(&folder).join("cases.jsonl");
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    Some(cases.into_iter().find(|case| case["id"] == id).unwrap_or_else(|| panic!("no case {id}")))
}

async fn said(lines: &Value) -> Vec<Value> {
    let mut client = Client::connect(&service());
    for line in lines.as_array().unwrap() {
        client.send(line).await;
    }
    let (served, answers) = client.leave().await;
    served.unwrap();
    answers
}

#[tokio::test]
async fn b95_an_unknown_version_is_answered_with_one_that_is_known() {
    let Some(case) = case("B95") else { return };
    let answers = said(&case["input"]["lines"]).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn b97_what_has_no_id_has_no_answer() {
    let Some(case) = case("B97") else { return };
    assert_eq!(json!(said(&case["input"]["lines"]).await), case["expected_json"]);
}

#[tokio::test]
async fn b97_not_after_the_handshake_either() {
    let mut client = Client::legacy(&service(), json!({})).await;
    for line in [
        json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}),
        json!({"jsonrpc": "2.0", "method": "notifications/unknown", "params": {"a": 1}}),
        json!({"jsonrpc": "2.0", "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}),
        json!({"jsonrpc": "2.0", "id": null, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 99, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "of nothing"}}),
    ] {
        client.send(&line).await;
    }
    let (served, answers) = client.leave().await;
    served.unwrap();
    assert_eq!(answers, Vec::<Value>::new());
}

#[tokio::test]
async fn b98_ids_come_back_as_they_were_written() {
    let Some(case) = case("B98") else { return };
    let answers = said(&case["input"]["lines"]).await;
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!("a-1"), &json!(0)]);
}

#[tokio::test]
async fn b98_large_ids_too_whatever_is_asked() {
    let ids = [
        "0",
        "-7",
        "\"\"",
        "\"0\"",
        "9007199254740993",
        "18446744073709551615",
        "123456789012345678901234567890",
        "1.5",
    ];
    let mut client = Client::legacy(&service(), json!({})).await;
    for id in ids {
        for params in [r#"{"name":"add","arguments":{"a":1,"b":2}}"#, r#"{"name":"none"}"#, "{}"] {
            let request = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
            client.write(request + "\n").await;
            let line = client.line().await;
            assert!(line.contains(&format!("\"id\":{id}")), "{id}: {line}");
        }
    }
}

/// Our side of B101 is in `pages_come_in_one_order_and_the_last_has_no_cursor`.
#[tokio::test]
async fn b101_a_list_that_fits_has_no_cursor() {
    let mut client = Client::legacy(&service(), json!({})).await;
    let answer = client.ask(1, "tools/list", json!({})).await;
    assert!(answer["result"].get("nextCursor").is_none(), "{answer}");
}
