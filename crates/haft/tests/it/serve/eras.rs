//! One conversation in each era, word for word.

use std::path::PathBuf;

use haft::{Dispatcher, ToolRegistry, canonical, serve::mcp::McpService};
use serde_json::{Value, json};

use super::kit::{Client, service, tools};

/// What was said, a message a line, with sorted keys: another crate of a build can change their order.
fn said(log: &mut String, who: char, message: &Value) {
    log.push(who);
    log.push(' ');
    log.push_str(&canonical(message));
    log.push('\n');
}

#[track_caller]
fn assert_golden(name: &str, found: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/serve").join(name);
    if std::env::var_os("HAFT_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, found).unwrap();
    }
    let wanted = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, wanted, "HAFT_BLESS=1 rewrites {}", file.display());
}

fn limited() -> McpService {
    let registry = ToolRegistry::builder().tools(tools()).build().unwrap();
    let service =
        McpService::builder(Dispatcher::new(registry)).name("test").title("A test").version("1.2.3");
    service.instructions("Add, then pay.").page_size(3).build()
}

/// The requests of a conversation, and everything that the server says to each.
async fn converse(client: &mut Client, requests: &[Value]) -> String {
    let mut log = String::new();
    for request in requests {
        said(&mut log, '>', request);
        client.send(request).await;
        loop {
            if request.get("id").is_none() {
                break;
            }
            let message = client.message().await;
            said(&mut log, '<', &message);
            if message["id"] == request["id"] && message.get("method").is_none() {
                break;
            }
        }
    }
    log
}

fn requests(meta: Option<&Value>, opening: Vec<Value>) -> Vec<Value> {
    let request = |id: u64, method: &str, params: Value| {
        let mut params = params;
        if let Some(meta) = meta {
            let mut own = meta.as_object().unwrap().clone();
            own.extend(params["_meta"].as_object().cloned().unwrap_or_default());
            params["_meta"] = own.into();
        }
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    };
    let call =
        |id, name, arguments: Value| request(id, "tools/call", json!({"name": name, "arguments": arguments}));
    let mut all = opening;
    all.extend([
        request(9, "logging/setLevel", json!({"level": "error"})),
        request(10, "tools/list", json!({})),
        request(11, "tools/list", json!({"cursor": "after:fail"})),
        request(12, "tools/list", json!({"cursor": "no such page"})),
        call(20, "add", json!({"a": 1, "b": 2})),
        call(21, "add", json!({"a": "one"})),
        call(22, "add", json!([1, 2])),
        call(23, "fail", json!({})),
        call(24, "nothing", json!({})),
        call(25, "pay", json!({"amount": 5})),
        request(26, "tools/call", json!({"name": "count", "_meta": {"progressToken": "p-1"}})),
        request(27, "tools/call", json!({"arguments": {}})),
        request(30, "prompts/list", json!({})),
        request(31, "no/such/method", json!({})),
        request(32, "ping", json!({})),
    ]);
    all
}

#[tokio::test]
async fn with_a_handshake() {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"},
    }});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let mut client = Client::connect(&limited());
    let log = converse(&mut client, &requests(None, vec![hello, ready])).await;
    assert_golden("2025-11-25.txt", &log);
    let (served, last) = client.leave().await;
    assert!(served.is_ok() && last.is_empty(), "{served:?} {last:?}");
}

#[tokio::test]
async fn without_a_handshake() {
    let meta = super::kit::modern_meta(&json!({}));
    let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": meta}});
    let mut other = meta.clone();
    other["io.modelcontextprotocol/protocolVersion"] = "2031-01-01".into();
    let unknown = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {"_meta": other}});
    let bare = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {}});
    let mut client = Client::connect(&limited());
    let log = converse(&mut client, &requests(Some(&meta), vec![discover, unknown, bare])).await;
    assert_golden("2026-07-28.txt", &log);
    let (served, last) = client.leave().await;
    assert!(served.is_ok() && last.is_empty(), "{served:?} {last:?}");
}

#[tokio::test]
async fn every_revision_with_a_handshake_is_spoken() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::connect(&service());
        let hello = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        let answer = client.ask(1, "initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        let answer = client.call(2, "add", json!({"a": 2, "b": 3})).await;
        assert_eq!(answer["result"]["structuredContent"], json!({"sum": 5}), "{answer}");
    }
}

#[tokio::test]
async fn messages_in_a_batch_are_answered_one_by_one() {
    let mut client = Client::legacy(&service(), json!({})).await;
    client
        .write(concat!(
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
            "\n"
        ))
        .await;
    let mut ids = vec![client.message().await["id"].clone(), client.message().await["id"].clone()];
    ids.sort_by_key(Value::as_u64);
    assert_eq!(ids, [json!(1), json!(2)]);
}
