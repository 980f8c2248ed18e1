//! Defining a tool: everything the attribute reaches, without it.

mod finish;

use std::{fmt, future::Future, sync::Arc, time::Duration};

use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::ToolError,
    layer::{ToolRequest, ToolService, Wrap, wrap},
    schema::{InputSchema, SchemaError},
    tool::{
        ApprovalNeed, BatchingStrategy, ConventionField, DefinitionError, Handler, IntoToolOutput, Probed,
        Recovery, SyncHandler, Tool, ToolAnnotations, ToolContext, ToolOutput, ToolPresentation, ToolSource,
        handler::{Asynchronous, External, Mode, Synchronous},
        recovery::Probe,
    },
};

/// Defines a tool; the function comes last and ends the definition.
///
/// ```
/// use haft_core::{Args, State, Tool};
/// use std::time::Duration;
///
/// struct Orders;
/// impl Orders { async fn open(&self, _customer: &str) -> Result<String, std::io::Error> { Ok("17".into()) } }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct OpenOrders {
///     /// Number of the customer.
///     customer: String,
/// }
///
/// # fn main() -> Result<(), haft_core::DefinitionError> {
/// let open_orders = Tool::builder("open_orders")
///     .description("Lists the open orders of a customer.")
///     .read_only(true)
///     .timeout(Duration::from_secs(10))
///     .run(|Args(arguments): Args<OpenOrders>, orders: State<Orders>| async move {
///         orders.open(&arguments.customer).await
///     })?;
/// assert_eq!(open_orders.name(), "open_orders");
/// # Ok(())
/// # }
/// ```
///
/// A tool whose schema is data takes its arguments as a JSON value:
///
/// ```
/// use haft_core::{Args, Json, Tool};
/// use serde_json::{Value, json};
///
/// # fn main() -> Result<(), haft_core::DefinitionError> {
/// let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
/// let echo = Tool::builder("echo")
///     .description("Returns what it is given.")
///     .schema(schema)
///     .run(|Args(arguments): Args<Value>| async move { Json(arguments) })?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a definition ends with `run`, `run_sync` or `run_blocking`"]
pub struct ToolBuilder {
    name: String,
    description: Option<String>,
    simple: bool,
    display_name: Option<String>,
    category: Option<String>,
    tags: Vec<String>,
    toolkit: Option<String>,
    source: ToolSource,
    annotations: ToolAnnotations,
    trusts_annotations: Option<bool>,
    schema: Option<Value>,
    typed_schema: Option<fn() -> Result<InputSchema, SchemaError>>,
    output_schema: Option<Value>,
    timeout: Option<Duration>,
    batching: Option<BatchingStrategy>,
    max_concurrency: Option<usize>,
    original_name: Option<String>,
    required: Vec<(String, String)>,
    presentation: ToolPresentation,
    conventions: Vec<ConventionField>,
    recovery: Option<Recovery>,
    chunk_by: Option<String>,
    approval: ApprovalNeed,
    probe: Option<ProbeSlot>,
    layers: Layers,
}

/// Layers in a builder that can be shown.
#[derive(Clone, Default)]
pub(crate) struct Layers(pub(crate) Vec<Wrap>);

impl fmt::Debug for Layers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Layers({})", self.0.len())
    }
}

/// A probe in a builder that can be shown.
struct ProbeSlot(Arc<dyn Probe>);

impl fmt::Debug for ProbeSlot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Probe")
    }
}

impl Tool {
    /// Begins the definition of a tool.
    pub fn builder(name: impl Into<String>) -> ToolBuilder {
        ToolBuilder {
            name: name.into(),
            description: None,
            simple: false,
            display_name: None,
            category: None,
            tags: Vec::new(),
            toolkit: None,
            source: ToolSource::Native,
            annotations: ToolAnnotations::new(),
            trusts_annotations: None,
            schema: None,
            typed_schema: None,
            output_schema: None,
            timeout: None,
            batching: None,
            max_concurrency: None,
            original_name: None,
            required: Vec::new(),
            presentation: ToolPresentation::new(),
            conventions: Vec::new(),
            recovery: None,
            chunk_by: None,
            approval: ApprovalNeed::Never,
            probe: None,
            layers: Layers::default(),
        }
    }
}

impl ToolBuilder {
    /// What the tool does and when to call it: the model reads it to decide. Required.
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// A label for people; the name unless given.
    pub fn display_name(mut self, text: impl Into<String>) -> Self {
        self.display_name = Some(text.into());
        self
    }

    /// A heading that people find it under.
    pub fn category(mut self, text: impl Into<String>) -> Self {
        self.category = Some(text.into());
        self
    }

    /// Adds a word that people find it by.
    pub fn tag(mut self, text: impl Into<String>) -> Self {
        self.tags.push(text.into());
        self
    }

    /// How programs show it to people, beside its label.
    pub fn presentation(mut self, presentation: ToolPresentation) -> Self {
        self.presentation = presentation;
        self
    }

    /// The toolkit that it belongs to.
    pub fn toolkit(mut self, name: impl Into<String>) -> Self {
        self.toolkit = Some(name.into());
        self
    }

    /// Where it comes from; a function of the host unless given.
    ///
    /// The schemas of `mcp`, `http` and `a2a` tools are published untouched, and no default is filled in.
    pub fn source(mut self, source: ToolSource) -> Self {
        self.source = source;
        self
    }

    /// All annotations at once.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Whether policy and recovery believe what the tool says of its effects: they do unless its source is remote.
    pub fn trust_annotations(mut self, trusted: bool) -> Self {
        self.trusts_annotations = Some(trusted);
        self
    }

