//! Waits for functions that run, bounds them in time, and leaves behind those that do not end.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    mem,
    sync::Arc,
    time::Duration,
};

use tokio::{
    runtime::Handle,
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep_until, timeout},
};

use crate::{
    dispatch::{
        builder::Settings,
        deadline::after,
        execute::{Running, Work},
        guard::Guarded,
        lanes::Slots,
        machine::{Position, Stop},
        mailbox::{Letter, Mail, Mailbox},
        presence::{LeftBehind, Presence, PresenceBoard},
        threads::no_thread,
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
    task: JoinHandle<Option<Guarded>>,
    context: Option<ToolContext>,
    /// Whether it held its token when it was told to end: only then could it notice.
    noticed: bool,
    /// What is known of its thread, where it is on one.
    thread: Option<Arc<Presence>>,
    deadline: Option<Instant>,
    /// How much of a person's time its deadline has been put off by.
    put_off: Duration,
    stop: Option<Stop>,
    _slots: Slots<'t>,
}

/// Where so many functions wait, the next one most likely waits too.
const CROWD: usize = 32;

/// Runs a function as a task of its own; when that is dropped, the function is dropped first.
///
/// One that has ended is handed back with the task: its memory is given back by whoever has taken it. Given back here,
/// beside others that are made there, the two would wait for each other.
#[expect(clippy::disallowed_methods, reason = "the supervisor waits for it")]
fn run_function(mut function: Guarded, mut mail: Mail) -> JoinHandle<Option<Guarded>> {
    tokio::spawn(async move {
        let outcome = (&mut function).await;
        mail.put(outcome);
        drop(mail);
        Some(function)
    })
}

#[expect(clippy::disallowed_methods, reason = "the supervisor waits for it")]
fn wait_for_thread(receiver: oneshot::Receiver<Outcome>, mut mail: Mail) -> JoinHandle<Option<Guarded>> {
    tokio::spawn(async move {
        let outcome = receiver.await.unwrap_or_else(|_| Err(no_thread()));
        mail.put(outcome);
        None
    })
}

/// The running functions of one turn.
pub(super) struct Supervisor<'t> {
    /// Made with the first function: most turns have none.
    mailbox: Option<Arc<Mailbox>>,
    /// What came, and was not looked at yet.
    letters: VecDeque<Letter>,
    /// By their positions, of which there are so many.
    running: Vec<Option<Supervised<'t>>>,
    positions: usize,
    count: usize,
    /// One timer serves all of them.
    deadlines: BTreeSet<(Instant, Position)>,
    grace: Duration,
    board: &'t Arc<PresenceBoard>,
}

impl<'t> Supervisor<'t> {
    pub(super) fn new(settings: &'t Settings, positions: usize) -> Self {
        Self {
            mailbox: None,
            letters: VecDeque::new(),
            running: Vec::new(),
            positions,
            count: 0,
            deadlines: BTreeSet::new(),
            grace: settings.grace,
            board: &settings.presence,
        }
    }

    /// Whether so many functions wait that the next one most likely waits too.
    pub(super) fn is_crowded(&self) -> bool {
        self.count >= CROWD
    }

    /// Takes a function over; it holds its slots until it ends or is left behind.
    pub(super) fn add(&mut self, position: Position, running: Running, slots: Slots<'t>) {
        let Running { work, context, deadline } = running;
        let mailbox = self.mailbox.get_or_insert_with(|| Arc::new(Mailbox::new(self.board)));
        let (task, thread) = match work {
            Work::Future(function) => {
                let task = run_function(function, Mail::new(position, context.clone(), mailbox));
                self.board.begin();
                (task, None)
            }
            Work::Thread(receiver, presence) => {
                (wait_for_thread(receiver, Mail::new(position, None, mailbox)), Some(presence))
            }
        };
        if let Some(deadline) = deadline {
            self.deadlines.insert((deadline, position));
        }
        let (noticed, stop, put_off) = (false, None, Duration::ZERO);
        let supervised =
            Supervised { task, context, noticed, thread, deadline, put_off, stop, _slots: slots };
        if self.running.len() <= position {
            self.running.reserve_exact(self.positions.saturating_sub(self.running.len()));
            self.running.resize_with(position + 1, || None);
        }
        if let Some(place) = self.running.get_mut(position) {
            *place = Some(supervised);
            self.count += 1;
        }
    }

