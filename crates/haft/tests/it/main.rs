//! Integration tests of haft, in one binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(feature = "builtin")]
mod builtin;
mod provider;
#[cfg(feature = "macros")]
mod tool_macro;
