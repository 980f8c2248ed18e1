//! Where the tasks of functions leave how they ended: taken together what has come together.

use std::{
    collections::VecDeque,
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use crate::{dispatch::machine::Position, tool::Outcome};

/// A function's place, and its outcome; none where its task was dropped.
pub(super) type Letter = (Position, Option<Outcome>);

/// The ends of the functions of one turn, in the order in which they came.
#[derive(Default)]
pub(super) struct Mailbox(Mutex<Arrived>);

#[derive(Default)]
struct Arrived {
    letters: VecDeque<Letter>,
    waker: Option<Waker>,
}

impl Mailbox {
    /// Waits until something has come, and swaps it for `taken`, which is empty. Safe to drop and call again.
    pub(super) async fn wait(&self, taken: &mut VecDeque<Letter>) {
        poll_fn(|context| {
            let mut arrived = self.lock();
            if arrived.letters.is_empty() {
                arrived.waker = Some(context.waker().clone());
                return Poll::Pending;
            }
            mem::swap(taken, &mut arrived.letters);
            Poll::Ready(())
        })
        .await;
    }

    /// Swaps what has come for `taken`, which is empty.
    pub(super) fn take(&self, taken: &mut VecDeque<Letter>) {
        mem::swap(taken, &mut self.lock().letters);
    }

    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, letter: Letter) {
        let mut arrived = self.lock();
        arrived.letters.push_back(letter);
        let waker = arrived.waker.take();
        drop(arrived);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// What one task has to leave: it does so when it is dropped, however that comes.
pub(super) struct Mail {
    position: Position,
    outcome: Option<Outcome>,
    mailbox: Arc<Mailbox>,
}

impl Mail {
    pub(super) fn new(position: Position, mailbox: &Arc<Mailbox>) -> Self {
        Self { position, outcome: None, mailbox: Arc::clone(mailbox) }
    }

    pub(super) fn put(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }

    /// Whether there is no output to leave.
    pub(super) fn is_error(&self) -> bool {
        !matches!(self.outcome, Some(Ok(_)))
    }
}

impl Drop for Mail {
    fn drop(&mut self) {
        self.mailbox.put((self.position, self.outcome.take()));
    }
}
