//! Tries again what says that it may succeed later, where repeating is safe by contract.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::ToolError,
    layer::ToolRequest,
    tool::{Recovery, ToolOutput},
};

/// The longest wait; a call holds its slot meanwhile.
const LONGEST: Duration = Duration::from_secs(60);

/// Tries a call again when its error says [`retryable`](ToolError::retryable), and only for tools whose contract is
/// `repeat` or `keyed`.
///
/// It waits as long as the error says, else twice as long each time; the call's own time goes on meanwhile. Where the
/// wait would outlast that time, or a minute, the error stands at once: whoever reads it can come back later.
///
/// ```
/// use haft_core::{RetryLayer, Tool, ToolError, ToolRegistry};
/// use std::time::Duration;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let flaky = Tool::builder("flaky")
///     .description("Fails now and then.")
///     .read_only(true)
///     .run(|| async { Err::<String, _>(ToolError::new("busy").retryable(true)) });
/// let registry = ToolRegistry::builder().tool(flaky).layer(RetryLayer::new(3, Duration::from_millis(100))).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RetryLayer {
    attempts: u32,
    wait: Duration,
}

impl RetryLayer {
    /// At most so many attempts in all, the second after `wait`. Zero attempts count as 1.
    pub fn new(attempts: u32, wait: Duration) -> Self {
        Self { attempts: attempts.max(1), wait }
    }
}

/// Whether nobody would be there any more after the wait.
fn outlasts(wait: Duration, deadline: Option<Instant>) -> bool {
    wait > LONGEST
        || deadline.is_some_and(|deadline| deadline.saturating_duration_since(Instant::now()) <= wait)
}

impl<S> Layer<S> for RetryLayer {
    type Service = RetryService<S>;

    fn layer(&self, inner: S) -> RetryService<S> {
        RetryService { layer: *self, inner }
    }
}

/// The service of a [`RetryLayer`].
#[derive(Debug, Clone)]
pub struct RetryService<S> {
    layer: RetryLayer,
    inner: S,
}

impl<S> Service<ToolRequest> for RetryService<S>
where
    S: Service<ToolRequest, Response = ToolOutput, Error = ToolError> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: ToolRequest) -> Self::Future {
        let RetryLayer { attempts, wait } = self.layer;
        // The one that has said it is ready is used first.
        let fresh = self.inner.clone();
        let mut service = std::mem::replace(&mut self.inner, fresh.clone());
        let safe = matches!(request.definition().recovery(), Recovery::Repeat | Recovery::Keyed);
        Box::pin(async move {
            let mut pause = wait;
            for attempt in 1.. {
                let error = match service.call(request.clone()).await {
                    Ok(output) => return Ok(output),
                    Err(error) => error,
                };
                if !safe || attempt >= attempts || !error.is_retryable() {
                    return Err(error);
                }
                let pausing = error.wait_before_retry().unwrap_or(pause);
                if outlasts(pausing, request.context().deadline()) {
                    return Err(error);
                }
                tokio::time::sleep(pausing).await;
                pause = pause.saturating_mul(2);
                request.context().begin_attempt();
                service = fresh.clone();
                std::future::poll_fn(|context| service.poll_ready(context)).await?;
            }
            Err(ToolError::new("no attempt was made"))
        })
    }
}
