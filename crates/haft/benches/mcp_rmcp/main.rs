//! The tool `echo` served by rmcp alone: as its documentation has it (`plain`), and with its own best settings (`best`).

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unused_self // the attribute makes tools of methods
)]

use std::sync::Arc;

use axum::serve::ListenerExt as _;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio, stdio_pipes};
use rmcp::{ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// The handler that the attribute makes when nothing is said: it builds the router for each call.
#[derive(Clone)]
struct Plain;

#[tool_router]
impl Plain {
    #[tool(description = "Gives back the text.")]
    fn echo(&self, Parameters(echo): Parameters<Echo>) -> String {
        echo.text
    }
}

#[tool_handler]
impl ServerHandler for Plain {
    fn get_info(&self) -> ServerConfig {
        config()
    }
}

/// The same with one router that is kept.
#[derive(Clone)]
struct Best {
    tool_router: Arc<ToolRouter<Self>>,
}

#[tool_router]
impl Best {
    #[tool(description = "Gives back the text.")]
    fn echo(&self, Parameters(echo): Parameters<Echo>) -> String {
        echo.text
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Best {
    fn get_info(&self) -> ServerConfig {
        config()
    }
}

fn config() -> ServerConfig {
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let best = Best { tool_router: Arc::new(Best::tool_router()) };
    match words.as_slice() {
        // The flavours of runtime that each does best with.
        ["plain", "stdio", ..] => {
            tokio::runtime::Runtime::new().expect("there are threads").block_on(async {
                Plain.serve(stdio()).await.expect("a client begins").waiting().await.expect("serving ends");
            });
        }
        ["best", "stdio", ..] => one_thread().block_on(async {
            best.serve(stdio_pipes()).await.expect("a client begins").waiting().await.expect("serving ends");
        }),
        ["plain", ..] => one_thread().block_on(http(Plain)),
        _ => one_thread().block_on(http(best)),
    }
}

fn one_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("there is a thread")
}

/// Both eras without sessions, each answer as one JSON document: what costs rmcp least.
async fn http<S: ServerHandler + Clone>(server: S) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    println!("http://{}/mcp", listener.local_addr().expect("it is bound"));
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let config =
        StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), LocalSessionManager::default().into(), config);
    let router = axum::Router::new().nest_service("/mcp", service);
    axum::serve(listener, router).await.expect("serving goes on");
}
