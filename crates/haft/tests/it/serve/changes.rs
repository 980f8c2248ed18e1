//! Clients are told when there are other tools, in both eras.

use haft::{Dispatcher, Tool, ToolRegistry, serve::mcp::McpService};
use serde_json::{Value, json};

use super::kit::Client;

fn tool(name: &str) -> Tool {
    Tool::simple(name, |input: String| async move { input }).unwrap()
}

fn registry() -> (ToolRegistry, McpService) {
    let registry = ToolRegistry::builder().tool(tool("first")).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry.clone())).build();
    (registry, service)
}

fn add(registry: &ToolRegistry, name: &str) {
    registry.update(|builder| builder.tool(tool(name))).unwrap();
}

#[tokio::test]
async fn every_session_is_told() {
    let (registry, service) = registry();
    let mut one = Client::legacy(&service, json!({})).await;
    let mut other = Client::legacy(&service, json!({})).await;
    for client in [&mut one, &mut other] {
        // The handshake is over when what comes after it is answered.
        client.ask(1, "ping", json!({})).await;
    }
    // A session that is gone holds up nobody.
    Client::legacy(&service, json!({})).await.vanish().await.ok();
    tokio::task::yield_now().await;
    add(&registry, "second");
    for client in [&mut one, &mut other] {
        let told = client.message().await;
        assert_eq!(told, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
        let list = client.ask(2, "tools/list", json!({})).await;
        assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 2, "{list}");
    }
}

#[tokio::test]
async fn a_subscription_is_told_under_its_id() {
    let (registry, service) = registry();
    let mut client = Client::modern(&service, &json!({}));
    client.request("sub", "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).await;
    let confirmed = client.message().await;
    assert_eq!(confirmed["method"], "notifications/subscriptions/acknowledged", "{confirmed}");
    for round in 0..3 {
        add(&registry, &format!("more_{round}"));
        let told = client.message().await;
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "sub", "{told}");
    }
    let (served, last) = client.leave().await;
    served.unwrap();
    assert_eq!(last.len(), 1, "the subscription ends in order: {last:?}");
    assert_eq!(last[0]["id"], "sub");
}

/// The confirmation goes out before the subscription is listened to: what changes in between must not be lost.
#[tokio::test]
async fn a_change_right_after_the_confirmation_is_told() {
    for round in 0..50 {
        let (registry, service) = registry();
        let mut client = Client::modern(&service, &json!({}));
        client.request(1, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).await;
        let confirmed = client.message().await;
        assert_eq!(confirmed["method"], "notifications/subscriptions/acknowledged");
        add(&registry, "second");
        let told: Value = client.message().await;
        assert_eq!(told["method"], "notifications/tools/list_changed", "round {round}: {told}");
    }
}

#[tokio::test]
async fn a_subscription_to_something_else_is_not_told() {
    let (registry, service) = registry();
    let mut client = Client::modern(&service, &json!({}));
    client.request(1, "subscriptions/listen", json!({"notifications": {}})).await;
    assert_eq!(client.message().await["method"], "notifications/subscriptions/acknowledged");
    add(&registry, "second");
    let list = client.ask(2, "tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 2, "{list}");
}
