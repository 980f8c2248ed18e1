//! A registry served to MCP clients, judged by the lines on the wire.

mod asking;
mod broken;
mod cases;
mod changes;
mod chaos;
mod endless;
mod eras;
mod front;
mod front_http;
#[cfg(feature = "unstable-rmcp")]
mod host;
#[cfg(feature = "mcp")]
pub(crate) mod http;
pub(crate) mod kit;
mod library;
mod observed;
mod opening;
#[cfg(feature = "mcp")]
mod resumed;
mod stateless;
