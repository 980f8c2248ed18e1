//! Waits for functions that run, bounds them in time, and leaves behind those that do not end.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use foldhash::fast::RandomState;
use tokio::{
    task::{AbortHandle, JoinError, JoinSet},
    time::{Instant, sleep_until},
};

use crate::{
    dispatch::{
        deadline::after,
        execute::{Running, Work, no_thread},
        guard::panicked,
        lanes::Slots,
        machine::{Position, Stop},
        presence::{LeftBehind, Presence, PresenceGuard},
    },
    error::ToolError,
    tool::{Outcome, ToolContext},
};

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
    stop: Option<Stop>,
    _slots: Slots<'t>,
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
                let guard = PresenceGuard(Arc::clone(&presence));
                tasks.spawn(async move {
                    let _guard = guard;
                    (position, future.await)
                })
            }
            Work::Thread(receiver) => {
                tasks.spawn(async move { (position, receiver.await.unwrap_or_else(|_| Err(no_thread()))) })
            }
        };
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, position));
        }
        let (noticed, stop) = (false, None);
        let supervised =
            Supervised { abort, context, noticed, presence, on_a_thread, deadline, stop, _slots: slots };
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
        supervised.noticed = supervised.context.as_ref().is_some_and(ToolContext::cancel);
        supervised.deadline = if supervised.noticed { after(grace) } else { Some(Instant::now()) };
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
            Ok((_, ended)) => ended,
            Err(error) => (self.position_of(error.id())?, Err(broken(error))),
        };
        let supervised = self.remove(position)?;
        supervised.presence.end();
        let ending = match supervised.stop {
            None => Ending::ByItself(outcome),
            Some(stop) => Ending::Stopped { stop, returned: Some(outcome), left: LeftBehind::Ended },
        };
        Some((position, ending))
    }

    /// The first time tells a function to end, the second leaves it behind.
    fn time_is_over(&mut self, position: Position) -> Option<(Position, Ending)> {
        let stop = self.running.get(&position)?.stop;
        let Some(stop) = stop else {
            self.stop(position, Stop::Timeout);
            return None;
        };
        let supervised = self.remove(position)?;
        let left = match supervised.presence.leave() {
            // It could not notice, and is dropped where it waits.
            LeftBehind::Running if !supervised.noticed && !supervised.on_a_thread => LeftBehind::Dropped,
            left => left,
        };
        supervised.abort.abort();
        Some((position, Ending::Stopped { stop, returned: None, left }))
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
    /// Whoever waited has gone: functions are told to end, and counted until they do.
    fn drop(&mut self) {
        for supervised in self.running.values() {
            supervised.context.as_ref().map(ToolContext::cancel);
            supervised.presence.leave();
        }
    }
}

/// A task that did not end by itself: the crash of a task is none of its cancellation.
fn broken(error: JoinError) -> ToolError {
    match error.try_into_panic() {
        Ok(payload) => panicked(payload),
        Err(_) => ToolError::new("the task of the tool was ended from outside"),
    }
}
