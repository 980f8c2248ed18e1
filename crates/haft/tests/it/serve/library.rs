//! Tells which requests the protocol's library takes up: those that it says so of in its log.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::DefaultGuard,
};

/// Counts, on this thread, the requests that the library takes up.
pub(crate) struct Library {
    requests: Arc<AtomicUsize>,
    _listening: DefaultGuard,
}

impl Library {
    pub(crate) fn listen() -> Self {
        let requests = Arc::new(AtomicUsize::new(0));
        let listener = Listener { requests: Arc::clone(&requests), spans: AtomicU64::new(1) };
        Self { requests, _listening: crate::listening::listen(listener) }
    }

    /// How many requests it has taken up since this was asked last.
    pub(crate) fn took(&self) -> usize {
        self.requests.swap(0, Ordering::SeqCst)
    }
}

struct Listener {
    requests: Arc<AtomicUsize>,
    spans: AtomicU64,
}

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("rmcp::service")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(self.spans.fetch_add(1, Ordering::SeqCst))
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut received = Received(false);
        event.record(&mut received);
        if received.0 {
            self.requests.fetch_add(1, Ordering::SeqCst);
        }
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Received(bool);

impl Visit for Received {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0 |= field.name() == "message" && format!("{value:?}") == "received request";
    }
}
