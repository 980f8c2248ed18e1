//! Third stage: a function that may run is started, and polled once where it stands.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};
use tokio_util::sync::CancellationToken;

use crate::{
    dispatch::{
        Scope,
        builder::Settings,
        guard::{Guarded, guarded},
        lanes::Slots,
        machine::Stop,
        policy::AuthorizedCall,
        presence::{Presence, PresenceGuard},
        seal::Ended,
        supervisor::Supervisor,
    },
    error::ToolError,
    event::EventBody,
    message::{ToolCall, ToolCallId},
    registry::Registered,
    schema::Repair,
    tool::{CallInput, ContextSource, Outcome, Started},
};

/// What stands around a call that is about to run.
pub(super) struct Place<'a> {
    pub(super) call: &'a Arc<ToolCall>,
    pub(super) position: usize,
    pub(super) scope: &'a Arc<Scope>,
    pub(super) settings: &'a Settings,
}

/// What is known of a call beside how it ends.
pub(super) struct Known {
    pub(super) registered: Arc<Registered>,
    pub(super) repaired: Vec<Repair>,
}

/// A function that has been started.
pub(super) enum Begun {
    /// It ended at once.
    Done(Outcome),
    /// It runs.
    Running(Running),
}

/// A function that runs and has to be waited for.
pub(super) struct Running {
    pub(super) work: Work,
    /// The token that the function holds, if it asked for one.
    pub(super) token: Option<CancellationToken>,
    pub(super) deadline: Option<Instant>,
    pub(super) presence: Arc<Presence>,
}

pub(super) enum Work {
    Future(Guarded),
    Thread(oneshot::Receiver<Outcome>),
}

/// Runs one call that stands alone, to its end.
pub(super) async fn one(authorized: AuthorizedCall, place: &Place<'_>) -> Ended {
    let Place { scope, settings, .. } = *place;
    let permits = authorized.validated().registered.permits.clone();
    let slots = tokio::select! {
        biased;
        slots = Slots::acquire(permits.as_ref(), &settings.slots) => slots,
        () = scope.token.cancelled() => return Ended::not_run(Known::of(authorized), Stop::Cancelled),
    };
    let (known, begun) = begin(authorized, place);
    let running = match begun {
        Begun::Done(outcome) => return Ended::by_itself(known, outcome),
        Begun::Running(running) => running,
    };
    let mut supervisor = Supervisor::new(settings.grace);
    supervisor.add(0, running, slots);
    loop {
        tokio::select! {
            biased;
            ended = supervisor.next() => {
                if let Some((_, ending)) = ended {
                    return Ended::of(known, ending, place);
                }
            }
            () = scope.token.cancelled(), if !supervisor.is_stopping(0) => supervisor.stop(0, Stop::Cancelled),
        }
    }
}

/// Starts a function: its parameters are made, it is polled once.
pub(super) fn begin(authorized: AuthorizedCall, place: &Place<'_>) -> (Known, Begun) {
    let validated = authorized.into_inner();
    let (registered, arguments) = (validated.registered, validated.arguments);
    let deadline = limit(&registered, place.settings).map(|limit| Instant::now() + limit);
    let source = ContextSource {
        scope: Arc::clone(place.scope),
        id: place.call.id.clone(),
        tool: registered.tool.definition().name.clone(),
        position: place.position,
        attempt: 1,
        deadline,
    };
    place.scope.events.emit(|| EventBody::Executing { tool_call_id: place.call.id.clone() });
    let mut input = CallInput::new(arguments.value, source);
    let started = guarded(|| registered.run.start(&mut input));
    let token = input.token_in_use().cloned();
    let begun = match started {
        Err(error) => Begun::Done(Err(error)),
        Ok(Started::Done(outcome)) => Begun::Done(outcome),
        Ok(Started::Future(future)) => poll_once(Guarded::new(future), token, deadline, place),
        Ok(Started::Blocking(job)) => Begun::Running(on_a_thread(job, token, deadline, place)),
    };
    (Known { registered, repaired: arguments.repaired }, begun)
}

impl Known {
    pub(super) fn of(authorized: AuthorizedCall) -> Self {
        let validated = authorized.into_inner();
        Self { registered: validated.registered, repaired: validated.arguments.repaired }
    }
}

fn limit(registered: &Registered, settings: &Settings) -> Option<Duration> {
    registered.tool.definition().timeout.or(settings.call_timeout)
}

/// Most functions end here: no task, no timer and no count has come into being.
fn poll_once(
    mut future: Guarded,
    token: Option<CancellationToken>,
    deadline: Option<Instant>,
    place: &Place<'_>,
) -> Begun {
    // Whoever waits for it polls it again, with a waker of its own.
    match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Begun::Done(outcome),
        Poll::Pending => {
            let presence = Presence::running(&place.settings.presence);
            Begun::Running(Running { work: Work::Future(future), token, deadline, presence })
        }
    }
}

fn on_a_thread(
    job: Box<dyn FnOnce() -> Outcome + Send>,
    token: Option<CancellationToken>,
    deadline: Option<Instant>,
    place: &Place<'_>,
) -> Running {
    let presence = Presence::queued(&place.settings.presence);
    let (sender, receiver) = oneshot::channel();
    let (kept, scope, id) = (Arc::clone(&presence), Arc::clone(place.scope), place.call.id.clone());
    place.settings.pool.submit(move || {
        let guard = PresenceGuard(kept);
        if !guard.0.begin() {
            return;
        }
        let outcome = guarded(job).unwrap_or_else(Err);
        if guard.0.end() {
            late(&scope, id, &outcome);
        } else {
            let _ = sender.send(outcome);
        }
    });
    Running { work: Work::Thread(receiver), token, deadline, presence }
}

/// Says that a function which was left behind has ended.
fn late(scope: &Scope, tool_call_id: ToolCallId, outcome: &Outcome) {
    let is_error = outcome.is_err();
    scope.events.emit(|| EventBody::Late { tool_call_id, is_error });
}

/// The error of a function whose thread could not be had.
pub(super) fn no_thread() -> ToolError {
    ToolError::new("no thread could be started for the tool").retryable(true)
}
