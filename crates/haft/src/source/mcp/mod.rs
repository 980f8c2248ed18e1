//! Tools of MCP servers.

mod server;

pub use server::{McpServer, McpTransport};
