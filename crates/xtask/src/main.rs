//! `cargo xtask`: the tasks of the workspace, written in Rust so that a machine with Rust can run them all.

mod command;
mod figures;
#[cfg(unix)]
mod interop;
mod report;
mod test;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Tasks of the haft workspace.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every check of the workspace, or the named ones.
    Test(test::Options),
    /// Check the house rules that neither rustc nor clippy can see.
    Tidy,
    /// Measure every figure that the project states, and write docs/figures.md.
    Figures(figures::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.task) {
        Ok(code) => code,
        Err(error) => {
            anstream::eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(task: Task) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::load()?;
    match task {
        Task::Test(options) => test::run(&workspace, &options),
        Task::Tidy => tidy::run(&workspace),
        Task::Figures(options) => figures::run(&workspace, &options),
    }
}
