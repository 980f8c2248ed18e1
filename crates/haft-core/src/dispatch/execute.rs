//! Third stage: a function that may run is started, and mostly polled once where it stands.

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
        abandoned::Abandoned,
        builder::Settings,
        deadline,
        gate::Gate,
        guard::{Guarded, guarded},
        lanes::Slots,
        machine::Stop,
        place::Place,
        policy::AuthorizedCall,
        presence::Presence,
        seal::{self, Ended},
        supervisor::{Ending, Supervisor},
        threads::{on_a_thread, on_a_thread_within},
        validate::{UnreadCall, ValidatedCall},
    },
    error::ToolError,
    event::EventBody,
    registry::Registered,
    schema::Repair,
    tool::{
        CallInput, ContextSource, Effective, MakesContext, Outcome, Probe, Probed, Started, States,
        ToolContext, Unread,
    },
};

/// What is known of a call beside how it ends.
pub(super) struct Known<'t> {
    pub(super) registered: &'t Arc<Registered>,
    pub(super) repaired: Vec<Repair>,
    /// The effective arguments, where hooks want to see them.
    pub(super) arguments: Option<Arc<Value>>,
    /// What was returned is the function's own: no layer stood between, and no probe was asked.
    pub(super) own_output: bool,
    /// What the function has learned and asked, where that is recorded.
    pub(super) context: Option<ToolContext>,
}

/// What a call that is begun again knows of its earlier runs.
pub(super) struct Again {
    pub(super) attempt: u32,
    pub(super) answers: Option<Arc<[(String, Answer)]>>,
    /// The tool is asked first what has happened.
    pub(super) probe: bool,
}

impl Again {
    /// A call that was never begun.
    pub(super) fn first() -> Self {
        Self { attempt: 1, answers: None, probe: false }
    }
}

/// Where a future is polled first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstPoll {
    /// At once: most end there.
    Here,
    /// In its own task, beside the others.
    InItsTask,
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
}

pub(super) enum Work {
    Future(Guarded),
    /// On a thread of the pool, which leaves the outcome.
    Thread(oneshot::Receiver<Outcome>, Arc<Presence>),
}

/// Runs one call that stands alone, to its end.
pub(super) async fn one(
    authorized: AuthorizedCall<'_>,
    place: &Place<'_>,
    abandoned: &mut Abandoned<'_>,
) -> Ended {
    let validated = authorized.validated();
    let (key, permits) = (place.settings.keys.gate(validated), validated.registered.permits.as_ref());
    let Some(slots) = waited_for_slots(key, permits, place).await else {
        return Ended::not_run(Known::of(authorized), Stop::Cancelled);
    };
    with_slots(authorized, slots, place, abandoned).await
}

/// Runs one call that has its slots, to its end.
pub(super) async fn with_slots(
    authorized: AuthorizedCall<'_>,
    slots: Slots<'_>,
    place: &Place<'_>,
    abandoned: &mut Abandoned<'_>,
) -> Ended {
    let (known, begun) = begin(authorized, place, &Again::first(), FirstPoll::Here);
    match begun {
        Begun::Done(outcome) => Ended::by_itself(known, outcome),
        Begun::Running(running) if Handle::try_current().is_err() => {
            running.give_up();
            Ended::by_itself(known, Err(no_runtime()))
        }
        Begun::Running(running) => {
            abandoned.begun();
            Ended::of(known, supervised(running, slots, place).await, place)
        }
    }
}

/// The slots of a call; none when it is told to end first.
async fn waited_for_slots<'t>(
    key: Option<Arc<Gate>>,
    permits: Option<&'t Arc<Gate>>,
    place: &Place<'t>,
) -> Option<Slots<'t>> {
    tokio::select! {
        biased;
        () = place.cancelled() => None,
        slots = Slots::acquire(key, permits, &place.settings.slots) => Some(slots),
    }
}

/// Waits for a function that runs.
pub(super) async fn supervised(running: Running, slots: Slots<'_>, place: &Place<'_>) -> Ending {
    let mut supervisor = Supervisor::new(place.settings, 1);
    supervisor.add(0, running, slots);
    loop {
        tokio::select! {
            biased;
            () = place.cancelled(), if !supervisor.is_stopping(0) => supervisor.stop(0, Stop::Cancelled),
            ended = supervisor.next() => {
                if let Some((_, ending)) = ended {
                    return ending;
                }
            }
        }
    }
}

/// Starts a function: its parameters are made, and mostly it is polled once.
pub(super) fn begin<'t>(
    authorized: AuthorizedCall<'t>,
    place: &Place<'_>,
    again: &Again,
    first_poll: FirstPoll,
) -> (Known<'t>, Begun) {
    let validated = authorized.into_inner();
    let (registered, arguments) = (validated.registered, validated.arguments);
    let deadline = limit(registered, place.settings).and_then(deadline::after);
    let surroundings = Surroundings { place, registered, again, deadline };
    // One that needs a thread begins when it has one.
    if again.probe || !registered.run.is_blocking() {
        place.emit(|| EventBody::Executing { tool_call_id: place.id().clone() });
    }
    let seen = place.settings.has_hooks().then(|| Arc::new(arguments.value().cloned().unwrap_or_default()));
    let mut input = CallInput::new(arguments.effective, &surroundings);
    let started = match registered.tool.0.probe.as_ref().filter(|_| again.probe) {
        None => guarded(|| registered.run.start(&mut input)),
        Some(probe) => Ok(Started::Future(probed(probe, registered, &mut input, place))),
    };
    let context = input.into_context();
    let recorded = context.clone().filter(|_| place.settings.has_journal());
    let begun = match started {
        Ok(Started::Future(future)) if first_poll == FirstPoll::InItsTask => {
            Begun::Running(Running { work: Work::Future(Guarded::new(future)), context, deadline })
        }
        started => begun(started, context, deadline, place),
    };
    let own_output = registered.run.reader().is_some() && !again.probe;
    (
        Known { registered, repaired: arguments.repaired, arguments: seen, own_output, context: recorded },
        begun,
    )
}

