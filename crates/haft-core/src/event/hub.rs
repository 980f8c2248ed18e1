//! Where events are made: nothing is, unless somebody observes.

use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use arc_swap::ArcSwapOption;

use crate::{
    clock::{Clock, IdSource},
    event::{EventBody, ToolEvent, ToolEvents, queue::Queue},
};

/// The observers of a whole dispatcher.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    queues: ArcSwapOption<Vec<Arc<Queue>>>,
    /// Whether there has ever been one: the question that every call asks.
    any: AtomicBool,
}

impl Subscribers {
    pub(crate) fn subscribe(&self) -> ToolEvents {
        let events = ToolEvents::new(0);
        let queue = events.queue();
        self.queues.rcu(|queues| {
            let present = queues.iter().flat_map(|queues| queues.iter()).filter(|queue| !queue.is_gone());
            Some(Arc::new(present.chain([&queue]).cloned().collect::<Vec<_>>()))
        });
        self.any.store(true, Ordering::Release);
        events
    }

    fn send(&self, event: &Arc<ToolEvent>) {
        if let Some(queues) = self.queues.load().as_ref() {
            for queue in queues.iter().filter(|queue| !queue.is_gone()) {
                queue.push(event);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        let gone = |queues: &Arc<Vec<Arc<Queue>>>| queues.iter().all(|queue| queue.is_gone());
        !self.any.load(Ordering::Acquire) || self.queues.load().as_ref().is_none_or(gone)
    }
}

impl Drop for Subscribers {
    fn drop(&mut self) {
        if let Some(queues) = self.queues.load().as_ref() {
            queues.iter().for_each(|queue| queue.close());
        }
    }
}

/// The events of one turn.
pub(crate) struct EventHub {
    pub(crate) session: Option<Arc<str>>,
    turn: OnceLock<Arc<str>>,
    ids: Arc<dyn IdSource>,
    clock: Option<Arc<dyn Clock>>,
    own: Option<Arc<Queue>>,
    subscribers: Arc<Subscribers>,
    next: Mutex<u64>,
}

impl EventHub {
    pub(crate) fn new(
        session: Option<Arc<str>>,
        ids: Arc<dyn IdSource>,
        clock: Option<Arc<dyn Clock>>,
        own: Option<Arc<Queue>>,
        subscribers: Arc<Subscribers>,
    ) -> Self {
        Self { session, turn: OnceLock::new(), ids, clock, own, subscribers, next: Mutex::new(0) }
    }

    /// The turn's id; it comes into being when somebody asks for it.
    pub(crate) fn turn_id(&self) -> &Arc<str> {
        self.turn.get_or_init(|| self.ids.next_id().into())
    }

    /// The turn's id, if it has come into being.
    pub(crate) fn turn_id_if_any(&self) -> Option<&str> {
        self.turn.get().map(AsRef::as_ref)
    }

    /// Gives the turn the id that it had before.
    pub(crate) fn resume(self, turn: &str) -> Self {
        let _ = self.turn.set(turn.into());
        self
    }

    /// Makes an event, if anybody observes.
    pub(crate) fn emit(&self, body: impl FnOnce() -> EventBody) {
        let own = self.own.as_ref().filter(|queue| !queue.is_gone());
        if own.is_none() && self.subscribers.is_empty() {
            return;
        }
        let (session, turn) = (self.session.clone(), Arc::clone(self.turn_id()));
        let at = self.clock.as_ref().map(|clock| clock.now_millis());
        let body = body();
        // Held while the event is handed out, so that every observer sees the order of `seq`.
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let event = Arc::new(ToolEvent { session, turn, at, seq: *next, body });
        *next += 1;
        if let Some(queue) = own {
            queue.push(&event);
        }
        self.subscribers.send(&event);
    }

    /// Says that the turn is over.
    pub(crate) fn close(&self) {
        if let Some(queue) = &self.own {
            queue.close();
        }
    }
}

impl fmt::Debug for EventHub {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("EventHub").field("turn", &self.turn.get()).finish_non_exhaustive()
    }
}
