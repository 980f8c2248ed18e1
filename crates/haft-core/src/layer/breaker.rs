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
/// A call that came to nothing before it reached the source, denied or not run, says nothing about it, and where it was
/// the one that is let through, the next one is.
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
    /// Lets a call through, or says how long calls still fail at once. Where that is over, the next ones wait for how this
    /// one ends: until when at most.
    fn admits(&self) -> Result<Option<Instant>, Duration> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(until) = state.closed_until else { return Ok(None) };
        let now = Instant::now();
        if until > now {
            return Err(until - now);
        }
        state.closed_until = Some(later(now, self.rest));
        Ok(state.closed_until)
    }

    /// The one that was let through says nothing: the next one is let through in its place.
    fn take_back(&self, trial: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed_until == Some(trial) {
            state.closed_until = Some(Instant::now());
        }
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
    /// Until when others wait for how it ends.
    trial: Option<Instant>,
    noted: bool,
}

impl Noting {
    fn ended(&mut self, failed: bool) {
        self.noted = true;
        self.breaker.note(failed);
    }

    fn says_nothing(&mut self) {
        self.noted = true;
        if let Some(trial) = self.trial {
            self.breaker.take_back(trial);
        }
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        if self.noted {
            return;
        }
        if self.deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            self.breaker.note(true);
        } else {
            self.says_nothing();
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
        let trial = match self.breaker.admits() {
            Ok(trial) => trial,
            Err(wait) => {
                let name = &request.definition().name;
                let message =
                    format!("{name} has failed several times in a row and is given a rest; it was not run");
                let error = ToolError::of(ErrorCode::NotRun, message).retry_after(wait);
                return Box::pin(std::future::ready(Err(error)));
            }
        };
        let fresh = self.inner.clone();
        let mut service = std::mem::replace(&mut self.inner, fresh);
        let (breaker, deadline) = (Arc::clone(&self.breaker), request.context().deadline());
        let mut noting = Noting { breaker, deadline, trial, noted: false };
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
