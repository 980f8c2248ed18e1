//! A registry served to MCP clients, judged by the lines on the wire.

mod asking;
mod cases;
mod changes;
mod chaos;
mod eras;
mod kit;
mod observed;
mod stateless;
