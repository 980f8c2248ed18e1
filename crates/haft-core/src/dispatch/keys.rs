//! The keys of chunked calls, for a whole dispatcher: one call of a key at a time, first come first served.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::{
    dispatch::{gate::Gate, validate::ValidatedCall},
    tool::BatchingStrategy,
};

/// After as many new keys, those that nobody holds are forgotten.
const SWEEP: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Keys(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    keys: HashMap<(String, String), Weak<Gate>>,
    new: usize,
}

impl Keys {
    /// The gate of a call's key, with one place; none where its tool is not chunked.
    pub(super) fn gate(&self, call: &ValidatedCall<'_>) -> Option<Arc<Gate>> {
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
            held.keys.retain(|_, gate| gate.strong_count() > 0);
        }
        let made = Arc::new(Gate::new(1));
        held.keys.insert(name, Arc::downgrade(&made));
        Some(made)
    }
}
