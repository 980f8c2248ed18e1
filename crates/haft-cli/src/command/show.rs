//! `haft show`: one tool, for people or as its definition.

use std::io::{self, Write};

use anyhow::bail;
use haft::{Leniency, Tool, ToolDefinition, ToolRegistry};

use crate::{
    definition::Definition,
    host::{Exit, Host},
    output,
    settings::{Show, Tools},
    workbench::Workbench,
};

pub(super) fn run(settings: &Show, host: &mut Host) -> anyhow::Result<Exit> {
    let configuration = match &settings.tools {
        Tools::Of(file) => {
            let file = super::foreign_tools(file, Leniency::default(), host)?;
            return show(settings, &file.registry, host);
        }
        Tools::Configured(configuration) => configuration,
    };
    let mut bench = Workbench::open(configuration, host)?;
    super::block_on(async {
        bench.connect_for(&[&settings.name], host).await;
        let shown = show(settings, &bench.registry, host);
        bench.close().await;
        if host.interrupt.happened() { Ok(Exit::Interrupted) } else { shown }
    })?
}

fn show(settings: &Show, registry: &ToolRegistry, host: &mut Host) -> anyhow::Result<Exit> {
    let Some(tool) = registry.get(&settings.name) else { bail!(unknown(&settings.name, registry)) };
    if settings.json {
        output::write_pretty_json(&mut host.stdout, &Definition(tool.definition()))?;
    } else {
        print(&tool, host)?;
    }
    Ok(Exit::Success)
}

/// What to say of a name that no tool has.
fn unknown(name: &str, registry: &ToolRegistry) -> String {
    let names: Vec<String> = registry.iter().map(|tool| tool.name().to_owned()).collect();
    let message = registry.not_found(name).message().to_owned();
    match names.as_slice() {
        [] => message,
        names if names.len() <= 20 => format!("{message} (the tools are {})", names.join(", ")),
        _ => format!("{message} (`haft list` shows all {})", names.len()),
    }
}

fn print(tool: &Tool, host: &mut Host) -> anyhow::Result<()> {
    let definition = tool.definition();
    let (bold, out) = (host.heading(), &mut host.stdout);
    writeln!(out, "{bold}{}{bold:#}", tool.name())?;
    writeln!(out, "{}", output::block(definition.description.trim()))?;
    writeln!(out)?;
    for (label, value) in facts(definition) {
        writeln!(out, "{bold}{label}{bold:#}: {}", output::line(&value))?;
    }
    schema(out, bold, "arguments", definition.input.published())?;
    if let Some(schema) = &definition.output {
        self::schema(out, bold, "output", schema.published())?;
    }
    Ok(())
}

/// What is known beside the description, as labels and values.
fn facts(definition: &ToolDefinition) -> Vec<(&'static str, String)> {
    let mut facts = vec![("source", definition.source.as_str().to_owned())];
    let mut known = |label, value: Option<String>| facts.extend(value.map(|value| (label, value)));
    known("name at its source", definition.original_name.clone());
    known("title", definition.display_name.clone());
    known("category", definition.category.clone());
    known("toolkit", definition.toolkit.clone());
    known("tags", (!definition.tags.is_empty()).then(|| definition.tags.join(", ")));
    let annotations = definition.annotations;
    let hints = [
        ("read-only", annotations.read_only),
        ("destructive", annotations.destructive),
        ("idempotent", annotations.idempotent),
        ("open-world", annotations.open_world),
    ];
    let hints: Vec<String> = hints
        .into_iter()
        .filter_map(|(hint, said)| {
            said.map(|said| if said { hint.to_owned() } else { format!("not {hint}") })
        })
        .collect();
    known("hints", (!hints.is_empty()).then(|| hints.join(", ")));
    facts
}

fn schema(
    out: &mut impl Write,
    bold: anstyle::Style,
    label: &str,
    schema: &serde_json::Value,
) -> io::Result<()> {
    writeln!(out, "{bold}{label}{bold:#}:")?;
    output::write_pretty_json(out, schema)
}
