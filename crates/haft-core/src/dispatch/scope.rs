//! What all calls of a turn share.

use std::sync::Arc;

use tokio::time::Instant;

use crate::{
    ask::Answerer,
    clock::CountingIds,
    dispatch::{LazyToken, builder::Settings},
    event::{EventHub, Subscribers},
    message::Message,
    registry::Snapshot,
    tool::States,
};

/// What all calls of a turn share.
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) messages: Arc<[Message]>,
    pub(crate) extensions: States,
    pub(crate) token: LazyToken,
    /// When the turn's time is over.
    pub(crate) deadline: Option<Instant>,
    pub(crate) events: EventHub,
    /// Who answers while the turn runs.
    pub(crate) answerer: Option<Arc<dyn Answerer>>,
    /// What nested calls are run by.
    pub(crate) settings: Option<Arc<Settings>>,
    /// The tools that there were when the turn began; all of it sees the same.
    pub(crate) tools: Option<Arc<Snapshot>>,
    /// Whether a call can wait for an answer beyond the run.
    pub(crate) can_suspend: bool,
    /// Whether the turn may wait beyond its run; what nobody answers is denied where it may not.
    pub(crate) waits: bool,
}

impl Scope {
    /// A scope that nothing stands behind.
    pub(crate) fn detached() -> Self {
        Self {
            messages: Arc::default(),
            extensions: States::default(),
            token: LazyToken::default(),
            deadline: None,
            events: EventHub::new(
                None,
                Arc::new(CountingIds::default()),
                None,
                None,
                Arc::new(Subscribers::default()),
            ),
            answerer: None,
            settings: None,
            tools: None,
            can_suspend: false,
            waits: false,
        }
    }

    pub(crate) fn session(&self) -> Option<&str> {
        self.events.session.as_deref()
    }

    pub(crate) fn turn_id(&self) -> &str {
        self.events.turn_id()
    }

    /// The turn's id, if it has come into being.
    pub(crate) fn turn_id_if_any(&self) -> &str {
        self.events.turn_id_if_any().unwrap_or_default()
    }
}
