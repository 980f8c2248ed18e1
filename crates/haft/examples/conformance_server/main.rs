//! The server that the public conformance suite of MCP judges.
//!
//! ```text
//! PORT=8001 cargo run --features macros,serve,unstable-rmcp --example conformance_server
//! npx @modelcontextprotocol/conformance@0.2.0-alpha.12 server --url http://localhost:8001/mcp
//! ```
//!
//! Its tools are tools of a registry, served by haft. What the suite wants besides (resources, prompts, completion, tasks, and
//! tools that need them or the client's model) is served by a handler of `rmcp` that haft's server wraps. Without `PORT` the
//! system chooses one; the address is printed.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program of its own: it may read its environment and say where it is"
)]

mod asking;
mod content;
mod host;
mod input;
mod tasks;
mod tools;

use std::sync::{Arc, OnceLock};

use haft::{
    Dispatcher, ToolRegistry,
    serve::mcp::{HttpOptions, McpService},
};
use tokio::net::TcpListener;

use self::host::Fixture;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let port = std::env::var("PORT").unwrap_or_else(|_| "0".to_owned());
    let listener = TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    let service = service()?.http(HttpOptions::new());
    println!("http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await?;
    Ok(())
}

/// The registry's tools beside what the fixture has.
fn service() -> Result<McpService, Failure> {
    let fixture = Fixture::default();
    // One tool changes the registry that it is in.
    let changes = Arc::new(OnceLock::<ToolRegistry>::new());
    let tools = tools::all(&fixture, &changes)?.into_iter().chain(asking::all()?);
    let registry = ToolRegistry::builder().tools(tools).build()?;
    let _ = changes.set(registry.clone());
    Ok(McpService::builder(Dispatcher::new(registry))
        .name("haft-conformance-server")
        .instructions("A fixture of the conformance suite.")
        .host(fixture)
        .build())
}
