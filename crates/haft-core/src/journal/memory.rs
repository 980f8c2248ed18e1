//! A journal in memory: for tests, and for turns that suspend without a journal.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::journal::{Entry, Journal, JournalError, JournalFuture};

type Name = (String, String);

#[derive(Debug, Default)]
struct Turns {
    entries: HashMap<Name, Vec<Entry>>,
    /// The turns, the oldest first.
    order: VecDeque<Name>,
}

/// A journal that ends with the process.
#[derive(Debug)]
pub struct MemoryJournal {
    turns: Mutex<Turns>,
    limit: usize,
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self::bounded(usize::MAX)
    }
}

impl MemoryJournal {
    /// An empty journal that keeps every turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty journal that keeps so many turns; the oldest is forgotten for a new one.
    pub fn bounded(turns: usize) -> Self {
        Self { turns: Mutex::default(), limit: turns.max(1) }
    }

    /// The entries of a turn.
    pub fn entries(&self, session: &str, turn: &str) -> Vec<Entry> {
        self.lock().entries.get(&(session.to_owned(), turn.to_owned())).cloned().unwrap_or_default()
    }

    /// Forgets a turn.
    pub fn remove(&self, session: &str, turn: &str) {
        let name = (session.to_owned(), turn.to_owned());
        let mut turns = self.lock();
        if turns.entries.remove(&name).is_some() {
            turns.order.retain(|kept| *kept != name);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Turns> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turns {
    fn add(&mut self, entries: &[Entry], limit: usize) {
        for entry in entries {
            let name = (entry.session.clone(), entry.turn.clone());
            if !self.entries.contains_key(&name) {
                if self.order.len() >= limit
                    && let Some(oldest) = self.order.pop_front()
                {
                    tracing::warn!(
                        turn = oldest.1,
                        "a waiting turn is forgotten: too many wait without a journal"
                    );
                    self.entries.remove(&oldest);
                }
                self.order.push_back(name.clone());
            }
            self.entries.entry(name).or_default().push(entry.clone());
        }
    }

    /// Whether a turn has other entries than so many; one that was forgotten has none.
    fn has_others(&self, known: usize, entries: &[Entry]) -> bool {
        let Some(entry) = entries.first() else { return false };
        let name = (entry.session.clone(), entry.turn.clone());
        self.entries.get(&name).is_some_and(|entries| entries.len() != known)
    }
}

impl Journal for MemoryJournal {
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        self.lock().add(entries, self.limit);
        Box::pin(std::future::ready(Ok(())))
    }

    fn append_behind<'a>(&'a self, known: usize, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        let mut turns = self.lock();
        let appended = if turns.has_others(known, entries) {
            Err(JournalError::taken_up())
        } else {
            turns.add(entries, self.limit);
            Ok(())
        };
        Box::pin(std::future::ready(appended))
    }

    fn read<'a>(&'a self, session: &'a str, turn: &'a str) -> JournalFuture<'a, Vec<Entry>> {
        Box::pin(std::future::ready(Ok(self.entries(session, turn))))
    }
}
