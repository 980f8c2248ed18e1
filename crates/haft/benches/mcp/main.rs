//! What serving a tool to MCP clients costs, as ratios to a loop by hand in the same run, beside what peers cost.
//!
//! Arguments are `NAME=PATH` for the servers `floor`, `rmcp`, `haft`, `command` (the binary `haft`), and `node` with `modules`, the
//! folder that holds the TypeScript SDK; `cargo xtask figures mcp` builds and names them. A number is how many rounds are run.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout
)]

#[cfg(target_os = "linux")]
mod http;
#[cfg(target_os = "linux")]
mod lines;
#[cfg(target_os = "linux")]
mod load;
#[cfg(target_os = "linux")]
mod messages;
#[cfg(target_os = "linux")]
mod rounds;
#[cfg(target_os = "linux")]
mod server;

#[cfg(target_os = "linux")]
fn main() {
    rounds::run(&std::env::args().skip(1).collect::<Vec<String>>());
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("CPU time and memory of other processes are read as Linux gives them");
}
