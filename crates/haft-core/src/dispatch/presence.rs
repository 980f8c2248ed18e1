//! Who is running: functions that were left behind are counted until they end.

use std::{
    collections::HashSet,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// What a dispatcher runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DispatcherStatus {
    /// Turns that have begun and not ended.
    pub turns: usize,
    /// Functions that run and are waited for.
    pub running: usize,
    /// Functions that did not end when they were to, and still run.
    pub detached: usize,
}

#[derive(Debug, Default)]
pub(crate) struct PresenceBoard {
    turns: AtomicUsize,
    running: AtomicUsize,
    detached: AtomicUsize,
    /// Turns that run and have an id, so that none is resumed twice at once.
    live: Mutex<HashSet<(String, String)>>,
}

impl PresenceBoard {
    pub(super) fn status(&self) -> DispatcherStatus {
        DispatcherStatus {
            turns: self.turns.load(Ordering::Relaxed),
            running: self.running.load(Ordering::Relaxed),
            detached: self.detached.load(Ordering::Relaxed),
        }
    }

    /// Counts a function that runs.
    pub(super) fn begin(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    /// A function that was waited for has ended.
    pub(super) fn end(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    /// A function is not waited for any more, and runs on.
    pub(super) fn leave(&self) {
        self.leave_within();
        self.end();
    }

    /// As [`leave`](Self::leave), of one that runs in the place of a function that is counted already.
    fn leave_within(&self) {
        self.detached.fetch_add(1, Ordering::Relaxed);
    }

    /// A function that nobody waited for any more has ended.
    pub(super) fn end_behind(&self) {
        self.detached.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts a turn until the guard is dropped.
    pub(super) fn turn(self: &Arc<Self>) -> TurnPresence {
        self.turns.fetch_add(1, Ordering::Relaxed);
        TurnPresence(Arc::clone(self), None)
    }

    /// Counts a turn that is resumed; none when it runs already.
    pub(super) fn resumed(self: &Arc<Self>, session: &str, turn: &str) -> Option<TurnPresence> {
        let name = (session.to_owned(), turn.to_owned());
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        if !live.insert(name.clone()) {
            return None;
        }
        self.turns.fetch_add(1, Ordering::Relaxed);
        Some(TurnPresence(Arc::clone(self), Some(name)))
    }
}

#[derive(Debug)]
pub(super) struct TurnPresence(Arc<PresenceBoard>, Option<(String, String)>);

impl Drop for TurnPresence {
    fn drop(&mut self) {
        self.0.turns.fetch_sub(1, Ordering::Relaxed);
        if let Some(name) = &self.1 {
            self.0.live.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Queued,
    Running,
    Detached,
    Gone,
}

/// One function on a thread, known to the thread and to whoever waits for it.
///
/// The state changes under a lock together with the counts, so that none is ever seen that was not true.
#[derive(Debug)]
pub(crate) struct Presence {
    state: Mutex<State>,
    board: Arc<PresenceBoard>,
    /// Whether it is no function of its own, but runs in the place of one that is counted already.
    within: bool,
}

/// How a function stood when it was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftBehind {
    /// It had not begun and never will.
    NotBegun,
    /// It runs on, counted.
    Running,
    /// It was dropped where it waited.
    Dropped,
    /// It had just ended.
    Ended,
}

impl Presence {
    /// A function that waits for a thread.
    pub(super) fn queued(board: &Arc<PresenceBoard>) -> Arc<Self> {
        Self::new(board, false)
    }

    /// A function that waits for a thread, inside of a future that stands for it.
    pub(crate) fn queued_within(board: &Arc<PresenceBoard>) -> Arc<Self> {
        Self::new(board, true)
    }

    fn new(board: &Arc<PresenceBoard>, within: bool) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State::Queued), board: Arc::clone(board), within })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the function begins; `false` when it was given up before.
    pub(crate) fn begin(&self) -> bool {
        let mut state = self.state();
        let begins = *state == State::Queued;
        if begins {
            if !self.within {
                self.board.begin();
            }
            *state = State::Running;
        }
        begins
    }

    /// Says that the function has ended; `true` when it had been left behind.
    pub(crate) fn end(&self) -> bool {
        let mut state = self.state();
        match *state {
            State::Running if !self.within => self.board.end(),
            State::Detached => self.board.end_behind(),
            State::Running | State::Queued | State::Gone => {}
        }
        mem::replace(&mut *state, State::Gone) == State::Detached
    }

    /// Gives the function up.
    pub(crate) fn leave(&self) -> LeftBehind {
        let mut state = self.state();
        let (next, left) = match *state {
            State::Queued => (State::Gone, LeftBehind::NotBegun),
            State::Running => {
                if self.within {
                    self.board.leave_within();
                } else {
                    self.board.leave();
                }
                (State::Detached, LeftBehind::Running)
            }
            known @ (State::Detached | State::Gone) => (known, LeftBehind::Ended),
        };
        *state = next;
        left
    }
}

/// Ends a presence when it is dropped, however its task ends.
#[derive(Debug)]
pub(super) struct PresenceGuard(pub(super) Arc<Presence>);

impl Drop for PresenceGuard {
    fn drop(&mut self) {
        self.0.end();
    }
}
