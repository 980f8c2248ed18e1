//! A cancellation that costs next to nothing until somebody waits for it.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering, fence},
};

use tokio_util::sync::CancellationToken;

/// Tells all calls of a turn to end. The token comes into being when somebody asks for it.
#[derive(Debug, Default)]
pub(crate) struct LazyToken {
    /// The host's, which ends the turn too.
    parent: Option<CancellationToken>,
    made: OnceLock<CancellationToken>,
    cancelled: AtomicBool,
}

impl LazyToken {
    /// Cancelled when `parent` is.
    pub(crate) fn below(parent: Option<CancellationToken>) -> Self {
        Self { parent, ..Self::default() }
    }

    /// The token. Only children of it are handed out.
    pub(crate) fn get(&self) -> &CancellationToken {
        if let Some(token) = self.made.get() {
            return token;
        }
        let token = self.made.get_or_init(|| match &self.parent {
            Some(parent) => parent.child_token(),
            None => CancellationToken::new(),
        });
        // Of a cancellation at the same time, it or this sees the other.
        fence(Ordering::SeqCst);
        if self.cancelled.load(Ordering::Relaxed) {
            token.cancel();
        }
        token
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
            || self.parent.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        fence(Ordering::SeqCst);
        if let Some(token) = self.made.get() {
            token.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LazyToken;
    use tokio_util::sync::CancellationToken;

    #[test]
    fn a_token_is_cancelled_whenever_it_comes_into_being() {
        let before = LazyToken::default();
        let token = before.get().clone();
        assert!(!before.is_cancelled() && !token.is_cancelled());
        before.cancel();
        assert!(before.is_cancelled() && token.is_cancelled());

        let after = LazyToken::default();
        after.cancel();
        assert!(after.is_cancelled() && after.get().is_cancelled());
    }

    #[test]
    fn the_hosts_token_ends_it_and_not_the_other_way() {
        let host = CancellationToken::new();
        let (ended, other) = (LazyToken::below(Some(host.clone())), LazyToken::below(Some(host.clone())));
        ended.cancel();
        assert!(!host.is_cancelled() && !other.is_cancelled());
        host.cancel();
        assert!(other.is_cancelled() && other.get().is_cancelled());
    }

    /// Whoever makes the token and whoever cancels it at the same time agree.
    #[test]
    fn no_cancellation_is_missed_between_threads() {
        for _ in 0..500 {
            let token = LazyToken::default();
            std::thread::scope(|scope| {
                scope.spawn(|| token.cancel());
                scope.spawn(|| token.get().is_cancelled());
            });
            assert!(token.get().is_cancelled());
        }
    }
}
