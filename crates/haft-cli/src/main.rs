//! The command `haft`: tools listed, checked and called from a shell, in any language.

mod cli;
mod command;
mod host;
mod input;
mod interrupt;
mod lines;
mod output;
mod projection;
mod settings;
mod tools_file;

use clap::Parser as _;

use crate::{cli::Cli, host::Host, interrupt::Interrupt, settings::Settings};

fn main() {
    // A wrong argument ends here: clap says what is wrong and exits with 2.
    let cli = Cli::parse();
    let mut host = Host::new(cli.color(), Interrupt::listen());
    let result = Settings::resolve(cli).and_then(|settings| command::run(settings, &mut host));
    let exit = host.conclude(result);
    // Not a return: that would wait for the threads of tools that were left behind.
    std::process::exit(exit.code());
}
