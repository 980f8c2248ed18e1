//! A prefix before every name.

use crate::{registry::Toolkit, tool::ToolName};

impl Toolkit {
    /// Puts a prefix before the name of every tool; the name without it stays an alias.
    ///
    /// ```
    /// use haft_core::{Tool, ToolRegistry, Toolkit};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let search = |text| Tool::builder("search").description(text).run_sync(|| "found");
    /// let registry = ToolRegistry::builder()
    ///     .toolkit(Toolkit::new("crm").tool(search("Searches customers.")).prefixed("crm_"))
    ///     .toolkit(Toolkit::new("web").tool(search("Searches the web.")).prefixed("web_"))
    ///     .build()?;
    /// assert_eq!(registry.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>(), ["crm_search", "web_search"]);
    /// // Both had that name, so it is nobody's.
    /// assert!(!registry.contains("search"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn prefixed(self, prefix: &str) -> Self {
        self.each(&format!("prefixed({prefix:?})"), |tool| {
            Ok(tool.renamed(ToolName::new(&format!("{prefix}{}", tool.name()))?))
        })
    }
}
