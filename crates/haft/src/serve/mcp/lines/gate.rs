//! How many requests of one client are worked on at once.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use haft_core::CancellationToken;
use rmcp::model::RequestId;
use tokio::sync::Notify;

/// How many requests are worked on before the next one has to wait.
pub(super) const MOST: usize = 1_024;

#[derive(Debug, Default)]
struct Open {
    /// Requests of the client that have no answer yet.
    theirs: HashMap<RequestId, Entered>,
    /// Requests to the client that it has not answered yet.
    ours: HashSet<RequestId>,
    /// How many have left.
    left: u64,
    /// How many have been taken up here.
    taken: u64,
    /// How many of those still run, wanted or not.
    running: usize,
}

/// A request that was taken up.
#[derive(Debug)]
enum Entered {
    /// By the protocol's library.
    There,
    /// Here: which one, and how it is told to end.
    Here(u64, CancellationToken),
}

/// Knows which requests are worked on.
#[derive(Debug, Default)]
pub(super) struct Gate {
    open: Mutex<Open>,
    moved: Notify,
}

/// A request that is answered here, until this is dropped.
#[derive(Debug)]
pub(super) struct Here {
    gate: Arc<Gate>,
    id: RequestId,
    number: u64,
}

impl Here {
    /// Whether the answer is still wanted.
    pub(super) fn is_wanted(&self) -> bool {
        self.gate.lock().is(&self.id, self.number)
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        let mut open = self.gate.lock();
        open.running -= 1;
        if open.is(&self.id, self.number) {
            open.theirs.remove(&self.id);
            open.left += 1;
        }
        drop(open);
        self.gate.moved.notify_waiters();
    }
}

impl Open {
    fn is(&self, id: &RequestId, number: u64) -> bool {
        matches!(self.theirs.get(id), Some(Entered::Here(of, _)) if *of == number)
    }
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request of that id is worked on.
    pub(super) fn contains(&self, id: &RequestId) -> bool {
        self.lock().theirs.contains_key(id)
    }

    /// A request is taken up by the protocol's library.
    pub(super) fn enter(&self, id: RequestId) {
        self.lock().theirs.insert(id, Entered::There);
    }

    /// A request is taken up here; the token is cancelled when its answer is not wanted any more.
    pub(super) fn enter_here(self: &Arc<Self>, id: RequestId, cancelled: CancellationToken) -> Here {
        let mut open = self.lock();
        open.taken += 1;
        open.running += 1;
        let number = open.taken;
        open.theirs.insert(id.clone(), Entered::Here(number, cancelled));
        drop(open);
        Here { gate: Arc::clone(self), id, number }
    }

    /// A request has its answer, or none is wanted any more.
    pub(super) fn leave(&self, id: &RequestId) {
        let mut open = self.lock();
        let entered = open.theirs.remove(id);
        open.left += 1;
        drop(open);
        if let Some(Entered::Here(_, cancelled)) = entered {
            cancelled.cancel();
        }
        self.moved.notify_waiters();
    }

    /// Waits until none of those that were taken up here runs any more.
    pub(super) async fn ended_here(&self) {
        loop {
            let moved = self.moved.notified();
            if self.lock().running == 0 {
                return;
            }
            moved.await;
        }
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

    #[tokio::test(start_paused = true)]
    async fn what_is_not_wanted_any_more_runs_on_and_has_no_say_in_its_successor() {
        let gate = Arc::new(Gate::default());
        let id = RequestId::Number(1);
        let (first, second) = (CancellationToken::new(), CancellationToken::new());
        let one = gate.enter_here(id.clone(), first.clone());
        assert!(one.is_wanted() && gate.contains(&id));
        gate.leave(&id);
        assert!(first.is_cancelled() && !one.is_wanted() && !gate.contains(&id));
        assert_eq!(gate.left(), (1, true));
        let other = gate.enter_here(id.clone(), second.clone());
        drop(one);
        assert!(other.is_wanted() && !second.is_cancelled());
        let waits = tokio::time::timeout(Duration::from_secs(1), gate.ended_here());
        assert!(waits.await.is_err());
        drop(other);
        gate.ended_here().await;
        assert_eq!(gate.left(), (2, true));
    }
}
