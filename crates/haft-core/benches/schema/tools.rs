//! Tools to measure with: many made ones, and those of recorded lists.

use std::path::Path;

use haft_core::{Args, DefinitionError, Tool, ToolSource};
use serde_json::{Value, json};

/// A tool as text.
pub(crate) struct Text {
    name: String,
    description: String,
    schema: String,
}

impl Text {
    pub(crate) fn made(index: usize) -> Self {
        let schema = json!({
            "type": "object",
            "required": ["customer"],
            "properties": {
                "customer": {"type": "string", "description": "Number of the customer.", "minLength": 1},
                "limit": {"type": "integer", "description": "Most rows; 20 by default.", "minimum": 1, "maximum": 100},
                "order": {"type": "string", "enum": ["newest", "oldest"], "description": "What comes first."},
            },
            "additionalProperties": false,
        });
        Self {
            name: format!("list_orders_{index}"),
            description: format!("Lists the orders of a customer in shop number {index}, a row each."),
            schema: schema.to_string(),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.name.len() + self.description.len() + self.schema.len()
    }

    pub(crate) fn tool(&self) -> Result<Tool, DefinitionError> {
        let schema: Value = serde_json::from_str(&self.schema).expect("JSON");
        Tool::builder(&self.name)
            .description(&self.description)
            .source(ToolSource::Mcp)
            .schema(schema)
            .run_sync(echo)
    }
}

fn echo(Args(arguments): Args<Value>) -> String {
    arguments.to_string()
}

/// The lists of tools of real servers, as text.
pub(crate) fn recorded(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("mcp_tools")).expect("the data is there");
    let mut files: Vec<_> = files.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let tools = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).expect("the file can be read");
        let document: Value = serde_json::from_str(&text).expect("JSON");
        document["tools"].to_string()
    };
    files.iter().map(tools).collect()
}

pub(crate) fn defined(lists: &[String]) -> Vec<Tool> {
    let documents = lists.iter().map(|list| serde_json::from_str::<Vec<Value>>(list).expect("a list"));
    documents.flatten().filter_map(|tool| define(&tool).ok()).collect()
}

fn define(tool: &Value) -> Result<Tool, DefinitionError> {
    let name = haft_core::sanitize(tool["name"].as_str().unwrap_or_default()).expect("a name");
    Tool::builder(name.as_str())
        .description(tool["description"].as_str().unwrap_or("none"))
        .source(ToolSource::Mcp)
        .schema(tool["inputSchema"].clone())
        .run_sync(echo)
}
