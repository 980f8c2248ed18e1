//! Writes a turn down.

use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{
    clock::Clock,
    dispatch::{Scope, guard::caught},
    error::ToolError,
    journal::{Entry, EntryBody, Journal, JournalError},
};

/// A journal, and the turn that is written into it.
#[derive(Debug)]
pub(super) struct Recorder {
    journal: Arc<dyn Journal>,
    clock: Option<Arc<dyn Clock>>,
    session: String,
    turn: String,
    /// As many entries the turn has, unless somebody else adds to them.
    known: AtomicUsize,
}

pub(super) type Appending = Pin<Box<dyn Future<Output = Result<(), JournalError>> + Send>>;

impl Recorder {
    pub(super) fn new(journal: Arc<dyn Journal>, clock: Option<Arc<dyn Clock>>, scope: &Scope) -> Self {
        let session = scope.session().unwrap_or_default().to_owned();
        Self { journal, clock, session, turn: scope.turn_id().to_owned(), known: AtomicUsize::new(0) }
    }

    /// Of a turn that has so many entries.
    pub(super) fn behind(mut self, known: usize) -> Self {
        self.known = AtomicUsize::new(known);
        self
    }

    /// Reads the turn back.
    pub(super) async fn read(
        journal: &dyn Journal,
        session: &str,
        turn: &str,
    ) -> Result<Vec<Entry>, JournalError> {
        let mut entries = settled(caught(|| journal.read(session, turn)).await)?;
        // Some give back more than they were asked for.
        entries.retain(|entry| entry.session == session && entry.turn == turn);
        Ok(entries)
    }

    /// Appends; the future is done when the entries are durable.
    pub(super) fn append(&self, bodies: Vec<EntryBody>) -> Appending {
        let at = self.clock.as_ref().map(|clock| clock.now_millis());
        let entry = |body| Entry::new(&self.session, &self.turn, at, body);
        let entries: Vec<Entry> = bodies.into_iter().map(entry).collect();
        let journal = Arc::clone(&self.journal);
        let known = self.known.fetch_add(entries.len(), Ordering::Relaxed);
        Box::pin(async move { settled(caught(|| journal.append_behind(known, &entries)).await) })
    }
}

/// One that panics has failed.
fn settled<T>(said: Result<Result<T, JournalError>, ToolError>) -> Result<T, JournalError> {
    said.unwrap_or_else(|panic| Err(JournalError::new(panic.message())))
}
