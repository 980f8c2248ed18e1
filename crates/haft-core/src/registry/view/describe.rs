//! Other words for a tool.

use crate::registry::{Toolkit, ViewProblem};

impl Toolkit {
    /// Says in other words what a tool does: the model reads these.
    ///
    /// ```
    /// use haft_core::{Tool, Toolkit};
    ///
    /// let search = Tool::builder("search").description("Full text search.").run_sync(|| "found");
    /// let crm = Toolkit::new("crm").tool(search).described("search", "Finds customers by name or number.");
    /// ```
    pub fn described(self, tool: &str, description: impl Into<String>) -> Self {
        let description = description.into();
        self.one(&format!("described({tool:?}, …)"), tool, |tool| {
            if description.trim().is_empty() {
                return Err(ViewProblem::EmptyDescription);
            }
            Ok(tool.redefined(|definition| definition.description = description))
        })
    }
}
