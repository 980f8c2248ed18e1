//! One observer's bounded queue: a slow observer loses the oldest events, never holds up a call.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use futures_core::Stream;

use crate::event::{EventBody, ToolEvent};

/// How many events wait for an observer before the oldest are dropped.
const CAPACITY: usize = 4_096;
/// As many more wait for each call of the observed turn: an observer that comes to its turn late misses nothing.
const PER_CALL: usize = 8;

#[derive(Debug)]
pub(crate) struct Queue {
    capacity: usize,
    state: Mutex<State>,
    gone: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    events: VecDeque<Arc<ToolEvent>>,
    missed: Option<(u64, Arc<ToolEvent>)>,
    waker: Option<Waker>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the observer has gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    pub(crate) fn push(&self, event: &Arc<ToolEvent>) {
        let mut state = self.lock();
        if state.events.len() >= self.capacity
            && let Some(oldest) = state.events.pop_front()
        {
            let missed = state.missed.as_ref().map_or(0, |(missed, _)| *missed);
            state.missed = Some((missed + 1, oldest));
        }
        state.events.push_back(Arc::clone(event));
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }

    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }
}

/// The events of a turn, or of a whole dispatcher, as a stream that ends with it.
#[derive(Debug)]
pub struct ToolEvents(pub(super) Arc<Queue>);

impl ToolEvents {
    /// For a turn of so many calls, or for a whole dispatcher.
    pub(crate) fn new(calls: usize) -> Self {
        let capacity = calls.saturating_mul(PER_CALL).saturating_add(CAPACITY);
        Self(Arc::new(Queue { capacity, state: Mutex::default(), gone: AtomicBool::new(false) }))
    }

    pub(crate) fn queue(&self) -> Arc<Queue> {
        Arc::clone(&self.0)
    }

    /// The next event; `None` when there will be none.
    pub async fn next(&mut self) -> Option<Arc<ToolEvent>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Arc<ToolEvent>>> {
        let mut state = self.0.lock();
        if let Some((missed, last)) = state.missed.take() {
            return Poll::Ready(Some(Arc::new(ToolEvent {
                session: last.session.clone(),
                turn: Arc::clone(&last.turn),
                at: last.at,
                seq: last.seq,
                body: EventBody::Lagged { missed },
            })));
        }
        if let Some(event) = state.events.pop_front() {
            return Poll::Ready(Some(event));
        }
        if state.closed {
            return Poll::Ready(None);
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Stream for ToolEvents {
    type Item = Arc<ToolEvent>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

impl Drop for ToolEvents {
    fn drop(&mut self) {
        self.0.gone.store(true, Ordering::Relaxed);
        self.0.lock().events.clear();
    }
}
