//! Tools of MCP servers, where the test plays the server.

mod calls;
mod list;
mod wire;
