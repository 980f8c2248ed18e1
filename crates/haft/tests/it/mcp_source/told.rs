//! What is told of servers in the log, on this thread.

use std::{
    fmt::{self, Write as _},
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span,
    subscriber::DefaultGuard,
};

/// Collects warnings with all that they say.
pub(super) struct Told {
    warnings: Arc<Mutex<Vec<String>>>,
    _listening: DefaultGuard,
}

impl Told {
    pub(super) fn listen() -> Self {
        let warnings = Arc::<Mutex<Vec<String>>>::default();
        let listener = Listener(Arc::clone(&warnings));
        Self { warnings, _listening: crate::listening::listen(listener) }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        self.warnings.lock().unwrap().clone()
    }
}

struct Listener(Arc<Mutex<Vec<String>>>);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("haft::source::mcp") && *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}
