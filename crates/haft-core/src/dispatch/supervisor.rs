//! Waits for functions that run, bounds them in time, and leaves behind those that do not end.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use foldhash::fast::RandomState;
use tokio::{
    runtime::Handle,
    task::{AbortHandle, JoinError, JoinSet},
    time::{Instant, sleep_until, timeout},
};

use crate::{
    dispatch::{
        deadline::after,
        execute::{Running, Work, no_thread},
        guard::panicked,
        lanes::Slots,
        machine::{Position, Stop},
        presence::{LeftBehind, Presence},
    },
    error::ToolError,
    tool::{Outcome, ToolContext},
};

/// How long it is at least until it is looked again whether a person has answered, or a function was dropped.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How a function ended.
pub(super) enum Ending {
    ByItself(Outcome),
    /// It was told to end; what it still returned within the grace period, and how it stands.
    Stopped {
        stop: Stop,
        returned: Option<Outcome>,
        left: LeftBehind,
    },
}

struct Supervised<'t> {
    abort: AbortHandle,
    context: Option<ToolContext>,
    /// Whether it held its token when it was told to end: only then could it notice.
    noticed: bool,
    presence: Arc<Presence>,
    on_a_thread: bool,
    deadline: Option<Instant>,
    /// How much of a person's time its deadline has been put off by.
    put_off: Duration,
    stop: Option<Stop>,
    _slots: Slots<'t>,
}

/// Ends the presence of a function's task, however that ends, and says so where it had been left behind.
struct TaskGuard {
    presence: Arc<Presence>,
    context: Option<ToolContext>,
    is_error: bool,
}

impl TaskGuard {
    fn ended(&mut self, outcome: &Outcome) {
        self.is_error = outcome.is_err();
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        if self.presence.end()
            && self.presence.is_shown()
            && let Some(context) = &self.context
        {
            context.end_behind(self.is_error);
        }
    }
}

/// The running functions of one turn.
pub(super) struct Supervisor<'t> {
    /// Made with the first function: most turns have none.
    tasks: Option<JoinSet<(Position, Outcome)>>,
    running: HashMap<Position, Supervised<'t>, RandomState>,
    /// One timer serves all of them.
    deadlines: BTreeSet<(Instant, Position)>,
    grace: Duration,
}

impl<'t> Supervisor<'t> {
    pub(super) fn new(grace: Duration) -> Self {
        Self { tasks: None, running: HashMap::default(), deadlines: BTreeSet::new(), grace }
    }

