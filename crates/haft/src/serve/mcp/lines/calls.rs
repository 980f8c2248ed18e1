//! Calls that are answered here, beside the protocol's library.

use std::sync::Arc;

use haft_core::CancellationToken;
use rmcp::model::RequestId;

use super::{Outbox, gate::Gate, written};
use crate::serve::mcp::{plain::PlainCall, session::Session};

/// Answers calls that are plainly valid, of tools that the registry has.
pub(super) struct Calls {
    session: Arc<Session>,
    gate: Arc<Gate>,
    outbox: Arc<Outbox>,
    /// Cancelled when all that runs has to end.
    stop: CancellationToken,
}

impl Calls {
    pub(super) fn new(
        session: Arc<Session>,
        gate: Arc<Gate>,
        outbox: Arc<Outbox>,
        stop: CancellationToken,
    ) -> Self {
        Self { session, gate, outbox, stop }
    }

    /// Begins a call; gives it back where it is not one to be answered here.
    pub(super) fn begin(&self, id: &RequestId, call: PlainCall) -> Option<PlainCall> {
        if !self.session.shared.registry().contains(&call.name) {
            return Some(call);
        }
        let cancelled = self.stop.child_token();
        let Some(caller) = self.session.caller(id, &call, &cancelled) else { return Some(call) };
        let here = self.gate.enter_here(id.clone(), cancelled);
        let (session, outbox, id) = (Arc::clone(&self.session), Arc::clone(&self.outbox), id.clone());
        // Boxed, for a task is moved several times before it runs.
        let answered = Box::pin(async move {
            let answer = call.answer(&session, id, caller).await;
            if here.is_wanted() {
                // A client that is gone needs no answer.
                let _ = written(&answer).and_then(|line| outbox.push(&line));
            }
            drop(here);
        });
        #[expect(
            clippy::disallowed_methods,
            reason = "the gate counts it, and the session's end waits for it"
        )]
        tokio::spawn(answered);
        None
    }
}
