//! What a client is told while its call runs: progress and log, where it wants them.

#![expect(deprecated, reason = "clients of today still take the log")]

use haft_core::{CancellationToken, EventBody, ToolCallId, ToolEvent, ToolEvents, ToolResult};
use rmcp::{
    RoleServer,
    model::{LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken},
    service::{Peer, RequestContext},
};
use serde_json::json;
use tokio::sync::{Mutex, mpsc};

use crate::serve::mcp::{
    log::{LogEntry, LogLevel, LogSink},
    session::Session,
};

/// Tells the client of a call how far it is.
pub(super) struct Observer {
    peer: Peer<RoleServer>,
    call: ToolCallId,
    token: Option<ProgressToken>,
    /// From which level on the log is wanted.
    level: Option<LogLevel>,
    told: Mutex<Told>,
    cancelled: CancellationToken,
}

#[derive(Debug)]
struct Told {
    entries: mpsc::Receiver<LogEntry>,
    /// How far the call was when its client was last told: the protocol wants it to grow.
    progress: Option<f64>,
}

impl Observer {
    /// The observer, and where the call's log goes where it is wanted.
    ///
    /// Without a handshake a request says by itself what of the log it wants.
    pub(super) fn of(
        session: &Session,
        modern: bool,
        context: &RequestContext<RoleServer>,
    ) -> (Self, Option<LogSink>) {
        let level = if modern {
            context.meta.log_level().map(LogLevel::from_wire)
        } else {
            Some(session.threshold.get())
        };
        let (sink, entries) = LogSink::new(level.unwrap_or(LogLevel::Emergency));
        let observer = Self {
            peer: context.peer.clone(),
            call: super::call_id(context),
            token: context.meta.get_progress_token(),
            level,
            told: Mutex::new(Told { entries, progress: None }),
            cancelled: context.ct.clone(),
        };
        (observer, level.map(|_| sink))
    }

    /// Whether the client wants to know how far the call is.
    pub(super) fn wants_progress(&self) -> bool {
        self.token.is_some()
    }

    /// Waits for the end of a call, and tells meanwhile what happens; all of that is told before this returns.
    ///
    /// A client that does not read holds up what it is told, never the call.
    pub(super) async fn watch<T>(&self, call: impl Future<Output = T>, events: Option<ToolEvents>) -> T {
        let done = CancellationToken::new();
        let ends = async {
            let ended = call.await;
            done.cancel();
            ended
        };
        let follow = async {
            tokio::select! {
                () = self.follow(events.filter(|_| self.token.is_some()), &done) => {}
                // Nobody wants to know any more.
                () = self.cancelled.cancelled() => {}
            }
        };
        tokio::join!(ends, follow).0
    }

    async fn follow(&self, mut events: Option<ToolEvents>, done: &CancellationToken) {
        let mut told = self.told.lock().await;
        loop {
            let next = async {
                match &mut events {
                    Some(events) => events.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(entry) = told.entries.recv() => self.write(entry).await,
                event = next => match event {
                    Some(event) => self.tell(&event, &mut told.progress).await,
                    None => events = None,
                },
                () = done.cancelled() => break,
            }
        }
        while let Ok(entry) = told.entries.try_recv() {
            self.write(entry).await;
        }
        if let Some(events) = &mut events {
            while let Some(event) = events.next().await {
                self.tell(&event, &mut told.progress).await;
            }
        }
    }

    async fn tell(&self, event: &ToolEvent, last: &mut Option<f64>) {
        let EventBody::Progress { tool_call_id, progress, total, message } = &event.body else { return };
        let grows = *tool_call_id == self.call && last.is_none_or(|last| *progress > last);
        let Some(token) = self.token.as_ref().filter(|_| grows) else { return };
        *last = Some(*progress);
        let mut told = ProgressNotificationParam::new(token.clone(), *progress);
        told.total = *total;
        told.message.clone_from(message);
        // A client that is gone needs no progress.
        let _ = self.peer.notify_progress(told).await;
    }

    /// Notes in the log what was changed about a call before it ran.
    pub(super) async fn note(&self, result: &ToolResult) {
        if !result.repaired().is_empty() {
            let data = json!({"tool": result.tool_name(), "repaired": result.repaired()});
            self.write(LogEntry { level: LogLevel::Notice, logger: "haft".to_owned(), data }).await;
        }
    }

    async fn write(&self, entry: LogEntry) {
        if self.level.is_some_and(|from| entry.level >= from) {
            let told = LoggingMessageNotificationParam::new(entry.level.to_wire(), entry.data);
            let _ = self.peer.notify_logging_message(told.with_logger(entry.logger)).await;
        }
    }
}
