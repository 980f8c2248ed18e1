//! Lets so many calls through in a time; unlike tower's own it can be cloned, and counts for all clones together.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    sync::Mutex as Line,
    time::{Instant, sleep_until},
};
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::{ErrorCode, ToolError},
    layer::{ToolRequest, later},
    tool::ToolOutput,
};

/// Lets at most so many calls begin in any stretch of time; others wait their turn.
///
/// One whose turn would come only when its own time is over ends at once, with kind `not-run` and the time after which
/// it can be tried again. One that is given up while it waits costs the others nothing. Put on one tool the layer counts that
/// tool's calls; put on a registry, those of all its tools.
#[derive(Debug, Clone)]
pub struct RateLimitLayer(Arc<Limit>);

#[derive(Debug)]
struct Limit {
    calls: usize,
    per: Duration,
    /// Whoever waits stands here, the first one until it may begin; one who leaves takes nothing with it.
    line: Line<()>,
    /// When the latest calls began, the earliest first.
    begun: Mutex<VecDeque<Instant>>,
}

impl RateLimitLayer {
    /// At most `calls` in any `per`. Zero calls count as 1.
    pub fn new(calls: usize, per: Duration) -> Self {
        Self(Arc::new(Limit { calls: calls.max(1), per, line: Line::default(), begun: Mutex::default() }))
    }
}

impl Limit {
    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the next call may begin, if that is not now.
    fn next(&self) -> Option<Instant> {
        let begun = self.begun();
        let first = begun.front().filter(|_| begun.len() >= self.calls)?;
        Some(later(*first, self.per)).filter(|next| *next > Instant::now())
    }

    /// Waits until a call may begin, and counts it.
    async fn wait(&self) {
        let _first = self.line.lock().await;
        while let Some(next) = self.next() {
            sleep_until(next).await;
        }
        let now = Instant::now();
        let mut begun = self.begun();
        // What is too long ago says nothing any more; a high limit keeps no more than what it has to know.
        while begun.len() >= self.calls || begun.front().is_some_and(|first| later(*first, self.per) <= now) {
            begun.pop_front();
        }
        begun.push_back(now);
    }

    /// How long a call would have to wait at least, where its own time is over by then.
    fn is_too_late(&self, deadline: Option<Instant>) -> Option<Duration> {
        let next = self.next()?;
        deadline.filter(|deadline| *deadline <= next)?;
        Some(next.saturating_duration_since(Instant::now()))
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
        let limit = Arc::clone(&self.limit);
        if let Some(wait) = limit.is_too_late(request.context().deadline()) {
            let (name, Limit { calls, per, .. }) = (&request.definition().name, &*limit);
            let message = format!(
                "{name} was not run: {calls} calls in {per:?} are allowed, and its turn would come too late"
            );
            let error = ToolError::of(ErrorCode::NotRun, message).retry_after(wait);
            return Box::pin(std::future::ready(Err(error)));
        }
        Box::pin(async move {
            limit.wait().await;
            service.call(request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_more_is_kept_than_has_to_be_known() {
        let layer = RateLimitLayer::new(usize::MAX, Duration::from_secs(10));
        for _ in 0..1_000 {
            layer.0.wait().await;
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(layer.0.begun().len(), 10);
        let layer = RateLimitLayer::new(3, Duration::MAX);
        for _ in 0..3 {
            layer.0.wait().await;
        }
        assert!(layer.0.next().is_some() && layer.0.begun().len() == 3);
    }
}
