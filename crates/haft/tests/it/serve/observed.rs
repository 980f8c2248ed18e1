//! Progress, log and cancellation of a call.

use std::time::Duration;

use haft::{CancellationToken, serve::mcp::McpService};
use serde_json::{Value, json};

use super::{
    endless::{endless, has_ended},
    kit::{Client, service, text},
};

/// All that is said until the answer to `id`, which is the last.
async fn until(client: &mut Client, id: &Value) -> Vec<Value> {
    let mut said = Vec::new();
    loop {
        let message = client.message().await;
        let last = message["id"] == *id && message.get("method").is_none();
        said.push(message);
        if last {
            return said;
        }
    }
}

fn of<'a>(said: &'a [Value], method: &str) -> Vec<&'a Value> {
    said.iter().filter(|message| message["method"] == method).map(|message| &message["params"]).collect()
}

#[tokio::test]
async fn progress_grows_and_bears_the_token_of_its_request() {
    let mut legacy = Client::legacy(&service(), json!({})).await;
    let mut modern = Client::modern(&service(), &json!({}));
    for client in [&mut legacy, &mut modern] {
        for token in [json!("p-1"), json!(0), json!(7)] {
            let params = json!({"name": "count", "_meta": {"progressToken": token}});
            client.request("call", "tools/call", params).await;
            let said = until(client, &json!("call")).await;
            let progress: Vec<f64> = of(&said, "notifications/progress")
                .into_iter()
                .map(|params| {
                    assert_eq!((&params["progressToken"], &params["total"]), (&token, &json!(3.0)));
                    params["progress"].as_f64().unwrap()
                })
                .collect();
            assert_eq!(progress, [1.0, 2.0, 3.0], "each step once, and before the answer");
            assert_eq!(text(said.last().unwrap()), "three");
        }
    }
    let mut quiet = Client::modern(&service(), &json!({}));
    quiet.request("call", "tools/call", json!({"name": "count"})).await;
    assert_eq!(until(&mut quiet, &json!("call")).await.len(), 1, "nothing without a token");
}

#[tokio::test]
async fn a_session_says_once_what_of_the_log_it_wants() {
    let mut client = Client::legacy(&service(), json!({})).await;
    let mut levels = Vec::new();
    for level in [None, Some("debug"), Some("warning"), Some("info")] {
        if let Some(level) = level {
            let set = client.ask("set", "logging/setLevel", json!({"level": level})).await;
            assert_eq!(set["result"], json!({}), "{set}");
        }
        client.request("call", "tools/call", json!({"name": "count"})).await;
        let said = until(&mut client, &json!("call")).await;
        levels.push(
            of(&said, "notifications/message").iter().map(|entry| entry["level"].clone()).collect::<Vec<_>>(),
        );
    }
    assert_eq!(json!(levels), json!([["info"], ["debug", "info"], [], ["info"]]));
    let refused = client.ask("set", "logging/setLevel", json!({"level": "loud"})).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[tokio::test]
async fn without_a_session_every_request_says_it_for_itself() {
    let mut client = Client::modern(&service(), &json!({}));
    let mut seen = Vec::new();
    for level in [Some("debug"), None, Some("error"), Some("info")] {
        let mut params = json!({"name": "count"});
        if let Some(level) = level {
            params["_meta"] = json!({"io.modelcontextprotocol/logLevel": level});
        }
        client.request("call", "tools/call", params).await;
        let said = until(&mut client, &json!("call")).await;
        let entries = of(&said, "notifications/message");
        assert!(entries.iter().all(|entry| entry["logger"] == "count"), "{entries:?}");
        seen.push(entries.iter().map(|entry| entry["data"].clone()).collect::<Vec<_>>());
    }
    assert_eq!(json!(seen), json!([["begins", {"counted": 3}], [], [], [{"counted": 3}]]));
    let gone = client.ask("set", "logging/setLevel", json!({"level": "debug"})).await;
    assert_eq!(gone["error"]["code"], -32601, "{gone}");
}

#[tokio::test]
async fn what_was_repaired_is_noted_in_the_log() {
    let mut client = Client::legacy(&service(), json!({})).await;
    client.request("call", "tools/call", json!({"name": "add", "arguments": {"a": "1", "b": 2}})).await;
    let said = until(&mut client, &json!("call")).await;
    let entries = of(&said, "notifications/message");
    assert_eq!(entries.len(), 1, "{said:?}");
    assert_eq!((&entries[0]["level"], &entries[0]["data"]["tool"]), (&json!("notice"), &json!("add")));
    assert_eq!(said.last().unwrap()["result"]["structuredContent"], json!({"sum": 3}));
}

#[tokio::test]
async fn a_cancelled_call_ends_and_has_no_answer() {
    for modern in [false, true] {
        let (begun, dropped, dispatcher) = endless(Duration::ZERO);
        let service = McpService::builder(dispatcher.clone()).build();
        let mut client = if modern {
            Client::modern(&service, &json!({}))
        } else {
            Client::legacy(&service, json!({})).await
        };
        client.request(7, "tools/call", json!({"name": "endless"})).await;
        begun.notified().await;
        let cancelled = json!({"requestId": 7, "reason": "enough"});
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
            .await;
        has_ended(&dropped, &dispatcher).await;
        // The next message answers the next request.
        client.ask(8, "tools/list", json!({})).await;
        let (served, last) = client.leave().await;
        served.unwrap();
        assert_eq!(last, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_shutdown_ends_what_runs() {
    let (begun, dropped, dispatcher) = endless(Duration::ZERO);
    let token = CancellationToken::new();
    let service = McpService::builder(dispatcher.clone()).shutdown(token.clone()).build();
    let mut client = Client::legacy(&service, json!({})).await;
    client.request(1, "tools/call", json!({"name": "endless"})).await;
    begun.notified().await;
    token.cancel();
    let answer = client.message().await;
    assert!(text(&answer).contains(r#""kind":"cancelled""#), "{answer}");
    assert!(client.next().await.is_none(), "the server hangs up");
    has_ended(&dropped, &dispatcher).await;
}
