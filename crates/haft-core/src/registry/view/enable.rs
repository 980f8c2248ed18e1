//! Only the tools that a session may use.

use std::{collections::HashSet, sync::Arc};

use crate::registry::{
    BuildError, BuildProblem, ToolRegistry, assembly::Assembly, builder::Part, nearest::nearest,
};

impl ToolRegistry {
    /// A registry of the tools with these names: what one session may use.
    ///
    /// It shares the tools and the caps on their calls with this one, and keeps their order. It stays as it is when
    /// this one changes.
    ///
    /// # Errors
    /// Every name that no tool has, with the nearest one that there is.
    ///
    /// ```
    /// use haft_core::{Tool, ToolRegistry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tool = |name| Tool::simple(name, |input: String| async move { input });
    /// let registry = ToolRegistry::builder().tools([tool("read"), tool("write"), tool("erase")]).build()?;
    ///
    /// let session = registry.enabled(["write", "read"])?;
    /// assert_eq!(session.len(), 2);
    /// let error = registry.enabled(["raed"]).unwrap_err();
    /// assert_eq!(error.to_string(), "there is no tool \"raed\" to enable; did you mean \"read\"?");
    /// # Ok(())
    /// # }
    /// ```
    pub fn enabled<I>(&self, names: I) -> Result<Self, BuildError>
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        let all = self.snapshot();
        let mut wanted = Vec::new();
        let mut problems = Vec::new();
        for name in names {
            let name = name.as_ref();
            match all.get(name) {
                Some(registered) => wanted.push(registered.tool.name()),
                None => problems.push(BuildProblem::NothingToEnable {
                    name: name.to_owned(),
                    nearest: nearest(name, all.names()),
                }),
            }
        }
        if !problems.is_empty() {
            return Err(BuildError::new(problems));
        }
        let wanted: HashSet<&str> = wanted.into_iter().collect();
        let enabled = (0..all.len()).filter_map(|index| all.at(index));
        let mut assembly = Assembly::default();
        for registered in enabled.filter(|registered| wanted.contains(registered.tool.name())) {
            assembly.add_part(Part::Registered(Arc::clone(registered)));
        }
        let mut snapshot = assembly.close().finish()?;
        snapshot.recipe.states = all.recipe.states.clone();
        let (plugins, hooks) = (self.shared.plugins.clone(), Arc::clone(self.hooks()));
        Ok(Self::new(snapshot, self.shared.leniencies.clone(), plugins, hooks))
    }
}
