//! Functions that block run on threads of the pool; one that has not begun when it is given up never does.

use std::sync::Arc;

use tokio::{sync::oneshot, time::Instant};

use crate::{
    dispatch::{
        Scope,
        builder::Settings,
        execute::{Running, Work},
        guard::guarded,
        place::Place,
        presence::{LeftBehind, Presence, PresenceGuard},
    },
    error::ToolError,
    event::EventBody,
    message::ToolCallId,
    tool::{Outcome, ToolContext},
};

/// Hands a blocking function to the pool.
pub(super) fn on_a_thread(
    job: Box<dyn FnOnce() -> Outcome + Send>,
    context: Option<ToolContext>,
    deadline: Option<Instant>,
    place: &Place<'_>,
) -> Running {
    let presence = Presence::queued(&place.settings.presence);
    let (sender, receiver) = oneshot::channel();
    let (kept, scope, id) = (Arc::clone(&presence), Arc::clone(place.scope()), place.id().clone());
    place.settings.pool.submit(move || {
        let guard = PresenceGuard(kept);
        if !guard.0.begin() {
            return;
        }
        scope.events.emit(|| EventBody::Executing { tool_call_id: id.clone() });
        let outcome = guarded(job).unwrap_or_else(Err);
        if guard.0.end() {
            late(&scope, id, &outcome);
        } else {
            // Whoever waits may count on the thread holding nothing of the turn any more.
            drop(scope);
            let _ = sender.send(outcome);
        }
    });
    Running { work: Work::Thread(receiver, presence), context, deadline }
}

/// Runs a blocking function inside of a future that stands for it: with the future it is given up, if it has not begun,
/// or left behind.
pub(crate) async fn on_a_thread_within(
    job: Box<dyn FnOnce() -> Outcome + Send>,
    context: &ToolContext,
    settings: &Settings,
) -> Outcome {
    let presence = Presence::queued_within(&settings.presence);
    let (sender, receiver) = oneshot::channel();
    let (kept, told) = (Arc::clone(&presence), context.clone());
    settings.pool.submit(move || {
        let guard = PresenceGuard(kept);
        if !guard.0.begin() {
            return;
        }
        let outcome = guarded(job).unwrap_or_else(Err);
        if guard.0.end() {
            told.end_behind(outcome.is_err());
        } else {
            // Whoever waits may count on the thread holding nothing of the turn any more.
            drop(told);
            let _ = sender.send(outcome);
        }
    });
    let waiting = Waiting { presence, context };
    let outcome = receiver.await.unwrap_or_else(|_| Err(no_thread()));
    drop(waiting);
    outcome
}

/// Gives up a function on a thread when whoever waits for it has gone.
struct Waiting<'a> {
    presence: Arc<Presence>,
    context: &'a ToolContext,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.presence.leave() == LeftBehind::Running && self.context.leave_behind() {
            let source = self.context.source();
            let tool_call_id = source.id.clone();
            tracing::warn!(tool = source.tool.as_str(), %tool_call_id, "a tool did not end and was left behind");
            source.scope.events.emit(|| EventBody::Detached { tool_call_id });
        }
    }
}

/// Says that a function which was left behind has ended.
fn late(scope: &Scope, tool_call_id: ToolCallId, outcome: &Outcome) {
    let is_error = outcome.is_err();
    scope.events.emit(|| EventBody::Late { tool_call_id, is_error });
}

/// The error of a function whose thread could not be had.
pub(super) fn no_thread() -> ToolError {
    ToolError::new("no thread could be started for the tool").retryable(true)
}
