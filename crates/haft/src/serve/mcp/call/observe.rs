//! What a client is told while its call runs: progress and log, where it wants them.

#![expect(deprecated, reason = "clients of today still take the log")]

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
    task::Poll,
};

use haft_core::{CancellationToken, EventBody, ToolEvent, ToolEvents, ToolResult};
use rmcp::model::{LoggingMessageNotificationParam, ProgressNotificationParam};
use serde_json::json;

use super::Caller;
use crate::serve::mcp::log::{CallLog, LogEntry, LogLevel};

/// Tells the client of a call how far it is.
pub(super) struct Observer {
    caller: Caller,
    /// What the call writes to the log, where that is wanted.
    log: Option<Arc<CallLog>>,
    /// How far the call was when its client was last told: the protocol wants it to grow.
    progress: Mutex<Option<f64>>,
}

impl Observer {
    pub(super) fn of(caller: Caller) -> Self {
        let log = caller.level.map(|level| Arc::new(CallLog::new(level)));
        Self { caller, log, progress: Mutex::default() }
    }

    /// Where the call's log goes, where it is wanted.
    pub(super) fn log(&self) -> Option<&Arc<CallLog>> {
        self.log.as_ref()
    }

    pub(super) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Whether the client wants to know how far the call is.
    pub(super) fn wants_progress(&self) -> bool {
        self.caller.progress.is_some()
    }

    /// Waits for the end of a call, and tells meanwhile what happens; all of that is told before this returns.
    ///
    /// A client that does not read holds up what it is told, never the call.
    pub(super) async fn watch<T>(&self, call: impl Future<Output = T>, events: Option<ToolEvents>) -> T {
        let events = events.filter(|_| self.wants_progress());
        let mut call = pin!(call);
        let at_once = poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;
        match at_once {
            // Most calls end here, and have said nothing.
            Poll::Ready(ended) if events.is_none() && self.has_told_all() => ended,
            Poll::Ready(ended) => Box::pin(self.follow(std::future::ready(ended), events)).await,
            Poll::Pending => Box::pin(self.follow(call, events)).await,
        }
    }

    fn has_told_all(&self) -> bool {
        self.log.as_ref().is_none_or(|log| log.is_empty())
    }

    async fn follow<T>(&self, call: impl Future<Output = T>, events: Option<ToolEvents>) -> T {
        let done = CancellationToken::new();
        let ends = async {
            let ended = call.await;
            done.cancel();
            ended
        };
        let follow = async {
            tokio::select! {
                () = self.tell_until(&done, events) => {}
                // Nobody wants to know any more.
                () = self.caller.cancelled.cancelled() => {}
            }
        };
        tokio::join!(ends, follow).0
    }

    async fn tell_until(&self, done: &CancellationToken, mut events: Option<ToolEvents>) {
        loop {
            let entry = async {
                match &self.log {
                    Some(log) => log.next().await,
                    None => std::future::pending().await,
                }
            };
            let event = async {
                match &mut events {
                    Some(events) => events.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                entry = entry => self.write(entry).await,
                event = event => match event {
                    Some(event) => self.tell(&event).await,
                    None => events = None,
                },
                () = done.cancelled() => break,
            }
        }
        while let Some(entry) = self.log.as_ref().and_then(|log| log.take()) {
            self.write(entry).await;
        }
        if let Some(events) = &mut events {
            while let Some(event) = events.next().await {
                self.tell(&event).await;
            }
        }
    }

    async fn tell(&self, event: &ToolEvent) {
        let EventBody::Progress { tool_call_id, progress, total, message } = &event.body else { return };
        let (Some(token), Some(peer)) = (&self.caller.progress, &self.caller.peer) else { return };
        if *tool_call_id != self.caller.id || !self.grows(*progress) {
            return;
        }
        let mut told = ProgressNotificationParam::new(token.clone(), *progress);
        told.total = *total;
        told.message.clone_from(message);
        // A client that is gone needs no progress.
        let _ = peer.notify_progress(told).await;
    }

    /// Whether a call is farther than its client was told.
    fn grows(&self, progress: f64) -> bool {
        let mut last = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let grows = last.is_none_or(|last| progress > last);
        if grows {
            *last = Some(progress);
        }
        grows
    }

    /// Notes in the log what was changed about a call before it ran.
    pub(super) async fn note(&self, result: &ToolResult) {
        if !result.repaired().is_empty() {
            let data = json!({"tool": result.tool_name(), "repaired": result.repaired()});
            let entry = LogEntry { level: LogLevel::Notice, logger: "haft".to_owned(), data };
            // Boxed, so that the calls with nothing to note are small.
            Box::pin(self.write(entry)).await;
        }
    }

    async fn write(&self, entry: LogEntry) {
        if let Some(peer) = &self.caller.peer
            && self.caller.level.is_some_and(|from| entry.level >= from)
        {
            let told = LoggingMessageNotificationParam::new(entry.level.to_wire(), entry.data);
            let _ = peer.notify_logging_message(told.with_logger(entry.logger)).await;
        }
    }
}
