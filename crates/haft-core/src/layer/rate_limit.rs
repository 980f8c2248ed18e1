//! Lets so many calls through in a time; unlike tower's own it can be cloned, and counts for all clones together.

use std::{
    collections::VecDeque,
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
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
/// One whose turn would come only when its own time is over, as many as wait before it, ends at once, with kind `not-run` and
/// the time after which it can be tried again. One that is given up while it waits costs the others nothing. Put on one tool the layer counts that
/// tool's calls; put on a registry, those of all its tools.
#[derive(Debug, Clone)]
pub struct RateLimitLayer(Arc<Limit>);

#[derive(Debug)]
struct Limit {
    calls: usize,
    per: Duration,
    /// Whoever waits stands here, the first one until it may begin; one who leaves takes nothing with it.
    line: Line<()>,
    /// As many stand there; one begins under the lock of `begun`, and is never counted twice.
    waiting: AtomicUsize,
    /// When the latest calls began, the earliest first.
    begun: Mutex<VecDeque<Instant>>,
}

impl RateLimitLayer {
    /// At most `calls` in any `per`. Zero calls count as 1.
    pub fn new(calls: usize, per: Duration) -> Self {
        let calls = calls.max(1);
        Self(Arc::new(Limit {
            calls,
            per,
            line: Line::default(),
            waiting: AtomicUsize::new(0),
            begun: Mutex::default(),
        }))
    }
}

impl Limit {
    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When a call may begin that so many others wait before, if that is not now.
    fn turn(&self, begun: &VecDeque<Instant>, ahead: usize) -> Option<Instant> {
        let place = begun.len().saturating_add(ahead).checked_sub(self.calls)?;
        let now = Instant::now();
        // One that has not begun yet begins now at the earliest.
        let before = begun.get(place % self.calls).copied().unwrap_or(now);
        let rounds = u32::try_from(place / self.calls).unwrap_or(u32::MAX);
        let turn = later(later(before, self.per).max(now), self.per.saturating_mul(rounds));
        Some(turn).filter(|turn| *turn > now)
    }

    /// Waits until a call may begin, and counts it; how long it would have to wait at least, where its own time is over by
    /// then.
    async fn wait(&self, deadline: Option<Instant>) -> Result<(), Duration> {
        let in_time =
            |turn: Option<Instant>| match turn.filter(|turn| deadline.is_some_and(|end| end <= *turn)) {
                Some(turn) => Err(turn.saturating_duration_since(Instant::now())),
                None => Ok(turn),
            };
        let place = {
            let begun = self.begun();
            let (place, ahead) = Place::behind(&self.waiting);
            in_time(self.turn(&begun, ahead))?;
            place
        };
        let _first = self.line.lock().await;
        loop {
            let turn = self.turn(&self.begun(), 0);
            let Some(turn) = in_time(turn)? else { break };
            sleep_until(turn).await;
        }
        let now = Instant::now();
        let mut begun = self.begun();
        // What is too long ago says nothing any more; a high limit keeps no more than what it has to know.
        while begun.len() >= self.calls || begun.front().is_some_and(|first| later(*first, self.per) <= now) {
            begun.pop_front();
        }
        begun.push_back(now);
        drop(place);
        Ok(())
    }
}

/// A place in the line; free again when it is dropped.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    /// The last place, and how many are before it.
    fn behind(waiting: &'a AtomicUsize) -> (Self, usize) {
        let ahead = waiting.fetch_add(1, Ordering::Relaxed);
        (Self(waiting), ahead)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
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
        Box::pin(async move {
            if let Err(wait) = limit.wait(request.context().deadline()).await {
                let (name, Limit { calls, per, .. }) = (&request.definition().name, &*limit);
                let message = format!(
                    "{name} was not run: {calls} calls in {per:?} are allowed, and its turn would come too late"
                );
                return Err(ToolError::of(ErrorCode::NotRun, message).retry_after(wait));
            }
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
            layer.0.wait(None).await.unwrap();
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        assert_eq!(layer.0.begun().len(), 10);
        let layer = RateLimitLayer::new(3, Duration::MAX);
        for _ in 0..3 {
            layer.0.wait(None).await.unwrap();
        }
        assert!(layer.0.turn(&layer.0.begun(), 0).is_some() && layer.0.begun().len() == 3);
    }
}
