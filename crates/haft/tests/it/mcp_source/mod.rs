//! Tools of MCP servers, where the test plays the server.

mod asking;
mod calls;
mod faults;
mod list;
mod loose;
mod program;
mod told;
mod web;
pub(crate) mod wire;