/// Starts a function that reads its arguments itself; none where it could not plainly read them, and has not run.
pub(super) fn begin_unread<'t>(call: UnreadCall<'t>, place: &Place<'_>) -> Option<(Known<'t>, Begun)> {
    let registered = call.into_registered();
    let deadline = limit(registered, place.settings).and_then(deadline::after);
    let again = Again::first();
    let surroundings = Surroundings { place, registered, again: &again, deadline };
    let unread = Unread::new(&registered.tool.definition().input, place.arguments());
    let mut input = CallInput::unread(unread, &surroundings);
    let started = guarded(|| registered.run.start(&mut input));
    if input.is_undecided() {
        return None;
    }
    let begun = begun(started, input.into_context(), deadline, place);
    let known = Known { own_output: true, ..Known::of_tool(registered) };
    Some((known, begun))
}

/// What came of the start.
fn begun(
    started: Result<Started, ToolError>,
    context: Option<ToolContext>,
    deadline: Option<Instant>,
    place: &Place<'_>,
) -> Begun {
    match started {
        Err(error) => Begun::Done(Err(error)),
        Ok(Started::Done(outcome)) => Begun::Done(outcome),
        Ok(Started::Future(future)) => poll_once(Guarded::new(future), context, deadline),
        Ok(Started::Blocking(job)) => Begun::Running(on_a_thread(job, context, deadline, place)),
    }
}

/// What a function can learn of its call, put together when it asks.
struct Surroundings<'a> {
    place: &'a Place<'a>,
    registered: &'a Registered,
    again: &'a Again,
    deadline: Option<Instant>,
}

impl MakesContext for Surroundings<'_> {
    fn context(&self) -> ToolContext {
        let place = self.place;
        ToolContext::new(ContextSource {
            scope: Arc::clone(place.scope()),
            id: place.id().clone(),
            tool: self.registered.tool.definition().name.clone(),
            position: place.position,
            attempt: self.again.attempt,
            deadline: self.deadline.into_iter().chain(place.deadline()).min(),
            answers: self.again.answers.clone().unwrap_or_default(),
            parent: place.parent.map(|(parent, _)| parent.clone()),
            number: place.parent.map_or(0, |(_, number)| number),
        })
    }

    fn extensions(&self) -> &States {
        self.place.extensions()
    }
}

/// Asks the tool what has happened; only where nothing has does its function run.
fn probed(
    probe: &Arc<dyn Probe>,
    registered: &Arc<Registered>,
    input: &mut CallInput<'_>,
    place: &Place<'_>,
) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
    let (registered, settings) = (Arc::clone(registered), Arc::clone(place.settings));
    let (arguments, context) = (input.value().cloned().unwrap_or_default(), input.request().context());
    let probe = Arc::clone(probe);
    Box::pin(async move {
        match probe.probe(arguments.clone(), context.clone()).await? {
            Probed::Done(output) => return Ok(output),
            Probed::Unknown => return Err(seal::interrupted(registered.tool.name())),
            Probed::NotDone => {}
        }
        match registered.run.start(&mut CallInput::new(Effective::Value(arguments), &context)) {
            Started::Done(outcome) => outcome,
            Started::Future(future) => future.await,
            Started::Blocking(job) => on_a_thread_within(job, &context, &settings).await,
        }
    })
}

impl<'t> Known<'t> {
    pub(super) fn of(authorized: AuthorizedCall<'t>) -> Self {
        Self::of_validated(authorized.into_inner())
    }

    pub(super) fn of_validated(validated: ValidatedCall<'t>) -> Self {
        let arguments = validated.arguments.effective.into_value().map(Arc::new);
        let (registered, repaired) = (validated.registered, validated.arguments.repaired);
        Self { registered, repaired, arguments, own_output: false, context: None }
    }

    pub(super) fn of_tool(registered: &'t Arc<Registered>) -> Self {
        Self { registered, repaired: Vec::new(), arguments: None, own_output: false, context: None }
    }
}

/// How long a call of the tool may take.
pub(super) fn limit(registered: &Registered, settings: &Settings) -> Option<Duration> {
    registered.tool.definition().timeout.or(settings.call_timeout)
}

/// Most functions end here: no task, no timer and no count has come into being.
fn poll_once(mut future: Guarded, context: Option<ToolContext>, deadline: Option<Instant>) -> Begun {
    // Whoever waits for it polls it again, with a waker of its own.
    match Pin::new(&mut future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Begun::Done(outcome),
        Poll::Pending => Begun::Running(Running { work: Work::Future(future), context, deadline }),
    }
}

impl Running {
    /// Ends a function that nobody can wait for.
    pub(super) fn give_up(self) {
        match self.work {
            Work::Future(future) => drop(future),
            Work::Thread(_, presence) => {
                presence.leave();
            }
        }
    }
}

/// The error of a function that has to be waited for where nothing can wait.
pub(super) fn no_runtime() -> ToolError {
    ToolError::new(
        "the tool has to be waited for, and there is no tokio runtime: call it inside of one; what it did is not known",
    )
}
