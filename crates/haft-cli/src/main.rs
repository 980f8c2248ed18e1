//! The command `haft`: tools listed, checked and called from a shell, in any language.

mod asking;
mod cli;
mod command;
mod definition;
mod diagnostics;
mod host;
mod input;
mod interrupt;
mod lines;
mod output;
mod same_file;
mod server;
mod settings;
mod stderr;
mod stdout;
mod tools_file;
mod workbench;

use anstream::ColorChoice;
use clap::Parser as _;

use crate::{
    cli::{Cli, Command},
    host::Host,
    interrupt::Interrupt,
    settings::Settings,
};

fn main() {
    let exit = match Cli::try_parse() {
        // It has no host: what is on its input and output is not its own.
        Ok(Cli { command: Command::Supervise(settings), .. }) => {
            let code = command::supervise::run(settings);
            std::process::exit(code.into());
        }
        Ok(cli) => {
            diagnostics::show();
            let mut host = Host::new(cli.color(), Interrupt::listen());
            let result = Settings::resolve(cli).and_then(|settings| command::run(settings, &mut host));
            host.conclude(result)
        }
        // Help, the version, or a wrong argument.
        Err(message) => Host::new(ColorChoice::Auto, Interrupt::listen()).explain(&message),
    };
    // Not a return: that would wait for the threads of tools that were left behind.
    std::process::exit(exit.code());
}
