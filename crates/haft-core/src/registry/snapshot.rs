//! One consistent set of tools, ready to be called.

use std::{any::TypeId, collections::HashMap, fmt, sync::Arc};

use foldhash::fast::RandomState;
use tokio::sync::Semaphore;

use crate::{
    error::ToolError,
    schema::projection::{self, ListCache},
    tool::{BatchingStrategy, Run, Tool},
};

/// A tool whose function has its state.
pub(crate) struct Registered {
    pub(crate) tool: Tool,
    pub(crate) run: Arc<dyn Run>,
    pub(crate) strategy: BatchingStrategy,
    /// The cap on its own calls.
    pub(crate) permits: Option<Arc<Semaphore>>,
}

impl Registered {
    pub(crate) fn new(tool: Tool, run: Arc<dyn Run>) -> Self {
        let definition = tool.definition();
        let strategy = definition.batching_strategy();
        let permits = definition
            .max_concurrency
            .map(|calls| Arc::new(Semaphore::new(calls.min(Semaphore::MAX_PERMITS))));
        Self { tool, run, strategy, permits }
    }

    /// The types that the caller has to bring.
    pub(crate) fn extensions(&self) -> &[(TypeId, &'static str)] {
        &self.tool.requirements().extensions
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Registered").field(&self.tool.name()).finish()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    tools: Vec<Arc<Registered>>,
    // Seeded per map, so that names from a foreign server can not be made to collide.
    index: HashMap<String, usize, RandomState>,
    /// Other names of the tools; nothing where two have one.
    aliases: HashMap<String, Option<usize>, RandomState>,
    lists: ListCache,
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
        }
        // Providers that refuse a name are given another one, and call by that.
        for sent in projection::names_of(registered.tool.name()) {
            self.aliases.entry(sent).or_insert(Some(index));
        }
        self.index.insert(registered.tool.name().to_owned(), index);
        self.tools.push(registered);
    }

    /// Puts another definition of a tool in the place of the first.
    pub(super) fn replace(&mut self, tool: Tool) {
        let index = self.index.get(tool.name()).copied();
        if let Some(place) = index.and_then(|index| self.tools.get_mut(index)) {
            let run = Arc::clone(&place.run);
            *place = Arc::new(Registered::new(tool, run));
        }
    }

    /// The tool of that name.
    pub(super) fn named(&self, name: &str) -> Option<&Arc<Registered>> {
        self.tools.get(*self.index.get(name)?)
    }

    /// The tool of that name; where there is none, the only one that had it before, or has it at its source.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<Registered>> {
        let index = self.index.get(name).copied().or_else(|| self.aliases.get(name).copied().flatten())?;
        self.tools.get(index)
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
