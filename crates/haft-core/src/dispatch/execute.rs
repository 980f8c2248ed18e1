//! Third stage: a function that may run is started, and polled once where it stands.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use serde_json::Value;
use tokio::{runtime::Handle, sync::oneshot, time::Instant};

use crate::{
    ask::Answer,
    dispatch::{
        Scope,
        abandoned::Abandoned,
        builder::Settings,
        deadline,
        guard::{Guarded, guarded},
        lanes::Slots,
        machine::Stop,
        policy::AuthorizedCall,
        presence::{Presence, PresenceGuard},
        seal::{self, Ended},
        supervisor::{Ending, Supervisor},
        validate::ValidatedCall,
    },
    error::ToolError,
    event::EventBody,
    message::{ToolCall, ToolCallId},
    registry::Registered,
    schema::Repair,
    tool::{CallInput, ContextSource, Outcome, Probe, Probed, Started, ToolContext},
};

/// What stands around a call that is about to run.
pub(super) struct Place<'a> {
    pub(super) call: &'a Arc<ToolCall>,
    pub(super) position: usize,
    pub(super) scope: &'a Arc<Scope>,
    pub(super) settings: &'a Settings,
    /// The call inside of which this one is made.
    pub(super) parent: Option<&'a ToolContext>,
}

/// What is known of a call beside how it ends.
pub(super) struct Known {
    pub(super) registered: Arc<Registered>,
    pub(super) repaired: Vec<Repair>,
    /// The effective arguments, where hooks want to see them.
    pub(super) arguments: Option<Arc<Value>>,
}

/// What a call that is begun again knows of its earlier runs.
pub(super) struct Again {
    pub(super) attempt: u32,
    pub(super) answers: Arc<[(String, Answer)]>,
    /// The tool is asked first what has happened.
    pub(super) probe: bool,
}

impl Again {
    /// A call that was never begun.
    pub(super) fn first() -> Self {
        Self { attempt: 1, answers: Arc::default(), probe: false }
    }
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
    /// What the function can learn of its call, if it asked for that.
    pub(super) context: Option<ToolContext>,
    pub(super) deadline: Option<Instant>,
    pub(super) presence: Arc<Presence>,
}

pub(super) enum Work {
    Future(Guarded),
    Thread(oneshot::Receiver<Outcome>),
}

/// Runs one call that stands alone, to its end.
pub(super) async fn one(
    authorized: AuthorizedCall,
    place: &Place<'_>,
    abandoned: &mut Abandoned<'_>,
) -> Ended {
    let Place { scope, settings, .. } = *place;
    let permits = authorized.validated().registered.permits.clone();
    let key = settings.keys.semaphore(authorized.validated());
    let slots = tokio::select! {
        biased;
        () = scope.token.cancelled() => None,
        slots = Slots::acquire(key, permits, &settings.slots) => Some(slots),
    };
    let Some(slots) = slots else {
        return Ended::not_run(Known::of(authorized), Stop::Cancelled);
    };
    with_slots(authorized, slots, place, Some(abandoned)).await
}

/// Runs one call that has its slots, to its end.
pub(super) async fn with_slots(
    authorized: AuthorizedCall,
    slots: Slots,
    place: &Place<'_>,
    abandoned: Option<&mut Abandoned<'_>>,
) -> Ended {
    let (known, begun) = begin(authorized, place, Again::first());
    match begun {
        Begun::Done(outcome) => Ended::by_itself(known, outcome),
        Begun::Running(running) if Handle::try_current().is_err() => {
            running.give_up();
            Ended::by_itself(known, Err(no_runtime()))
        }
        Begun::Running(running) => {
            if let Some(abandoned) = abandoned {
                abandoned.begun();
            }
            Ended::of(known, supervised(running, slots, place).await, place)
        }
    }
}

async fn supervised(running: Running, slots: Slots, place: &Place<'_>) -> Ending {
    let Place { scope, settings, .. } = *place;
    let mut supervisor = Supervisor::new(settings.grace);
    supervisor.add(0, running, slots);
    loop {
        tokio::select! {
            biased;
            () = scope.token.cancelled(), if !supervisor.is_stopping(0) => supervisor.stop(0, Stop::Cancelled),
            ended = supervisor.next() => {
                if let Some((_, ending)) = ended {
                    return ending;
                }
            }
        }
    }
}

