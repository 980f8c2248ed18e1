//! Tools that a person has to approve.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    registry::Toolkit,
    tool::{ApprovalNeed, ToolDefinition},
};

impl Toolkit {
    /// A person has to approve every call of the tools whose definition the predicate accepts.
    ///
    /// ```
    /// use haft_core::{ApprovalNeed, Tool, ToolRegistry, Toolkit};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let wipe = Tool::builder("wipe").description("Removes everything.").destructive(true).run_sync(|| "gone");
    /// let things =
    ///     Toolkit::new("things").tool(wipe).approved(|definition| definition.annotations.destructive != Some(false));
    /// let registry = ToolRegistry::builder().toolkit(things).build()?;
    /// assert!(matches!(registry.get("wipe").unwrap().definition().approval, ApprovalNeed::Always));
    /// # Ok(())
    /// # }
    /// ```
    pub fn approved(self, which: impl Fn(&ToolDefinition) -> bool) -> Self {
        self.each("approved(…)", |tool| {
            if !which(tool.definition()) {
                return Ok(tool.clone());
            }
            Ok(tool.redefined(|definition| definition.approval = ApprovalNeed::Always))
        })
    }

    /// A person has to approve the calls whose definition and effective arguments the predicate accepts, beside those
    /// that the tools themselves want approved.
    ///
    /// ```
    /// use haft_core::{Tool, Toolkit};
    ///
    /// let send = Tool::builder("send").description("Sends it.").run_sync(|| "sent");
    /// let mail = Toolkit::new("mail").tool(send).approved_if(|_, arguments| arguments["to"] != "me");
    /// ```
    pub fn approved_if(
        self,
        predicate: impl Fn(&ToolDefinition, &Value) -> bool + Send + Sync + 'static,
    ) -> Self {
        let predicate = Arc::new(predicate);
        self.each("approved_if(…)", |tool| {
            let (of_view, shown) = (Arc::clone(&predicate), tool.clone());
            let of_tool = tool.definition().approval.clone();
            let either = move |arguments: &Value| {
                matches!(&of_tool, ApprovalNeed::When(own) if own(arguments))
                    || of_view(shown.definition(), arguments)
            };
            if matches!(tool.definition().approval, ApprovalNeed::Always) {
                return Ok(tool.clone());
            }
            Ok(tool.redefined(|definition| definition.approval = ApprovalNeed::When(Arc::new(either))))
        })
    }
}
