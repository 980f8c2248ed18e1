//! Lists of tools as JSON: whole definitions, and the forms of protocols and providers.

use haft::{Tool, ToolDefinition};
use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::cli::Target;

/// The list as the target takes it.
pub(crate) fn project(tools: &[Tool], target: Target) -> Projected<'_> {
    match target {
        Target::Mcp => {
            Projected::Mcp { tools: tools.iter().map(|tool| McpTool(tool.definition())).collect() }
        }
        Target::OpenAi => Projected::OpenAi(tools),
        Target::Anthropic => {
            Projected::Anthropic(tools.iter().map(|tool| AnthropicTool::of(tool.definition())).collect())
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Projected<'a> {
    /// `{"tools":[{name, title?, description, inputSchema, outputSchema?, annotations?}]}`
    Mcp { tools: Vec<McpTool<'a>> },
    /// `[{"type":"function","function":{name, description, parameters}}]`, as a tool serializes itself.
    OpenAi(&'a [Tool]),
    /// `[{name, description, input_schema}]`
    Anthropic(Vec<AnthropicTool<'a>>),
}

pub(crate) struct McpTool<'a>(&'a ToolDefinition);

impl Serialize for McpTool<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tool) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &tool.name)?;
        optional(&mut map, "title", tool.display_name.as_ref())?;
        map.serialize_entry("description", &tool.description)?;
        map.serialize_entry("inputSchema", tool.input.published())?;
        optional(&mut map, "outputSchema", tool.output.as_ref().map(haft::OutputSchema::published))?;
        optional(&mut map, "annotations", Some(&tool.annotations).filter(|known| !known.is_empty()))?;
        map.end()
    }
}

#[derive(Serialize)]
pub(crate) struct AnthropicTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: &'a Value,
}

impl<'a> AnthropicTool<'a> {
    fn of(tool: &'a ToolDefinition) -> Self {
        Self {
            name: tool.name.as_str(),
            description: &tool.description,
            input_schema: tool.input.published(),
        }
    }
}

/// Everything that is known about a tool; what is not known is left out.
pub(crate) struct Definition<'a>(pub(crate) &'a ToolDefinition);

impl Serialize for Definition<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(tool) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &tool.name)?;
        optional(&mut map, "originalName", tool.original_name.as_ref())?;
        optional(&mut map, "title", tool.display_name.as_ref())?;
        map.serialize_entry("description", &tool.description)?;
        map.serialize_entry("source", &tool.source)?;
        optional(&mut map, "toolkit", tool.toolkit.as_ref())?;
        optional(&mut map, "category", tool.category.as_ref())?;
        optional(&mut map, "tags", Some(&tool.tags).filter(|tags| !tags.is_empty()))?;
        optional(&mut map, "annotations", Some(&tool.annotations).filter(|known| !known.is_empty()))?;
        map.serialize_entry("inputSchema", tool.input.published())?;
        optional(&mut map, "outputSchema", tool.output.as_ref().map(haft::OutputSchema::published))?;
        map.end()
    }
}

fn optional<M: SerializeMap, T: Serialize>(
    map: &mut M,
    name: &str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(name, value))
}
