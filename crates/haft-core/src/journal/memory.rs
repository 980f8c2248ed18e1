//! A journal in memory: for tests, and for turns that suspend without a journal.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::journal::{Entry, Journal, JournalFuture};

type Turns = HashMap<(String, String), Vec<Entry>>;

/// A journal that ends with the process.
#[derive(Debug, Default)]
pub struct MemoryJournal(Mutex<Turns>);

impl MemoryJournal {
    /// An empty journal.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entries of a turn.
    pub fn entries(&self, session: &str, turn: &str) -> Vec<Entry> {
        self.lock().get(&(session.to_owned(), turn.to_owned())).cloned().unwrap_or_default()
    }

    /// Forgets a turn.
    pub fn remove(&self, session: &str, turn: &str) {
        self.lock().remove(&(session.to_owned(), turn.to_owned()));
    }

    fn lock(&self) -> MutexGuard<'_, Turns> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryJournal {
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        let mut turns = self.lock();
        for entry in entries {
            turns.entry((entry.session.clone(), entry.turn.clone())).or_default().push(entry.clone());
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn read<'a>(&'a self, session: &'a str, turn: &'a str) -> JournalFuture<'a, Vec<Entry>> {
        Box::pin(std::future::ready(Ok(self.entries(session, turn))))
    }
}