/// Starts a function: its parameters are made, it is polled once.
pub(super) fn begin(authorized: AuthorizedCall, place: &Place<'_>, again: Again) -> (Known, Begun) {
    let validated = authorized.into_inner();
    let (registered, arguments) = (validated.registered, validated.arguments);
    let deadline = limit(&registered, place.settings).and_then(deadline::after);
    let source = ContextSource {
        scope: Arc::clone(place.scope),
        id: place.call.id.clone(),
        tool: registered.tool.definition().name.clone(),
        position: place.position,
        attempt: again.attempt,
        deadline: deadline.into_iter().chain(place.scope.deadline).min(),
        answers: again.answers,
        parent: place.parent.cloned(),
    };
    place.scope.events.emit(|| EventBody::Executing { tool_call_id: place.call.id.clone() });
    let seen = (!place.settings.hooks.is_empty()).then(|| Arc::new(arguments.value.clone()));
    let mut input = CallInput::new(arguments.value, source);
    let started = match registered.tool.0.probe.as_ref().filter(|_| again.probe) {
        None => guarded(|| registered.run.start(&mut input)),
        Some(probe) => Ok(Started::Future(probed(probe, &registered, &mut input, place))),
    };
    let context = input.into_context();
    let begun = match started {
        Err(error) => Begun::Done(Err(error)),
        Ok(Started::Done(outcome)) => Begun::Done(outcome),
        Ok(Started::Future(future)) => poll_once(Guarded::new(future), context, deadline, place),
        Ok(Started::Blocking(job)) => Begun::Running(on_a_thread(job, context, deadline, place)),
    };
    (Known { registered, repaired: arguments.repaired, arguments: seen }, begun)
}

impl Place<'_> {
    /// Says that the call is known.
    pub(super) fn started(&self) {
        self.scope.events.emit(|| EventBody::Started { call: Arc::clone(self.call) });
    }

    /// The name that the model called, where it is not the tool's.
    pub(super) fn called(&self, tool_name: &str) -> Option<Arc<str>> {
        (self.call.name != tool_name).then(|| self.call.name.as_str().into())
    }
}

/// Asks the tool what has happened; only where nothing has does its function run.
fn probed(
    probe: &Arc<dyn Probe>,
    registered: &Arc<Registered>,
    input: &mut CallInput,
    place: &Place<'_>,
) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
    let (registered, pool) = (Arc::clone(registered), place.settings.pool.clone());
    let (arguments, context) = (input.arguments().clone(), input.request().context());
    let asked = probe.probe(arguments.clone(), context.clone());
    Box::pin(async move {
        match asked.await? {
            Probed::Done(output) => return Ok(output),
            Probed::Unknown => return Err(seal::interrupted(registered.tool.name())),
            Probed::NotDone => {}
        }
        match registered.run.start(&mut CallInput::alone(arguments, context)) {
            Started::Done(outcome) => outcome,
            Started::Future(future) => future.await,
            Started::Blocking(job) => {
                let (sender, receiver) = oneshot::channel();
                pool.submit(move || drop(sender.send(guarded(job).unwrap_or_else(Err))));
                receiver.await.unwrap_or_else(|_| Err(no_thread()))
            }
        }
    })
}

impl Known {
    pub(super) fn of(authorized: AuthorizedCall) -> Self {
        Self::of_validated(authorized.into_inner())
    }

    pub(super) fn of_validated(validated: ValidatedCall) -> Self {
        let arguments = Some(Arc::new(validated.arguments.value));
        Self { registered: validated.registered, repaired: validated.arguments.repaired, arguments }
    }

    pub(super) fn of_tool(registered: Arc<Registered>) -> Self {
        Self { registered, repaired: Vec::new(), arguments: None }
    }
}

fn limit(registered: &Registered, settings: &Settings) -> Option<Duration> {
    registered.tool.definition().timeout.or(settings.call_timeout)
}

/// Most functions end here: no task, no timer and no count has come into being.
fn poll_once(
    mut future: Guarded,
    context: Option<ToolContext>,
    deadline: Option<Instant>,
    place: &Place<'_>,
) -> Begun {
    // Whoever waits for it polls it again, with a waker of its own.
    match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Begun::Done(outcome),
        Poll::Pending => {
            let presence = Presence::running(&place.settings.presence);
            Begun::Running(Running { work: Work::Future(future), context, deadline, presence })
        }
    }
}

fn on_a_thread(
    job: Box<dyn FnOnce() -> Outcome + Send>,
    context: Option<ToolContext>,
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
    Running { work: Work::Thread(receiver), context, deadline, presence }
}

/// Says that a function which was left behind has ended.
fn late(scope: &Scope, tool_call_id: ToolCallId, outcome: &Outcome) {
    let is_error = outcome.is_err();
    scope.events.emit(|| EventBody::Late { tool_call_id, is_error });
}

impl Running {
    /// Ends a function that nobody can wait for.
    fn give_up(self) {
        match self.work {
            Work::Future(future) => {
                drop(future);
                self.presence.end();
            }
            Work::Thread(_) => {
                self.presence.leave();
            }
        }
    }
}

/// The error of a function that has to be waited for where nothing can wait.
fn no_runtime() -> ToolError {
    ToolError::new(
        "the tool has to be waited for, and there is no tokio runtime: call it inside of one; what it did is not known",
    )
}

/// The error of a function whose thread could not be had.
pub(super) fn no_thread() -> ToolError {
    ToolError::new("no thread could be started for the tool").retryable(true)
}
