//! The tools of a registry as a provider takes them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{ProjectedTool, Projection, ProjectionError, Target, rename};
use crate::message::ToolCall;
use crate::registry::Snapshot;

/// A tool that has no form for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedTool {
    /// Its name.
    pub name: String,
    /// Why.
    pub error: ProjectionError,
}

/// The tools of a registry in the form of a target; serialises to what the target's request or result holds.
///
/// | projection | value |
/// |---|---|
/// | `mcp`, `lean` | `{"tools":[…]}`, a `tools/list` result |
/// | `openai`, `openai-strict`, `anthropic` | `[…]`, the `tools` of a request |
/// | `gemini` | `[{"functionDeclarations":[…]}]`, the `tools` of a request |
///
/// ```
/// use haft_core::{Projection, Tool, ToolRegistry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shout = Tool::simple("shout", |input: String| async move { input.to_uppercase() });
/// let registry = ToolRegistry::builder().tool(shout).build()?;
/// let tools = Projection::OpenAi.list(&registry);
/// let request = serde_json::json!({"model": "…", "messages": [], "tools": &*tools});
/// assert_eq!(request["tools"][0]["function"]["name"], "shout");
/// assert!(tools.refused().is_empty());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ProjectedTools {
    tools: Vec<Arc<ProjectedTool>>,
    refused: Vec<RefusedTool>,
    by_name: HashMap<String, usize>,
    text: Box<RawValue>,
}

impl ProjectedTools {
    pub(crate) fn make(target: Target, snapshot: &Snapshot) -> Self {
        let projection = target.projection();
        let mut made = Self {
            tools: Vec::with_capacity(snapshot.len()),
            refused: Vec::new(),
            by_name: HashMap::new(),
            text: Box::default(),
        };
        for tool in
            (0..snapshot.len()).filter_map(|index| snapshot.at(index)).map(|registered| &registered.tool)
        {
            let name = projection.tool_name(tool.name());
            // A changed name that another tool has already, as it is, is told apart.
            let projected = if name != tool.name() && snapshot.has(&name) {
                let name = rename::hashed(&name, tool.name());
                ProjectedTool::make(target, tool, name).map(Arc::new)
            } else {
                target.tool(tool)
            };
            match projected {
                Ok(projected) => {
                    made.by_name.insert(projected.name().to_owned(), made.tools.len());
                    made.tools.push(projected);
                }
                Err(error) => made.refused.push(RefusedTool { name: tool.name().to_owned(), error }),
            }
        }
        if let Ok(text) = RawValue::from_string(made.written(projection)) {
            made.text = text;
        }
        made
    }

    fn written(&self, projection: Projection) -> String {
        let (start, end) = match projection {
            Projection::Mcp | Projection::Lean => ("{\"tools\":[", "]}"),
            Projection::OpenAi | Projection::OpenAiStrict | Projection::Anthropic => ("[", "]"),
            Projection::Gemini => ("[{\"functionDeclarations\":[", "]}]"),
        };
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.json()).collect();
        format!("{start}{}{end}", tools.join(","))
    }

    /// The tools, in the order of their registration.
    pub fn tools(&self) -> &[Arc<ProjectedTool>] {
        &self.tools
    }

    /// The tools that are left out, and why.
    pub fn refused(&self) -> &[RefusedTool] {
        &self.refused
    }

    /// The tool of that name, as the provider sees it.
    pub fn get(&self, name: &str) -> Option<&Arc<ProjectedTool>> {
        self.by_name.get(name).and_then(|index| self.tools.get(*index))
    }

    /// A call that the provider's model made, with the names that the tools themselves have; unknown ones stay.
    #[must_use]
    pub fn restore(&self, call: ToolCall) -> ToolCall {
        match self.get(&call.name) {
            Some(tool) => tool.restore(call),
            None => call,
        }
    }

    /// All of it as JSON text.
    pub fn json(&self) -> &str {
        self.text.get()
    }
}

impl Serialize for ProjectedTools {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

/// The lists of one set of tools that were asked for.
#[derive(Debug, Default)]
pub(crate) struct ListCache([OnceLock<Arc<ProjectedTools>>; Projection::ALL.len()]);

impl ListCache {
    pub(super) fn get(&self, projection: Projection, snapshot: &Snapshot) -> Arc<ProjectedTools> {
        let make = || Arc::new(ProjectedTools::make(projection.into(), snapshot));
        match Projection::ALL.iter().position(|one| *one == projection).and_then(|index| self.0.get(index)) {
            Some(slot) => Arc::clone(slot.get_or_init(make)),
            None => make(),
        }
    }
}
