//! The keys of chunked calls, for a whole dispatcher: one call of a key at a time, first come first served.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use tokio::sync::Semaphore;

use crate::{dispatch::validate::ValidatedCall, tool::BatchingStrategy};

/// After as many new keys, those that nobody holds are forgotten.
const SWEEP: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Keys(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    keys: HashMap<(String, String), Weak<Semaphore>>,
    new: usize,
}

impl Keys {
    /// The lock of a call's key; none where its tool is not chunked.
    pub(super) fn semaphore(&self, call: &ValidatedCall) -> Option<Arc<Semaphore>> {
        if call.registered.strategy != BatchingStrategy::Chunked {
            return None;
        }
        let name = (call.registered.tool.name().to_owned(), call.key()?);
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(present) = held.keys.get(&name).and_then(Weak::upgrade) {
            return Some(present);
        }
        held.new += 1;
        if held.new.is_multiple_of(SWEEP) {
            held.keys.retain(|_, semaphore| semaphore.strong_count() > 0);
        }
        let made = Arc::new(Semaphore::new(1));
        held.keys.insert(name, Arc::downgrade(&made));
        Some(made)
    }
}
