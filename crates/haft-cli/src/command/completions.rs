//! `haft completions`: what a shell has to know to complete the command line.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::{
    cli::Cli,
    host::{Exit, Host},
};

pub(super) fn run(shell: Shell, host: &mut Host) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "haft", &mut script);
    host.stdout.write_all(&script)?;
    Ok(Exit::Success)
}
