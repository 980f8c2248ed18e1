//! A registry served to MCP clients.
