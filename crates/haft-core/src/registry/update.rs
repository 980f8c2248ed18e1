//! Other tools while the registry is in use.

use std::sync::{Arc, PoisonError};

use tokio::sync::watch;

use crate::registry::{BuildError, BuildProblem, RegistryBuilder, Snapshot, ToolRegistry};

/// Tells when a registry has other tools.
///
/// ```
/// use haft_core::{Tool, ToolRegistry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder().build()?;
/// let mut changes = registry.changes();
/// registry.update(|builder| builder.tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() })))?;
/// assert_eq!(changes.changed().await, Some(1));
///
/// drop(registry);
/// assert_eq!(changes.changed().await, None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ToolChanges(watch::Receiver<u64>);

impl ToolChanges {
    /// Waits until there are other tools than when it was last asked; changes in between count as one. The generation
    /// that there is then; none where the registry is gone.
    ///
    /// Dropping the future loses nothing.
    pub async fn changed(&mut self) -> Option<u64> {
        self.0.changed().await.ok()?;
        Some(*self.0.borrow_and_update())
    }
}

impl ToolRegistry {
    /// Changes the tools: `change` gets a builder that has everything this registry has. Turns and calls that run keep the
    /// tools that they began with. A clone is the same registry, and changes with it.
    ///
    /// `change` runs while no other update does, so it can not itself change this registry.
    ///
    /// # Errors
    /// Every mistake, at once; the tools stay as they are then, but for those of catalogs, which are taken anew before. What
    /// [`refresh`](Self::refresh) tells of them is none: those stay left out.
    ///
    /// ```
    /// use haft_core::{Tool, ToolRegistry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tool = |name| Tool::simple(name, |input: String| async move { input });
    /// let registry = ToolRegistry::builder().tools([tool("old"), tool("stays")]).build()?;
    /// registry.update(|builder| builder.without("old").tool(tool("new")))?;
    /// assert_eq!(registry.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>(), ["stays", "new"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn update(&self, change: impl FnOnce(RegistryBuilder) -> RegistryBuilder) -> Result<(), BuildError> {
        let _alone = self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner);
        // What is wrong with tools of catalogs by now is theirs, and no mistake of this change.
        self.take_anew();
        let current = self.shared.current.load_full();
        let builder = change(RegistryBuilder::of(&current));
        self.put(builder, &current)
    }

    /// Puts the tools of another builder in the place of all there are, as [`update`](Self::update) does.
    ///
    /// Leniency and hooks stay those that the registry was built with.
    ///
    /// # Errors
    /// Every mistake, at once; the tools stay as they are then.
    pub fn replace(&self, builder: RegistryBuilder) -> Result<(), BuildError> {
        let _alone = self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.shared.current.load_full();
        self.put(builder, &current)
    }

    /// Tells from now on when there are other tools.
    ///
    /// A change of a [`ToolCatalog`](crate::ToolCatalog) is told when the registry's tools are next asked for, or at
    /// [`refresh`](Self::refresh).
    pub fn changes(&self) -> ToolChanges {
        ToolChanges(self.shared.generation.subscribe())
    }

    /// How often the tools have changed. Another number whenever there are other tools.
    pub fn generation(&self) -> u64 {
        self.load().generation
    }

    /// Looks whether the catalogs that the registry follows have other tools, and tells [`changes`](Self::changes) of it. What
    /// they had when this was called is there when it returns. A catalog may not call it while it is asked for its tools.
    ///
    /// # Errors
    /// Every mistake in what they have now: those tools are left out, the others are there.
    pub fn refresh(&self) -> Result<(), BuildError> {
        {
            // Whoever takes the tools anew at this moment may not have seen the last change.
            let _alone = self.shared.changing.lock().unwrap_or_else(PoisonError::into_inner);
            self.take_anew();
        }
        match self.shared.current.load().left_out.as_slice() {
            [] => Ok(()),
            problems => Err(BuildError::new(problems.to_vec())),
        }
    }

    /// Takes the tools of the catalogs anew; where that is being done already, those of before are good enough.
    pub(super) fn follow(&self) {
        let Ok(_alone) = self.shared.changing.try_lock() else { return };
        self.take_anew();
    }

    /// The same, for who holds the lock.
    fn take_anew(&self) {
        let current = self.shared.current.load_full();
        if current.is_behind() {
            let mut assembly = RegistryBuilder::of(&current).assemble(Some(&current));
            for problem in &assembly.problems {
                tracing::warn!(%problem, "a tool of a catalog is left out");
            }
            assembly.snapshot.left_out = std::mem::take(&mut assembly.problems);
            self.store(assembly.snapshot, &current);
        }
    }

    fn put(&self, builder: RegistryBuilder, current: &Snapshot) -> Result<(), BuildError> {
        let leniencies = builder.leniencies.clone();
        let hooks = builder.hooks.iter().filter(|(plugin, _)| !self.shared.plugins.contains(plugin));
        let late: Vec<BuildProblem> =
            hooks.map(|(plugin, _)| BuildProblem::LateHook { plugin: plugin.to_string() }).collect();
        let mut assembly = builder.assemble(Some(current));
        assembly.problems.extend(late);
        if !leniencies.agrees_with(&self.shared.leniencies) {
            assembly.problems.push(BuildProblem::LateLeniency);
        }
        // Each is told once by what was there before; one more that reads like it is of the change.
        let mut told: Vec<String> = current.left_out.iter().map(ToString::to_string).collect();
        let known = |problem: &BuildProblem| {
            let text = if told.is_empty() { None } else { Some(problem.to_string()) };
            let place = told.iter().position(|told| text.as_ref() == Some(told));
            place.map(|place| told.swap_remove(place)).is_some()
        };
        let (left_out, problems) = std::mem::take(&mut assembly.problems).into_iter().partition(known);
        assembly.problems = problems;
        let mut snapshot = assembly.finish()?;
        snapshot.left_out = left_out;
        self.store(snapshot, current);
        Ok(())
    }

    fn store(&self, mut snapshot: Snapshot, current: &Snapshot) {
        let generation = current.generation + 1;
        snapshot.generation = generation;
        self.shared.current.store(Arc::new(snapshot));
        self.shared.generation.send_replace(generation);
    }
}
