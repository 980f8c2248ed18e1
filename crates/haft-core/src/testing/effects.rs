//! What tools did to the world, by idempotency key.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::tool::ToolContext;

/// One thing that a tool did.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedEffect {
    /// The idempotency key of the call.
    pub key: String,
    /// What was done.
    pub what: String,
}

/// The world that tools under test act on: it notes what they do, and outlives a simulated crash.
///
/// Give it to the registry as state, or to whatever stands in for the world. One that knows keys, as a payment provider
/// does, looks into [`contains`](Self::contains) first.
///
/// ```
/// use haft_core::{ToolContext, testing::EffectLog};
///
/// let (effects, context) = (EffectLog::new(), ToolContext::detached());
/// effects.record(&context, "charged");
/// assert!(effects.contains(&context.idempotency_key()));
/// assert_eq!(effects.all()[0].what, "charged");
/// ```
#[derive(Debug, Clone, Default)]
pub struct EffectLog(Arc<Mutex<Vec<LoggedEffect>>>);

impl EffectLog {
    /// A world in which nothing has happened.
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes that a call did something.
    pub fn record(&self, context: &ToolContext, what: impl Into<String>) {
        self.record_key(context.idempotency_key(), what);
    }

    /// Notes that something was done under a key.
    pub fn record_key(&self, key: impl Into<String>, what: impl Into<String>) {
        self.lock().push(LoggedEffect { key: key.into(), what: what.into() });
    }

    /// Whether anything was done under the key.
    pub fn contains(&self, key: &str) -> bool {
        self.lock().iter().any(|effect| effect.key == key)
    }

    /// Everything that was done, in order.
    pub fn all(&self) -> Vec<LoggedEffect> {
        self.lock().clone()
    }

    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// The world as it was when so much had been done.
    pub(super) fn at(&self, len: usize) -> Self {
        Self(Arc::new(Mutex::new(self.lock().iter().take(len).cloned().collect())))
    }

    /// What was done twice under one key, if anything.
    pub(super) fn repeated(&self) -> Option<LoggedEffect> {
        let effects = self.lock();
        let again =
            |(place, effect): &(usize, &LoggedEffect)| effects.iter().take(*place).any(|e| e == *effect);
        effects.iter().enumerate().find(again).map(|(_, effect)| effect.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LoggedEffect>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
