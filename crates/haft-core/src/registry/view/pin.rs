//! An argument that the host sets.

use serde_json::Value;

use crate::{
    registry::{Toolkit, ViewProblem},
    schema::Narrowing,
};

impl Toolkit {
    /// Sets an argument of a tool to a value: the model does not see it and can not send it.
    ///
    /// The effective arguments have the value: the function, predicates, approvals and journals see it, and all of them
    /// together are checked against the tool's own schema. A person who edits a call can not change it.
    ///
    /// ```
    /// use haft_core::{Args, Tool, ToolCall, ToolRegistry, Toolkit};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Search { tenant: String, text: String }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let search = Tool::builder("search")
    ///     .description("Searches customers.")
    ///     .run_sync(|Args(Search { tenant, text }): Args<Search>| format!("{text} in {tenant}"));
    /// let registry =
    ///     ToolRegistry::builder().toolkit(Toolkit::new("crm").tool(search).pinned("search", "tenant", "acme")).build()?;
    ///
    /// assert_eq!(registry.get("search").unwrap().definition().input.fields(), ["text"]);
    /// let call = registry.validate(&ToolCall::new("c1", "search", r#"{"text": "Jo"}"#)).unwrap();
    /// assert_eq!(call.arguments.unwrap(), serde_json::json!({"tenant": "acme", "text": "Jo"}));
    /// # Ok(())
    /// # }
    /// ```
    pub fn pinned(self, tool: &str, argument: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        self.one(&format!("pinned({tool:?}, {argument:?}, …)"), tool, |tool| {
            let input = &tool.definition().input;
            let narrowed =
                input.without(argument).map_err(|error| ViewProblem::narrow(error, tool, argument))?;
            let issues = input.issues_with(argument, &value);
            if !issues.is_empty() {
                let (tool, argument) = (tool.name().to_owned(), argument.to_owned());
                return Err(ViewProblem::Value { tool, argument, issues });
            }
            Ok(tool.redefined(|definition| {
                let full = std::mem::replace(&mut definition.input, narrowed);
                definition
                    .narrowing
                    .get_or_insert_with(|| Box::new(Narrowing::of(full)))
                    .pin(argument, value);
            }))
        })
    }
}
