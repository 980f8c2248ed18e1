//! Another name for one tool.

use crate::{registry::Toolkit, tool::ToolName};

impl Toolkit {
    /// Gives a tool another name; the one that it had stays an alias, by which it is found and shown.
    ///
    /// ```
    /// use haft_core::{Tool, ToolRegistry, Toolkit};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let search = Tool::builder("search").description("Searches customers.").run_sync(|| "found");
    /// let registry =
    ///     ToolRegistry::builder().toolkit(Toolkit::new("crm").tool(search).renamed("search", "find_customer")).build()?;
    /// let tool = registry.get("search").unwrap();
    /// assert_eq!(tool.name(), "find_customer");
    /// assert_eq!(tool.definition().aliases, ["search"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn renamed(self, from: &str, to: &str) -> Self {
        self.one(&format!("renamed({from:?}, {to:?})"), from, |tool| Ok(tool.renamed(ToolName::new(to)?)))
    }
}
