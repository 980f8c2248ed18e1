//! Tools of servers served to clients: what goes through a gateway arrives as it was sent.

mod asked;
mod instructions;
mod listed;
mod relayed;
mod results;

use haft::{
    Dispatcher, ToolRegistry,
    serve::mcp::{HttpOptions, McpService},
    source::mcp::{McpServer, McpServers},
};
use serde_json::{Value, json};

use crate::{
    mcp_source::wire::{Wire, one, pair, registry},
    serve::{
        http::{Events, Http, only},
        kit::Client,
    },
};

/// A server whose beginning is the work of `begin`, behind a gateway.
struct Gateway {
    service: McpService,
    registry: ToolRegistry,
    servers: McpServers,
    wire: Wire,
}

impl Gateway {
    async fn of(begin: impl AsyncFnOnce(&mut Wire)) -> Self {
        Self::of_server(McpServer::given("far"), begin).await
    }

    async fn of_server(server: McpServer, begin: impl AsyncFnOnce(&mut Wire)) -> Self {
        let (stream, mut wire) = pair();
        let registry = registry();
        let servers = one(server, stream);
        let (servers, ()) = tokio::join!(servers.connect(&registry), begin(&mut wire));
        let service = McpService::builder(Dispatcher::new(registry.clone())).build();
        Self { service, registry, servers, wire }
    }
}

/// Clients of both eras, on streams and over HTTP.
const CLIENTS: [&str; 4] = ["legacy stream", "modern stream", "legacy HTTP", "modern HTTP"];

/// What one of the clients gets for a request.
async fn asked(service: &McpService, client: &str, method: &str, params: Value) -> Value {
    match client {
        "legacy stream" => Client::legacy(service, json!({})).await.ask(1, method, params).await,
        "modern stream" => Client::modern(service, &json!({})).ask(1, method, params).await,
        "legacy HTTP" => {
            let mut http = Http::start(service, HttpOptions::new()).await;
            http.shake_hands(json!({})).await;
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            Events::of(http.post(&request).await).rest().await.pop().expect("an answer")
        }
        _ => {
            let http = Http::start(service, HttpOptions::new()).await;
            only(http.modern(1, method, params, &json!({}))).await
        }
    }
}
