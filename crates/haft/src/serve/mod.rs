//! What others can call.

pub mod mcp;
