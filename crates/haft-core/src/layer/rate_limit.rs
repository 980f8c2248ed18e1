//! Lets so many calls through in a time; unlike tower's own it can be cloned, and counts for all clones together.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, sleep_until};
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::ToolError,
    layer::{ToolRequest, later},
    tool::ToolOutput,
};

/// Lets at most so many calls begin in any stretch of time; others wait their turn, within their own time.
///
/// Put on one tool it counts that tool's calls; put on a registry, those of all its tools.
#[derive(Debug, Clone)]
pub struct RateLimitLayer(Arc<Limit>);

#[derive(Debug)]
struct Limit {
    calls: usize,
    per: Duration,
    /// When the latest calls begin, the earliest first.
    begun: Mutex<VecDeque<Instant>>,
}

impl RateLimitLayer {
    /// At most `calls` in any `per`. Zero calls count as 1.
    pub fn new(calls: usize, per: Duration) -> Self {
        Self(Arc::new(Limit { calls: calls.max(1), per, begun: Mutex::default() }))
    }
}

impl Limit {
    /// The next free place in time, taken.
    fn book(&self) -> Instant {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let at = match begun.front() {
            Some(first) if begun.len() >= self.calls => now.max(later(*first, self.per)),
            _ => now,
        };
        if begun.len() >= self.calls {
            begun.pop_front();
        }
        begun.push_back(at);
        at
    }
}

impl<S> Layer<S> for RateLimitLayer {
    type Service = RateLimitService<S>;

    fn layer(&self, inner: S) -> RateLimitService<S> {
        RateLimitService { limit: Arc::clone(&self.0), inner }
    }
}

/// The service of a [`RateLimitLayer`].
#[derive(Debug, Clone)]
pub struct RateLimitService<S> {
    limit: Arc<Limit>,
    inner: S,
}

impl<S> Service<ToolRequest> for RateLimitService<S>
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
        let fresh = self.inner.clone();
        let mut service = std::mem::replace(&mut self.inner, fresh);
        let at = self.limit.book();
        Box::pin(async move {
            if at > Instant::now() {
                sleep_until(at).await;
            }
            service.call(request).await
        })
    }
}