    /// Takes a function over; it holds its slots until it ends or is left behind.
    pub(super) fn add(&mut self, position: Position, running: Running, slots: Slots<'t>) {
        let Running { work, context, deadline, presence } = running;
        let on_a_thread = matches!(work, Work::Thread(_));
        let tasks = self.tasks.get_or_insert_default();
        let abort = match work {
            Work::Future(future) => {
                let (presence, context) = (Arc::clone(&presence), context.clone());
                let mut guard = TaskGuard { presence, context, is_error: true };
                tasks.spawn(async move {
                    let outcome = future.await;
                    guard.ended(&outcome);
                    (position, outcome)
                })
            }
            Work::Thread(receiver) => {
                tasks.spawn(async move { (position, receiver.await.unwrap_or_else(|_| Err(no_thread()))) })
            }
        };
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, position));
        }
        let (noticed, stop, put_off) = (false, None, Duration::ZERO);
        let supervised = Supervised {
            abort,
            context,
            noticed,
            presence,
            on_a_thread,
            deadline,
            put_off,
            stop,
            _slots: slots,
        };
        self.running.insert(position, supervised);
    }

    pub(super) fn is_stopping(&self, position: Position) -> bool {
        self.running.get(&position).is_none_or(|supervised| supervised.stop.is_some())
    }

    /// Tells a function to end. One that holds its token has the grace period; any other can not notice.
    pub(super) fn stop(&mut self, position: Position, stop: Stop) {
        let grace = self.grace;
        let Some(supervised) = self.running.get_mut(&position).filter(|supervised| supervised.stop.is_none())
        else {
            return;
        };
        supervised.stop = Some(stop);
        if let Some(deadline) = supervised.deadline.take() {
            self.deadlines.remove(&(deadline, position));
        }
        supervised.noticed = supervised.context.as_ref().is_some_and(ToolContext::is_held);
        if !supervised.noticed && !supervised.on_a_thread {
            // It is dropped before anything that it waits for can come back to it.
            supervised.abort.abort();
        }
        supervised.context.as_ref().map(ToolContext::cancel);
        // One that waits is dropped at once; only one that never comes back to waiting is still there then.
        supervised.deadline = match (supervised.noticed, supervised.on_a_thread) {
            (true, _) => after(grace),
            (false, true) => Some(Instant::now()),
            (false, false) => after(grace.max(LOOK_AGAIN)),
        };
        if let Some(until) = supervised.deadline {
            self.deadlines.insert((until, position));
        }
    }

    /// The next function that has ended; `None` when none runs. Safe to drop and call again.
    pub(super) async fn next(&mut self) -> Option<(Position, Ending)> {
        loop {
            let tasks = self.tasks.as_mut().filter(|_| !self.running.is_empty())?;
            let first = self.deadlines.first().copied();
            let timer = async {
                match first {
                    Some((at, position)) => {
                        sleep_until(at).await;
                        position
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(joined) = tasks.join_next_with_id() => {
                    if let Some(ended) = self.joined(joined) {
                        return Some(ended);
                    }
                }
                position = timer => {
                    if let Some(ended) = self.time_is_over(position) {
                        return Some(ended);
                    }
                }
            }
        }
    }

    /// A function that has ended already, without waiting.
    pub(super) fn next_ended(&mut self) -> Option<(Position, Ending)> {
        loop {
            let joined = self.tasks.as_mut()?.try_join_next_with_id()?;
            if let Some(ended) = self.joined(joined) {
                return Some(ended);
            }
        }
    }

    fn joined(
        &mut self,
        joined: Result<(tokio::task::Id, (Position, Outcome)), JoinError>,
    ) -> Option<(Position, Ending)> {
        let (position, outcome) = match joined {
            Ok((_, (position, outcome))) => (position, Ok(outcome)),
            Err(error) => (self.position_of(error.id())?, Err(error)),
        };
        let supervised = self.remove(position)?;
        supervised.presence.end();
        let dropped = outcome.as_ref().is_err_and(JoinError::is_cancelled);
        let outcome = outcome.unwrap_or_else(|error| Err(broken(error)));
        let ending = match supervised.stop {
            None => Ending::ByItself(outcome),
            Some(stop) if dropped => Ending::Stopped { stop, returned: None, left: LeftBehind::Dropped },
            Some(stop) => Ending::Stopped { stop, returned: Some(outcome), left: LeftBehind::Ended },
        };
        Some((position, ending))
    }

    /// The first time tells a function to end, the second leaves it behind.
    fn time_is_over(&mut self, position: Position) -> Option<(Position, Ending)> {
        let stop = self.running.get(&position)?.stop;
        let Some(stop) = stop else {
            if !self.put_off(position) {
                self.stop(position, Stop::Timeout);
            }
            return None;
        };
        let supervised = self.remove(position)?;
        let left = supervised.presence.leave();
        if left == LeftBehind::Running
            && !supervised.on_a_thread
            && let Some(context) = &supervised.context
        {
            context.leave_behind();
            supervised.presence.show();
        }
        supervised.abort.abort();
        Some((position, Ending::Stopped { stop, returned: None, left }))
    }

    /// Gives a function the time back that it has waited for people; `false` when there is none.
    fn put_off(&mut self, position: Position) -> bool {
        let Some(supervised) = self.running.get_mut(&position) else { return false };
        let (Some(context), Some(deadline)) = (&supervised.context, supervised.deadline) else {
            return false;
        };
        let (waited, waits) = context.waited_for_people();
        let mut more = waited.saturating_sub(supervised.put_off);
        if waits {
            more = more.max(LOOK_AGAIN);
        }
        if more.is_zero() {
            return false;
        }
        supervised.put_off = waited;
        self.deadlines.remove(&(deadline, position));
        supervised.deadline = deadline.checked_add(more);
        self.deadlines.extend(supervised.deadline.map(|deadline| (deadline, position)));
        true
    }

    fn remove(&mut self, position: Position) -> Option<Supervised<'t>> {
        let supervised = self.running.remove(&position)?;
        if let Some(deadline) = supervised.deadline {
            self.deadlines.remove(&(deadline, position));
        }
        Some(supervised)
    }

    fn position_of(&self, id: tokio::task::Id) -> Option<Position> {
        self.running.iter().find(|(_, supervised)| supervised.abort.id() == id).map(|(position, _)| *position)
    }
}

impl Drop for Supervisor<'_> {
    /// Whoever waited has gone: functions are told to end, and counted until they do. One that holds its token has the
    /// grace period here too.
    fn drop(&mut self) {
        let mut notices = false;
        for supervised in self.running.values() {
            let holds = supervised.context.as_ref().is_some_and(ToolContext::is_held);
            supervised.context.as_ref().map(ToolContext::cancel);
            supervised.presence.leave();
            if holds && !supervised.on_a_thread && !self.grace.is_zero() {
                notices = true;
            } else {
                supervised.abort.abort();
            }
        }
        let Some(runtime) = Handle::try_current().ok().filter(|_| notices) else { return };
        let (Some(mut tasks), grace) = (self.tasks.take(), self.grace) else { return };
        runtime.spawn(async move {
            // What is still there then is dropped with the set.
            let _ = timeout(grace, async { while tasks.join_next().await.is_some() {} }).await;
        });
    }
}

/// A task that did not end by itself: the crash of a task is none of its cancellation.
fn broken(error: JoinError) -> ToolError {
    match error.try_into_panic() {
        Ok(payload) => panicked(payload),
        Err(_) => ToolError::new("the task of the tool was ended from outside"),
    }
}
