//! The tool layer for AI agents: define tools, check what models send, run a turn's calls, hand back results.

#[cfg(feature = "builtin")]
pub mod builtin;
