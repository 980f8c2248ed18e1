//! Building a registry: all mistakes are found at once.

use std::{
    any::type_name,
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use tower_layer::Layer;
use tower_service::Service;

use crate::{
    layer::{ToolRequest, ToolService, wrap},
    registry::{BuildError, BuildProblem, Registered, Snapshot, ToolRegistry, Toolkit},
    schema::Leniency,
    tool::{ApprovalNeed, DefinitionError, IntoTool, Layers, States, Tool, ToolName, ToolOutput},
};

/// Builds a [`ToolRegistry`].
///
/// ```
/// use haft_core::{State, Tool, ToolRegistry};
///
/// struct Motto(&'static str);
///
/// let motto = || Tool::builder("motto").description("The motto of the house.").run_sync(|motto: State<Motto>| motto.0);
/// assert!(ToolRegistry::builder().tool(motto()).state(Motto("Simplify")).build().is_ok());
///
/// let error = ToolRegistry::builder().tool(motto()).build().unwrap_err();
/// assert!(error.to_string().contains("State<"));
/// ```
#[derive(Debug, Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct RegistryBuilder {
    added: Vec<Added>,
    states: States,
    leniency: Leniency,
    layers: Layers,
    problems: Vec<BuildProblem>,
}

/// What was added, in order: the order of registration is the order of every list.
#[derive(Debug)]
enum Added {
    Tool(Result<Tool, DefinitionError>),
    Toolkit(Toolkit),
}

impl RegistryBuilder {
    /// Adds a tool.
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        self.added.push(Added::Tool(tool.into_tool()));
        self
    }

    /// Adds tools.
    pub fn tools<I>(mut self, tools: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoTool,
    {
        self.added.extend(tools.into_iter().map(|tool| Added::Tool(tool.into_tool())));
        self
    }

    /// Adds a tool under another name; its own stays an alias.
    pub fn tool_as(mut self, name: &str, tool: impl IntoTool) -> Self {
        let renamed = tool.into_tool().and_then(|tool| {
            let name = ToolName::new(name)
                .map_err(|problem| DefinitionError::new(tool.name().to_owned(), vec![problem.into()]))?;
            Ok(tool.renamed(name))
        });
        self.added.push(Added::Tool(renamed));
        self
    }

    /// Adds a toolkit.
    pub fn toolkit(mut self, toolkit: Toolkit) -> Self {
        self.added.push(Added::Toolkit(toolkit));
        self
    }

    /// Gives state that functions ask for as [`State<T>`](crate::State).
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.shared_state(Arc::new(value))
    }

    /// Gives state that the host shares already.
    pub fn shared_state<T: Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        if self.states.insert(value) {
            self.problems.push(BuildProblem::DuplicateState { type_name: type_name::<T>() });
        }
        self
    }

    /// Decides how much more than the schemas themselves is accepted.
    pub fn leniency(mut self, leniency: Leniency) -> Self {
        self.leniency = leniency;
        self
    }

    /// Puts a `tower` layer around the function of every tool, outside of the tools' own and of those before it.
    ///
    /// Below policy: a call reaches it only when it may run. The request is read-only.
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ToolService> + Send + Sync + 'static,
        L::Service: Service<ToolRequest, Response = ToolOutput> + Clone + Send + Sync + 'static,
        <L::Service as Service<ToolRequest>>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        <L::Service as Service<ToolRequest>>::Future: Send + 'static,
    {
        self.layers.0.push(wrap(layer));
        self
    }

    /// Builds the registry.
    ///
    /// # Errors
    /// Every mistake in every tool and toolkit, at once.
    pub fn build(self) -> Result<ToolRegistry, BuildError> {
        let mut assembly = Assembly { problems: self.problems, layers: self.layers, ..Assembly::default() };
        for one in self.added {
            match one {
                Added::Tool(tool) => assembly.add(tool, &self.states),
                Added::Toolkit(toolkit) => assembly.add_toolkit(toolkit, &self.states),
            }
        }
        if assembly.problems.is_empty() {
            Ok(ToolRegistry::new(assembly.snapshot, self.leniency))
        } else {
            Err(BuildError::new(assembly.problems))
        }
    }
}

#[derive(Default)]
struct Assembly {
    snapshot: Snapshot,
    layers: Layers,
    toolkits: HashMap<String, String>,
    problems: Vec<BuildProblem>,
}

impl Assembly {
    fn add(&mut self, tool: Result<Tool, DefinitionError>, states: &States) {
        let tool = match tool {
            Ok(tool) => tool,
            Err(error) => return self.problems.push(error.into()),
        };
        if let Some(present) = self.snapshot.named(tool.name()).map(|present| present.tool.clone()) {
            return self.add_again(&present, tool);
        }
        let before = self.problems.len();
        let missing = tool.requirements().missing(states);
        self.problems.extend(
            missing.map(|missing| BuildProblem::MissingState { tool: tool.name().to_owned(), missing }),
        );
        if self.problems.len() > before {
            return;
        }
        match tool.bind(states, &self.layers.0) {
            Ok(run) => self.snapshot.insert(Arc::new(Registered::new(tool, run))),
            Err(missing) => {
                self.problems.push(BuildProblem::MissingState { tool: tool.name().to_owned(), missing });
            }
        }
    }

    /// The same tool reached twice counts once; it keeps the toolkit that either way named.
    fn add_again(&mut self, present: &Tool, tool: Tool) {
        let (own, other) = (&present.definition().toolkit, &tool.definition().toolkit);
        match (own, other) {
            _ if !present.is_same_view(&tool) => self.problems.push(BuildProblem::DuplicateTool {
                name: tool.name().to_owned(),
                first: side(present),
                second: side(&tool),
            }),
            (Some(own), Some(other)) if own != other => self.problems.push(BuildProblem::ForeignToolkit {
                tool: tool.name().to_owned(),
                own: own.clone(),
                other: other.clone(),
            }),
            (None, Some(_)) => self.snapshot.replace(tool),
            _ => {}
        }
    }

    fn add_toolkit(&mut self, toolkit: Toolkit, states: &States) {
        let names = toolkit.names();
        match self.toolkits.entry(toolkit.name.clone()) {
            Entry::Vacant(entry) => drop(entry.insert(names)),
            Entry::Occupied(entry) => self.problems.push(BuildProblem::DuplicateToolkit {
                name: toolkit.name.clone(),
                first: entry.get().clone(),
                second: names,
            }),
        }
        for tool in toolkit.into_tools(&mut self.problems) {
            self.add(tool, states);
        }
    }
}

/// What tells a tool from another of its name.
fn side(tool: &Tool) -> String {
    let definition = tool.definition();
    let whose = match &definition.toolkit {
        Some(toolkit) => format!("of the toolkit {toolkit:?}"),
        None => format!("{} without a toolkit", definition.source.as_str()),
    };
    let description: String = definition.description.chars().take(60).collect();
    let before = definition.aliases.last().map(|name| format!(", once {name:?}")).unwrap_or_default();
    let set: Vec<&str> = definition.host_arguments().collect();
    let set =
        if set.is_empty() { String::new() } else { format!(", its {} set by the host", set.join(", ")) };
    let approved = match definition.approval {
        ApprovalNeed::Never => "",
        ApprovalNeed::Always => ", always approved by a person",
        ApprovalNeed::When(_) => ", approved by a person at times",
    };
    format!("one {whose} ({description:?}{before}{set}{approved})")
}
