//! An argument that the model does not see.

use crate::{
    registry::{Toolkit, ViewProblem},
    schema::Narrowing,
};

impl Toolkit {
    /// Hides an argument that may be left out, or has a default: the model does not see it and can not send it.
    ///
    /// ```
    /// use haft_core::{Args, Tool, ToolCall, ToolRegistry, Toolkit};
    ///
    /// fn thirty() -> u32 { 30 }
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Fetch { page: u32, #[serde(default = "thirty")] seconds: u32 }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let fetch = Tool::builder("fetch")
    ///     .description("Fetches a page.")
    ///     .run_sync(|Args(Fetch { page, seconds }): Args<Fetch>| format!("{page} within {seconds}"));
    /// let registry =
    ///     ToolRegistry::builder().toolkit(Toolkit::new("web").tool(fetch).hidden("fetch", "seconds")).build()?;
    ///
    /// let call = registry.validate(&ToolCall::new("c1", "fetch", r#"{"page": 2}"#)).unwrap();
    /// assert_eq!(call.arguments.unwrap(), serde_json::json!({"page": 2, "seconds": 30}));
    /// # Ok(())
    /// # }
    /// ```
    pub fn hidden(self, tool: &str, argument: &str) -> Self {
        self.one(&format!("hidden({tool:?}, {argument:?})"), tool, |tool| {
            let definition = tool.definition();
            let required = match &definition.narrowing {
                Some(narrowing) => narrowing.full().requires(argument),
                None => definition.input.requires(argument),
            };
            if required {
                let (tool, argument) = (tool.name().to_owned(), argument.to_owned());
                return Err(ViewProblem::Required { tool, argument });
            }
            let narrowed = definition
                .input
                .without(argument)
                .map_err(|error| ViewProblem::narrow(error, tool, argument))?;
            Ok(tool.redefined(|definition| {
                let full = std::mem::replace(&mut definition.input, narrowed);
                definition.narrowing.get_or_insert_with(|| Box::new(Narrowing::of(full))).hide(argument);
            }))
        })
    }
}
