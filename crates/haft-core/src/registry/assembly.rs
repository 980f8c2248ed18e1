//! Puts the parts of a builder together: all mistakes are found at once.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    sync::Arc,
};

use crate::{
    registry::{
        BuildError, BuildProblem, Registered, Snapshot, ToolCatalog, Toolkit, builder::Part, hint::Hints,
        nearest::nearest, snapshot::Recipe,
    },
    tool::{ApprovalNeed, DefinitionError, Layers, States, Tool},
};

#[derive(Default)]
pub(super) struct Assembly<'a> {
    pub(super) snapshot: Snapshot,
    pub(super) problems: Vec<BuildProblem>,
    states: States,
    pub(super) layers: Layers,
    hints: Hints,
    /// What was there before: limits on calls go on.
    previous: Option<&'a Snapshot>,
    toolkits: HashMap<String, String>,
    /// What the tools can be put together from again.
    recipe: Vec<Again>,
    /// Whose part is being added.
    plugin: Option<Arc<str>>,
}

/// A part of a recipe that is not known by its last form yet.
enum Again {
    Tool(Arc<str>),
    Part(Part),
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        states: States,
        hints: Hints,
        problems: Vec<BuildProblem>,
        previous: Option<&'a Snapshot>,
    ) -> Self {
        Self { problems, states, hints, previous, ..Self::default() }
    }

    pub(super) fn add_part(&mut self, part: Part) {
        match part {
            Part::Tool(tool) => self.add_own(tool.map_err(|error| *error)),
            Part::Toolkit(toolkit) => self.add_toolkit(*toolkit),
            Part::Registered(registered) => self.add_registered(registered),
            Part::Catalog(catalog) => self.add_catalog(catalog),
            Part::Without { name, known } => self.remove(name, known),
            Part::OfPlugin(part) => {
                let (plugin, part) = *part;
                self.plugin = Some(plugin);
                self.add_part(part);
                self.plugin = None;
            }
        }
    }

    /// The tools, or every mistake.
    pub(super) fn finish(self) -> Result<Snapshot, BuildError> {
        if self.problems.is_empty() { Ok(self.snapshot) } else { Err(BuildError::new(self.problems)) }
    }

    /// Looks for hints that no tool is there for, and keeps what the tools can be put together from again.
    pub(super) fn close(mut self) -> Self {
        let names: Vec<&str> = self.snapshot.names().collect();
        self.problems.extend(self.hints.without_tool(|name| self.snapshot.has(name), &names));
        let follows = !self.snapshot.followed.is_empty();
        let parts = std::mem::take(&mut self.recipe).into_iter().filter_map(|again| match again {
            Again::Tool(name) => self.snapshot.named(&name).map(|tool| Part::Registered(Arc::clone(tool))),
            Again::Part(Part::Without { .. }) if !follows => None,
            Again::Part(part) => Some(part),
        });
        let mut parts: Vec<Part> = parts.collect();
        parts.shrink_to_fit();
        self.snapshot.shrink();
        self.snapshot.recipe = Recipe {
            parts,
            states: self.states.clone(),
            layers: self.layers.clone(),
            hints: self.hints.known(),
            ..Recipe::default()
        };
        self
    }

    fn tell(&mut self, problem: BuildProblem) {
        self.problems.push(match &self.plugin {
            None => problem,
            Some(plugin) => BuildProblem::OfPlugin { plugin: plugin.to_string(), problem: Box::new(problem) },
        });
    }

    fn add_own(&mut self, tool: Result<Tool, DefinitionError>) {
        match tool {
            Ok(tool) => {
                let name = tool.definition().name.shared();
                if self.add(tool) {
                    self.recipe.push(Again::Tool(name));
                }
            }
            Err(error) => self.tell(error.into()),
        }
    }

    fn add_toolkit(&mut self, toolkit: Toolkit) {
        let names = toolkit.names();
        if let Some(first) = self.claim(&toolkit.name, &names) {
            self.tell(BuildProblem::DuplicateToolkit { name: toolkit.name.clone(), first, second: names });
        }
        let mut problems = Vec::new();
        let tools = toolkit.into_tools(&mut problems);
        for problem in problems {
            self.tell(problem);
        }
        for tool in tools {
            self.add_own(tool);
        }
    }

    /// Takes the name of a toolkit; the tools of the one that has it already.
    fn claim(&mut self, name: &str, tools: &str) -> Option<String> {
        match self.toolkits.entry(name.to_owned()) {
            Entry::Vacant(entry) => {
                entry.insert(tools.to_owned());
                None
            }
            Entry::Occupied(entry) => Some(entry.get().clone()),
        }
    }

    fn add_catalog(&mut self, catalog: Arc<dyn ToolCatalog>) {
        // Asked first: what changes in between is seen next time.
        let generation = catalog.generation();
        match catalog.as_registry() {
            Some(registry) => {
                let tools = registry.snapshot();
                for registered in (0..tools.len()).filter_map(|index| tools.at(index)) {
                    self.put(self.within_layers(registered));
                }
            }
            None => {
                for tool in catalog.tools() {
                    self.add(tool);
                }
            }
        }
        self.snapshot.followed.push((Arc::clone(&catalog), generation));
        self.recipe.push(Again::Part(Part::Catalog(catalog)));
    }

    /// A tool of another registry, within the layers of this one.
    fn within_layers(&self, registered: &Arc<Registered>) -> Arc<Registered> {
        if self.layers.0.is_empty() {
            return Arc::clone(registered);
        }
        let tool = registered.tool.clone();
        let run = tool.within(Arc::clone(&registered.run), &self.layers.0);
        let (bare, plugin) = (registered.bare.clone(), registered.plugin.clone());
        Arc::new(Registered::new(tool, run).of(bare, plugin).sharing(Some(registered)))
    }

    /// A tool that a registry had before; its toolkit was there with it.
    fn add_registered(&mut self, registered: Arc<Registered>) {
        if let Some(toolkit) = &registered.tool.definition().toolkit {
            let tools = self.toolkits.entry(toolkit.clone()).or_default();
            let gap = if tools.is_empty() { "" } else { ", " };
            *tools = format!("{tools}{gap}{}", registered.tool.name());
        }
        let name = registered.tool.definition().name.shared();
        let present = self.snapshot.named(&name);
        // Where the name is taken by a tool of a catalog, this one waits until that has gone.
        let waits = present.is_some_and(|present| !present.bare.is_same_view(&registered.bare));
        self.recipe.push(if waits {
            Again::Part(Part::Registered(Arc::clone(&registered)))
        } else {
            Again::Tool(name)
        });
        self.put(registered);
    }

    /// Puts in a tool that has its state already.
    fn put(&mut self, registered: Arc<Registered>) {
        if let Some(present) = self.snapshot.named(registered.tool.name()).cloned() {
            self.meet(&present, &registered.bare);
            return;
        }
        match self.hints.applied(&registered.bare) {
            Ok(Some(hinted)) => {
                let run = Arc::clone(&registered.run);
                let (bare, plugin) = (registered.bare.clone(), registered.plugin.clone());
                let hinted = Registered::new(hinted, run).of(bare, plugin).sharing(Some(&registered));
                self.snapshot.insert(Arc::new(hinted));
            }
            Ok(None) => self.snapshot.insert(registered),
            Err(problem) => self.tell(problem),
        }
    }

    /// Puts a tool in; says whether it is new and there.
    fn add(&mut self, tool: Tool) -> bool {
        if let Some(present) = self.snapshot.named(tool.name()).cloned() {
            self.meet(&present, &tool);
            return false;
        }
        let missing: Vec<_> = tool.requirements().missing(&self.states).collect();
        for missing in &missing {
            let tool = tool.name().to_owned();
            self.tell(BuildProblem::MissingState { tool, missing: *missing });
        }
        if !missing.is_empty() {
            return false;
        }
        let hinted = self.hints.applied(&tool).unwrap_or_else(|problem| {
            self.tell(problem);
            None
        });
        let hinted = hinted.unwrap_or_else(|| tool.clone());
        let run = match hinted.bind(&self.states, &self.layers.0) {
            Ok(run) => run,
            Err(missing) => {
                self.tell(BuildProblem::MissingState { tool: tool.name().to_owned(), missing });
                return false;
            }
        };
        let previous = self.previous.and_then(|previous| previous.named(tool.name()));
        let registered = Registered::new(hinted, run);
        let registered = registered.of(tool, self.plugin.clone()).sharing(previous.map(AsRef::as_ref));
        self.snapshot.insert(Arc::new(registered));
        true
    }

    /// The same tool reached twice counts once; it keeps the toolkit that either way named.
    fn meet(&mut self, present: &Arc<Registered>, tool: &Tool) {
        let (own, other) = (&present.tool.definition().toolkit, &tool.definition().toolkit);
        match (own, other) {
            _ if !present.bare.is_same_view(tool) => {
                let problem = BuildProblem::DuplicateTool {
                    name: tool.name().to_owned(),
                    first: side(&present.bare, present.plugin.as_deref()),
                    second: side(tool, self.plugin.as_deref()),
                };
                self.tell(problem);
            }
            (Some(own), Some(other)) if own != other => {
                let (own, other) = (own.clone(), other.clone());
                self.tell(BuildProblem::ForeignToolkit { tool: tool.name().to_owned(), own, other });
            }
            (None, Some(toolkit)) => {
                let placed =
                    |tool: &Tool| tool.redefined(|definition| definition.toolkit = Some(toolkit.clone()));
                let (tool, bare) = (placed(&present.tool), placed(&present.bare));
                let moved = Registered::new(tool, Arc::clone(&present.run));
                self.snapshot.replace(moved.of(bare, present.plugin.clone()).sharing(Some(present)));
            }
            _ => {}
        }
    }

    fn remove(&mut self, name: Box<str>, known: bool) {
        if self.snapshot.has(&name) {
            self.snapshot.remove(&name);
            self.recipe.retain(|again| !matches!(again, Again::Tool(tool) if **tool == *name));
            let left: HashSet<String> =
                self.snapshot.tools().filter_map(|tool| tool.definition().toolkit.clone()).collect();
            self.toolkits.retain(|toolkit, _| left.contains(toolkit));
        } else if !known {
            let nearest = nearest(&name, self.snapshot.names());
            self.tell(BuildProblem::NothingToLeaveOut { name: name.into(), nearest });
            return;
        }
        self.recipe.push(Again::Part(Part::Without { name, known: true }));
    }
}

/// What tells a tool from another of its name.
fn side(tool: &Tool, plugin: Option<&str>) -> String {
    let definition = tool.definition();
    let whose = match (&definition.toolkit, plugin) {
        (Some(toolkit), _) => format!("of the toolkit {toolkit:?}"),
        (None, None) => format!("{} without a toolkit", definition.source.as_str()),
        (None, Some(_)) => "without a toolkit".to_owned(),
    };
    let of_plugin = plugin.map(|plugin| format!(" of the plug-in {plugin:?}")).unwrap_or_default();
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
    format!("one {whose}{of_plugin} ({description:?}{before}{set}{approved})")
}
