//! Clients are told when there are other tools.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use haft_core::ToolChanges;
use rmcp::{
    RoleServer,
    service::{Peer, SubscriptionSink},
};
use tokio::task::JoinSet;

use super::service::Shared;

/// The clients of sessions that began with a handshake.
#[derive(Debug, Default)]
pub(super) struct Listeners(Mutex<Told>);

#[derive(Debug, Default)]
struct Told {
    peers: Vec<Peer<RoleServer>>,
    /// The task that tells them, once there is somebody to tell.
    task: JoinSet<()>,
}

impl Listeners {
    /// Tells a client from now on, until it is gone.
    pub(super) fn add(&self, peer: Peer<RoleServer>, shared: &Arc<Shared>) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.peers.retain(|peer| !peer.is_transport_closed());
        told.peers.push(peer);
        if told.task.is_empty() {
            told.task.spawn(tell(shared.registry().changes(), Arc::downgrade(shared)));
        }
    }

    fn peers(&self) -> Vec<Peer<RoleServer>> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.peers.retain(|peer| !peer.is_transport_closed());
        told.peers.clone()
    }
}

async fn tell(mut changes: ToolChanges, shared: Weak<Shared>) {
    while changes.changed().await.is_some() {
        let Some(shared) = shared.upgrade() else { return };
        // A client that does not read holds up no other.
        let mut telling = JoinSet::new();
        for peer in shared.listeners.peers() {
            telling.spawn(async move { peer.notify_tool_list_changed().await });
        }
        drop(shared);
        // What can not be told now is told with the next change; the client asks for the list anyway when it is back.
        let all = async { while telling.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(std::time::Duration::from_secs(5), all).await;
    }
}

/// Tells one subscription, until its client is gone.
pub(super) async fn follow(mut changes: ToolChanges, sink: SubscriptionSink) {
    if sink.accepted().tools_list_changed != Some(true) {
        return;
    }
    while changes.changed().await.is_some() {
        if sink.notify_tool_list_changed().await.is_err() {
            return;
        }
    }
}
