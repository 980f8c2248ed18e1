//! Values that an option can not have, and options that contradict each other.

/// Moves money.
#[haft::tool(timeout = "soon", strategy = paralel, max_concurrency = 0, crate = "not a path", category = 3)]
fn values() {}

/// Moves money.
#[haft::tool(timeout = "0s", max_concurrency = "4", read_only, destructive)]
fn contradiction() {}

/// Moves money.
#[haft::tool(blocking)]
async fn blocking() {}

/// Moves money.
#[haft::tool(read_only destructive)]
fn without_comma() {}

fn main() {}
