//! Gives a failing source a rest: after failures in a row, calls fail at once for a while.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    error::{ErrorCode, ToolError, ToolErrorKind},
    layer::{ToolRequest, later},
    tool::ToolOutput,
};

/// After `failures` in a row, calls fail at once with kind `not-run` until `rest` is over; then one is let through,
/// and its end decides.
///
/// Refusals, and arguments that the function refuses, are no failures of the source; a call whose time was over is one.
/// A call that came to nothing before it reached the source, denied or not run, says nothing about it.
#[derive(Debug, Clone)]
pub struct CircuitBreakerLayer(Arc<Breaker>);

#[derive(Debug)]
struct Breaker {
    failures: u32,
    rest: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    in_a_row: u32,
    closed_until: Option<Instant>,
}

impl CircuitBreakerLayer {
    /// Zero failures count as 1.
    pub fn new(failures: u32, rest: Duration) -> Self {
        Self(Arc::new(Breaker { failures: failures.max(1), rest, state: Mutex::default() }))
    }
}

impl Breaker {
    /// How long calls still fail at once; where that is over, the next ones wait for how this one ends.
    fn refuses(&self) -> Option<Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let until = state.closed_until?;
        let now = Instant::now();
        if until > now {
            return Some(until - now);
        }
        state.closed_until = Some(later(now, self.rest));
        None
    }

    fn note(&self, failed: bool) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !failed {
            *state = State::default();
            return;
        }
        state.in_a_row = state.in_a_row.saturating_add(1);
        if state.in_a_row >= self.failures {
            state.closed_until = Some(later(Instant::now(), self.rest));
        }
    }
}

fn never_reached(error: &ToolError) -> bool {
    matches!(error.kind(), ToolErrorKind::Denied | ToolErrorKind::Rejected | ToolErrorKind::NotRun)
}

/// Notes how a call has ended; one that is dropped once its time is over has failed.
struct Noting {
    breaker: Arc<Breaker>,
    deadline: Option<Instant>,
    noted: bool,
}

impl Noting {
    fn ended(&mut self, failed: bool) {
        self.noted = true;
        self.breaker.note(failed);
    }

    fn says_nothing(&mut self) {
        self.noted = true;
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        if !self.noted && self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            self.breaker.note(true);
        }
    }
}

impl<S> Layer<S> for CircuitBreakerLayer {
    type Service = CircuitBreakerService<S>;

    fn layer(&self, inner: S) -> CircuitBreakerService<S> {
        CircuitBreakerService { breaker: Arc::clone(&self.0), inner }
    }
}

/// The service of a [`CircuitBreakerLayer`].
#[derive(Debug, Clone)]
pub struct CircuitBreakerService<S> {
    breaker: Arc<Breaker>,
    inner: S,
}

impl<S> Service<ToolRequest> for CircuitBreakerService<S>
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
        if let Some(wait) = self.breaker.refuses() {
            let name = &request.definition().name;
            let message =
                format!("{name} has failed several times in a row and is given a rest; it was not run");
            let error = ToolError::of(ErrorCode::NotRun, message).retry_after(wait);
            return Box::pin(std::future::ready(Err(error)));
        }
        let fresh = self.inner.clone();
        let mut service = std::mem::replace(&mut self.inner, fresh);
        let (breaker, deadline) = (Arc::clone(&self.breaker), request.context().deadline());
        let mut noting = Noting { breaker, deadline, noted: false };
        Box::pin(async move {
            let outcome = service.call(request).await;
            let failed = |error: &ToolError| {
                error.refused().is_none()
                    && error.suspension().is_none()
                    && error.kind() != ToolErrorKind::Validation
            };
            match &outcome {
                Err(error) if never_reached(error) => noting.says_nothing(),
                outcome => noting.ended(outcome.as_ref().err().is_some_and(failed)),
            }
            outcome
        })
    }
}
