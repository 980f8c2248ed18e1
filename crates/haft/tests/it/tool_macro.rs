//! `#[haft::tool]`: what becomes of a function.

mod arguments;
mod decisions;
mod definition;
mod extractors;
mod output;

use haft::{DefinitionError, Tool, ToolContext, ToolError, ToolOutput};
use serde_json::Value;

/// The schema as published.
fn schema(tool: Result<Tool, DefinitionError>) -> Value {
    tool.unwrap().definition().input.published().clone()
}

/// What the tool gives back, on arguments as a model would send them.
async fn call(tool: Result<Tool, DefinitionError>, arguments: &str) -> Result<ToolOutput, ToolError> {
    tool.unwrap().call(arguments, ToolContext::detached()).await
}

/// What a model reads, of success and failure alike.
async fn text(tool: Result<Tool, DefinitionError>, arguments: &str) -> String {
    match call(tool, arguments).await {
        Ok(output) => output.to_text().into_owned(),
        Err(error) => format!("{}: {}", error.name(), error.message()),
    }
}
