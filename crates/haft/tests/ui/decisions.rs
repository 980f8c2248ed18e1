//! Keys that are no argument, and approvals and contracts that make no sense.

/// Moves money.
#[haft::tool(chunk_by = form, recovery = "keyd", strategy = chunk)]
fn near(from: String, to: String) {}

/// Moves money.
#[haft::tool(chunk_by = from, approve = |a| a > 1)]
fn none() {}

/// Moves money.
#[haft::tool(chunk_by = from)]
fn renamed(#[serde(rename = "source")] from: String) {}

/// Moves money.
#[haft::tool(strategy = chunked, recovery = "probe", approve = |a, b| a)]
fn alone(from: String) {}

/// Moves money.
#[haft::tool(strategy = serial, chunk_by = from, recovery = "ask", probe = none, approve = "yes")]
fn against(from: String) {}

/// Moves money.
#[haft::tool(approve = 1 + 1, probe = "none", chunk_by)]
fn forms(from: String) {}

fn main() {}
