//! The tools that exist, and what a call of one would be judged as.

mod build_error;
mod builder;
mod nearest;
mod snapshot;
mod toolkit;
mod validation;
mod view;

use std::{fmt, sync::Arc};

use arc_swap::{ArcSwap, Guard};

use crate::{
    message::ToolCall,
    schema::Leniency,
    tool::{BatchingStrategy, Tool},
};

pub use build_error::{BuildError, BuildProblem};
pub use builder::RegistryBuilder;
pub(crate) use snapshot::{Registered, Snapshot};
pub use toolkit::Toolkit;
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
    current: Arc<ArcSwap<Snapshot>>,
    leniency: Leniency,
}

impl ToolRegistry {
    /// Begins a registry.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    pub(crate) fn new(snapshot: Snapshot, leniency: Leniency) -> Self {
        Self { current: Arc::new(ArcSwap::from_pointee(snapshot)), leniency }
    }

    /// The tool of that name, or of that name at its source.
    pub fn get(&self, name: &str) -> Option<Tool> {
        self.snapshot().get(name).map(|registered| registered.tool.clone())
    }

    /// Whether there is such a tool.
    pub fn contains(&self, name: &str) -> bool {
        self.snapshot().get(name).is_some()
    }

    /// The tools, in the order of their registration.
    pub fn iter(&self) -> impl Iterator<Item = Tool> + use<> {
        let snapshot = self.snapshot();
        (0..snapshot.len())
            .filter_map(move |index| snapshot.at(index).map(|registered| registered.tool.clone()))
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.snapshot().len()
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
    pub fn validate(&self, call: &ToolCall) -> Option<Validation> {
        let tool = self.get(&call.name)?;
        Some(Validation::of(&tool, crate::dispatch::check_arguments(&tool, &call.arguments, &self.leniency)))
    }

    /// The error that a call of an unknown name ends in: it names the tools that exist.
    pub fn not_found(&self, name: &str) -> crate::ToolError {
        self.snapshot().not_found(name)
    }

    /// The tools of this moment, to be looked at for a short time only.
    pub(crate) fn load(&self) -> Guard<Arc<Snapshot>> {
        self.current.load()
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    pub(crate) fn leniency(&self) -> &Leniency {
        &self.leniency
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter().map(|tool| tool.name().to_owned())).finish()
    }
}
