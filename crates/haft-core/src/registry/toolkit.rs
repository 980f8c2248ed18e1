//! Tools that belong together.

use crate::{
    registry::BuildProblem,
    tool::{DefinitionError, IntoTool, Tool},
};

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
#[derive(Debug, Clone)]
#[must_use = "a toolkit does nothing until a registry has it"]
pub struct Toolkit {
    pub(super) name: String,
    pub(super) tools: Vec<Result<Tool, DefinitionError>>,
    pub(super) snake_case: bool,
    /// What was wrong with the views of it.
    pub(super) problems: Vec<BuildProblem>,
}

impl Toolkit {
    /// An empty toolkit.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), tools: Vec::new(), snake_case: false, problems: Vec::new() }
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

    /// The names of its tools, for a message.
    pub(super) fn names(&self) -> String {
        let names: Vec<&str> = self.tools.iter().flatten().map(Tool::name).collect();
        if names.is_empty() { "no tools".to_owned() } else { names.join(", ") }
    }

    /// The tools, which know now that they belong to it; its mistakes go to `problems`.
    pub(super) fn into_tools(self, problems: &mut Vec<BuildProblem>) -> Vec<Result<Tool, DefinitionError>> {
        problems.extend(self.problems);
        let mut place = |tool: Tool| {
            let definition = tool.definition();
            if let Some(own) = definition.toolkit.as_deref().filter(|own| *own != self.name) {
                problems.push(BuildProblem::ForeignToolkit {
                    tool: tool.name().to_owned(),
                    own: own.to_owned(),
                    other: self.name.clone(),
                });
            }
            let suggestion = snake(tool.name());
            if self.snake_case && suggestion != tool.name() {
                problems.push(BuildProblem::NotSnakeCase {
                    tool: tool.name().to_owned(),
                    toolkit: self.name.clone(),
                    suggestion,
                });
            }
            tool.redefined(|definition| definition.toolkit = Some(self.name.clone()))
        };
        self.tools.into_iter().map(|tool| tool.map(&mut place)).collect()
    }
}

/// The name in lower snake case: `fetchURL-now` → `fetch_url_now`.
fn snake(name: &str) -> String {
    let mut made = String::new();
    let mut lower = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && lower {
            made.push('_');
        }
        lower = c.is_ascii_lowercase() || c.is_ascii_digit();
        made.push(if c == '-' { '_' } else { c.to_ascii_lowercase() });
    }
    let start = made.trim_start_matches('_');
    let named = match start.chars().next() {
        Some('a'..='z') => start.to_owned(),
        Some(_) => format!("tool_{start}"),
        None => "tool".to_owned(),
    };
    named.chars().take(64).collect()
}
