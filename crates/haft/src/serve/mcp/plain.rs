//! A call that is plainly valid by its shape: one that can be answered without the protocol's library.
//!
//! What is in doubt is no such call, and goes the library's way, which makes every refusal.

#![expect(deprecated, reason = "clients of today still take the log")]

use std::{borrow::Cow, sync::Arc};

use haft_core::CancellationToken;
use rmcp::{
    RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientRequest, InputResponses,
        JsonRpcMessage, LoggingLevel, ProgressToken, ProtocolVersion, Request, RequestId, RequestMetaObject,
        ServerResult,
    },
    service::{Peer, TxJsonRpcMessage},
};
use serde::Deserialize;
use serde_json::value::RawValue;

#[cfg(feature = "mcp")]
use crate::trace::Trace;

use super::{
    call::{self, Call, Caller, Era, RawArguments, call_id, shows_forms},
    log::LogLevel,
    session::Session,
};

/// A call that is plainly valid by its shape.
#[derive(Debug)]
pub(super) struct PlainCall {
    pub(super) name: String,
    /// JSON text of an object, as it was written.
    arguments: Option<Arc<str>>,
    /// `_meta`, as it was written.
    meta: Option<Box<str>>,
    says: Says,
}

/// What a request says of itself.
#[derive(Debug, Default)]
struct Says {
    progress: Option<ProgressToken>,
    level: Option<LoggingLevel>,
    /// Of the era without a handshake: whether the client's user can be shown a form.
    modern: Option<bool>,
    #[cfg(feature = "mcp")]
    trace: Option<Arc<Trace>>,
}

/// A request that says nothing out of the ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

/// The parameters of a call that says nothing out of the ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta", default)]
    meta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(rename = "progressToken", default)]
    progress: Option<ProgressToken>,
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion", default)]
    version: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities", default)]
    capabilities: Option<&'a RawValue>,
    #[serde(rename = "io.modelcontextprotocol/logLevel", default)]
    level: Option<LoggingLevel>,
    #[cfg(feature = "mcp")]
    #[serde(borrow, default)]
    traceparent: Option<Cow<'a, str>>,
    #[cfg(feature = "mcp")]
    #[serde(borrow, default)]
    tracestate: Option<Cow<'a, str>>,
}

/// Whether `_meta` says, and nothing about that is in doubt, that a request is of the era without a handshake.
pub(super) fn is_modern(meta: &RawValue) -> bool {
    Says::read(meta).is_some_and(|says| says.modern.is_some())
}

impl PlainCall {
    /// Reads a message and its id; none where anything about it is in doubt.
    pub(super) fn read(message: &str) -> Option<(&RawValue, Self)> {
        let Message { jsonrpc, id, method, params } = serde_json::from_str(message).ok()?;
        let Params { name, arguments, meta } = params;
        if jsonrpc != "2.0" || method != "tools/call" {
            return None;
        }
        if arguments.is_some_and(|arguments| !arguments.get().starts_with('{')) {
            return None;
        }
        let call = Self {
            name: name.into_owned(),
            arguments: arguments.map(|arguments| arguments.get().into()),
            says: match meta {
                Some(meta) => Says::read(meta)?,
                None => Says::default(),
            },
            meta: meta.map(|meta| meta.get().into()),
        };
        Some((id, call))
    }

    /// Whether the request is of the era without a handshake.
    pub(super) fn is_modern(&self) -> bool {
        self.says.modern.is_some()
    }

    /// Whether its client wants to hear of the call before its answer.
    pub(super) fn wants_to_hear(&self) -> bool {
        self.says.progress.is_some() || self.says.level.is_some()
    }

    /// The call as the protocol's library knows it.
    pub(super) fn into_request(self) -> serde_json::Result<ClientRequest> {
        let mut request = Request::new(CallToolRequestParams::new(self.name));
        if let Some(arguments) = self.arguments {
            request.extensions.insert(RawArguments(arguments));
        }
        if let Some(meta) = self.meta {
            request.extensions.insert(serde_json::from_str::<RequestMetaObject>(&meta)?);
        }
        Ok(ClientRequest::CallToolRequest(request))
    }

    /// Who calls: in a session that began with a handshake, or of the era without one; none where the request speaks of the
    /// other era.
    pub(super) fn caller(&self, id: &RequestId, handshake: Option<Handshake>, by: By) -> Option<Caller> {
        let (era, shows_forms, level) = match (handshake, self.says.modern) {
            (Some(said), None) => (Era::Legacy, said.shows_forms, said.level),
            (None, Some(shows_forms)) => (Era::Modern, shows_forms, self.says.level.map(LogLevel::from_wire)),
            _ => return None,
        };
        let (By { peer, cancelled }, progress) = (by, self.says.progress.clone());
        let (id, request) = (call_id(id), id.clone());
        #[cfg(feature = "mcp")]
        let trace = self.says.trace.clone();
        Some(Caller {
            era,
            id,
            request,
            shows_forms,
            progress,
            level,
            #[cfg(feature = "mcp")]
            trace,
            peer,
            cancelled,
        })
    }

    /// Answers the call, as the library would.
    pub(super) async fn answer(
        self,
        session: &Session,
        id: RequestId,
        caller: Caller,
    ) -> TxJsonRpcMessage<RoleServer> {
        let era = caller.era;
        let arguments = self.arguments.as_deref().unwrap_or("{}");
        let call = Call { name: &self.name, arguments, responses: InputResponses::new(), sealed: None };
        match call::answer(session, caller, call).await {
            Ok(response) => JsonRpcMessage::response(as_sent(response, era), id),
            Err(error) => JsonRpcMessage::error(error, Some(id)),
        }
    }
}

/// What a client has said of itself for all of its calls.
#[derive(Clone, Copy)]
pub(super) struct Handshake {
    pub(super) shows_forms: bool,
    /// From which level on it wants the log.
    pub(super) level: Option<LogLevel>,
}

/// How the client of a call is reached, and how the call is told to end.
pub(super) struct By {
    pub(super) peer: Option<Peer<RoleServer>>,
    pub(super) cancelled: CancellationToken,
}

impl Says {
    fn read(meta: &RawValue) -> Option<Self> {
        let meta: Meta<'_> = serde_json::from_str(meta.get()).ok()?;
        #[cfg(feature = "mcp")]
        let trace = Trace::of(meta.traceparent.as_deref(), meta.tracestate.as_deref()).map(Arc::new);
        let Meta { progress, version, capabilities, level, .. } = meta;
        let modern = match (version, capabilities) {
            (None, None) => None,
            (Some(version), Some(capabilities)) if version == ProtocolVersion::V_2026_07_28.as_str() => {
                Some(match capabilities.get() {
                    "{}" => false,
                    written => shows_forms(&serde_json::from_str::<ClientCapabilities>(written).ok()?),
                })
            }
            _ => return None,
        };
        Some(Self {
            progress,
            level,
            modern,
            #[cfg(feature = "mcp")]
            trace,
        })
    }
}

/// The result in the form that its client knows.
fn as_sent(response: CallToolResponse, era: Era) -> ServerResult {
    let mut result = ServerResult::from(response);
    if era == Era::Legacy {
        result.strip_result_type_for_legacy_peer();
        result.strip_non_object_output_for_legacy_peer();
    }
    result
}
