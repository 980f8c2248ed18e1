//! What this side does when a server speaks of itself.
#![expect(deprecated, reason = "servers of every revision are listened to")]

use std::sync::Arc;

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientConfig, CustomRequest, CustomResult, ErrorCode, Implementation,
        LoggingMessageNotificationParam, ProtocolVersion,
    },
    service::{InboundStreamOrigin, NotificationContext, RequestContext},
};
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

use super::{
    asking::{Answering, Unanswered},
    wire::{Awaited, PeerRequest, RAW},
};

/// This side of one connection.
pub(super) struct Handler {
    pub(super) server: Arc<str>,
    pub(super) answering: Arc<Answering>,
    pub(super) awaited: Arc<Awaited>,
    /// The server says that it has other tools.
    pub(super) changed: Arc<Notify>,
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let software = Implementation::new("haft", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(self.answering.capabilities(), software)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text = message.data.as_str().map_or_else(|| message.data.to_string(), str::to_owned);
        let text: String = text.chars().take(1000).collect();
        tracing::debug!(server = %self.server, level = ?message.level, "an MCP server logs: {}", text.escape_debug());
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method.strip_prefix(RAW).and_then(|method| method.strip_prefix('/'));
        let Some(method) = method else {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        };
        let peer = context.peer.peer_info();
        if peer.is_some_and(|peer| !peer.protocol_version.has_initialize()) {
            let why = "this revision of the protocol has no requests of servers";
            return Err(ErrorData::invalid_request(why, None));
        }
        let params = request.params.unwrap_or_default();
        self.answer(method, params, context.extensions.get::<InboundStreamOrigin>())
            .await
            .map(CustomResult::new)
    }
}

impl Handler {
    /// The call that the request belongs to answers; a request that belongs to none is answered here.
    async fn answer(
        &self,
        method: &str,
        params: Value,
        origin: Option<&InboundStreamOrigin>,
    ) -> Result<Value, ErrorData> {
        let inbox = match origin {
            Some(InboundStreamOrigin::OutboundRequest(id)) => self.awaited.inbox(Some(id)),
            Some(InboundStreamOrigin::Unassociated) | None => self.awaited.inbox(None),
        };
        let params = match inbox {
            None => params,
            Some(inbox) => {
                let (reply, answer) = oneshot::channel();
                match inbox.ask(PeerRequest { method: method.to_owned(), params, reply }) {
                    Ok(()) => {
                        let gone =
                            || ErrorData::internal_error("the call that this belongs to is over", None);
                        return answer.await.unwrap_or_else(|_| Err(gone()));
                    }
                    Err(request) => request.params,
                }
            }
        };
        self.answering.answer(&self.server, method, &params, None).await.map_err(|error| match error {
            Unanswered::Refused(error) => error,
            Unanswered::Suspended(error) => ErrorData::internal_error(error.message().to_owned(), None),
        })
    }
}
