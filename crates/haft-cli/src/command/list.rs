//! `haft list`: the tools, for people, as definitions, or as a provider takes them.

use std::io::{self, Write};

use haft::Tool;

use crate::{
    definition::Definition,
    host::{Exit, Host},
    output,
    settings::{List, ListForm},
};

pub(super) fn run(settings: &List, host: &mut Host) -> anyhow::Result<Exit> {
    let file = super::tools(&settings.tools, host)?;
    let tools: Vec<Tool> = file.registry.iter().collect();
    match settings.form {
        ListForm::People => print(&tools, host)?,
        ListForm::Definitions => {
            let definitions: Vec<_> = tools.iter().map(|tool| Definition(tool.definition())).collect();
            output::write_pretty_json(&mut host.stdout, &definitions)?;
        }
        ListForm::Projected(projection) => {
            let projected = projection.list(&file.registry);
            for refused in projected.refused() {
                host.note(format_args!("the tool {:?} is left out: {}", refused.name, refused.error));
            }
            output::write_indented(&mut host.stdout, projected.json())?;
        }
    }
    Ok(Exit::failed_if(file.is_unusable))
}

/// A line a tool: its name, then the first line of what it does.
fn print(tools: &[Tool], host: &mut Host) -> io::Result<()> {
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
