//! Tools of MCP servers.
//!
//! [`McpServers`] connects servers to a registry: programs that are started, servers that answer HTTP requests, and
//! connections that the host makes. Each server's failure costs only its own tools.

mod asking;
mod call;
mod catalog;
mod connect;
mod driver;
mod error;
mod event;
mod handler;
mod http;
mod instructions;
mod list;
mod name;
mod output;
mod presentation;
mod remote;
mod server;
mod servers;
mod serving;
mod session;
mod status;
mod tool;
mod wire;

pub use asking::{McpRoot, SampleFuture, Sampler};
pub use error::{McpError, McpProblem};
pub use event::{McpServerChange, McpServerEvent, McpServerEvents};
pub use http::{Authorizer, TokenFuture};
pub use instructions::McpInstructions;
#[cfg(feature = "config")]
pub(crate) use name::{LONGEST as LONGEST_NAME, is_server_name};
pub use server::{McpServer, McpTransport};
pub use servers::{McpServers, McpServersBuilder};
pub use status::{McpEra, McpServerState, McpServerStatus};
