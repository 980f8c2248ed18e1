//! The tools that exist, and what a call of one would be judged as.

mod assembly;
mod build_error;
mod builder;
mod catalog;
mod folded;
mod hint;
mod leniencies;
mod nearest;
mod plugin;
mod snapshot;
mod toolkit;
mod update;
mod validation;
mod view;

use std::{
    fmt,
    sync::{Arc, Mutex},
};

use arc_swap::{ArcSwap, Guard};
use tokio::sync::watch;

use crate::{
    hook::Hook,
    message::ToolCall,
    registry::leniencies::Leniencies,
    schema::{Leniency, Repair, RepairRule},
    tool::{BatchingStrategy, Tool},
};

pub use build_error::{BuildError, BuildProblem};
pub use builder::RegistryBuilder;
pub use catalog::ToolCatalog;
pub use hint::BatchingHint;
pub use plugin::{Contributions, Plugin};
pub(crate) use snapshot::{Registered, Snapshot};
pub use toolkit::Toolkit;
pub use update::ToolChanges;
pub use validation::Validation;
pub use view::ViewProblem;

/// The tools that exist: it holds and validates, a [`Dispatcher`](crate::Dispatcher) runs.
///
/// Cheap to clone; a clone is the same registry. A turn sees the tools that were there when it began.
///
/// ```
/// use haft_core::{Tool, ToolCall, ToolRegistry};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder()
///     .tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() }))
///     .build()?;
/// assert_eq!(registry.len(), 1);
///
/// let validation = registry.validate(&ToolCall::new("c1", "shout", r#"{"text":"hey"}"#)).unwrap();
/// assert!(!validation.valid);
/// assert_eq!(validation.issues[0].path, "/text");
/// assert!(registry.validate(&ToolCall::new("c2", "whisper", "{}")).is_none());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ToolRegistry {
    shared: Arc<Shared>,
}

/// What all clones of a registry have in common.
struct Shared {
    current: ArcSwap<Snapshot>,
    /// Held by whoever puts other tools in place.
    changing: Mutex<()>,
    generation: watch::Sender<u64>,
    /// The plug-ins that it was built with, and their hooks.
    plugins: Vec<Arc<str>>,
    hooks: Arc<[Arc<dyn Hook>]>,
    leniencies: Leniencies,
}

impl ToolRegistry {
    /// Begins a registry.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    fn new(
        snapshot: Snapshot,
        leniencies: Leniencies,
        plugins: Vec<Arc<str>>,
        hooks: Arc<[Arc<dyn Hook>]>,
    ) -> Self {
        let (generation, _) = watch::channel(snapshot.generation);
        let (current, changing) = (ArcSwap::from_pointee(snapshot), Mutex::new(()));
        Self { shared: Arc::new(Shared { current, changing, generation, plugins, hooks, leniencies }) }
    }

    /// The tool of that name, or of that name at its source.
    pub fn get(&self, name: &str) -> Option<Tool> {
        self.load().tool(name).cloned()
    }

    /// Whether there is such a tool.
    pub fn contains(&self, name: &str) -> bool {
        self.load().get(name).is_some()
    }

    /// The tools, in the order of their registration.
    pub fn iter(&self) -> impl Iterator<Item = Tool> + use<> {
        let snapshot = self.snapshot();
        (0..snapshot.len())
            .filter_map(move |index| snapshot.at(index).map(|registered| registered.tool.clone()))
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.load().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How the calls of a tool stand to the others of a turn.
    pub fn batching_strategy(&self, name: &str) -> Option<BatchingStrategy> {
        self.snapshot().get(name).map(|registered| registered.tool.definition().batching_strategy())
    }

    /// Checks a call without running it; `None` when there is no such tool.
    ///
    /// A name that differs from one tool's in nothing but letter case, `-` and `_` is that tool's, as it is for a
    /// [`Dispatcher`](crate::Dispatcher); the repair is recorded.
    pub fn validate(&self, call: &ToolCall) -> Option<Validation> {
        let tools = self.load();
        let (registered, repair) = self.resolve(&tools, &call.name)?;
        let tool = &registered.tool;
        let mut checked = crate::dispatch::check_arguments(tool, &call.arguments, self.leniency(tool));
        if let Ok(checked) = &mut checked {
            checked.repaired.splice(0..0, repair);
        }
        Some(Validation::of(tool, checked))
    }

    /// The error that a call of an unknown name ends in: it names the tools that exist.
    pub fn not_found(&self, name: &str) -> crate::ToolError {
        self.snapshot().not_found(name)
    }

    /// The tools of this moment, to be looked at for a short time only.
    pub(crate) fn load(&self) -> Guard<Arc<Snapshot>> {
        let current = self.shared.current.load();
        if !current.is_behind() {
            return current;
        }
        self.follow();
        self.shared.current.load()
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Guard::into_inner(self.load())
    }

    /// The hooks that its plug-ins brought.
    pub(crate) fn hooks(&self) -> &Arc<[Arc<dyn Hook>]> {
        &self.shared.hooks
    }

    /// How lenient it is with calls of a tool.
    pub(crate) fn leniency(&self, tool: &Tool) -> &Leniency {
        self.shared.leniencies.of(tool.definition().source)
    }

    /// The one of `tools` that a call by that name means.
    pub(crate) fn called<'s>(&self, tools: &'s Snapshot, name: &str) -> Option<&'s Arc<Registered>> {
        self.resolve(tools, name).map(|(registered, _)| registered)
    }

    /// The same, and how the name was repaired.
    pub(crate) fn resolve<'s>(
        &self,
        tools: &'s Snapshot,
        name: &str,
    ) -> Option<(&'s Arc<Registered>, Option<Repair>)> {
        if let Some(registered) = tools.get(name) {
            return Some((registered, None));
        }
        let alike = tools.alike(name);
        let [registered] = alike.as_slice() else { return None };
        let repaired = self.leniency(&registered.tool).repairs(RepairRule::Name);
        repaired.then(|| (*registered, Some(Repair::new(RepairRule::Name, ""))))
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter().map(|tool| tool.name().to_owned())).finish()
    }
}
