//! A tool, and everything about it that is known before it is called.

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

use crate::{
    error::ToolError,
    layer::Wrap,
    schema::{Digest, InputSchema, Narrowing, OutputSchema, SchemaError, canonical, projection::ToolCache},
    tool::{
        InvalidToolName, MissingState, Requirements, Run, States, ToolAnnotations, ToolContext, ToolName,
        ToolOutput, handler::Bind,
    },
};

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolSource {
    /// A function of the host.
    #[default]
    Native,
    /// A tool that comes with haft.
    Builtin,
    /// A tool of an MCP server.
    Mcp,
    /// An HTTP endpoint.
    Http,
    /// An agent skill.
    Skill,
    /// Another agent, over A2A.
    A2a,
    /// Anything else, sub-agents among them.
    Custom,
}

impl ToolSource {
    /// Whether its schemas were made elsewhere: they are published untouched and no default is filled in.
    pub const fn is_remote(self) -> bool {
        matches!(self, Self::Mcp | Self::Http | Self::A2a)
    }

    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Builtin => "builtin",
            Self::Mcp => "mcp",
            Self::Http => "http",
            Self::Skill => "skill",
            Self::A2a => "a2a",
            Self::Custom => "custom",
        }
    }
}

/// How the calls of a tool stand to the other calls of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BatchingStrategy {
    /// A barrier: what stands before it has finished, what stands after it has not begun.
    Serial,
    /// At once, as far as the caps allow.
    Parallel,
    /// In order with the calls of the same key, at once with all others.
    Chunked,
}

/// What a resumed run does with a call that had started and has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Recovery {
    /// It runs again: repeating it is harmless.
    Repeat,
    /// It runs again with the same idempotency key, by which its other side knows it.
    Keyed,
    /// The tool is asked what has happened.
    Probe,
    /// A person is asked whether it runs again.
    Ask,
    /// It does not run again; the model is told that its outcome is not known.
    Never,
}

/// What a probe finds out about a call that was interrupted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Probed {
    /// It had done its work, and this is its output.
    Done(ToolOutput),
    /// It had changed nothing: it may run again.
    NotDone,
    /// That can not be found out.
    Unknown,
}

/// What is known about a tool: what models and people are shown, and how it is to be run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolDefinition {
    /// What the model calls it by.
    pub name: ToolName,
    /// What it does, for the model.
    pub description: String,
    /// A label for people; the name unless given.
    pub display_name: Option<String>,
    /// A heading that people find it under.
    pub category: Option<String>,
    /// Words that people find it by.
    pub tags: Vec<String>,
    /// The toolkit that it belongs to.
    pub toolkit: Option<String>,
    /// Where it comes from.
    pub source: ToolSource,
    /// What it says of its effects.
    pub annotations: ToolAnnotations,
    /// The schema of its arguments.
    pub input: InputSchema,
    /// The schema of its structured output.
    pub output: Option<OutputSchema>,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// How its calls stand to others; inferred where it is not set.
    pub batching: Option<BatchingStrategy>,
    /// How many of its calls may run at once in one dispatcher.
    pub max_concurrency: Option<usize>,
    /// Its name at its source, where that had to be changed.
    pub original_name: Option<String>,
    /// Names that it had before it was renamed, the first one first; it is still found by each that no other tool has.
    pub aliases: Vec<String>,
    /// What a resumed run does with its interrupted calls; decided by the annotations where it is not set.
    pub recovery: Option<Recovery>,
    /// The argument whose value is the key of its calls: those of one key run in order.
    pub chunk_by: Option<String>,
    /// When a person has to approve a call.
    pub approval: ApprovalNeed,
    /// Messages for required texts, by field: shown for a missing, null or empty one.
    pub(crate) required_messages: Vec<(String, String)>,
    /// Arguments that the host sets, so that `input` does not have them.
    pub(crate) narrowing: Option<Narrowing>,
}

impl ToolDefinition {
    /// The label for people.
    pub fn display_name(&self) -> &str {
        self.display_name.as_deref().unwrap_or(self.name.as_str())
    }

    /// The strategy that was set, else the one that [`infer_batching_strategy`] finds.
    pub fn batching_strategy(&self) -> BatchingStrategy {
        self.batching.unwrap_or_else(|| infer_batching_strategy(self))
    }

    /// The contract that was set; else repeat for a tool that changes nothing or adds nothing when repeated, ask for
    /// any other.
    pub fn recovery(&self) -> Recovery {
        let harmless = self.annotations.read_only == Some(true) || self.annotations.idempotent == Some(true);
        self.recovery.unwrap_or(if harmless { Recovery::Repeat } else { Recovery::Ask })
    }

    /// Every other name that it is found by: its name at its source, and those it had before it was renamed.
    pub fn other_names(&self) -> impl Iterator<Item = &str> {
        self.original_name.iter().chain(&self.aliases).map(String::as_str)
    }

    /// The arguments that the host has set, or left to their defaults, and that the model does not see.
    pub fn host_arguments(&self) -> impl Iterator<Item = &str> {
        self.narrowing.iter().flat_map(Narrowing::names)
    }

