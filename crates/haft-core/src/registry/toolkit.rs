//! Tools that belong together.

use crate::tool::{DefinitionError, IntoTool, Tool};

/// A named group of tools; a tool belongs to one toolkit at most.
///
/// ```
/// use haft_core::{Tool, ToolRegistry, Toolkit};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = Toolkit::new("text").snake_case().tool(Tool::simple("shout", |input: String| async move {
///     input.to_uppercase()
/// }));
/// let registry = ToolRegistry::builder().toolkit(text).build()?;
/// assert_eq!(registry.get("shout").unwrap().definition().toolkit.as_deref(), Some("text"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a toolkit does nothing until a registry has it"]
pub struct Toolkit {
    pub(super) name: String,
    pub(super) tools: Vec<Result<Tool, DefinitionError>>,
    pub(super) snake_case: bool,
}

impl Toolkit {
    /// An empty toolkit.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), tools: Vec::new(), snake_case: false }
    }

    /// Adds a tool.
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        self.tools.push(tool.into_tool());
        self
    }

    /// Adds tools.
    pub fn tools<I>(mut self, tools: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoTool,
    {
        self.tools.extend(tools.into_iter().map(IntoTool::into_tool));
        self
    }

    /// Demands that every name is lower snake case.
    pub fn snake_case(mut self) -> Self {
        self.snake_case = true;
        self
    }
}
