//! Integration tests of haft, in one binary.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

#[cfg(feature = "builtin")]
mod builtin;
#[cfg(feature = "macros")]
mod compile_fail;
#[cfg(feature = "config")]
mod config;
#[cfg(feature = "macros")]
mod examples;
mod fuzzing;
#[cfg(all(feature = "mcp", feature = "serve"))]
mod gateway;
#[cfg(any(feature = "mcp", feature = "serve"))]
mod listening;
#[cfg(feature = "mcp")]
mod mcp_source;
mod provider;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "macros")]
mod tool_macro;
#[cfg(feature = "macros")]
mod toolkit_macro;