    /// Says whether the tool changes nothing.
    pub fn read_only(mut self, value: bool) -> Self {
        self.annotations = self.annotations.read_only(value);
        self
    }

    /// Says whether it removes or overwrites what it cannot give back.
    pub fn destructive(mut self, value: bool) -> Self {
        self.annotations = self.annotations.destructive(value);
        self
    }

    /// Says whether repeating a call adds nothing.
    pub fn idempotent(mut self, value: bool) -> Self {
        self.annotations = self.annotations.idempotent(value);
        self
    }

    /// Says whether it reaches beyond the host.
    pub fn open_world(mut self, value: bool) -> Self {
        self.annotations = self.annotations.open_world(value);
        self
    }

    /// The schema of the arguments, as data; without it, that of the type in `Args`, or the empty object.
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// The schema of a type, where the function does not take it as `Args` itself.
    pub fn schema_of<T: schemars::JsonSchema>(mut self) -> Self {
        self.typed_schema = Some(InputSchema::typed::<T>);
        self
    }

    /// The schema of the structured output, as data; without it, that of the returned `Json<T>`.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// A required text that may not be empty, with a message of its own for a missing, null or empty one.
    ///
    /// The message is not published; what is published is `minLength` 1.
    pub fn required_field(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.required.push((field.into(), message.into()));
        self
    }

    /// Adds the argument `dry_run`, where the schema is data; as a type it is [`DryRun`](crate::DryRun).
    pub fn dry_run(mut self) -> Self {
        self.conventions.push(ConventionField::DryRun);
        self
    }

    /// Adds the argument `revision`, where the schema is data; as a type it is [`Revision`](crate::Revision).
    pub fn revision(mut self) -> Self {
        self.conventions.push(ConventionField::Revision);
        self
    }

    /// How long a call may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How its calls stand to the others of a turn; inferred unless given.
    pub fn batching(mut self, strategy: BatchingStrategy) -> Self {
        self.batching = Some(strategy);
        self
    }

    /// How many of its calls may run at once, through whatever dispatchers of its registry.
    pub fn max_concurrency(mut self, calls: usize) -> Self {
        self.max_concurrency = Some(calls);
        self
    }

    /// The argument whose value is the key of its calls: calls of one key run in order, others at once.
    pub fn chunk_by(mut self, argument: impl Into<String>) -> Self {
        self.chunk_by = Some(argument.into());
        self
    }

    /// What a resumed run does with a call that had started and has no result.
    pub fn recovery(mut self, contract: Recovery) -> Self {
        self.recovery = Some(contract);
        self
    }

    /// Finds out what has happened to an interrupted call; the contract becomes [`Recovery::Probe`].
    pub fn probe<F, Fut>(mut self, probe: F) -> Self
    where
        F: Fn(Value, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Probed, ToolError>> + Send + 'static,
    {
        self.probe = Some(ProbeSlot(Arc::new(probe)));
        self.recovery = Some(Recovery::Probe);
        self
    }

    /// Says whether a person has to approve every call.
    pub fn needs_approval(mut self, value: bool) -> Self {
        self.approval = if value { ApprovalNeed::Always } else { ApprovalNeed::Never };
        self
    }

    /// A person has to approve a call where the predicate of its effective arguments says so.
    pub fn approve_if(mut self, predicate: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        self.approval = ApprovalNeed::When(Arc::new(predicate));
        self
    }

    /// Puts a `tower` layer around the function, outside of those before it.
    ///
    /// Below policy: a call reaches it only when it may run. The request is read-only.
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ToolService> + Send + Sync + 'static,
        L::Service: Service<ToolRequest, Response = ToolOutput> + Clone + Send + Sync + 'static,
        <L::Service as Service<ToolRequest>>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
        <L::Service as Service<ToolRequest>>::Future: Send + 'static,
    {
        self.layers.0.push(wrap(layer));
        self
    }

    /// Its name at its source, kept as an alias for look-up and display.
    pub fn original_name(mut self, name: impl Into<String>) -> Self {
        self.original_name = Some(name.into());
        self
    }

    pub(crate) fn simple(mut self) -> Self {
        self.simple = true;
        self
    }

    /// Ends the definition with an asynchronous function.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    pub fn run<M: 'static, F: Handler<M>>(self, function: F) -> Result<Tool, DefinitionError> {
        let output = <F::Output as IntoToolOutput>::output_schema();
        self.finish(Arc::new(Asynchronous::new(function)), output)
    }

    /// Ends the definition with a synchronous function that is done in no time.
    ///
    /// It runs on the thread that runs the turn; one that waits or computes for long belongs in
    /// [`run_blocking`](Self::run_blocking).
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    pub fn run_sync<M: 'static, F: SyncHandler<M>>(self, function: F) -> Result<Tool, DefinitionError> {
        let output = <F::Output as IntoToolOutput>::output_schema();
        self.finish(Arc::new(Synchronous::new(function, Mode::Inline)), output)
    }

    /// Ends the definition with a synchronous function that blocks its thread: it gets one of a bounded pool.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    pub fn run_blocking<M: 'static, F: SyncHandler<M>>(self, function: F) -> Result<Tool, DefinitionError> {
        let output = <F::Output as IntoToolOutput>::output_schema();
        self.finish(Arc::new(Synchronous::new(function, Mode::Blocking)), output)
    }

    /// Ends the definition of a tool that the client runs: each call waits for the client's result.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    pub fn external(self) -> Result<Tool, DefinitionError> {
        self.finish(Arc::new(External), None)
    }
}
