//! The tools of a file, judged as foreign ones; one that can not be used never costs the others.

mod definition;
mod dialect;
mod items;

use std::{
    collections::{BTreeSet, HashMap},
    fmt,
};

use anyhow::bail;
use haft::{
    Leniency, Tool, ToolCall, ToolError, ToolName, ToolRegistry, ToolSource, Validation, assign_names,
};

use self::definition::Definition;
use crate::input::Input;

/// What a file of tools holds.
#[derive(Debug)]
pub(crate) struct ToolsFile {
    pub(crate) registry: ToolRegistry,
    /// Whether there was something, and none of it is a tool that can be used.
    pub(crate) is_unusable: bool,
    /// The tools that can not be used.
    pub(crate) refused: Vec<Refused>,
    /// What else a person should know; not yet safe for a terminal.
    pub(crate) notes: Vec<String>,
}

/// A tool that can not be used; not yet safe for a terminal.
#[derive(Debug)]
pub(crate) struct Refused {
    name: Option<String>,
    /// Its place in the list, from 1.
    position: usize,
    pub(crate) fault: String,
}

impl Refused {
    /// Its name, or its place where it has none.
    pub(crate) fn name(&self) -> String {
        self.name.clone().unwrap_or_else(|| format!("#{}", self.position))
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, position, fault } = self;
        match name {
            Some(name) => write!(formatter, "the tool {name:?} at position {position} is refused: {fault}"),
            None => write!(formatter, "the tool at position {position} is refused: {fault}"),
        }
    }
}

impl ToolsFile {
    /// What a call would be judged as. A tool that can not be used keeps its name: a repair of it would give its calls to
    /// another tool.
    pub(crate) fn validate(&self, call: &ToolCall) -> Option<Validation> {
        let is_refused = |refused: &Refused| refused.name.as_deref() == Some(call.name.as_str());
        if self.refused.iter().any(is_refused) && !self.registry.contains(&call.name) {
            return None;
        }
        self.registry.validate(call)
    }
}

/// Reads an MCP `tools/list` result, or definitions of tools in any provider's form.
pub(crate) fn load(file: &Input, leniency: Leniency) -> anyhow::Result<ToolsFile> {
    let text = file.read()?;
    let items = items::read(&text).map_err(|error| file.not_json(&error))?;
    let mut refused = Vec::new();
    let mut definitions = Vec::new();
    for (position, item) in (1..).zip(&items.found) {
        match definition::read(item) {
            Err(fault) if items.is_one_document() => {
                bail!(
                    "{file} holds no tools: {fault}; give an MCP tools/list result or a list of tool definitions"
                )
            }
            Err(fault) => refused.push(Refused { name: definition::name(item), position, fault }),
            Ok(definition) => definitions.push((position, definition)),
        }
    }
    let registry = register(definitions, &mut refused, leniency)?;
    refused.sort_by_key(|refused| refused.position);
    let mut notes = Vec::new();
    if items.has_further_page {
        notes.push(format!(
            "{file} is one page of a longer list (it has a nextCursor); the other tools are unknown"
        ));
    }
    if registry.is_empty() {
        notes.push(format!("{file} holds no tool that can be used"));
    }
    let is_unusable = registry.is_empty() && !items.found.is_empty();
    Ok(ToolsFile { registry, is_unusable, refused, notes })
}

/// Makes a tool under a name that providers take.
fn tool(definition: Definition, name: &ToolName) -> Result<Tool, String> {
    let description = definition.description.filter(|text| !text.trim().is_empty());
    let mut builder = Tool::builder(name.as_str())
        .description(description.unwrap_or_else(|| stand_in(&definition.name, name.as_str())))
        .source(ToolSource::Mcp)
        .annotations(definition.annotations)
        .schema(definition.schema);
    if name.as_str() != definition.name {
        builder = builder.original_name(definition.name);
    }
    if let Some(title) = definition.title {
        builder = builder.display_name(title);
    }
    if let Some(schema) = definition.output_schema {
        builder = builder.output_schema(schema);
    }
    builder
        .run_sync(|| Err::<String, _>(ToolError::new("tools of a file can not be run")))
        .map_err(|error| error.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// What stands for a description that is missing: the name at the source, unless nothing can be read in it.
fn stand_in(original: &str, name: &str) -> String {
    if original.trim().is_empty() { name } else { original }.to_owned()
}

/// Makes tools under names that differ; of two that came under one name the first that can be used is kept.
fn register(
    definitions: Vec<(usize, Definition)>,
    refused: &mut Vec<Refused>,
    leniency: Leniency,
) -> anyhow::Result<ToolRegistry> {
    let mut builder = ToolRegistry::builder().leniency(leniency);
    let mut names = names(&definitions, refused);
    for (position, definition) in definitions {
        let original = definition.name.clone();
        let tool = match names.get(&original) {
            Some(Ok(name)) => tool(definition, name),
            Some(Err(fault)) => Err(fault.clone()),
            None => Err(format!("two tools of one source are named {original:?}; the first is kept")),
        };
        match tool {
            Ok(tool) => {
                names.remove(&original);
                builder = builder.tool(tool);
            }
            Err(fault) => refused.push(Refused { name: Some(original), position, fault }),
        }
    }
    Ok(builder.build()?)
}

/// The name of each tool, or why it gets none. A refused tool keeps its name: another under it would get its calls.
fn names(
    definitions: &[(usize, Definition)],
    refused: &[Refused],
) -> HashMap<String, Result<ToolName, String>> {
    let read = definitions.iter().map(|(_, definition)| definition.name.as_str());
    let originals: BTreeSet<&str> =
        read.chain(refused.iter().filter_map(|refused| refused.name.as_deref())).collect();
    let originals: Vec<&str> = originals.into_iter().collect();
    let names = assign_names(&originals).into_iter().map(|name| name.map_err(|error| error.to_string()));
    originals.iter().map(|original| (*original).to_owned()).zip(names).collect()
}
