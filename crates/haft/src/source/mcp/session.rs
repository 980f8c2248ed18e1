//! A live connection to a server.

use std::sync::Arc;

use rmcp::{Peer, RoleClient, model::RequestId};
use tokio::sync::mpsc;

use super::{
    McpEra, McpError,
    list::{Listing, list},
    wire::Awaited,
};

/// As many calls that nobody waits for any more are told to the server; it has to bear with what comes on top.
const ABANDONED: usize = 1024;

/// A call that nobody waits for any more.
#[derive(Debug)]
pub(super) struct Abandoned {
    pub(super) id: RequestId,
    pub(super) reason: &'static str,
}

/// A live connection to a server.
pub(super) struct Session {
    pub(super) peer: Peer<RoleClient>,
    pub(super) awaited: Arc<Awaited>,
    abandoned: mpsc::Sender<Abandoned>,
}

impl Session {
    pub(super) fn new(
        peer: Peer<RoleClient>,
        awaited: Arc<Awaited>,
    ) -> (Arc<Self>, mpsc::Receiver<Abandoned>) {
        let (abandoned, queue) = mpsc::channel(ABANDONED);
        (Arc::new(Self { peer, awaited, abandoned }), queue)
    }

    /// Which protocol the server speaks, and in which revision.
    pub(super) fn era(&self) -> (McpEra, String) {
        let info = self.peer.peer_info();
        let version = info.as_ref().map(|info| &info.protocol_version);
        let modern = version.is_some_and(|version| !version.has_initialize());
        let era = if modern { McpEra::Modern } else { McpEra::Legacy };
        (era, version.map(ToString::to_string).unwrap_or_default())
    }

    /// What the server calls itself, with its version; and what it says to models.
    pub(super) fn introduction(&self) -> (Option<String>, Option<String>) {
        let Some(info) = self.peer.peer_info() else { return (None, None) };
        let software =
            info.server_info.as_ref().map(|software| format!("{} {}", software.name, software.version));
        (software, info.instructions.clone())
    }

    /// Whether the server says when it has other tools.
    pub(super) fn tells_changes(&self) -> bool {
        let info = self.peer.peer_info();
        let tools = info.as_ref().and_then(|info| info.capabilities.tools.as_ref());
        tools.and_then(|tools| tools.list_changed).unwrap_or_default()
    }

    /// All tools of the server. One that says that it has none is not asked.
    pub(super) async fn list(&self) -> Result<Listing, McpError> {
        let info = self.peer.peer_info();
        if info.is_some_and(|info| info.capabilities.tools.is_none()) {
            return Ok(Listing::default());
        }
        list(&self.peer, &self.awaited).await
    }

    /// Has the server told that a call is not waited for any more.
    pub(super) fn abandon(&self, id: RequestId, reason: &'static str) {
        self.awaited.answered(&id);
        // A full queue belongs to a server that does not read.
        drop(self.abandoned.try_send(Abandoned { id, reason }));
    }
}
