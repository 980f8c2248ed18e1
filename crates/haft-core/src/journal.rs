//! The record of a turn: what makes it survive its process.

mod entry;
mod memory;
mod recorded;

use std::{fmt, future::Future, pin::Pin};

pub(crate) use entry::VERSION;
pub use entry::{Asked, CallEntry, Entry, EntryBody, Verdict};
pub use memory::MemoryJournal;
pub use recorded::{RecordedError, RecordedOutput, RecordedResult};

/// The future of a journal's operation.
pub type JournalFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, JournalError>> + Send + 'a>>;

/// Where turns are recorded. Append-only.
///
/// An entry is durable when [`append`](Self::append) has returned: the function of a call runs only after its
/// `call_started` is, and a result is handed out only after its `call_finished` is.
pub trait Journal: fmt::Debug + Send + Sync {
    /// Appends entries of one turn, all or none, in order.
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()>;

    /// Appends entries of a turn of which the caller knows so many, unless it has others too: then somebody else has taken
    /// it up, and nothing is appended.
    ///
    /// This is what keeps two processes that resume a turn at one time from both running its calls: one of them can not
    /// record what it is about to do, so does nothing. Unless implemented, whatever stands there is appended to, which is
    /// enough where one process alone resumes turns: a journal that wraps another has to hand this on too.
    ///
    /// So many means all of the turn that were ever appended: a turn that may still go on is neither written to from outside
    /// nor shortened.
    ///
    /// ```
    /// use haft_core::{Entry, Journal, JournalFuture, MemoryJournal};
    ///
    /// /// Counts what another journal keeps.
    /// #[derive(Debug, Default)]
    /// struct Counted(MemoryJournal, std::sync::atomic::AtomicUsize);
    ///
    /// impl Journal for Counted {
    ///     fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
    ///         self.1.fetch_add(entries.len(), std::sync::atomic::Ordering::Relaxed);
    ///         self.0.append(entries)
    ///     }
    ///
    ///     fn append_behind<'a>(&'a self, known: usize, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
    ///         Box::pin(async move {
    ///             self.0.append_behind(known, entries).await?;
    ///             self.1.fetch_add(entries.len(), std::sync::atomic::Ordering::Relaxed);
    ///             Ok(())
    ///         })
    ///     }
    ///
    ///     fn read<'a>(&'a self, session: &'a str, turn: &'a str) -> JournalFuture<'a, Vec<Entry>> {
    ///         self.0.read(session, turn)
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// [`JournalError::taken_up`] where there are others; else as [`append`](Self::append).
    fn append_behind<'a>(&'a self, known: usize, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        let _ = known;
        self.append(entries)
    }

    /// The entries of a turn, in the order of their appending; empty where there is no such turn.
    fn read<'a>(&'a self, session: &'a str, turn: &'a str) -> JournalFuture<'a, Vec<Entry>>;
}

/// A journal that could not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal failed: {0}")]
pub struct JournalError(String);

impl JournalError {
    /// An error with a message for people.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// The error of [`Journal::append_behind`] where somebody else has taken the turn up.
    pub fn taken_up() -> Self {
        Self::new("somebody else has taken this turn up, and goes on with it")
    }

    /// The stable number of this error: 2510.
    #[expect(clippy::unused_self, reason = "every error answers `code()`")]
    pub const fn code(&self) -> u16 {
        2510
    }
}
