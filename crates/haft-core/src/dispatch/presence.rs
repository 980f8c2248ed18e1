//! Who is running: functions that were left behind are counted until they end.

use std::{
    collections::HashSet,
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
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

/// One function, known to whoever runs it and to whoever waits for it.
///
/// The state changes under a lock together with the counts, so that none is ever seen that was not true.
#[derive(Debug)]
pub(crate) struct Presence {
    state: Mutex<State>,
    board: Arc<PresenceBoard>,
    /// Whether it is no function of its own, but runs in the place of one that is counted already.
    within: bool,
    /// Whether observers were told that it was left behind.
    shown: AtomicBool,
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
    fn new(state: State, board: &Arc<PresenceBoard>, within: bool) -> Arc<Self> {
        let (state, board, shown) = (Mutex::new(state), Arc::clone(board), AtomicBool::new(false));
        Arc::new(Self { state, board, within, shown })
    }

    /// A function that waits for a thread.
    pub(super) fn queued(board: &Arc<PresenceBoard>) -> Arc<Self> {
        Self::new(State::Queued, board, false)
    }

    /// A function that waits for a thread, inside of a future that stands for it.
    pub(crate) fn queued_within(board: &Arc<PresenceBoard>) -> Arc<Self> {
        Self::new(State::Queued, board, true)
    }

    /// A function that runs.
    pub(super) fn running(board: &Arc<PresenceBoard>) -> Arc<Self> {
        board.running.fetch_add(1, Ordering::Relaxed);
        Self::new(State::Running, board, false)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the function begins; `false` when it was given up before.
    pub(crate) fn begin(&self) -> bool {
        let mut state = self.state();
        let begins = *state == State::Queued;
        if begins {
            self.count_running(1);
            *state = State::Running;
        }
        begins
    }

    /// Says that the function has ended; `true` when it had been left behind.
    pub(crate) fn end(&self) -> bool {
        let mut state = self.state();
        match *state {
            State::Running => self.count_running(-1),
            State::Detached => drop(self.board.detached.fetch_sub(1, Ordering::Relaxed)),
            State::Queued | State::Gone => {}
        }
        mem::replace(&mut *state, State::Gone) == State::Detached
    }

    /// Notes that observers were told that it was left behind.
    pub(super) fn show(&self) {
        self.shown.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown.load(Ordering::Relaxed)
    }

    fn count_running(&self, by: isize) {
        if !self.within {
            // Wraps around, and so takes away.
            self.board.running.fetch_add(by.cast_unsigned(), Ordering::Relaxed);
        }
    }

    /// Gives the function up.
    pub(crate) fn leave(&self) -> LeftBehind {
        let mut state = self.state();
        let (next, left) = match *state {
            State::Queued => (State::Gone, LeftBehind::NotBegun),
            State::Running => {
                self.board.detached.fetch_add(1, Ordering::Relaxed);
                self.count_running(-1);
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
