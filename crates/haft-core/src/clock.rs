//! Time and ids, given by the host: the core reads no clock of the world.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::message::ToolCallId;

/// A clock of the world.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Milliseconds since the beginning of 1970, UTC.
    fn now_millis(&self) -> u64;
}

/// Where ids of turns and of calls without a model come from.
pub trait IdSource: fmt::Debug + Send + Sync {
    /// A new id, different from all others of the host.
    fn next_id(&self) -> String;

    /// A new id for a call that no model stands behind.
    #[doc(hidden)]
    fn next_call_id(&self) -> ToolCallId {
        self.next_id().into()
    }
}

/// Ids that differ between processes: 16 random hex digits, then a count.
#[derive(Debug, Default)]
pub(crate) struct RandomIds {
    prefix: OnceLock<u64>,
    count: AtomicU64,
}

impl IdSource for RandomIds {
    fn next_id(&self) -> String {
        String::from(self.next_call_id())
    }

    fn next_call_id(&self) -> ToolCallId {
        // The hasher's keys are the standard library's one source of randomness.
        let prefix = *self.prefix.get_or_init(|| RandomState::new().hash_one(0));
        ToolCallId::numbered(prefix, self.count.fetch_add(1, Ordering::Relaxed))
    }
}

/// Ids that count from 1, the same in every run: for tests and replays.
///
/// ```
/// use haft_core::{CountingIds, IdSource};
///
/// let ids = CountingIds::default();
/// assert_eq!([ids.next_id(), ids.next_id()], ["1", "2"]);
/// ```
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn next_id(&self) -> String {
        (self.0.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }
}
