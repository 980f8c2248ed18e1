//! A registry served to MCP clients.

mod call;
mod changes;
mod error;
#[cfg(feature = "unstable-rmcp")]
mod host;
mod http;
mod lines;
mod log;
mod methods;
mod plain;
mod service;
mod session;
mod text;
mod tools;

pub use error::ServeError;
pub use http::{BearerToken, HttpBody, HttpOptions, McpHttpService};
pub use log::{ClientLog, LogLevel};
#[cfg(feature = "unstable-rmcp")]
pub use rmcp;
pub use service::{McpService, McpServiceBuilder};
