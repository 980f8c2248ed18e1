//! What happens to servers, for whoever watches.

use std::{fmt, sync::Arc, time::Duration};

use tokio::sync::broadcast::{Receiver, Sender, channel, error::RecvError};

use super::{McpEra, McpError, McpProblem};

/// Something that happened to a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct McpServerEvent {
    /// The server.
    pub server: Arc<str>,
    /// What happened.
    pub what: McpServerChange,
}

/// What happened to a server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum McpServerChange {
    /// A connection is being made; from the second attempt on this is another try.
    Connecting {
        /// Which attempt it is, from 1, since a connection last held for half a minute.
        attempt: u32,
    },
    /// Its tools can be called.
    Ready {
        /// How many tools it has that are used.
        tools: usize,
        /// Which protocol it speaks.
        era: McpEra,
        /// How long it took.
        after: Duration,
    },
    /// It has other tools.
    ToolsChanged {
        /// How many tools it has now that are used.
        tools: usize,
    },
    /// Something is wrong with its tools; the others can be used.
    Problem(McpProblem),
    /// A new list of its tools could not be had; those that were there stay.
    RefreshFailed {
        /// Why.
        error: McpError,
    },
    /// It can not be used now.
    Failed {
        /// Why.
        error: McpError,
        /// When the next attempt begins; none where another one is of no use.
        retry_in: Option<Duration>,
    },
    /// The host has ended the connection.
    Stopped,
}

type Watcher = Box<dyn Fn(&McpServerEvent) + Send + Sync>;

/// As many events wait for a slow observer.
const QUEUE: usize = 256;

/// Where events go.
#[derive(Clone)]
pub(super) struct Events {
    queue: Sender<McpServerEvent>,
    watchers: Arc<Vec<Watcher>>,
}

impl Events {
    pub(super) fn emit(&self, server: &str, what: McpServerChange) {
        let event = McpServerEvent { server: server.into(), what };
        self.watchers.iter().for_each(|watcher| watcher(&event));
        // Nobody has to listen.
        drop(self.queue.send(event));
    }

    pub(super) fn subscribe(&self) -> McpServerEvents {
        McpServerEvents(self.queue.subscribe())
    }

    /// Calls a function for each event too. It has to come before the first event.
    pub(super) fn watch(&mut self, watcher: Watcher) {
        if let Some(watchers) = Arc::get_mut(&mut self.watchers) {
            watchers.push(watcher);
        }
    }
}

impl Default for Events {
    fn default() -> Self {
        Self { queue: channel(QUEUE).0, watchers: Arc::default() }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Events")
    }
}

/// What happens to servers, from the moment of the subscription on.
#[derive(Debug)]
pub struct McpServerEvents(Receiver<McpServerEvent>);

impl McpServerEvents {
    /// The next event; none once the servers are gone. An observer that is too slow misses the oldest ones.
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<McpServerEvent> {
        loop {
            match self.0.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
