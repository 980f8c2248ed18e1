//! A registry served to MCP clients, judged by the lines on the wire.

mod asking;
mod cases;
mod changes;
mod chaos;
mod eras;
#[cfg(feature = "unstable-rmcp")]
mod host;
#[cfg(feature = "mcp")]
mod http;
mod kit;
mod observed;
mod stateless;
