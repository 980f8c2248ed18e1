//! `haft list`: the tools, for people, as definitions, or as a provider takes them.

use std::io::{self, Write};

use haft::{Leniency, Tool, ToolRegistry, config::Builtin};

use crate::{
    definition::Definition,
    host::{Exit, Host},
    output,
    settings::{List, ListForm, Tools},
    workbench::Workbench,
};

pub(super) fn run(settings: &List, host: &mut Host) -> anyhow::Result<Exit> {
    match (&settings.tools, settings.form) {
        (Tools::Of(file), form) => {
            let file = super::foreign_tools(file, Leniency::default(), host)?;
            print(&file.registry, form, host)?;
            Ok(Exit::failed_if(file.is_unusable))
        }
        (Tools::Configured(configuration), ListForm::Builtin | ListForm::BuiltinJson) => {
            let bench = Workbench::open(configuration, host)?;
            builtin(&bench, settings.form, host)?;
            Ok(Exit::Success)
        }
        (Tools::Configured(configuration), form) => {
            let mut bench = Workbench::open(configuration, host)?;
            super::block_on(async {
                bench.connect_all(host).await;
                let printed = print(&bench.registry, form, host);
                bench.close().await;
                printed
            })??;
            Ok(host.interrupt.outcome(Exit::Success))
        }
    }
}

/// The tools, in the form that was asked for.
fn print(registry: &ToolRegistry, form: ListForm, host: &mut Host) -> io::Result<()> {
    let tools: Vec<Tool> = registry.iter().collect();
    match form {
        ListForm::Definitions => {
            let definitions: Vec<_> = tools.iter().map(|tool| Definition(tool.definition())).collect();
            output::write_pretty_json(&mut host.stdout, &definitions)
        }
        ListForm::Projected(target) => {
            let projected = target.list(registry);
            for refused in projected.refused() {
                host.note(format_args!("the tool {:?} is left out: {}", refused.name, refused.error));
            }
            output::write_indented(&mut host.stdout, projected.json())
        }
        _ => lines(&tools, host),
    }
}

/// What haft.toml can switch on and off: each spec name, whether it is on, and its tools.
fn builtin(bench: &Workbench, form: ListForm, host: &mut Host) -> io::Result<()> {
    let builtins = bench.config.builtins();
    if matches!(form, ListForm::BuiltinJson) {
        return output::write_pretty_json(&mut host.stdout, &builtins);
    }
    let width = builtins.iter().map(|builtin| builtin.name.len()).max().unwrap_or(0);
    let heading = host.heading();
    for Builtin { name, enabled, tools, .. } in &builtins {
        let state = match (tools.is_empty(), enabled) {
            (true, _) => "not there yet",
            (_, true) => "on",
            (_, false) => "off",
        };
        let tools = tools.join(", ");
        writeln!(
            host.stdout,
            "{}",
            format_args!("{heading}{name:width$}{heading:#}  {state:3}  {tools}").to_string().trim_end()
        )?;
    }
    Ok(())
}

/// A line a tool: its name, then the first line of what it does.
fn lines(tools: &[Tool], host: &mut Host) -> io::Result<()> {
    let width = tools.iter().map(|tool| tool.name().len()).max().unwrap_or(0);
    let heading = host.heading();
    for tool in tools {
        let definition = tool.definition();
        let first = definition.description.trim().lines().next().unwrap_or_default();
        write!(host.stdout, "{heading}{:width$}{heading:#}  {}", tool.name(), output::line(first))?;
        if let Some(original) = &definition.original_name {
            write!(host.stdout, " (named {:?} at its source)", output::line(original))?;
        }
        writeln!(host.stdout)?;
    }
    Ok(())
}
