//! The tool `echo` served by haft, as a host does it with the library.

#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::print_stdout)]

use axum::serve::ListenerExt as _;
use haft::serve::mcp::{HttpOptions, McpService};
use haft::{Dispatcher, ToolRegistry};

/// Gives back the text.
#[haft::tool(read_only)]
async fn echo(text: String) -> String {
    text
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let registry = ToolRegistry::builder().tools(haft::tools![echo]).build().expect("the tool is sound");
    let service = McpService::builder(Dispatcher::new(registry)).name("echo").build();
    if std::env::args().nth(1).as_deref() == Some("stdio") {
        service.stdio().await.expect("a client comes and leaves");
    } else {
        http(&service).await;
    }
}

/// Both eras without sessions, each answer as one JSON document.
async fn http(service: &McpService) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    println!("http://{}/mcp", listener.local_addr().expect("it is bound"));
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let service = service.http(HttpOptions::new().stateless());
    axum::serve(listener, axum::Router::new().route_service("/mcp", service)).await.expect("serving goes on");
}
