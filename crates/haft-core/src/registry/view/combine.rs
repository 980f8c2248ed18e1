//! Several toolkits as one.

use crate::registry::Toolkit;

impl Toolkit {
    /// Adds the tools of another toolkit, as its views show them; they belong to this one from now on.
    ///
    /// ```
    /// use haft_core::{Tool, ToolRegistry, Toolkit};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let search = |text| Tool::builder("search").description(text).run_sync(|| "found");
    /// let crm = Toolkit::new("crm").tool(search("Searches customers.")).prefixed("crm_");
    /// let web = Toolkit::new("web").tool(search("Searches the web.")).prefixed("web_");
    /// let research = Toolkit::new("research").including(crm).including(web).approved(|tool| tool.name.as_str() == "web_search");
    /// let registry = ToolRegistry::builder().toolkit(research).build()?;
    /// assert_eq!(registry.get("crm_search").unwrap().definition().toolkit.as_deref(), Some("research"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn including(mut self, other: Self) -> Self {
        let tools = other.into_tools(&mut self.problems);
        self.tools.extend(
            tools
                .into_iter()
                .map(|tool| tool.map(|tool| tool.redefined(|definition| definition.toolkit = None))),
        );
        self
    }
}
