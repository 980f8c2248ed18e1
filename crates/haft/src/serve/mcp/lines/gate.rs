//! How many requests of one client are worked on at once.

use std::{
    collections::HashSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rmcp::model::RequestId;
use tokio::sync::Notify;

/// How many requests are worked on before the next one has to wait.
pub(super) const MOST: usize = 1_024;

#[derive(Debug, Default)]
struct Open {
    /// Requests of the client that have no answer yet.
    theirs: HashSet<RequestId>,
    /// Requests to the client that it has not answered yet.
    ours: HashSet<RequestId>,
    /// How many have left.
    left: u64,
}

/// Knows which requests are worked on.
#[derive(Debug, Default)]
pub(super) struct Gate {
    open: Mutex<Open>,
    moved: Notify,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request of that id is worked on.
    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.lock().theirs.contains(id)
    }

    /// A request is taken up.
    pub(super) fn enter(&self, id: RequestId) {
        self.lock().theirs.insert(id);
    }

    /// A request has its answer, or none is wanted any more.
    pub(super) fn leave(&self, id: &RequestId) {
        let mut open = self.lock();
        open.theirs.remove(id);
        open.left += 1;
        drop(open);
        self.moved.notify_waiters();
    }

    /// How many requests have left, and whether none is worked on.
    pub(super) fn left(&self) -> (u64, bool) {
        let open = self.lock();
        (open.left, open.theirs.is_empty())
    }

    /// Waits until more requests have left.
    pub(super) async fn leaves(&self, seen: u64) {
        loop {
            let moved = self.moved.notified();
            if self.lock().left != seen {
                return;
            }
            moved.await;
        }
    }

    /// The client is asked something.
    pub(super) fn ask(&self, id: &RequestId) {
        self.lock().ours.insert(id.clone());
        self.moved.notify_waiters();
    }

    /// The client has answered.
    pub(super) fn answered(&self, id: &RequestId) {
        self.lock().ours.remove(id);
    }

    /// Whether another request may be taken up.
    ///
    /// Calls that wait for the client are not counted: it could need another one's answer to give its own.
    pub(super) fn has_room(&self) -> bool {
        let open = self.lock();
        open.theirs.len().saturating_sub(open.ours.len()) < MOST
    }

    /// Waits until another request may be taken up.
    pub(super) async fn pass(&self) {
        loop {
            let moved = self.moved.notified();
            if self.has_room() {
                return;
            }
            moved.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_waits_for_the_client_is_not_counted() {
        let gate = Gate::default();
        let id = |number: usize| RequestId::Number(i64::try_from(number).expect("small"));
        (0..MOST).for_each(|number| gate.enter(id(number)));
        assert!(gate.contains(&id(0)) && !gate.contains(&id(MOST)));
        let waits = |gate| tokio::time::timeout(Duration::from_secs(1), Gate::pass(gate));
        assert!(waits(&gate).await.is_err());
        gate.ask(&id(7));
        assert!(waits(&gate).await.is_ok());
        gate.answered(&id(7));
        assert!(waits(&gate).await.is_err());
        gate.leave(&id(3));
        assert!(waits(&gate).await.is_ok());
    }
}
