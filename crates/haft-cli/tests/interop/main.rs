//! haft among servers and clients that others wrote: run by `cargo xtask test interop`, which installs them.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr
)]

mod clients;
mod command;
mod gateway;
mod peers;
mod process;
mod serve;
mod servers;
