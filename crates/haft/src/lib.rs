//! haft, the tool layer for AI agents.
//!
//! Everything of [`haft_core`] stands here too; this crate adds what a service needs around it.

mod clock;

#[cfg(feature = "builtin")]
pub mod builtin;
pub mod provider;

pub use clock::SystemClock;
pub use haft_core::*;
