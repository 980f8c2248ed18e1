//! Where tools come from, other than functions of the host.

pub mod mcp;