    /// The digest of all that a model or a person is shown of the tool: an approval holds for just this definition.
    pub fn digest(&self) -> Digest {
        let output = self.output.as_ref().map(|schema| canonical(schema.published())).unwrap_or_default();
        let input = canonical(self.input.published());
        let set = self.narrowing.as_ref().map(Narrowing::canonical);
        let parts = [self.name.as_str(), self.description.as_str(), &input, &output];
        Digest::of("definition", parts.into_iter().chain(set.as_deref()))
    }
}

/// How the calls of a tool stand to others where its author did not say: a tool that changes nothing is parallel, one
/// with a declared key is chunked, any other is serial.
pub fn infer_batching_strategy(definition: &ToolDefinition) -> BatchingStrategy {
    match (definition.annotations.read_only, &definition.chunk_by) {
        (Some(true), _) => BatchingStrategy::Parallel,
        (_, Some(_)) => BatchingStrategy::Chunked,
        _ => BatchingStrategy::Serial,
    }
}

/// When a person has to approve a call.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ApprovalNeed {
    /// Never, as far as the tool itself is concerned.
    #[default]
    Never,
    /// Always.
    Always,
    /// Where a predicate of the effective arguments says so; one that panics fails the call.
    When(Arc<dyn Fn(&Value) -> bool + Send + Sync>),
}

impl fmt::Debug for ApprovalNeed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Never => "Never",
            Self::Always => "Always",
            Self::When(_) => "When(…)",
        })
    }
}

/// A mistake in the definition of one tool.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionProblem {
    /// 2001: no tool can have the name.
    #[error(transparent)]
    Name(#[from] InvalidToolName),
    /// 2002: a model decides by the description when to call a tool.
    #[error("the description is empty: say what the tool does and when to call it")]
    EmptyDescription,
    /// 2003: the input schema can not be used.
    #[error("the input schema can not be used: {0}")]
    Input(SchemaError),
    /// 2004: the output schema can not be used.
    #[error("the output schema can not be used: {0}")]
    Output(SchemaError),
    /// 2005: two parameters of the function are arguments.
    #[error("the function asks for its arguments {0} times: one `Args<T>` holds all of them")]
    ManyArguments(usize),
    /// 2006: a required text names a field that the input schema does not have.
    #[error("the required field {0:?} is no field of the input schema")]
    UnknownField(String),
    /// 2008: the key of its calls is no argument of it.
    #[error("the calls are to be chunked by {0:?}, which is no field of the input schema")]
    UnknownKey(String),
    /// 2009: a chunked tool has no key.
    #[error("the calls are to be chunked, and no key is declared: add `chunk_by`")]
    NoKey,
    /// 2010: a tool whose contract is to probe has no probe.
    #[error("the recovery contract is `probe`, and there is no probe: add `.probe(…)`")]
    NoProbe,
    /// 2007: a limit of zero would let no call run.
    #[error("{0} is zero: no call could run")]
    ZeroLimit(&'static str),
}

impl DefinitionProblem {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Name(_) => 2001,
            Self::EmptyDescription => 2002,
            Self::Input(_) => 2003,
            Self::Output(_) => 2004,
            Self::ManyArguments(_) => 2005,
            Self::UnknownField(_) => 2006,
            Self::ZeroLimit(_) => 2007,
            Self::UnknownKey(_) => 2008,
            Self::NoKey => 2009,
            Self::NoProbe => 2010,
        }
    }
}

/// Everything that is wrong with the definition of one tool.
#[derive(Debug, Clone)]
pub struct DefinitionError {
    tool: String,
    problems: Vec<DefinitionProblem>,
}

impl DefinitionError {
    pub(crate) fn new(tool: String, problems: Vec<DefinitionProblem>) -> Self {
        Self { tool, problems }
    }

    /// The name of the tool, as given.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// What is wrong, all of it.
    pub fn problems(&self) -> &[DefinitionProblem] {
        &self.problems
    }

    /// The stable number of the first problem.
    pub fn code(&self) -> u16 {
        self.problems.first().map_or(2000, DefinitionProblem::code)
    }
}

impl fmt::Display for DefinitionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "tool {:?}: ", self.tool)?;
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index > 0 { "; " } else { "" };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for DefinitionError {}

pub(crate) struct ToolInner {
    pub(crate) definition: ToolDefinition,
    pub(crate) handler: Arc<dyn Bind>,
    pub(crate) probe: Option<Arc<dyn Probe>>,
    /// Layers around the function, the innermost first.
    pub(crate) layers: Vec<Wrap>,
    pub(crate) projections: ToolCache,
}

/// Asks a tool what has happened to a call.
pub(crate) trait Probe: Send + Sync {
    fn probe(&self, arguments: Value, context: ToolContext) -> ProbeFuture;
}

pub(crate) type ProbeFuture = Pin<Box<dyn Future<Output = Result<Probed, ToolError>> + Send>>;

impl<F, Fut> Probe for F
where
    F: Fn(Value, ToolContext) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Probed, ToolError>> + Send + 'static,
{
    fn probe(&self, arguments: Value, context: ToolContext) -> ProbeFuture {
        Box::pin(self(arguments, context))
    }
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

    pub(crate) fn requirements(&self) -> &Requirements {
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
