//! The beginning of a session that needs nothing of the protocol's library.
//!
//! Most clients greet all of their servers, take the list of the tools, and call none of most of them. That much is answered
//! here, and the library with its loop is begun only for the first message that is more than that, or in doubt.

mod said;

use std::{
    future::{pending, ready},
    sync::Arc,
};

use haft_core::{CancellationToken, ToolChanges};
use rmcp::{
    RoleServer, ServiceExt as _,
    model::{ErrorData, InitializeRequestParams, JsonRpcMessage, ProtocolVersion},
    service::{RunningService, ServerInitializeError, serve_directly_with_ct},
};
use serde_json::{Value, value::RawValue};
use tokio::io::AsyncRead;

use self::said::{Hello, Message};
use super::{Incoming, Lines, Outbox, Read, ids, incoming, outbox};
use crate::serve::mcp::{session::Session, text::Object};

/// A client is told that there are other tools.
const CHANGED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
/// What is offered where there is no host.
const OFFERED: &str = r#"{"logging":{},"tools":{"listChanged":true}}"#;

/// What the client was when the opening was over.
pub(in crate::serve::mcp) enum Opening {
    /// Nothing yet.
    Unknown,
    /// One that has shaken hands: what it said of itself, and what changes after it has said that it knows the server.
    Greeted { hello: Box<str>, changes: Option<ToolChanges> },
    /// One of the era without a handshake: the request that it became known by.
    Modern(Box<[u8]>),
}

/// A session whose client is perhaps not known yet.
struct Beginning<'a> {
    session: &'a Session,
    opening: Opening,
}

