//! A journal that knows what had been done to the world when each entry came.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{
    journal::{Entry, Journal, JournalFuture},
    testing::EffectLog,
};

/// Entries of one turn, each with how much had been done before it was durable.
#[derive(Debug)]
pub(super) struct MarkedJournal {
    effects: EffectLog,
    entries: Mutex<Vec<(Entry, usize)>>,
}

impl MarkedJournal {
    /// A journal that has the entries of an earlier life.
    pub(super) fn new(entries: Vec<Entry>, effects: EffectLog) -> Self {
        let done = effects.len();
        let entries = entries.into_iter().map(|entry| (entry, done)).collect();
        Self { effects, entries: Mutex::new(entries) }
    }

    pub(super) fn marked(&self) -> Vec<(Entry, usize)> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Entry, usize)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MarkedJournal {
    fn append<'a>(&'a self, entries: &'a [Entry]) -> JournalFuture<'a, ()> {
        let done = self.effects.len();
        self.lock().extend(entries.iter().map(|entry| (entry.clone(), done)));
        Box::pin(std::future::ready(Ok(())))
    }

    fn read<'a>(&'a self, session: &'a str, turn: &'a str) -> JournalFuture<'a, Vec<Entry>> {
        let of_turn = |(entry, _): &(Entry, usize)| {
            (entry.session == session && entry.turn == turn).then(|| entry.clone())
        };
        let entries = self.lock().iter().filter_map(of_turn).collect();
        Box::pin(std::future::ready(Ok(entries)))
    }
}