    fn get(&self, position: Position) -> Option<&Supervised<'t>> {
        self.running.get(position)?.as_ref()
    }

    fn get_mut(&mut self, position: Position) -> Option<&mut Supervised<'t>> {
        self.running.get_mut(position)?.as_mut()
    }

    pub(super) fn is_stopping(&self, position: Position) -> bool {
        self.get(position).is_none_or(|supervised| supervised.stop.is_some())
    }

    /// Tells a function to end. One that holds its token has the grace period; any other can not notice.
    pub(super) fn stop(&mut self, position: Position, stop: Stop) {
        let grace = self.grace;
        let Some(supervised) = self.running.get_mut(position).and_then(Option::as_mut) else { return };
        if supervised.stop.is_some() {
            return;
        }
        supervised.stop = Some(stop);
        if let Some(deadline) = supervised.deadline.take() {
            self.deadlines.remove(&(deadline, position));
        }
        supervised.noticed = supervised.context.as_ref().is_some_and(ToolContext::is_held);
        let on_a_thread = supervised.thread.is_some();
        if !supervised.noticed && !on_a_thread {
            // It is dropped before anything that it waits for can come back to it.
            supervised.task.abort();
        }
        supervised.context.as_ref().map(ToolContext::cancel);
        // One that waits is dropped at once; only one that never comes back to waiting is still there then.
        supervised.deadline = match (supervised.noticed, on_a_thread) {
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
            if let Some(ended) = self.next_ended() {
                return Some(ended);
            }
            let mailbox = self.mailbox.as_deref().filter(|_| self.count > 0)?;
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
                () = mailbox.wait(&mut self.letters) => {}
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
            if self.letters.is_empty() {
                self.mailbox.as_deref()?.take(&mut self.letters);
            }
            let (position, outcome) = self.letters.pop_front()?;
            if let Some(ended) = self.ended(position, outcome) {
                return Some(ended);
            }
        }
    }

    /// The task of a function has ended; without an outcome it was dropped.
    fn ended(&mut self, position: Position, outcome: Option<Outcome>) -> Option<(Position, Ending)> {
        // There is none where it had been left behind.
        let supervised = self.remove(position)?;
        match &supervised.thread {
            Some(thread) => drop(thread.end()),
            None => self.board.end(),
        }
        let ending = match (supervised.stop, outcome) {
            (None, outcome) => Ending::ByItself(outcome.unwrap_or_else(|| Err(ended_from_outside()))),
            (Some(stop), None) => Ending::Stopped { stop, returned: None, left: LeftBehind::Dropped },
            (Some(stop), returned) => Ending::Stopped { stop, returned, left: LeftBehind::Ended },
        };
        Some((position, ending))
    }

    /// The first time tells a function to end, the second leaves it behind.
    fn time_is_over(&mut self, position: Position) -> Option<(Position, Ending)> {
        let stop = self.get(position)?.stop;
        let Some(stop) = stop else {
            if !self.put_off(position) {
                self.stop(position, Stop::Timeout);
            }
            return None;
        };
        let supervised = self.remove(position)?;
        let left = self.leave(position, &supervised, supervised.context.as_ref());
        supervised.task.abort();
        Some((position, Ending::Stopped { stop, returned: None, left }))
    }

    /// Gives a function the time back that it has waited for people; `false` when there is none.
    fn put_off(&mut self, position: Position) -> bool {
        let Some(supervised) = self.get_mut(position) else { return false };
        let (Some(context), Some(deadline)) = (&supervised.context, supervised.deadline) else {
            return false;
        };
        let (waited, waits) = context.waited_until_now();
        let mut more = waited.saturating_sub(supervised.put_off);
        if waits {
            more = more.max(LOOK_AGAIN);
        }
        if more.is_zero() {
            return false;
        }
        supervised.put_off = waited;
        supervised.deadline = deadline.checked_add(more);
        let later = supervised.deadline;
        self.deadlines.remove(&(deadline, position));
        self.deadlines.extend(later.map(|deadline| (deadline, position)));
        true
    }

    /// Gives a function up; with a context, observers hear of it.
    fn leave(
        &self,
        position: Position,
        supervised: &Supervised<'t>,
        context: Option<&ToolContext>,
    ) -> LeftBehind {
        match (&supervised.thread, &self.mailbox) {
            (Some(thread), _) => thread.leave(),
            (None, Some(mailbox)) if !self.letters.iter().any(|(ended, _)| *ended == position) => {
                mailbox.leave(position, context)
            }
            (None, _) => {
                self.board.end();
                LeftBehind::Ended
            }
        }
    }

    fn remove(&mut self, position: Position) -> Option<Supervised<'t>> {
        let supervised = self.running.get_mut(position)?.take()?;
        self.count -= 1;
        if let Some(deadline) = supervised.deadline {
            self.deadlines.remove(&(deadline, position));
        }
        Some(supervised)
    }
}

impl Drop for Supervisor<'_> {
    /// Whoever waited has gone: functions are told to end, and counted until they do. One that holds its token has the
    /// grace period here too.
    fn drop(&mut self) {
        let mut noticing = BTreeMap::new();
        for (position, place) in mem::take(&mut self.running).into_iter().enumerate() {
            let Some(supervised) = place else { continue };
            let holds = supervised.context.as_ref().is_some_and(ToolContext::is_held);
            supervised.context.as_ref().map(ToolContext::cancel);
            self.leave(position, &supervised, None);
            if holds && supervised.thread.is_none() && !self.grace.is_zero() {
                noticing.insert(position, supervised.task);
            } else {
                supervised.task.abort();
            }
        }
        let (Some(mailbox), false) = (self.mailbox.take(), noticing.is_empty()) else { return };
        let Ok(runtime) = Handle::try_current() else {
            return noticing.values().for_each(JoinHandle::abort);
        };
        let grace = self.grace;
        runtime.spawn(async move {
            let ended = async {
                let mut letters = VecDeque::new();
                while !noticing.is_empty() {
                    mailbox.wait(&mut letters).await;
                    letters.drain(..).for_each(|(position, _)| drop(noticing.remove(&position)));
                }
            };
            if timeout(grace, ended).await.is_err() {
                noticing.values().for_each(JoinHandle::abort);
            }
        });
    }
}

/// The error of a function whose task somebody else has ended.
fn ended_from_outside() -> ToolError {
    ToolError::new("the task of the tool was ended from outside")
}
