//! The sessions of clients of the era with a handshake.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_core::Stream;
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError, SessionError},
    },
};

use super::replay::{EventName, Kept, Reader, Room};

type Events = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send + Sync>>;
type Result<T> = std::result::Result<T, LocalSessionManagerError>;

/// The sessions of the protocol's library, with what their streams have sent.
#[derive(Default)]
pub(super) struct Sessions {
    library: LocalSessionManager,
    kept: Mutex<HashMap<SessionId, Arc<Kept>>>,
    room: Arc<Room>,
}

impl Sessions {
    /// No sessions; one ends when it was idle for so long.
    pub(super) fn new(idle: Duration) -> Self {
        let mut sessions = Self::default();
        sessions.library.session_config.keep_alive = Some(idle);
        sessions
    }

    /// How many there are.
    pub(super) async fn count(&self) -> usize {
        self.library.sessions.read().await.len()
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Kept>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kept_of(&self, id: &SessionId) -> Result<Arc<Kept>> {
        let kept = self.kept().get(id).cloned();
        kept.ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport)> {
        let (id, transport) = self.library.create_session().await?;
        self.kept().insert(id.clone(), Arc::new(Kept::new(Arc::clone(&self.room))));
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage> {
        self.library.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool> {
        self.library.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<()> {
        self.kept().remove(id);
        self.library.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let kept = self.kept_of(id)?;
        if let ClientJsonRpcMessage::Request(request) = &message
            && kept.is_full()
        {
            return Ok(Reader::alone(kept, too_many(request.id.clone())));
        }
        Ok(Reader::new(kept, self.library.create_stream(id, message).await?))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<()> {
        self.library.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        self.library.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static> {
        let kept = self.kept_of(id)?;
        let stream: Events = match EventName::parse(&last_event_id) {
            Some(name) => Box::pin(Reader::after(kept, name).ok_or(SessionError::InvalidEventId)?),
            // What belongs to no request.
            None => Box::pin(self.library.resume(id, last_event_id).await?),
        };
        Ok(stream)
    }
}

/// The answer to a request of a session that has left too many behind. The place of each was given back with its client, so
/// there would be no end of them.
fn too_many(id: RequestId) -> ServerJsonRpcMessage {
    let why = "too many requests of this session go on whose answers nobody reads; come back for them, or cancel them";
    ServerJsonRpcMessage::error(ErrorData::internal_error(why, None), Some(id))
}
