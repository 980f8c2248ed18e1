//! What a registry takes for a tool.

use crate::tool::{DefinitionError, Tool};

/// What a registry takes for a tool: a tool, or the outcome of a definition.
pub trait IntoTool {
    /// The tool, or what is wrong with its definition.
    ///
    /// # Errors
    /// The definition's own.
    fn into_tool(self) -> Result<Tool, DefinitionError>;
}

impl IntoTool for Tool {
    fn into_tool(self) -> Result<Tool, DefinitionError> {
        Ok(self)
    }
}

impl IntoTool for &Tool {
    fn into_tool(self) -> Result<Tool, DefinitionError> {
        Ok(self.clone())
    }
}

impl IntoTool for Result<Tool, DefinitionError> {
    fn into_tool(self) -> Result<Tool, DefinitionError> {
        self
    }
}
