//! A tool's function as a `tower` service, and a layered service as a function.

use std::{
    error::Error,
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use serde_json::Value;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::ToolError,
    tool::{CallInput, Effective, Outcome, Run, Started, Tool, ToolContext, ToolDefinition},
};

type BoxError = Box<dyn Error + Send + Sync>;
type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// What a layer sees of a call: read-only. Cheap to clone, so that a layer can try again.
#[derive(Clone)]
pub struct ToolRequest {
    tool: Tool,
    arguments: Arc<Value>,
    context: ToolContext,
}

impl ToolRequest {
    /// What is known about the tool.
    pub fn definition(&self) -> &ToolDefinition {
        self.tool.definition()
    }

    /// The effective arguments.
    pub fn arguments(&self) -> &Value {
        &self.arguments
    }

    /// What the function can learn about its call.
    pub fn context(&self) -> &ToolContext {
        &self.context
    }
}

impl fmt::Debug for ToolRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ToolRequest").field("tool", &self.tool.name()).finish_non_exhaustive()
    }
}

/// The innermost service: the tool's own function.
#[derive(Clone)]
pub struct ToolService(Arc<dyn Run>);

impl fmt::Debug for ToolService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ToolService")
    }
}

impl Service<ToolRequest> for ToolService {
    type Response = crate::ToolOutput;
    type Error = ToolError;
    type Future = BoxFuture<Outcome>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ToolRequest) -> Self::Future {
        let context = request.context;
        let settings = context.source().scope.settings.clone();
        let arguments = Effective::Value(Arc::unwrap_or_clone(request.arguments));
        let started = self.0.start(&mut CallInput::new(arguments, &context));
        Box::pin(async move {
            match (started, settings) {
                (Started::Done(outcome), _) => outcome,
                (Started::Future(future), _) => future.await,
                (Started::Blocking(job), Some(settings)) => {
                    crate::dispatch::on_a_thread_within(job, &context, &settings).await
                }
                (Started::Blocking(job), None) => crate::dispatch::guarded_job(job),
            }
        })
    }
}

/// Puts a layer around a function.
pub(crate) type Wrap = Arc<dyn Fn(Arc<dyn Run>, Tool) -> Arc<dyn Run> + Send + Sync>;

/// A layer whose type is forgotten.
pub(crate) fn wrap<L>(layer: L) -> Wrap
where
    L: Layer<ToolService> + Send + Sync + 'static,
    L::Service: Service<ToolRequest, Response = crate::ToolOutput> + Clone + Send + Sync + 'static,
    <L::Service as Service<ToolRequest>>::Error: Into<BoxError>,
    <L::Service as Service<ToolRequest>>::Future: Send + 'static,
{
    Arc::new(move |run, tool| {
        let service = layer.layer(ToolService(run));
        Arc::new(Layered { service, tool })
    })
}

struct Layered<S> {
    service: S,
    tool: Tool,
}

impl<S> Run for Layered<S>
where
    S: Service<ToolRequest, Response = crate::ToolOutput> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
{
    fn start(&self, input: &mut CallInput) -> Started {
        let mut service = self.service.clone();
        let context = input.request().context();
        let request = ToolRequest {
            tool: self.tool.clone(),
            // A layer stands here, so they were read as a value.
            arguments: Arc::new(input.request().take_arguments().into_value().unwrap_or_default()),
            context,
        };
        Started::Future(Box::pin(async move {
            // tower's contract: a service is called only once it has said that it is ready.
            let ready = poll_fn(|context| service.poll_ready(context)).await;
            ready.map_err(|error| ToolError::from_boxed(error.into()))?;
            service.call(request).await.map_err(|error| ToolError::from_boxed(error.into()))
        }))
    }
}