impl Beginning<'_> {
    /// The answer to a line, empty where it needs none; none where it is no part of the beginning, or in doubt.
    fn answer(&mut self, line: &[u8]) -> Option<String> {
        let message = Message::read(line)?;
        let Some(id) = message.id else { return self.note(&message) };
        let listing = &self.session.shared.listing;
        let registry = self.session.shared.registry();
        let result = match (&*message.method, &self.opening) {
            ("initialize", Opening::Unknown) => self.greet(message.params?)?,
            ("ping", Opening::Unknown | Opening::Greeted { .. }) if message.is_bare() => "{}".to_owned(),
            ("tools/list", Opening::Greeted { .. }) if message.is_bare() => {
                listing.plain(registry, Object::default())?
            }
            ("server/discover", Opening::Unknown | Opening::Modern(_)) if message.is_modern() => {
                self.discovered()
            }
            ("tools/list", Opening::Unknown | Opening::Modern(_)) if message.is_modern() => {
                let complete = Object::default().string("resultType", "complete");
                let fresh = complete.value("ttlMs", &Value::from(listing.fresh_ms()));
                let list = listing.plain(registry, fresh.string("cacheScope", "private"))?;
                if matches!(self.opening, Opening::Unknown) {
                    self.opening = Opening::Modern(line.into());
                }
                list
            }
            _ => return None,
        };
        Some(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n"))
    }

    /// Takes a notification.
    fn note(&mut self, message: &Message<'_>) -> Option<String> {
        let Opening::Greeted { changes: changes @ None, .. } = &mut self.opening else { return None };
        if message.method != "notifications/initialized" || !message.is_bare() {
            return None;
        }
        *changes = Some(self.session.shared.registry().changes());
        Some(String::new())
    }

    /// What the session says of itself to the library too, where there is no host.
    fn greet(&mut self, params: &RawValue) -> Option<String> {
        let hello = Hello::read(params)?;
        let greeting = Object::default()
            .string("protocolVersion", &hello.protocol_version)
            .json("capabilities", OFFERED)
            .json("serverInfo", &self.server());
        let greeting = self.instruct(greeting);
        self.opening = Opening::Greeted { hello: params.get().into(), changes: None };
        Some(greeting.end())
    }

    /// The same for a client that needs no handshake.
    fn discovered(&self) -> String {
        let versions: Vec<&str> =
            ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
        let discovered = Object::default()
            .string("resultType", "complete")
            .value("supportedVersions", &Value::from(versions))
            .json("capabilities", OFFERED);
        let server = Object::default().json("io.modelcontextprotocol/serverInfo", &self.server()).end();
        self.instruct(discovered)
            .json("ttlMs", "0")
            .string("cacheScope", "private")
            .json("_meta", &server)
            .end()
    }

    fn server(&self) -> String {
        let identity = &self.session.shared.identity;
        let mut server = Object::default().string("name", &identity.name);
        if let Some(title) = &identity.title {
            server = server.string("title", title);
        }
        server.string("version", &identity.version).end()
    }

    fn instruct(&self, object: Object) -> Object {
        match self.session.shared.identity.instructions() {
            Some(instructions) => object.string("instructions", &instructions),
            None => object,
        }
    }

    /// Waits until the client has to be told of other tools, and can be.
    async fn changed(&mut self, outbox: &Outbox) {
        let Opening::Greeted { changes: Some(changes), .. } = &mut self.opening else {
            return pending().await;
        };
        outbox.room(outbox::BUSY).await;
        if changes.changed().await.is_none() {
            pending::<()>().await;
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// Answers what comes first, until something comes that is for the library; none where the session is over by then.
    pub(in crate::serve::mcp) async fn open(
        &mut self,
        session: &Session,
        stop: &CancellationToken,
    ) -> Option<Opening> {
        let outbox = Arc::clone(&self.outbox);
        let mut beginning = Beginning { session, opening: Opening::Unknown };
        loop {
            let read = tokio::select! {
                biased;
                () = stop.cancelled() => return None,
                () = beginning.changed(&outbox) => {
                    // A client that is gone needs not be told.
                    drop(outbox.push(CHANGED));
                    continue;
                }
                read = self.read() => read,
            };
            let answer = match &read {
                Read::Line(line) => beginning.answer(line),
                Read::TooLong(..) => None,
                Read::Nothing => continue,
                Read::Over | Read::GivenUp => return None,
            };
            match answer {
                Some(answer) => drop(outbox.push(answer.as_bytes())),
                None => {
                    self.put_back = Some(read);
                    break;
                }
            }
        }
        if !matches!(beginning.opening, Opening::Unknown) {
            self.lifecycle.begin();
        }
        Some(beginning.opening)
    }

    /// Has the library take up a request that is answered already.
    fn repeat(&mut self, line: &[u8]) {
        if let Incoming::Message(mut message) = incoming::read(line)
            && let JsonRpcMessage::Request(request) = &mut *message
        {
            request.id = ids::answered_already();
            self.repeated = Some(message);
        }
    }
}

impl Opening {
    /// Begins the library where the opening is over.
    pub(in crate::serve::mcp) async fn over<R>(
        self,
        session: Arc<Session>,
        mut lines: Lines<R>,
        stop: CancellationToken,
    ) -> Result<RunningService<RoleServer, Arc<Session>>, ServerInitializeError>
    where
        R: AsyncRead + Unpin + Send + 'static,
    {
        match self {
            Self::Unknown => session.serve_with_ct(lines, stop).await,
            Self::Modern(request) => {
                // From it, the library knows the era.
                lines.repeat(&request);
                let running = Arc::clone(&session).serve_with_ct(lines, stop).await?;
                session.meet(running.peer());
                Ok(running)
            }
            Self::Greeted { hello, changes } => {
                let hello: InitializeRequestParams = serde_json::from_str(&hello).map_err(|error| {
                    let error = ErrorData::invalid_params(error.to_string(), None);
                    ServerInitializeError::InitializeFailed(error)
                })?;
                let running = serve_directly_with_ct(Arc::clone(&session), lines, Some(hello), stop);
                session.meet(running.peer());
                if let Some(changes) = changes {
                    tell(&session, &running, changes).await;
                }
                Ok(running)
            }
        }
    }
}

/// Has the client told of other tools from now on, and of those that there are since it was told last.
async fn tell(
    session: &Session,
    running: &RunningService<RoleServer, Arc<Session>>,
    mut changes: ToolChanges,
) {
    session.begun(running.peer());
    let has_changed = tokio::select! {
        biased;
        changed = changes.changed() => changed.is_some(),
        () = ready(()) => false,
    };
    if has_changed {
        // A client that is gone needs not be told.
        drop(running.peer().notify_tool_list_changed().await);
    }
}
