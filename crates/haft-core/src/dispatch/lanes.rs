//! Where calls wait for a slot: first for one of their tool's, then for one of the dispatcher's, in order.

use std::{
    collections::VecDeque,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::PollSemaphore;

use crate::dispatch::machine::Position;

/// The slots that a running call holds.
#[derive(Debug, Default)]
pub(super) struct Slots {
    _of_tool: Option<OwnedSemaphorePermit>,
    _of_dispatcher: Option<OwnedSemaphorePermit>,
}

impl Slots {
    /// Waits for the slots of a call that stands alone.
    pub(super) async fn acquire(tool: Option<&Arc<Semaphore>>, dispatcher: &Arc<Semaphore>) -> Self {
        let of_tool = match tool {
            Some(semaphore) => Arc::clone(semaphore).acquire_owned().await.ok(),
            None => None,
        };
        let of_dispatcher = Arc::clone(dispatcher).acquire_owned().await.ok();
        Self { _of_tool: of_tool, _of_dispatcher: of_dispatcher }
    }
}

/// Calls of one turn that wait for one semaphore.
struct Lane {
    semaphore: PollSemaphore,
    source: Arc<Semaphore>,
    waiting: VecDeque<(Position, Option<OwnedSemaphorePermit>)>,
}

impl Lane {
    fn new(source: &Arc<Semaphore>) -> Self {
        let semaphore = PollSemaphore::new(Arc::clone(source));
        Self { semaphore, source: Arc::clone(source), waiting: VecDeque::new() }
    }

    /// The first that waits, when there is a slot for it.
    fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<(Position, Option<OwnedSemaphorePermit>, Option<OwnedSemaphorePermit>)> {
        if self.waiting.is_empty() {
            return Poll::Pending;
        }
        let Poll::Ready(permit) = self.semaphore.poll_acquire(context) else { return Poll::Pending };
        match self.waiting.pop_front() {
            Some((position, before)) => Poll::Ready((position, before, permit)),
            None => Poll::Pending,
        }
    }

    fn remove(&mut self, position: Position) {
        self.waiting.retain(|(waiting, _)| *waiting != position);
        if self.waiting.is_empty() {
            // An acquisition that nobody waits for would hold up others.
            self.semaphore = PollSemaphore::new(Arc::clone(&self.source));
        }
    }
}

/// The calls of one turn that wait for slots.
pub(super) struct Lanes {
    dispatcher: Lane,
    tools: Vec<Lane>,
}

impl Lanes {
    pub(super) fn new(dispatcher: &Arc<Semaphore>) -> Self {
        Self { dispatcher: Lane::new(dispatcher), tools: Vec::new() }
    }

    /// Slots at once, when they are free and nobody of this turn waits; else the call gets in line.
    pub(super) fn enter(&mut self, position: Position, tool: Option<&Arc<Semaphore>>) -> Option<Slots> {
        let Some(tool) = tool else {
            if self.dispatcher.waiting.is_empty()
                && let Ok(permit) = Arc::clone(&self.dispatcher.source).try_acquire_owned()
            {
                return Some(Slots { _of_tool: None, _of_dispatcher: Some(permit) });
            }
            self.dispatcher.waiting.push_back((position, None));
            return None;
        };
        let found = self.tools.iter().position(|lane| Arc::ptr_eq(&lane.source, tool));
        let index = found.unwrap_or_else(|| {
            self.tools.push(Lane::new(tool));
            self.tools.len() - 1
        });
        let lane = self.tools.get_mut(index)?;
        lane.waiting.push_back((position, None));
        None
    }

    /// Takes a call out of the line; `true` when it stood there.
    pub(super) fn leave(&mut self, position: Position) {
        self.dispatcher.remove(position);
        self.tools.iter_mut().for_each(|lane| lane.remove(position));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.dispatcher.waiting.is_empty() && self.tools.iter().all(|lane| lane.waiting.is_empty())
    }

    /// The next call that has its slots.
    pub(super) async fn next(&mut self) -> (Position, Slots) {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(Position, Slots)> {
        for lane in &mut self.tools {
            while let Poll::Ready((position, _, permit)) = lane.poll(context) {
                self.dispatcher.waiting.push_back((position, permit));
            }
        }
        self.dispatcher.poll(context).map(|(position, of_tool, of_dispatcher)| {
            (position, Slots { _of_tool: of_tool, _of_dispatcher: of_dispatcher })
        })
    }
}
