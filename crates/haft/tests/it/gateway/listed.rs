//! What servers say of their tools besides what they do.

use haft::{
    Dispatcher,
    serve::mcp::{HttpOptions, McpService},
    source::mcp::{McpServer, McpServers},
};
use serde_json::{Value, json};

use super::{CLIENTS, Gateway, asked};
use crate::{
    mcp_source::wire::{Wire, registry, tool},
    serve::http::Http,
};

/// A tool that says all that a tool can say.
fn full() -> Value {
    json!({
        "name": "draw",
        "title": "Draw it",
        "description": "Draws.",
        "inputSchema": {"type": "object", "properties": {"what": {"type": "string"}}, "x-vendor": {"kept": [1, null]}},
        "outputSchema": {"type": "object", "properties": {"drawn": {"type": "boolean"}}},
        "annotations": {"title": "Draw (old)", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false},
        "icons": [
            {"src": "https://far.example/draw.svg", "mimeType": "image/svg+xml", "sizes": ["any"], "theme": "dark"},
            {"src": "data:image/png;base64,AAAA", "sizes": ["48x48", "96x96"]},
        ],
        "_meta": {
            "ui": {"resourceUri": "ui://far/draw", "visibility": ["model", "app"]},
            "com.example/rate": 0.5,
            "com.example/large": 9_007_199_254_740_993_i64,
            "com.example/none": null,
            "com.example/text": "ümläut \u{202e} \n",
        },
    })
}

/// The same, as a client of the gateway is to see it.
fn full_through() -> Value {
    let mut tool = full();
    tool["name"] = "far__draw".into();
    tool
}

async fn tools(wire: &mut Wire, tools: Value) {
    let asked = wire.expect("tools/list").await;
    wire.reply(&asked, json!({"tools": tools, "ttlMs": 0, "cacheScope": "private"})).await;
}

#[tokio::test]
async fn what_a_tool_says_of_itself_arrives_whole_at_every_client() {
    for modern in [false, true] {
        let gateway = Gateway::of(async |wire: &mut Wire| {
            if modern {
                drop(wire.introduce_modern().await);
            } else {
                drop(wire.introduce().await);
            }
            tools(wire, json!([full(), tool("plain")])).await;
        })
        .await;
        for client in CLIENTS {
            let answer = asked(&gateway.service, client, "tools/list", json!({})).await;
            let listed = &answer["result"]["tools"];
            assert_eq!(listed[0], full_through(), "{client}");
            let plain = json!({"name": "far__plain", "description": "Does something.", "inputSchema": {"type": "object", "additionalProperties": true}});
            assert_eq!(listed[1], plain, "{client}: nothing is made up");
        }
        let definition = gateway.registry.get("far__draw").unwrap();
        assert!(!definition.definition().is_read_only(), "it is told, and not believed");
    }
}

#[tokio::test]
async fn it_goes_through_two_gateways_and_over_http_too() {
    let near = Gateway::of(async |wire: &mut Wire| {
        drop(wire.introduce().await);
        tools(wire, json!([full()])).await;
    })
    .await;
    let http = Http::start(&near.service, HttpOptions::new()).await;
    let registry = registry();
    let server = McpServer::http("hop", format!("http://{}/mcp", http.address()));
    let _servers = McpServers::builder().server(server).connect(&registry).await;
    let service = McpService::builder(Dispatcher::new(registry)).build();
    let mut wanted = full();
    wanted["name"] = "hop__far__draw".into();
    for client in CLIENTS {
        let answer = asked(&service, client, "tools/list", json!({})).await;
        assert_eq!(answer["result"]["tools"], json!([wanted]), "{client}");
    }
}

#[tokio::test]
async fn what_can_not_be_read_of_it_costs_nothing_else() {
    let odd = |field: &str, value: Value| {
        let mut odd = full();
        odd["name"] = format!("odd-{field}").into();
        odd[field] = value;
        odd
    };
    let icons = json!([
        {"src": 5}, "text", null, {}, {"src": " "},
        {"src": "https://far.example/1", "sizes": "16x16 32x32", "theme": "sepia", "mimeType": 7, "extra": 1},
    ]);
    let listed = json!([
        odd("icons", icons),
        odd("_meta", json!(["no object"])),
        odd("annotations", json!({"title": 5, "readOnlyHint": "yes"})),
        odd("title", json!({"en": "Draw"})),
        odd("execution", json!({"taskSupport": "optional"})),
    ]);
    let gateway = Gateway::of(async |wire: &mut Wire| {
        drop(wire.introduce().await);
        tools(wire, listed).await;
    })
    .await;
    assert_eq!(gateway.servers.status()[0].problems, []);
    for client in CLIENTS {
        let answer = asked(&gateway.service, client, "tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name).expect("it is listed");
        let icons = json!([{"src": "https://far.example/1", "sizes": ["16x16", "32x32"]}]);
        assert_eq!(tool("far__odd-icons")["icons"], icons, "{client}");
        assert!(tool("far__odd-_meta").get("_meta").is_none(), "{client}");
        assert!(tool("far__odd-annotations").get("annotations").is_none(), "{client}");
        assert_eq!(tool("far__odd-title")["title"], "Draw (old)", "{client}: the other one stands in");
        // Nothing here runs tasks, so that no client is to believe it.
        assert!(tool("far__odd-execution").get("execution").is_none(), "{client}");
    }
}

#[tokio::test]
async fn a_change_of_it_is_a_change_of_the_list() {
    let mut gateway = Gateway::of(async |wire: &mut Wire| {
        drop(wire.introduce().await);
        tools(wire, json!([full()])).await;
    })
    .await;
    let mut changes = gateway.registry.changes();
    let mut other = full();
    other["_meta"]["ui"]["resourceUri"] = "ui://far/other".into();
    gateway.wire.send(json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})).await;
    tools(&mut gateway.wire, json!([other])).await;
    changes.changed().await.expect("a change");
    for client in CLIENTS {
        let answer = asked(&gateway.service, client, "tools/list", json!({})).await;
        assert_eq!(answer["result"]["tools"][0]["_meta"], other["_meta"], "{client}");
    }
}
