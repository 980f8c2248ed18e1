//! What others than a tool's author say of how its calls stand to others.

use std::sync::Arc;

use crate::{
    registry::{BuildProblem, nearest::nearest},
    tool::{BatchingStrategy, Tool, ToolDefinition},
};

/// How the calls of a tool are best run, said by a host or a plug-in instead of the tool's author.
///
/// A strategy takes the place of the one that would be inferred; what the author has set stands. Of two caps the smaller
/// one holds. A host's hint takes the place of a plug-in's for the same tool.
///
/// ```
/// use haft_core::{BatchingHint, BatchingStrategy, Tool, ToolRegistry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let fetch = Tool::builder("fetch").description("Fetches a page.").run_sync(|| "page");
/// let hint = BatchingHint::new("fetch", BatchingStrategy::Parallel).max_concurrency(5);
/// let registry = ToolRegistry::builder().tool(fetch).hint(hint).build()?;
/// assert_eq!(registry.batching_strategy("fetch"), Some(BatchingStrategy::Parallel));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BatchingHint {
    /// The name of the tool.
    pub tool: String,
    /// How its calls stand to others.
    pub strategy: BatchingStrategy,
    /// How many of its calls may run at once, through whatever dispatchers of its registry.
    pub max_concurrency: Option<usize>,
    /// The argument whose value is the key, for a tool that is chunked and has none of its own.
    pub chunk_by: Option<String>,
}

impl BatchingHint {
    /// A hint for the tool of that name.
    pub fn new(tool: impl Into<String>, strategy: BatchingStrategy) -> Self {
        Self { tool: tool.into(), strategy, max_concurrency: None, chunk_by: None }
    }

    /// How many of its calls may run at once.
    #[must_use]
    pub fn max_concurrency(mut self, calls: usize) -> Self {
        self.max_concurrency = Some(calls);
        self
    }

    /// The argument whose value is the key of its calls.
    #[must_use]
    pub fn chunk_by(mut self, argument: impl Into<String>) -> Self {
        self.chunk_by = Some(argument.into());
        self
    }

    /// Whether the tool can be run so.
    fn check(&self, definition: &ToolDefinition) -> Result<(), String> {
        if self.max_concurrency == Some(0) {
            return Err("max_concurrency is zero: no call could run".to_owned());
        }
        let key = definition.chunk_by.as_ref().or(self.chunk_by.as_ref());
        let known = |key: &String| {
            definition.input.fields().contains(key) || definition.host_arguments().any(|own| own == key)
        };
        match key {
            Some(key) if !known(key) => {
                Err(format!("it is to be chunked by {key:?}, which is no argument of it"))
            }
            None if self.strategy == BatchingStrategy::Chunked => {
                Err("it is to be chunked, and no key is declared: add `chunk_by`".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn apply(&self, tool: &Tool) -> Tool {
        tool.redefined(|definition| {
            if definition.batching.is_none() {
                definition.batching = Some(self.strategy);
                definition.chunk_by = definition.chunk_by.take().or_else(|| self.chunk_by.clone());
            }
            definition.max_concurrency =
                definition.max_concurrency.into_iter().chain(self.max_concurrency).min();
        })
    }
}

/// Hints, with the plug-in that gave each; none gave those of the host.
#[derive(Debug, Clone, Default)]
pub(super) struct Hints {
    all: Vec<(Option<Arc<str>>, BatchingHint)>,
    /// As many were there when the registry had its tools.
    known: usize,
}

impl Hints {
    /// Puts a hint in; the one that it can not stand beside is a mistake.
    pub(super) fn add(&mut self, plugin: Option<Arc<str>>, hint: BatchingHint) -> Result<(), BuildProblem> {
        let same_rank = |given: &Option<Arc<str>>| given.is_some() == plugin.is_some();
        let other = self.all.iter().find(|(given, other)| other.tool == hint.tool && same_rank(given));
        match other {
            Some((_, other)) if *other == hint => Ok(()),
            Some((given, _)) => Err(BuildProblem::DuplicateHint {
                tool: hint.tool,
                first: giver(given.as_deref()),
                second: giver(plugin.as_deref()),
            }),
            None => {
                self.all.push((plugin, hint));
                Ok(())
            }
        }
    }

    /// The tool as the hint for it says, if there is one that can be followed.
    pub(super) fn applied(&self, tool: &Tool) -> Result<Option<Tool>, BuildProblem> {
        let of_tool = || self.all.iter().filter(|(_, hint)| hint.tool == tool.name());
        let Some((plugin, hint)) =
            of_tool().find(|(plugin, _)| plugin.is_none()).or_else(|| of_tool().next())
        else {
            return Ok(None);
        };
        match hint.check(tool.definition()) {
            Ok(()) => Ok(Some(hint.apply(tool))),
            Err(reason) => Err(BuildProblem::Hint {
                tool: tool.name().to_owned(),
                giver: giver(plugin.as_deref()),
                reason,
            }),
        }
    }

    /// The same, none of them new.
    pub(super) fn known(&self) -> Self {
        Self { all: self.all.clone(), known: self.all.len() }
    }

    /// The new hints for tools that are not there.
    pub(super) fn without_tool<'a>(
        &'a self,
        has: impl Fn(&str) -> bool + 'a,
        names: &'a [&'a str],
    ) -> impl Iterator<Item = BuildProblem> + 'a {
        let new = self.all.iter().skip(self.known);
        new.filter(move |(_, hint)| !has(&hint.tool)).map(move |(plugin, hint)| {
            let near = nearest(&hint.tool, names.iter().copied());
            let advice = super::nearest::advice(near.as_deref());
            BuildProblem::Hint {
                tool: hint.tool.clone(),
                giver: giver(plugin.as_deref()),
                reason: format!("there is no such tool{advice}"),
            }
        })
    }
}

fn giver(plugin: Option<&str>) -> String {
    plugin.map_or_else(|| "the host".to_owned(), |name| format!("the plug-in {name:?}"))
}
