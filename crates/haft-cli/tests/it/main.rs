//! The command as it is used: run with arguments and input, judged by output and exit code.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr
)]

mod bad_input;
mod call;
mod configured;
mod haft;
#[cfg(unix)]
mod help;
#[cfg(unix)]
mod interrupt;
mod list;
mod names;
mod overwrite;
mod real_tools;
mod schema;
#[cfg(unix)]
mod serve;
#[cfg(unix)]
mod servers;
mod shown;
mod strict;
#[cfg(target_os = "linux")]
mod supervise;
mod terminal;
mod tools_files;
mod trust;
mod turn;
#[cfg(target_os = "linux")]
mod unwritable;
mod validate;
