//! Where the tasks of functions leave how they ended: taken together what has come together.

use std::{
    collections::{HashMap, VecDeque},
    future::poll_fn,
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

use crate::{
    dispatch::{
        machine::Position,
        presence::{LeftBehind, PresenceBoard},
    },
    tool::{Outcome, ToolContext},
};

/// A function's place, and its outcome; none where its task was dropped.
pub(super) type Letter = (Position, Option<Outcome>);

/// The ends of the functions of one turn, in the order in which they came.
pub(super) struct Mailbox {
    arrived: Mutex<Arrived>,
    board: Arc<PresenceBoard>,
}

#[derive(Default)]
struct Arrived {
    letters: VecDeque<Letter>,
    waker: Option<Waker>,
    /// The functions whose ends nobody waits for any more, and whether observers were told so.
    left: HashMap<Position, bool>,
}

impl Mailbox {
    pub(super) fn new(board: &Arc<PresenceBoard>) -> Self {
        Self { arrived: Mutex::default(), board: Arc::clone(board) }
    }

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

    /// Gives a function up, and says whether it still runs: then it is counted until it ends, and with `context` the
    /// observers, who hear that it was left behind, hear of that too.
    pub(super) fn leave(&self, position: Position, context: Option<&ToolContext>) -> LeftBehind {
        let mut arrived = self.lock();
        if arrived.letters.iter().any(|(ended, _)| *ended == position) {
            self.board.end();
            return LeftBehind::Ended;
        }
        // Noted under the lock: its end comes after.
        self.board.leave();
        context.map(ToolContext::leave_behind);
        arrived.left.insert(position, context.is_some());
        LeftBehind::Running
    }

    /// Takes an end. Where the function had been left behind and observers know, they are told.
    fn put(&self, (position, outcome): Letter, context: Option<ToolContext>) {
        let is_error = !matches!(outcome, Some(Ok(_)));
        let mut arrived = self.lock();
        // Mostly none was left behind, and nothing is looked up.
        let left = if arrived.left.is_empty() { None } else { arrived.left.remove(&position) };
        let context = match left {
            Some(shown) => {
                self.board.end_behind();
                context.filter(|_| shown)
            }
            // Dropped before anybody hears of the end, who may count on nothing of the turn being held any more; whoever
            // waits for the function still has another.
            None => {
                drop(context);
                None
            }
        };
        arrived.letters.push_back((position, outcome));
        let waker = arrived.waker.take();
        drop(arrived);
        if let Some(waker) = waker {
            waker.wake();
        }
        if let Some(context) = context {
            context.end_behind(is_error);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Arrived> {
        self.arrived.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one task has to leave: it does so when it is dropped, however that comes.
pub(super) struct Mail {
    position: Position,
    outcome: Option<Outcome>,
    context: Option<ToolContext>,
    mailbox: Arc<Mailbox>,
}

impl Mail {
    pub(super) fn new(position: Position, context: Option<ToolContext>, mailbox: &Arc<Mailbox>) -> Self {
        Self { position, outcome: None, context, mailbox: Arc::clone(mailbox) }
    }

    pub(super) fn put(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
    }
}

impl Drop for Mail {
    fn drop(&mut self) {
        self.mailbox.put((self.position, self.outcome.take()), self.context.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(board: &PresenceBoard) -> (usize, usize) {
        (board.status().running, board.status().detached)
    }

    /// Whichever comes first, the end of a function or its being given up: it is counted once, and until it ends.
    #[test]
    fn a_function_that_is_given_up_is_counted_until_it_ends() {
        let board = Arc::<PresenceBoard>::default();
        let mailbox = Arc::new(Mailbox::new(&board));
        let [first, second] = [0, 1].map(|position| Mail::new(position, None, &mailbox));
        board.begin();
        board.begin();
        drop(first);
        assert_eq!((mailbox.leave(0, None), counts(&board)), (LeftBehind::Ended, (1, 0)));
        assert_eq!((mailbox.leave(1, None), counts(&board)), (LeftBehind::Running, (0, 1)));
        drop(second);
        assert_eq!(counts(&board), (0, 0));
        let mut taken = VecDeque::new();
        mailbox.take(&mut taken);
        assert_eq!(taken.iter().map(|(position, _)| *position).collect::<Vec<_>>(), [0, 1]);
    }
}
