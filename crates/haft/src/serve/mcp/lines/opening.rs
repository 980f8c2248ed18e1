//! The beginning of a session that needs nothing of the protocol's library.
//!
//! Most clients shake hands with all of their servers, take the list of the tools, and call none of most of them. That much is
//! answered here, and the library with its loop is begun only for the first message that is more than that, or in doubt.

use std::{
    borrow::Cow,
    future::{pending, ready},
    sync::Arc,
};

use haft_core::{CancellationToken, ToolChanges};
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ErrorData, InitializeRequestParams, ProtocolVersion},
    service::{RunningService, ServerInitializeError, serve_directly_with_ct},
};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncRead;

use super::{Lines, Outbox, Read, ids, outbox};
use crate::serve::mcp::{session::Session, text::Object};

/// A client is told that there are other tools.
const CHANGED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";

/// What has been answered without the protocol's library, when that is over.
pub(in crate::serve::mcp) struct Opening {
    /// What the client has said of itself.
    hello: Box<str>,
    /// What changes after the client has said that it knows the server.
    changes: Option<ToolChanges>,
}

/// A session whose client has perhaps not shaken hands yet.
struct Beginning<'a> {
    session: &'a Session,
    opening: Option<Opening>,
}

/// A message that says nothing out of the ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

/// A handshake that says nothing out of the ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Hello<'a> {
    #[serde(borrow)]
    protocol_version: Cow<'a, str>,
    #[serde(borrow)]
    capabilities: &'a RawValue,
    #[serde(borrow)]
    client_info: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "only that they are there, and in their form, counts")]
struct ClientInfo<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    version: Cow<'a, str>,
    #[serde(borrow, default)]
    title: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    description: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    website_url: Option<Cow<'a, str>>,
}

impl Hello<'_> {
    /// Reads what a client says of itself; none where anything about it is in doubt.
    fn read(params: &RawValue) -> Option<Hello<'_>> {
        let is_object = |value: &RawValue| value.get().starts_with('{');
        if !is_object(params) {
            return None;
        }
        let hello: Hello<'_> = serde_json::from_str(params.get()).ok()?;
        let is_known = |known: &ProtocolVersion| {
            known.as_str() == hello.protocol_version && *known < ProtocolVersion::V_2026_07_28
        };
        let is_plain = ProtocolVersion::KNOWN_VERSIONS.iter().any(is_known)
            && is_object(hello.capabilities)
            && is_object(hello.client_info)
            && (hello.capabilities.get() == "{}"
                || serde_json::from_str::<ClientCapabilities>(hello.capabilities.get()).is_ok())
            && serde_json::from_str::<ClientInfo<'_>>(hello.client_info.get()).is_ok();
        is_plain.then_some(hello)
    }
}

impl Beginning<'_> {
    /// The answer to a line, empty where it needs none; none where it is no part of the beginning, or in doubt.
    fn answer(&mut self, line: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(line).ok()?;
        let Message { jsonrpc, id, method, params } = serde_json::from_str(text).ok()?;
        if jsonrpc != "2.0" {
            return None;
        }
        let is_bare = params.is_none_or(|params| params.get() == "{}");
        let shared = &self.session.shared;
        let Some(id) = id else {
            let opening = self.opening.as_mut().filter(|opening| opening.changes.is_none())?;
            if method != "notifications/initialized" || !is_bare {
                return None;
            }
            opening.changes = Some(shared.registry().changes());
            return Some(String::new());
        };
        // What the library would write in another way is in doubt.
        let is_plain = !id.get().contains('\\') && ids::restore(&ids::read(id)?).is_none();
        if !is_plain {
            return None;
        }
        let result = match (&*method, &self.opening) {
            ("ping", _) if is_bare => "{}".to_owned(),
            ("tools/list", Some(_)) if is_bare => shared.listing.plain(shared.registry())?,
            ("initialize", None) => self.greet(params?)?,
            _ => return None,
        };
        Some(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n"))
    }

    /// What the session says of itself to the library too, where there is no host.
    fn greet(&mut self, params: &RawValue) -> Option<String> {
        let hello = Hello::read(params)?;
        let identity = &self.session.shared.identity;
        let mut server = Object::default().string("name", &identity.name);
        if let Some(title) = &identity.title {
            server = server.string("title", title);
        }
        let mut greeting = Object::default()
            .string("protocolVersion", &hello.protocol_version)
            .json("capabilities", r#"{"logging":{},"tools":{"listChanged":true}}"#)
            .json("serverInfo", &server.string("version", &identity.version).end());
        if let Some(instructions) = identity.instructions() {
            greeting = greeting.string("instructions", &instructions);
        }
        self.opening = Some(Opening { hello: params.get().into(), changes: None });
        Some(greeting.end())
    }

    /// Waits until the client has to be told of other tools, and can be.
    async fn changed(&mut self, outbox: &Outbox) {
        let changes = self.opening.as_mut().and_then(|opening| opening.changes.as_mut());
        let Some(changes) = changes else { return pending().await };
        outbox.room(outbox::BUSY).await;
        if changes.changed().await.is_none() {
            pending::<()>().await;
        }
    }
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// Answers what comes first, until something comes that is for the library, or the session is to end; none where the client
    /// has not shaken hands by then.
    pub(in crate::serve::mcp) async fn open(
        &mut self,
        session: &Session,
        stop: &CancellationToken,
    ) -> Option<Opening> {
        let outbox = Arc::clone(&self.outbox);
        let mut beginning = Beginning { session, opening: None };
        loop {
            let read = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                read = self.read() => read,
                () = beginning.changed(&outbox) => {
                    // A client that is gone needs not be told.
                    drop(outbox.push(CHANGED));
                    continue;
                }
            };
            let answer = match &read {
                Read::Line(line) => beginning.answer(line),
                _ => None,
            };
            match answer {
                Some(answer) => drop(outbox.push(answer.as_bytes())),
                None => {
                    self.put_back = Some(read);
                    break;
                }
            }
        }
        if beginning.opening.is_some() {
            self.lifecycle.begin();
        }
        beginning.opening
    }
}

impl Opening {
    /// Begins the library for a client that has shaken hands.
    pub(in crate::serve::mcp) async fn over<R>(
        self,
        session: Arc<Session>,
        lines: Lines<R>,
        stop: CancellationToken,
    ) -> Result<RunningService<RoleServer, Arc<Session>>, ServerInitializeError>
    where
        R: AsyncRead + Unpin + Send + 'static,
    {
        let hello: InitializeRequestParams = serde_json::from_str(&self.hello).map_err(|error| {
            ServerInitializeError::InitializeFailed(ErrorData::invalid_params(error.to_string(), None))
        })?;
        let running = serve_directly_with_ct(Arc::clone(&session), lines, Some(hello), stop);
        session.meet(running.peer());
        let Some(mut changes) = self.changes else { return Ok(running) };
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
        Ok(running)
    }
}
