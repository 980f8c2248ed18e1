//! The simple tool of one text, and the tool of named texts.

use std::{collections::BTreeMap, future::Future};

use serde_json::{Map, Value, json};

use crate::tool::{Args, DefinitionError, IntoToolOutput, Tool, ToolBuilder, ToolContext};

/// The description of a simple tool's input, unless another is given.
const INPUT: &str = "<tool-input>";

impl Tool {
    /// The simple tool: a name, and an asynchronous function of one text.
    ///
    /// Its schema is one required string `input`; its description is its name, until
    /// [`Tool::builder`] gives a better one.
    ///
    /// # Errors
    /// When the name is none that a tool can have.
    ///
    /// ```
    /// use haft_core::Tool;
    ///
    /// # fn main() -> Result<(), haft_core::DefinitionError> {
    /// let shout = Tool::simple("shout", |input: String| async move { input.to_uppercase() })?;
    /// assert_eq!(shout.definition().description, "shout");
    /// # Ok(())
    /// # }
    /// ```
    pub fn simple<F, Fut>(name: impl Into<String>, function: F) -> Result<Self, DefinitionError>
    where
        F: Fn(String) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoToolOutput,
    {
        let schema = json!({
            "type": "object",
            "properties": {"input": {"type": "string", "description": INPUT}},
            "required": ["input"],
        });
        Self::builder(name)
            .simple()
            .schema(schema)
            .run(move |Args(mut arguments): Args<Value>| function(text_of(arguments.get_mut("input"))))
    }

    /// Begins a tool of named texts: each parameter is a string.
    ///
    /// ```
    /// use haft_core::Tool;
    ///
    /// # fn main() -> Result<(), haft_core::DefinitionError> {
    /// let search = Tool::parameters("search_orders", "Searches the orders of a shop.")
    ///     .param("query", "Words to search for")
    ///     .optional_param("category", "Only orders of this category")
    ///     .run(|texts, _| async move { format!("searching {}", texts["query"]) })?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn parameters(name: impl Into<String>, description: impl Into<String>) -> ParameterTool {
        ParameterTool {
            builder: Self::builder(name).description(description),
            properties: Map::new(),
            required: Vec::new(),
        }
    }
}

/// A tool whose parameters are all texts.
#[derive(Debug)]
#[must_use = "a definition ends with `run`"]
pub struct ParameterTool {
    builder: ToolBuilder,
    properties: Map<String, Value>,
    required: Vec<Value>,
}

impl ParameterTool {
    /// Adds a required text.
    pub fn param(mut self, name: &str, description: &str) -> Self {
        self.required.push(Value::from(name));
        self.optional_param(name, description)
    }

    /// Adds a text that may be left out.
    pub fn optional_param(mut self, name: &str, description: &str) -> Self {
        self.properties.insert(name.to_owned(), json!({"type": "string", "description": description}));
        self
    }

    /// Changes anything else about the definition.
    pub fn define(mut self, change: impl FnOnce(ToolBuilder) -> ToolBuilder) -> Self {
        self.builder = change(self.builder);
        self
    }

    /// Ends the definition with an asynchronous function of the texts that were sent.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    pub fn run<F, Fut>(self, function: F) -> Result<Tool, DefinitionError>
    where
        F: Fn(BTreeMap<String, String>, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: IntoToolOutput,
    {
        let schema = json!({"type": "object", "properties": self.properties, "required": self.required});
        self.builder.schema(schema).run(move |Args(arguments): Args<Value>, context: ToolContext| {
            let Value::Object(map) = arguments else { return function(BTreeMap::new(), context) };
            let texts = map.into_iter().map(|(name, mut value)| (name, text_of(Some(&mut value))));
            function(texts.collect(), context)
        })
    }
}

/// The text of a value that the schema has shown to be a string.
fn text_of(value: Option<&mut Value>) -> String {
    match value.map(Value::take) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}
