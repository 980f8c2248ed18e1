//! The commands, one a file; each is a function of its settings and the host.

mod call;
mod completions;
mod config;
pub(crate) mod doctor;
mod lint;
mod list;
mod schema;
mod serve;
mod show;
pub(crate) mod supervise;
mod trust;
mod turn;
mod validate;

use anyhow::Context as _;
use haft::Leniency;

use crate::{
    host::{Exit, Host},
    input::Input,
    settings::Settings,
    tools_file::{self, ToolsFile},
};

/// Does what was asked for.
pub(crate) fn run(settings: Settings, host: &mut Host) -> anyhow::Result<Exit> {
    match settings {
        Settings::List(settings) => list::run(&settings, host),
        Settings::Show(settings) => show::run(&settings, host),
        Settings::Call(settings) => call::run(settings, host),
        Settings::Turn(settings) => turn::run(&settings, host),
        Settings::Serve(settings) => serve::run(&settings, host),
        Settings::Validate(settings) => validate::run(&settings, host),
        Settings::Schema(settings) => schema::run(&settings, host),
        Settings::Lint(settings) => lint::run(&settings, host),
        Settings::Doctor(settings) => doctor::run(&settings, host),
        Settings::Trust(settings) => trust::run(&settings, host),
        Settings::Config(settings) => config::run(&settings, host),
        Settings::Completions(shell) => completions::run(shell, host),
    }
}

/// The tools of a file; those that can not be used are reported.
fn foreign_tools(file: &Input, leniency: Leniency, host: &mut Host) -> anyhow::Result<ToolsFile> {
    announce(file, "a list of tools", host);
    let mut tools = tools_file::load(file, leniency)?;
    for refused in &tools.refused {
        host.note(refused);
    }
    for note in std::mem::take(&mut tools.notes) {
        host.note(note);
    }
    Ok(tools)
}

/// Says what is waited for, when a person has to type it.
fn announce(input: &Input, what: &str, host: &mut Host) {
    if input.is_typed() {
        host.note(format_args!("reading {what} from standard input; end it with Ctrl-D"));
    }
}

/// Runs calls to their end, and does not wait for functions that were left behind.
pub(crate) fn block_on<F: Future>(future: F) -> anyhow::Result<F::Output> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("no runtime can be started")?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}
