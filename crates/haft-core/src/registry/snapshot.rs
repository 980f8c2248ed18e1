//! One consistent set of tools, ready to be called.

use std::{any::TypeId, collections::HashMap, fmt, sync::Arc};

use foldhash::fast::RandomState;

use crate::{
    dispatch::Gate,
    error::ToolError,
    registry::{
        BuildProblem, ToolCatalog,
        builder::Part,
        folded::{FoldedNames, are_alike},
        hint::Hints,
    },
    schema::projection::{self, ListCache},
    tool::{ApprovalNeed, BatchingStrategy, Layers, Run, States, Tool},
};

/// A tool whose function has its state.
pub(crate) struct Registered {
    pub(crate) tool: Tool,
    pub(crate) run: Arc<dyn Run>,
    pub(crate) strategy: BatchingStrategy,
    /// The cap on its own calls.
    pub(crate) permits: Option<Arc<Gate>>,
    /// Whether a free slot is all that a call of it needs: no key, no cap, nobody who is asked.
    pub(crate) is_plain: bool,
    /// Whether its function can read the text of its arguments, of which nobody else has to know then.
    pub(crate) reads_text: bool,
    /// The types that the caller has to bring.
    extensions: Box<[(TypeId, &'static str)]>,
    /// The tool before hints.
    pub(super) bare: Tool,
    /// The plug-in that brought it.
    pub(super) plugin: Option<Arc<str>>,
}

impl Registered {
    pub(crate) fn new(tool: Tool, run: Arc<dyn Run>) -> Self {
        let definition = tool.definition();
        let strategy = definition.batching_strategy();
        let permits = definition.max_concurrency.map(|calls| Arc::new(Gate::new(calls)));
        let is_plain = permits.is_none()
            && strategy != BatchingStrategy::Chunked
            && matches!(definition.approval, ApprovalNeed::Never);
        let reads_text =
            is_plain && definition.chunk_by.is_none() && definition.narrowing.is_none() && run.reads_text();
        let extensions = tool.requirements().extensions.into();
        let bare = tool.clone();
        Self { tool, run, strategy, permits, is_plain, reads_text, extensions, bare, plugin: None }
    }

    /// The same, of a tool before hints and a plug-in.
    pub(super) fn of(self, bare: Tool, plugin: Option<Arc<str>>) -> Self {
        Self { bare, plugin, ..self }
    }

    /// The same, with the cap of what it takes the place of, where that is the same tool with the same cap.
    pub(super) fn sharing(self, previous: Option<&Self>) -> Self {
        let cap = |tool: &Tool| tool.definition().max_concurrency;
        match previous {
            Some(previous) if previous.tool.is(&self.tool) && cap(&previous.tool) == cap(&self.tool) => {
                Self { permits: previous.permits.clone(), ..self }
            }
            _ => self,
        }
    }

    /// The types that the caller has to bring.
    pub(crate) fn extensions(&self) -> &[(TypeId, &'static str)] {
        &self.extensions
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Registered").field(&self.tool.name()).finish()
    }
}

/// What a set of tools can be put together from again, with changes.
#[derive(Default)]
pub(super) struct Recipe {
    pub(super) parts: Vec<Part>,
    pub(super) states: States,
    pub(super) layers: Layers,
    pub(super) hints: Hints,
    pub(super) plugins: Vec<Arc<str>>,
}

/// Where a tool stands; with the tool, so that looking it up touches nothing else.
struct Place {
    tool: Tool,
    index: usize,
}

#[derive(Default)]
pub(crate) struct Snapshot {
    tools: Vec<Arc<Registered>>,
    // Seeded per map, so that names from a foreign server can not be made to collide.
    index: HashMap<Arc<str>, Place, RandomState>,
    /// Other names of the tools; nothing where two have one.
    aliases: HashMap<String, Option<usize>, RandomState>,
    folded: FoldedNames,
    lists: ListCache,
    /// Whether any of the tools asks for what only the caller can bring.
    asks_caller: bool,
    pub(super) recipe: Recipe,
    /// The catalogs that it was made from, as they were.
    pub(super) followed: Vec<(Arc<dyn ToolCatalog>, u64)>,
    /// What is wrong with tools of catalogs that are left out.
    pub(super) left_out: Vec<BuildProblem>,
    pub(super) generation: u64,
}

impl Snapshot {
    /// Puts a tool in; its name must be new.
    pub(super) fn insert(&mut self, registered: Arc<Registered>) {
        let index = self.tools.len();
        for alias in registered.tool.definition().other_names() {
            self.aliases
                .entry(alias.to_owned())
                .and_modify(|other| *other = other.filter(|other| *other == index))
                .or_insert(Some(index));
            self.folded.add(alias, index);
        }
        // Providers that refuse a name are given another one, and call by that.
        for sent in projection::names_of(registered.tool.name()) {
            self.folded.add(&sent, index);
            self.aliases.entry(sent).or_insert(Some(index));
        }
        self.folded.add(registered.tool.name(), index);
        self.asks_caller |= !registered.extensions().is_empty();
        let place = Place { tool: registered.tool.clone(), index };
        self.index.insert(registered.tool.definition().name.shared(), place);
        self.tools.push(registered);
    }

    /// Gives back the room that was kept for more tools.
    pub(super) fn shrink(&mut self) {
        self.tools.shrink_to_fit();
        self.folded.shrink();
    }

    /// Puts another in the place of the tool of its name.
    pub(super) fn replace(&mut self, registered: Registered) {
        self.asks_caller |= !registered.extensions().is_empty();
        let Some(known) = self.index.get_mut(registered.tool.name()) else { return };
        known.tool = registered.tool.clone();
        if let Some(place) = self.tools.get_mut(known.index) {
            *place = Arc::new(registered);
        }
    }

    /// Takes a tool out.
    pub(super) fn remove(&mut self, name: &str) {
        let tools = std::mem::take(&mut self.tools);
        self.index.clear();
        self.aliases.clear();
        self.folded.clear();
        for registered in tools.into_iter().filter(|registered| registered.tool.name() != name) {
            self.insert(registered);
        }
    }

    /// Whether a call of any of the tools may lack what only the caller can bring.
    pub(crate) fn asks_caller(&self) -> bool {
        self.asks_caller
    }

    /// Whether a catalog has other tools by now.
    pub(super) fn is_behind(&self) -> bool {
        self.followed.iter().any(|(catalog, generation)| catalog.generation() != *generation)
    }

    pub(super) fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter().map(|registered| &registered.tool)
    }

    /// The tool of that name.
    pub(super) fn named(&self, name: &str) -> Option<&Arc<Registered>> {
        self.tools.get(self.index.get(name)?.index)
    }

    /// The tool of that name; where there is none, the only one that had it before, or has it at its source.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Registered>> {
        let index = self.index.get(name).map(|place| place.index);
        self.tools.get(index.or_else(|| self.aliases.get(name).copied().flatten())?)
    }

    /// The same without its function.
    pub(crate) fn tool(&self, name: &str) -> Option<&Tool> {
        match self.index.get(name) {
            Some(place) => Some(&place.tool),
            None => self.get(name).map(|registered| &registered.tool),
        }
    }

    /// The tool that a name means in full: its toolkit's name and the one that it has at its source.
    pub(super) fn in_full(&self, name: &str) -> Option<&str> {
        let means = |registered: &&Arc<Registered>| {
            let definition = registered.tool.definition();
            let rest = definition.toolkit.as_deref().and_then(|toolkit| name.strip_prefix(toolkit));
            let original = rest.and_then(|rest| rest.strip_prefix("__"));
            original.is_some() && original == definition.original_name.as_deref()
        };
        self.tools.iter().find(means).map(|registered| registered.tool.name())
    }

    /// The tools with a name that differs from `name` in nothing but letter case, `-` and `_`.
    pub(super) fn alike(&self, name: &str) -> Vec<&Arc<Registered>> {
        let alike = |registered: &&Arc<Registered>| {
            let (own, definition) = (registered.tool.name(), registered.tool.definition());
            are_alike(own, name)
                || definition.other_names().any(|other| are_alike(other, name))
                || projection::names_of(own).any(|sent| are_alike(&sent, name))
        };
        self.folded.places(name).filter_map(|place| self.tools.get(place)).filter(alike).collect()
    }

    /// Whether a tool has that name itself.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    pub(crate) fn lists(&self) -> &ListCache {
        &self.lists
    }

    pub(crate) fn at(&self, index: usize) -> Option<&Arc<Registered>> {
        self.tools.get(index)
    }

    pub(crate) fn len(&self) -> usize {
        self.tools.len()
    }

    /// The error that a call of an unknown name ends in.
    pub(crate) fn not_found(&self, name: &str) -> ToolError {
        super::nearest::not_found(name, self)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|registered| registered.tool.name())
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.names()).finish()
    }
}
