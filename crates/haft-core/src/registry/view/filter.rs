//! Only some of the tools.

use crate::{registry::Toolkit, tool::ToolDefinition};

impl Toolkit {
    /// Keeps the tools whose definition the predicate accepts.
    ///
    /// ```
    /// use haft_core::{Tool, ToolRegistry, Toolkit};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let look = Tool::builder("look").description("Looks.").read_only(true).run_sync(|| "seen");
    /// let touch = Tool::builder("touch").description("Touches.").run_sync(|| "touched");
    /// let harmless = Toolkit::new("things")
    ///     .tools([look, touch])
    ///     .filtered(|definition| definition.annotations.read_only == Some(true));
    /// assert_eq!(ToolRegistry::builder().toolkit(harmless).build()?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filtered(mut self, keep: impl Fn(&ToolDefinition) -> bool) -> Self {
        // A tool that is none is told of, whatever becomes of it.
        self.tools.retain(|tool| tool.as_ref().map_or(true, |tool| keep(tool.definition())));
        self
    }
}
