//! Messages as lines over a pair of streams, with everything bounded.

mod frame;
mod gate;
mod ids;
mod incoming;
mod lifecycle;
mod outbox;

use std::{collections::VecDeque, io, sync::Arc};

use haft_core::CancellationToken;
use rmcp::{
    RoleServer,
    model::{ClientNotification, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::io::AsyncRead;

pub(in crate::serve::mcp) use self::outbox::Outbox;
use self::{
    frame::{Frame, Frames},
    gate::Gate,
    incoming::Incoming,
    lifecycle::Lifecycle,
};

/// Messages as lines; the writing half is [`Outbox::write_to`].
pub(super) struct Lines<R> {
    frames: Frames<R>,
    outbox: Arc<Outbox>,
    gate: Arc<Gate>,
    lifecycle: Lifecycle,
    /// Messages of a batch that have not been looked at.
    batch: VecDeque<String>,
    /// Cancelled when the client sends no more.
    ended: CancellationToken,
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    pub(super) fn new(reader: R, outbox: Arc<Outbox>, ended: CancellationToken) -> Self {
        Self {
            frames: Frames::new(reader),
            outbox,
            gate: Arc::default(),
            lifecycle: Lifecycle::default(),
            batch: VecDeque::new(),
            ended,
        }
    }

    /// The next line, once there is room for what it may lead to; none at the end.
    async fn line(&mut self) -> Option<Vec<u8>> {
        loop {
            // Nothing is taken out before the last wait, so that giving this up loses nothing.
            self.outbox.room(outbox::FULL).await;
            self.gate.pass().await;
            if let Some(message) = self.batch.pop_front() {
                return Some(message.into_bytes());
            }
            let read = tokio::select! {
                read = self.frames.next() => read,
                () = self.outbox.broken() => return None,
            };
            match read {
                Ok(Frame::Line(line)) => return Some(line),
                Ok(Frame::TooLong) => tracing::warn!("a message of the client is too long, and is dropped"),
                Ok(Frame::End) => return None,
                Err(error) => {
                    tracing::warn!(%error, "the client can not be read any more");
                    return None;
                }
            }
        }
    }

    /// Takes up a message; none where that is all that had to be done.
    fn admit(&mut self, line: &[u8]) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = match incoming::read(line) {
            Incoming::Message(message) => *message,
            Incoming::Refused(id, error) => {
                // A client that is gone needs no answer.
                let _ = self.push(&JsonRpcMessage::error(error, Some(id)));
                return None;
            }
            Incoming::Batch(messages) => {
                self.batch.extend(messages);
                return None;
            }
            Incoming::Noise(why) => {
                if !line.iter().all(u8::is_ascii_whitespace) {
                    tracing::warn!(why, "a line of the client is no message, and is dropped");
                }
                return None;
            }
        };
        if !self.lifecycle.admits(&message) {
            return None;
        }
        match &message {
            JsonRpcMessage::Request(request) if !self.gate.enter(&request.id) => {
                let error = rmcp::model::ErrorData::invalid_request(
                    "a request of the same id has no answer yet; an id is used once",
                    None,
                );
                let _ = self.push(&JsonRpcMessage::error(error, Some(request.id.clone())));
                return None;
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.gate.leave(id);
                }
            }
            other => {
                if let Some(id) = incoming::answered(other) {
                    self.gate.answered(id);
                }
            }
        }
        Some(message)
    }

    fn push(&self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        self.outbox.push(&written(message)?)
    }
}

/// The message as a line.
fn written(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = match answers(message).and_then(ids::restore) {
        None => serde_json::to_vec(message)?,
        Some(id) => {
            let mut message = serde_json::to_value(message)?;
            if let Some(message) = message.as_object_mut() {
                message.remove("id");
            }
            let rest = message.to_string();
            format!("{{\"id\":{id},{}", rest.strip_prefix('{').unwrap_or_default()).into_bytes()
        }
    };
    line.push(b'\n');
    Ok(line)
}

/// The request that a message answers.
fn answers(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = written(&message);
        let waits = matches!(message, JsonRpcMessage::Notification(_));
        let outbox = Arc::clone(&self.outbox);
        // What has to be said is kept at once, in order; what could be left out waits for its turn.
        let kept = match (&line, waits) {
            (Ok(line), false) => Some(outbox.push(line)),
            _ => None,
        };
        match &message {
            JsonRpcMessage::Request(request) => self.gate.ask(&request.id),
            other => {
                if let Some(id) = answers(other) {
                    self.gate.leave(id);
                }
            }
        }
        async move {
            match kept {
                Some(kept) => kept,
                None => {
                    outbox.room(outbox::BUSY).await;
                    outbox.push(&line?)
                }
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Some(line) = self.line().await else {
                self.ended.cancel();
                return None;
            };
            if let Some(message) = self.admit(&line) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox.close();
        Ok(())
    }
}
