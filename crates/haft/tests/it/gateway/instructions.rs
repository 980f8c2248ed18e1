//! What servers say to models of the use of their tools.

use haft::{
    Dispatcher,
    serve::mcp::{McpService, McpServiceBuilder},
    source::mcp::{McpServer, McpServers},
};
use serde_json::{Value, json};
use tokio::io::split;

use super::{CLIENTS, Gateway};
use crate::{
    mcp_source::wire::{Wire, pair, registry, tool},
    serve::{
        http::{Events, Http, only},
        kit::Client,
    },
};

/// Introduces itself, in the older protocol or the newest, with instructions.
async fn introduce(wire: &mut Wire, modern: bool, said: &Value) {
    let discover = wire.expect("server/discover").await;
    if modern {
        let result = json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": true}},
            "ttlMs": 0, "cacheScope": "private", "instructions": said,
        });
        wire.reply(&discover, result).await;
        return;
    }
    wire.refuse(&discover, -32601, "Method not found").await;
    let initialize = wire.expect("initialize").await;
    let result = json!({
        "protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}},
        "serverInfo": {"name": "test", "version": "1.0"}, "instructions": said,
    });
    wire.reply(&initialize, result).await;
    wire.expect("notifications/initialized").await;
}

/// What one of the clients is told when it begins.
async fn told(service: &McpService, client: &str) -> Value {
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let answer = match client {
        "legacy stream" => Client::connect(service).ask(1, "initialize", hello).await,
        "modern stream" => Client::modern(service, &json!({})).ask(1, "server/discover", json!({})).await,
        "legacy HTTP" => {
            let http = Http::start(service, haft::serve::mcp::HttpOptions::new()).await;
            Events::of(http.post(&initialize).await).rest().await.pop().expect("an answer")
        }
        _ => {
            let http = Http::start(service, haft::serve::mcp::HttpOptions::new()).await;
            only(http.modern(1, "server/discover", json!({}), &json!({}))).await
        }
    };
    answer["result"].get("instructions").cloned().unwrap_or_default()
}

#[tokio::test]
async fn they_reach_every_client_behind_the_hosts_own() {
    for modern in [false, true] {
        let gateway = Gateway::of(async |wire: &mut Wire| {
            introduce(wire, modern, &json!("Read first.\nThen write.")).await;
            wire.list(&["read"]).await;
        })
        .await;
        let said =
            "Of its tools, whose names begin with far__, the server far says:\n> Read first.\n> Then write.";
        let dispatcher = || Dispatcher::new(gateway.registry.clone());
        for (own, wanted) in [(None, said.to_owned()), (Some("Be kind."), format!("Be kind.\n\n{said}"))] {
            let instructions = gateway.servers.instructions();
            let service = McpService::builder(dispatcher()).more_instructions(move || instructions.text());
            let service = own.into_iter().fold(service, McpServiceBuilder::instructions).build();
            for client in CLIENTS {
                assert_eq!(told(&service, client).await, json!(wanted), "{client}");
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_said_of_who_says_nothing_or_has_no_tools_or_is_not_to_be_heard() {
    let heard = McpServer::given("far");
    for (server, said, tools) in [
        (heard.clone(), Value::Null, &["read"][..]),
        (heard.clone(), json!(" \n"), &["read"]),
        (heard.clone(), json!("Say it."), &[]),
        (heard.clone().exclude(["read"]), json!("Say it."), &["read"]),
        (heard.instructions(false), json!("Say it."), &["read"]),
    ] {
        let (stream, mut wire) = pair();
        let (registry, (reader, writer)) = (registry(), split(stream));
        let servers = McpServers::builder().connection(server, reader, writer);
        let (servers, ()) = tokio::join!(servers.connect(&registry), async {
            introduce(&mut wire, false, &said).await;
            wire.list(tools).await;
        });
        assert_eq!(servers.instructions().text(), None, "{said}");
    }
}

#[tokio::test]
async fn a_client_that_begins_later_is_told_what_there_is_by_then() {
    let (stream, mut wire) = pair();
    let (registry, (reader, writer)) = (registry(), split(stream));
    let servers = McpServers::builder().connection(McpServer::given("far"), reader, writer);
    let instructions = servers.instructions();
    let service = McpService::builder(Dispatcher::new(registry.clone()));
    let service = service.more_instructions(move || instructions.text()).build();
    for client in CLIENTS {
        assert_eq!(told(&service, client).await, Value::Null, "{client}: the server has not answered yet");
    }
    let (servers, ()) = tokio::join!(servers.connect(&registry), async {
        introduce(&mut wire, false, &json!("Ask twice.")).await;
        wire.list(&["ask"]).await;
    });
    for client in CLIENTS {
        assert!(told(&service, client).await.as_str().unwrap().ends_with("> Ask twice."), "{client}");
    }
    // Its tools are gone, and what it said of them with them.
    let mut changes = registry.changes();
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    let asked = wire.expect("tools/list").await;
    wire.reply(&asked, json!({"tools": []})).await;
    changes.changed().await.expect("a change");
    assert_eq!(told(&service, CLIENTS[0]).await, Value::Null);
    wire.send(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    let asked = wire.expect("tools/list").await;
    wire.reply(&asked, json!({"tools": [tool("ask")]})).await;
    changes.changed().await.expect("a change");
    assert!(told(&service, CLIENTS[0]).await.is_string());
    servers.close().await;
    assert_eq!(told(&service, CLIENTS[0]).await, Value::Null, "closed servers say nothing");
}

#[tokio::test]
async fn a_secret_that_a_server_repeats_is_not_handed_on() {
    let (stream, mut wire) = pair();
    let (registry, (reader, writer)) = (registry(), split(stream));
    let server = McpServer::given("far").secret("0815-secret-4711");
    let servers = McpServers::builder().connection(server, reader, writer);
    let (servers, ()) = tokio::join!(servers.connect(&registry), async {
        introduce(&mut wire, false, &json!("You came with 0815-secret-4711.")).await;
        wire.list(&["read"]).await;
    });
    let said = servers.instructions().text().expect("it says something");
    assert!(said.ends_with("> You came with ***."), "{said}");
    assert!(!format!("{:?}", servers.status()).contains("0815"));
}

#[tokio::test]
async fn what_people_do_not_see_reaches_no_client_and_what_nobody_is_told_is_not_kept() {
    let hidden = format!("Read\u{200b} first.\u{202e}{}\u{1e}Then write.", "\u{e0041}".repeat(3_000));
    let gateway = Gateway::of(async |wire: &mut Wire| {
        introduce(wire, false, &json!(format!("{hidden}{}", "x".repeat(100_000)))).await;
        wire.list(&["read"]).await;
    })
    .await;
    let instructions = gateway.servers.instructions();
    let dispatcher = Dispatcher::new(gateway.registry.clone());
    let service = McpService::builder(dispatcher).more_instructions(move || instructions.text()).build();
    let told = told(&service, "legacy stream").await;
    let said =
        "Of its tools, whose names begin with far__, the server far says:\n> Read first.\n> Then write.xxx";
    assert!(told.as_str().unwrap_or_default().starts_with(said), "{told:?}");
    let kept = gateway.servers.status()[0].instructions.clone().unwrap_or_default();
    assert!(kept.chars().count() <= 2_001, "{}", kept.len());
}
