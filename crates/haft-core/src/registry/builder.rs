//! Building a registry: what it is made of, in order.

use std::{any::type_name, fmt, sync::Arc};

use tower_layer::Layer;
use tower_service::Service;

use crate::{
    hook::Hook,
    layer::{ToolRequest, ToolService, wrap},
    registry::{
        BatchingHint, BuildError, BuildProblem, Contributions, Plugin, Registered, Snapshot, ToolCatalog,
        ToolRegistry, Toolkit, assembly::Assembly, hint::Hints, leniencies::SetLeniencies,
    },
    schema::Leniency,
    tool::{DefinitionError, IntoTool, Layers, States, Tool, ToolName, ToolOutput, ToolSource},
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
#[derive(Default)]
#[must_use = "a builder does nothing until `build`"]
pub struct RegistryBuilder {
    parts: Vec<Part>,
    states: States,
    layers: Layers,
    hints: Hints,
    plugins: Vec<Arc<str>>,
    /// Each with the plug-in that brought it.
    pub(super) hooks: Vec<(Arc<str>, Arc<dyn Hook>)>,
    pub(super) leniencies: SetLeniencies,
    problems: Vec<BuildProblem>,
}

/// What was added: the order of registration is the order of every list. Small, as it is kept for each tool.
#[derive(Clone)]
pub(super) enum Part {
    Tool(Result<Tool, Box<DefinitionError>>),
    Toolkit(Box<Toolkit>),
    /// A tool that a registry had before.
    Registered(Arc<Registered>),
    Catalog(Arc<dyn ToolCatalog>),
    /// What came before under this name goes; `known` where it was there once.
    Without {
        name: Box<str>,
        known: bool,
    },
    OfPlugin(Box<(Arc<str>, Part)>),
}

impl Part {
    pub(super) fn tool(tool: impl IntoTool) -> Self {
        Self::Tool(tool.into_tool().map_err(Box::new))
    }

    pub(super) fn toolkit(toolkit: Toolkit) -> Self {
        Self::Toolkit(Box::new(toolkit))
    }
}

impl RegistryBuilder {
    /// Adds a tool.
    pub fn tool(mut self, tool: impl IntoTool) -> Self {
        self.parts.push(Part::tool(tool));
        self
    }

    /// Adds tools.
    pub fn tools<I>(mut self, tools: I) -> Self
    where
        I: IntoIterator,
        I::Item: IntoTool,
    {
        self.parts.extend(tools.into_iter().map(Part::tool));
        self
    }

    /// Adds a tool under another name; its own stays an alias.
    pub fn tool_as(mut self, name: &str, tool: impl IntoTool) -> Self {
        let renamed = tool.into_tool().and_then(|tool| {
            let name = ToolName::new(name)
                .map_err(|problem| DefinitionError::new(tool.name().to_owned(), vec![problem.into()]))?;
            Ok(tool.renamed(name))
        });
        self.parts.push(Part::Tool(renamed.map_err(Box::new)));
        self
    }

    /// Adds a toolkit.
    pub fn toolkit(mut self, toolkit: Toolkit) -> Self {
        self.parts.push(Part::toolkit(toolkit));
        self
    }

    /// Adds the tools of a store that is not a registry, or of another registry, and follows it: whenever it has other
    /// tools, so has this registry.
    ///
    /// A mistake in what it has later leaves that tool out, see [`ToolRegistry::refresh`].
    pub fn catalog(mut self, catalog: impl ToolCatalog + 'static) -> Self {
        self.parts.push(Part::Catalog(Arc::new(catalog)));
        self
    }

    /// Leaves out a tool that was added before, by a toolkit or a plug-in for instance.
    pub fn without(mut self, name: impl Into<String>) -> Self {
        self.parts.push(Part::Without { name: name.into().into(), known: false });
        self
    }

    /// Adds what a plug-in brings.
    pub fn plugin(mut self, plugin: &impl Plugin) -> Self {
        let name: Arc<str> = plugin.name().into();
        if self.plugins.contains(&name) {
            self.problems.push(BuildProblem::DuplicatePlugin { name: name.to_string() });
            return self;
        }
        let mut brought = Contributions::default();
        plugin.contribute(&mut brought);
        for add in brought.states {
            if let Some(type_name) = add(&mut self.states) {
                let problem = Box::new(BuildProblem::DuplicateState { type_name });
                self.problems.push(BuildProblem::OfPlugin { plugin: name.to_string(), problem });
            }
        }
        for hint in brought.hints {
            if let Err(problem) = self.hints.add(Some(Arc::clone(&name)), hint) {
                self.problems.push(problem);
            }
        }
        let of_plugin = |part| Part::OfPlugin(Box::new((Arc::clone(&name), part)));
        self.parts.extend(brought.parts.into_iter().map(of_plugin));
        self.hooks.extend(brought.hooks.into_iter().map(|hook| (Arc::clone(&name), hook)));
        self.plugins.push(name);
        self
    }

    /// Says how the calls of a tool are best run, where its author has not.
    pub fn hint(mut self, hint: BatchingHint) -> Self {
        if let Err(problem) = self.hints.add(None, hint) {
            self.problems.push(problem);
        }
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
        self.leniencies.general = Some(leniency);
        self
    }

    /// Decides the same for the tools of one source, whatever is decided for all.
    ///
    /// ```
    /// use haft_core::{Leniency, Tool, ToolCall, ToolRegistry, ToolSource};
    /// use serde_json::json;
    ///
    /// # fn main() -> Result<(), haft_core::BuildError> {
    /// let tool = |name: &str, source| {
    ///     let schema = json!({"type": "object", "properties": {"seat": {"type": "integer"}}});
    ///     Tool::builder(name).description("Books a seat.").schema(schema).source(source).run_sync(|| "booked")
    /// };
    /// let registry = ToolRegistry::builder()
    ///     .tool(tool("book", ToolSource::Native))
    ///     .tool(tool("reserve", ToolSource::Mcp))
    ///     .leniency_for(ToolSource::Mcp, Leniency::strict())
    ///     .build()?;
    /// let valid = |name: &str| registry.validate(&ToolCall::new("c1", name, r#"{"seat": "4"}"#)).unwrap().valid;
    /// assert!(valid("book") && !valid("reserve"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn leniency_for(mut self, source: ToolSource, leniency: Leniency) -> Self {
        self.leniencies.set(source, leniency);
        self
    }

    /// Puts a `tower` layer around the function of every tool, outside of the tools' own and of those before it.
    ///
    /// Below policy: a call reaches it only when it may run. The request is read-only. In
    /// [`ToolRegistry::update`] it goes around the tools that are added from then on.
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
    pub fn build(mut self) -> Result<ToolRegistry, BuildError> {
        let leniencies = std::mem::take(&mut self.leniencies).built();
        let (plugins, hooks) = (self.plugins.clone(), std::mem::take(&mut self.hooks));
        let snapshot = self.assemble(None).finish()?;
        let hooks = hooks.into_iter().map(|(_, hook)| hook).collect();
        Ok(ToolRegistry::new(snapshot, leniencies, plugins, hooks))
    }

    /// Everything that is there.
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let recipe = &snapshot.recipe;
        Self {
            parts: recipe.parts.clone(),
            states: recipe.states.clone(),
            layers: recipe.layers.clone(),
            hints: recipe.hints.clone(),
            plugins: recipe.plugins.clone(),
            ..Self::default()
        }
    }

    pub(super) fn assemble(self, previous: Option<&Snapshot>) -> Assembly<'_> {
        let mut assembly = Assembly::new(self.states, self.hints, self.problems, previous);
        assembly.layers = self.layers;
        self.parts.into_iter().for_each(|part| assembly.add_part(part));
        let mut assembly = assembly.close();
        assembly.snapshot.recipe.plugins = self.plugins;
        assembly
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RegistryBuilder").field("parts", &self.parts).finish_non_exhaustive()
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(tool) => formatter.debug_tuple("Tool").field(tool).finish(),
            Self::Toolkit(toolkit) => toolkit.fmt(formatter),
            Self::Registered(registered) => registered.fmt(formatter),
            Self::Catalog(_) => formatter.write_str("Catalog"),
            Self::Without { name, .. } => formatter.debug_tuple("Without").field(name).finish(),
            Self::OfPlugin(part) => formatter.debug_tuple("OfPlugin").field(&part.0).field(&part.1).finish(),
        }
    }
}
