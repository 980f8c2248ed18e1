//! Waiting for what takes time.

use std::time::Duration;

use tokio::{
    task::JoinError,
    time::{sleep_until, timeout},
};

use crate::{dispatch::machine::Stop, journal::JournalError};

use super::{Tasks, Work};

/// How long a turn that is to end waits for its journal at least.
const PATIENCE: Duration = Duration::from_secs(2);

impl Work<'_> {
    /// Waits for the first thing that happens, and takes along what has happened beside.
    pub(super) async fn wait(&mut self) {
        let turn = self.turn;
        let (deadline, stopped) = (turn.scope.deadline, self.stopped);
        let time_is_over = async move {
            match deadline.filter(|_| !stopped) {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let patience = turn.dispatcher.0.grace.max(PATIENCE);
        let appending = async {
            match self.appending.as_mut() {
                // A turn that is to end does not wait for ever to have it written down.
                Some((_, appending)) if stopped => {
                    timeout(patience, appending).await.unwrap_or_else(|_| Err(no_answer()))
                }
                Some((_, appending)) => appending.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = turn.scope.token.get().cancelled(), if !self.stopped => self.stop(Stop::Cancelled),
            appended = appending => self.appended(appended),
            Some((position, ending)) = self.supervisor.next() => {
                self.ended(position, ending);
                self.take_ended();
            }
            Some(answered) = next(&mut self.asking) => self.answered(answered),
            Some(hooked) = next(&mut self.hooking) => self.hooked(hooked),
            (position, slots) = self.lanes.next(), if !self.lanes.is_empty() => self.admitted(position, slots),
            () = time_is_over, if !self.stopped => self.stop(Stop::TurnTimeout),
        }
    }
}

/// The next task that has ended; none when there is none.
async fn next<T: 'static>(tasks: &mut Tasks<T>) -> Option<Result<T, JoinError>> {
    tasks.as_mut()?.join_next().await
}

fn no_answer() -> JournalError {
    JournalError::new("it does not answer, and the turn was to end")
}
