//! Who calls: what a call knows of its request, whichever way that came.

#[cfg(feature = "mcp")]
use std::sync::Arc;

use haft_core::{CancellationToken, ToolCallId};
use rmcp::{
    RoleServer,
    model::{ClientCapabilities, ProgressToken, RequestId},
    service::{Peer, RequestContext},
};

#[cfg(feature = "mcp")]
use crate::trace::Trace;

use crate::serve::mcp::{
    log::LogLevel,
    session::{Session, is_modern},
};

/// Which of the two ways of the protocol a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::serve::mcp) enum Era {
    /// With a handshake: it can be asked in place.
    Legacy,
    /// Without: it is asked by the answer to its call.
    Modern,
}

/// The client of a call, and what it wants to be told.
pub(in crate::serve::mcp) struct Caller {
    pub(in crate::serve::mcp) era: Era,
    /// The id of the call in the dispatcher: that of its request.
    pub(in crate::serve::mcp) id: ToolCallId,
    /// The same as the protocol has it.
    pub(in crate::serve::mcp) request: RequestId,
    /// Whether its user can be shown a form.
    pub(in crate::serve::mcp) shows_forms: bool,
    /// What it wants to hear of progress under.
    pub(in crate::serve::mcp) progress: Option<ProgressToken>,
    /// From which level on it wants the log.
    pub(in crate::serve::mcp) level: Option<LogLevel>,
    /// Which trace it belongs to.
    #[cfg(feature = "mcp")]
    pub(in crate::serve::mcp) trace: Option<Arc<Trace>>,
    /// How it is told and asked something before its answer; none where it wants nothing and can not be asked in place.
    pub(in crate::serve::mcp) peer: Option<Peer<RoleServer>>,
    /// Cancelled when it does not want the answer any more.
    pub(in crate::serve::mcp) cancelled: CancellationToken,
}

impl Caller {
    /// The client of a request that came through the protocol's library.
    ///
    /// Without a handshake a request says by itself what of the log it wants.
    pub(super) fn of(session: &Session, context: RequestContext<RoleServer>) -> Self {
        let (era, level) = if is_modern(&context) {
            (Era::Modern, context.meta.log_level().map(LogLevel::from_wire))
        } else {
            (Era::Legacy, session.threshold.get())
        };
        Self {
            era,
            id: call_id(&context.id),
            request: context.id.clone(),
            shows_forms: context.client_capabilities().as_ref().is_some_and(shows_forms),
            progress: context.meta.get_progress_token(),
            #[cfg(feature = "mcp")]
            trace: Trace::of(context.meta.get_traceparent(), context.meta.get_tracestate()).map(Arc::new),
            level,
            peer: Some(context.peer),
            cancelled: context.ct,
        }
    }
}

/// The id of a call in the dispatcher: that of its request.
pub(in crate::serve::mcp) fn call_id(id: &RequestId) -> ToolCallId {
    match id {
        RequestId::String(text) => ToolCallId::from(&**text),
        RequestId::Number(number) => ToolCallId::from(number.to_string()),
    }
}

/// Whether a client says that it shows forms: an empty declaration means them.
pub(in crate::serve::mcp) fn shows_forms(capabilities: &ClientCapabilities) -> bool {
    capabilities.elicitation.as_ref().is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}
