//! How much is kept for clients that may come back.

use std::{
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use super::kept::Streams;

/// How long a stream is kept after its end.
pub(super) const AGE: Duration = Duration::from_secs(5 * 60);
/// How many events of one stream are kept, and how many streams of one session.
pub(super) const EVENTS: usize = 256;
pub(super) const STREAMS: usize = 256;
/// How much of one session is kept, in bytes, and how much of all.
pub(super) const OF_SESSION: usize = 4 << 20;
const OF_ALL: usize = 64 << 20;
/// How long an answer may be that is kept where there is no room: that of a lost stream says at least that there was one.
pub(super) const SHORT: usize = 1 << 10;
/// How often all sessions are looked through for what is old, at most.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// What is kept of all sessions, in bytes.
#[derive(Default)]
pub(in super::super) struct Room {
    taken: AtomicUsize,
    sessions: Mutex<Sessions>,
}

#[derive(Default)]
struct Sessions {
    all: Vec<Weak<Mutex<Streams>>>,
    /// When they were looked through.
    looked: Option<Instant>,
}

impl Room {
    /// Counts a session among those that have something here.
    pub(super) fn enter(&self, streams: &Arc<Mutex<Streams>>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.all.retain(|session| session.strong_count() > 0);
        sessions.all.push(Arc::downgrade(streams));
    }

    /// Forgets what ended long ago, in all sessions but those that are busy; whether they were looked through.
    ///
    /// A session that nobody uses forgets nothing by itself.
    pub(super) fn forget_old(&self) -> bool {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.looked.is_some_and(|looked| looked.elapsed() < LOOK_AGAIN) {
            return false;
        }
        sessions.looked = Some(Instant::now());
        let all: Vec<_> = sessions.all.iter().filter_map(Weak::upgrade).collect();
        drop(sessions);
        for session in all {
            // Whoever asks has a session locked, and two that wait for each other's would wait for ever.
            if let Ok(mut streams) = session.try_lock() {
                streams.forget_old(self);
            }
        }
        true
    }

    /// How many bytes there are still.
    pub(super) fn free(&self) -> usize {
        OF_ALL.saturating_sub(self.taken.load(Ordering::Acquire))
    }

    /// Takes so many bytes whether or not there are so many.
    pub(super) fn take_always(&self, bytes: usize) {
        self.taken.fetch_add(bytes, Ordering::AcqRel);
    }

    /// Takes so many bytes; whether there are so many.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let taken = |now: usize| now.checked_add(bytes).filter(|sum| *sum <= OF_ALL);
        self.taken.fetch_update(Ordering::AcqRel, Ordering::Acquire, taken).is_ok()
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::AcqRel);
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.taken.load(Ordering::Acquire)
    }
}
