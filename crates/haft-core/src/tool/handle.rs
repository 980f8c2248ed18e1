//! A tool: its definition and the function behind it.

use std::{fmt, sync::Arc};

use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    error::ToolError,
    layer::Wrap,
    schema::projection::ToolCache,
    tool::{
        ApprovalNeed, MissingState, Requirements, Run, States, ToolContext, ToolDefinition, ToolName,
        ToolOutput, handler::Bind, recovery::Probe,
    },
};

pub(crate) struct ToolInner {
    pub(crate) definition: ToolDefinition,
    pub(crate) handler: Arc<dyn Bind>,
    pub(crate) probe: Option<Arc<dyn Probe>>,
    /// Layers around the function, the innermost first.
    pub(crate) layers: Vec<Wrap>,
    pub(crate) projections: ToolCache,
}

/// A tool: a definition and the function behind it. Cheap to clone.
///
/// ```
/// use haft_core::{Args, Tool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Sum { a: i64, b: i64 }
///
/// # fn main() -> Result<(), haft_core::DefinitionError> {
/// let add = Tool::builder("add")
///     .description("Adds two whole numbers.")
///     .read_only(true)
///     .run(|Args(Sum { a, b }): Args<Sum>| async move { (a + b).to_string() })?;
/// assert_eq!(add.to_string(), "Tool(add): Adds two whole numbers.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tool(pub(crate) Arc<ToolInner>);

impl Tool {
    /// What is known about the tool.
    pub fn definition(&self) -> &ToolDefinition {
        &self.0.definition
    }

    /// What the model calls it by.
    pub fn name(&self) -> &str {
        self.0.definition.name.as_str()
    }

    /// Runs the tool alone, outside any registry: arguments are checked, no policy applies, state is not there.
    ///
    /// `arguments` is JSON text, as a model would send it; nothing is bounded in time.
    ///
    /// # Errors
    /// As a model would be told: arguments that do not match, state that the tool asks for, a failure of its own.
    pub async fn call(&self, arguments: &str, context: ToolContext) -> Result<ToolOutput, ToolError> {
        crate::dispatch::call_alone(self, arguments, context, &States::default()).await
    }

    /// Whether two have the same name and the same function behind it, not merely an equal one.
    pub fn is(&self, other: &Self) -> bool {
        self.name() == other.name() && Arc::ptr_eq(&self.0.handler, &other.0.handler)
    }

    /// The same tool with a changed definition.
    pub(crate) fn redefined(&self, change: impl FnOnce(&mut ToolDefinition)) -> Self {
        let mut definition = self.0.definition.clone();
        change(&mut definition);
        let (probe, layers) = (self.0.probe.clone(), self.0.layers.clone());
        Self(Arc::new(ToolInner {
            definition,
            handler: Arc::clone(&self.0.handler),
            probe,
            layers,
            projections: ToolCache::default(),
        }))
    }

    /// The same tool under another name; the one that it has stays an alias.
    pub(crate) fn renamed(&self, name: ToolName) -> Self {
        self.redefined(|definition| {
            let before = std::mem::replace(&mut definition.name, name);
            let before = before.as_str().to_owned();
            if before != definition.name.as_str() && !definition.aliases.contains(&before) {
                definition.aliases.push(before);
            }
        })
    }

    /// Whether two are the same tool, shown and approved alike.
    pub(crate) fn is_same_view(&self, other: &Self) -> bool {
        let (own, others) = (self.definition(), other.definition());
        let approved_alike = match (&own.approval, &others.approval) {
            (ApprovalNeed::Never, ApprovalNeed::Never) | (ApprovalNeed::Always, ApprovalNeed::Always) => true,
            (ApprovalNeed::When(one), ApprovalNeed::When(another)) => Arc::ptr_eq(one, another),
            _ => false,
        };
        self.is(other) && approved_alike && own.digest() == others.digest()
    }

    /// Whether the client runs it.
    pub(crate) fn is_external(&self) -> bool {
        self.0.handler.is_external()
    }

    /// Whether its function blocks a thread of the pool.
    pub(crate) fn is_blocking(&self) -> bool {
        self.0.handler.is_blocking()
    }

    /// Whether its function returns text and nothing else.
    pub(crate) fn returns_text(&self) -> bool {
        self.0.handler.returns_text()
    }

    pub(crate) fn projections(&self) -> &ToolCache {
        &self.0.projections
    }

    /// The function with its state, and all layers around it.
    pub(crate) fn bind(&self, states: &States, outer: &[Wrap]) -> Result<Arc<dyn Run>, MissingState> {
        let run = self.within(self.0.handler.bind(states)?, &self.0.layers);
        Ok(self.within(run, outer))
    }

    /// The function within layers, the innermost first.
    pub(crate) fn within(&self, run: Arc<dyn Run>, layers: &[Wrap]) -> Arc<dyn Run> {
        layers.iter().fold(run, |run, wrap| wrap(run, self.clone()))
    }

    pub(crate) fn requirements(&self) -> Requirements {
        self.0.handler.requirements()
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Tool({}): {}", self.name(), self.0.definition.description)
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Tool").field(&self.name()).finish()
    }
}

/// The `OpenAI` function object: `{"type":"function","function":{"name","description","parameters"}}`.
impl Serialize for Tool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(2))?;
        object.serialize_entry("type", "function")?;
        object.serialize_entry("function", &FunctionObject(&self.0.definition))?;
        object.end()
    }
}

struct FunctionObject<'a>(&'a ToolDefinition);

impl Serialize for FunctionObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(3))?;
        object.serialize_entry("name", &self.0.name)?;
        object.serialize_entry("description", &self.0.description)?;
        object.serialize_entry("parameters", self.0.input.published())?;
        object.end()
    }
}
