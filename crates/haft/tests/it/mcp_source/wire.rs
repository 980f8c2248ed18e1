//! The server's end of a connection in memory.

use std::time::Duration;

use haft::{
    CallContext, Dispatcher, ToolRegistry, ToolResult,
    source::mcp::{McpServer, McpServers, McpServersBuilder},
};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream, Lines,
        split,
    },
    time::timeout,
};

/// Nothing takes so long, however busy the machine is.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// The server's end.
pub(crate) struct Wire {
    lines: Lines<BufReader<Box<dyn AsyncRead + Send + Sync + Unpin>>>,
    writer: Box<dyn AsyncWrite + Send + Sync + Unpin>,
}

/// A connection: the client's end, and the server's.
pub(crate) fn pair() -> (DuplexStream, Wire) {
    let (client, server) = tokio::io::duplex(1 << 16);
    (client, Wire::new(server))
}

impl Wire {
    pub(crate) fn new(stream: DuplexStream) -> Self {
        let (reader, writer) = split(stream);
        Self::of(reader, writer)
    }

    /// The server's end of two streams.
    pub(crate) fn of(
        reader: impl AsyncRead + Send + Sync + Unpin + 'static,
        writer: impl AsyncWrite + Send + Sync + Unpin + 'static,
    ) -> Self {
        let reader: Box<dyn AsyncRead + Send + Sync + Unpin> = Box::new(reader);
        Self { lines: BufReader::new(reader).lines(), writer: Box::new(writer) }
    }

    /// Reads no more.
    pub(crate) fn into_writer(self) -> Box<dyn AsyncWrite + Send + Sync + Unpin> {
        self.writer
    }

    /// The next message; none when the client has gone.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = timeout(PATIENCE, self.lines.next_line()).await.expect("a message in time").ok()??;
        Some(serde_json::from_str(&line).expect("JSON"))
    }

    /// The next message of that method; others are passed over.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.unwrap_or_else(|| panic!("no {method}"));
            if message["method"] == method {
                return message;
            }
        }
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.send_raw(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("the client reads");
    }

    pub(crate) async fn reply(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(crate) async fn refuse(&mut self, request: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error})).await;
    }

    /// Introduces itself as a server of the older protocol. What it was asked.
    pub(crate) async fn introduce(&mut self) -> Value {
        let discover = self.expect("server/discover").await;
        self.refuse(&discover, -32601, "Method not found").await;
        let initialize = self.expect("initialize").await;
        let capabilities = json!({"tools": {"listChanged": true}, "logging": {}});
        let server = json!({"name": "test", "version": "1.0"});
        let result =
            json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": server});
        self.reply(&initialize, result).await;
        self.expect("notifications/initialized").await;
        initialize
    }

    /// Introduces itself as a server of the newest protocol. What it was asked.
    pub(crate) async fn introduce_modern(&mut self) -> Value {
        let discover = self.expect("server/discover").await;
        self.discovered(&discover).await;
        discover
    }

    /// Says that it speaks the newest protocol.
    pub(crate) async fn discovered(&mut self, discover: &Value) {
        let result = json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "ttlMs": 0,
            "cacheScope": "private",
        });
        self.reply(discover, result).await;
    }

    /// Introduces itself and lists its tools, each with an open schema.
    pub(crate) async fn ready(&mut self, tools: &[&str]) {
        self.introduce().await;
        self.list(tools).await;
    }

    pub(crate) async fn list(&mut self, tools: &[&str]) {
        let asked = self.expect("tools/list").await;
        let tools: Vec<Value> = tools.iter().map(|name| tool(name)).collect();
        self.reply(&asked, json!({"tools": tools})).await;
    }

    /// Answers a call with text.
    pub(crate) async fn answer(&mut self, call: &Value, text: &str) {
        self.reply(call, json!({"content": [{"type": "text", "text": text}]})).await;
    }
}

/// A tool that takes anything.
pub(crate) fn tool(name: &str) -> Value {
    json!({"name": name, "description": "Does something.", "inputSchema": {"type": "object", "additionalProperties": true}})
}

/// A registry without a tool.
pub(crate) fn registry() -> ToolRegistry {
    ToolRegistry::builder().build().expect("a registry")
}

/// A builder with one server in memory.
pub(crate) fn one(server: McpServer, stream: DuplexStream) -> McpServersBuilder {
    let (reader, writer) = split(stream);
    McpServers::builder().connection(server, reader, writer)
}

/// A server that is ready with these tools.
pub(crate) async fn ready(tools: &[&str]) -> (ToolRegistry, McpServers, Wire) {
    ready_as(McpServer::given("test"), tools).await
}

pub(crate) async fn ready_as(server: McpServer, tools: &[&str]) -> (ToolRegistry, McpServers, Wire) {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(server, stream);
    let (servers, ()) = tokio::join!(servers.connect(&registry), wire.ready(tools));
    (registry, servers, wire)
}

/// Calls a tool.
pub(crate) async fn call(registry: &ToolRegistry, name: &str, arguments: Value) -> ToolResult {
    let dispatcher = Dispatcher::new(registry.clone());
    let arguments = arguments.to_string();
    let call = dispatcher.call(name, &arguments, CallContext::new());
    timeout(PATIENCE, call).await.expect("a result in time").expect("a result")
}

/// The names of the tools.
pub(crate) fn names(registry: &ToolRegistry) -> Vec<String> {
    registry.iter().map(|tool| tool.name().to_owned()).collect()
}
