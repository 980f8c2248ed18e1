//! What an event says, kept as its text: a long list takes many times as much once it is read.

use std::{
    io::{self, Write},
    sync::Arc,
    time::Duration,
};

use rmcp::{
    ErrorData,
    model::{
        CustomNotification, CustomRequest, CustomResult, RequestId, ServerJsonRpcMessage, ServerNotification,
        ServerRequest, ServerResult,
    },
    transport::streamable_http_server::session::ServerSseMessage,
};
use serde::Deserialize;
use serde_json::Value;

use super::room::OF_SESSION;

/// An event as it is kept. Cheap to clone.
#[derive(Clone)]
pub(super) struct Said {
    name: Option<String>,
    message: Option<Arc<str>>,
    retry: Option<Duration>,
}

impl Said {
    /// None where it is longer than there is ever room for, or can not be written, so that it is not sent either.
    pub(super) fn of(event: &ServerSseMessage) -> Option<Self> {
        let message = match event.message.as_deref() {
            Some(message) => Some(written(message)?),
            None => None,
        };
        Some(Self { name: event.event_id.clone(), message, retry: event.retry })
    }

    /// How much room it takes.
    pub(super) fn bytes(&self) -> usize {
        /// More than what an event has beside its message.
        const FRAME: usize = 128;
        self.message.as_deref().map_or(0, str::len).saturating_add(FRAME)
    }

    /// The event again.
    pub(super) fn event(&self) -> ServerSseMessage {
        let mut event = ServerSseMessage::default();
        event.event_id.clone_from(&self.name);
        event.message = self.message.as_deref().and_then(read).map(Arc::new);
        event.retry = self.retry;
        event
    }
}

fn written(message: &ServerJsonRpcMessage) -> Option<Arc<str>> {
    let mut text = Bounded(Vec::new());
    serde_json::to_writer(&mut text, message).ok()?;
    String::from_utf8(text.0).ok().map(Arc::from)
}

/// Text no longer than what is kept of a session.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > OF_SESSION {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A message as it was written. What it is of is not looked into: the library's own reading may take it for something else.
fn read(text: &str) -> Option<ServerJsonRpcMessage> {
    #[derive(Deserialize)]
    struct Parts {
        id: Option<RequestId>,
        method: Option<String>,
        params: Option<Value>,
        result: Option<Value>,
        error: Option<ErrorData>,
    }
    let Parts { id, method, params, result, error } = serde_json::from_str(text).ok()?;
    match (id, method, result, error) {
        (id, _, _, Some(error)) => Some(ServerJsonRpcMessage::error(error, id)),
        (Some(id), _, Some(result), _) => {
            Some(ServerJsonRpcMessage::response(ServerResult::CustomResult(CustomResult(result)), id))
        }
        // Where there are none, the library writes that there are none.
        (_, Some(_), ..) if params.is_none() => serde_json::from_str(text).ok(),
        (Some(id), Some(method), ..) => {
            let request = ServerRequest::CustomRequest(CustomRequest::new(method, params));
            Some(ServerJsonRpcMessage::request(request, id))
        }
        (None, Some(method), ..) => {
            let told = ServerNotification::CustomNotification(CustomNotification::new(method, params));
            Some(ServerJsonRpcMessage::notification(told))
        }
        _ => None,
    }
}
