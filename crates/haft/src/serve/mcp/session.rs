//! One session of a client: what the protocol's library asks of a server.

#![expect(deprecated, reason = "clients of today still take the log")]

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use haft_core::{CancellationToken, ToolChanges};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
        JsonObject, ListToolsResult, PaginatedRequestParams, ProtocolVersion, RequestId, ServerCapabilities,
        ServerConfig, SetLevelRequestParams, SubscriptionFilter, Tool, ToolsCapability,
    },
    service::{NotificationContext, Peer, RequestContext, SubscriptionContext},
};

#[cfg(feature = "unstable-rmcp")]
use super::host::{forwarded, of_the_host};
use super::{
    call::{self, Caller},
    changes,
    log::{LogLevel, Threshold},
    plain::{By, Handshake, PlainCall},
    service::Shared,
};

/// One session of a client; without a handshake over HTTP, one request of it.
pub(super) struct Session {
    pub(super) shared: Arc<Shared>,
    id: OnceLock<Arc<str>>,
    /// What of the log the client wants, where it says so once.
    pub(super) threshold: Threshold,
    /// How the tools stood when a subscription was about to be confirmed: what changes before it is listened to counts.
    subscribing: Mutex<VecDeque<ToolChanges>>,
    /// Cancelled when the client sends no more.
    ended: CancellationToken,
    /// The client, once a message of it has come so far.
    client: OnceLock<Known>,
}

/// What is known of a session's client.
#[derive(Debug)]
struct Known {
    peer: Peer<RoleServer>,
    /// Of a session that began with a handshake: whether its user can be shown a form.
    shows_forms: Option<bool>,
}

impl Session {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            id: OnceLock::new(),
            client: OnceLock::new(),
            threshold: Threshold::default(),
            subscribing: Mutex::default(),
            ended: CancellationToken::new(),
        }
    }

    /// The same for clients that are told nothing of the log unless their request asks for it.
    pub(super) fn without_log(self) -> Self {
        Self { threshold: Threshold::off(), ..self }
    }

    /// The session's name in the dispatcher.
    pub(super) fn id(&self) -> Arc<str> {
        Arc::clone(self.id.get_or_init(|| self.shared.next_session()))
    }

    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    /// Gets to know the client: its calls can be answered without the protocol's library from now on.
    pub(super) fn meet(&self, peer: &Peer<RoleServer>) {
        self.client.get_or_init(|| {
            let shows_forms = peer.peer_info().map(|info| call::shows_forms(&info.capabilities));
            Known { peer: peer.clone(), shows_forms }
        });
    }

    /// A session that began with a handshake has begun: its client is known, and told when there are other tools.
    pub(super) fn begun(&self, peer: &Peer<RoleServer>) {
        self.meet(peer);
        self.shared.listeners.add(peer.clone(), &self.shared);
    }

    /// Who makes a call that is plainly valid; none where the session's client is not known yet, or does not speak so.
    pub(super) fn caller(
        &self,
        id: &RequestId,
        call: &PlainCall,
        cancelled: &CancellationToken,
    ) -> Option<Caller> {
        let Known { peer, shows_forms } = self.client.get()?;
        let by = By { peer: Some(peer.clone()), cancelled: cancelled.clone() };
        let handshake = shows_forms.map(|shows_forms| Handshake { shows_forms, level: self.threshold.get() });
        call.caller(id, handshake, by)
    }

    fn subscribing(&self) -> std::sync::MutexGuard<'_, VecDeque<ToolChanges>> {
        self.subscribing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request is of the era without a handshake.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// What is offered besides what a host offers.
fn capabilities(mut capabilities: ServerCapabilities) -> ServerCapabilities {
    let mut tools = ToolsCapability::default();
    tools.list_changed = Some(true);
    capabilities.tools = Some(tools);
    capabilities.logging.get_or_insert_with(JsonObject::new);
    capabilities
}

impl ServerHandler for Session {
    /// `lines::opening` says the same without the library.
    fn get_info(&self) -> ServerConfig {
        #[cfg(feature = "unstable-rmcp")]
        let offered = self.shared.host.as_ref().map(|host| host.info().capabilities).unwrap_or_default();
        #[cfg(not(feature = "unstable-rmcp"))]
        let offered = ServerCapabilities::default();
        let identity = &self.shared.identity;
        let mut server = Implementation::new(&identity.name, &identity.version);
        server.title.clone_from(&identity.title);
        let mut info = ServerConfig::new(capabilities(offered)).with_server_info(server);
        info.instructions = identity.instructions();
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.meet(&context.peer);
        let modern = is_modern(&context);
        let beside = self.beside(context).await?;
        let cursor = request.and_then(|request| request.cursor);
        let page = self.shared.listing.page(self.shared.registry(), &beside, cursor.as_deref())?;
        Ok(if modern { self.shared.listing.fresh(page) } else { page })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.meet(&context.peer);
        call::call_tool(self, request, context).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let own = self.shared.listing.tool(self.shared.registry(), name);
        #[cfg(feature = "unstable-rmcp")]
        let own = own.or_else(|| self.shared.host.as_ref()?.tool(name));
        own
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "logging/setLevel", None));
        }
        self.threshold.set(LogLevel::from_wire(request.level));
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.begun(&context.peer);
        #[cfg(feature = "unstable-rmcp")]
        if let Some(host) = &self.shared.host {
            host.initialized(context).await;
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.subscribing().push_back(self.shared.registry().changes());
        #[cfg(feature = "unstable-rmcp")]
        let mut accepted =
            self.shared.host.as_ref().and_then(|host| host.accepted(requested)).unwrap_or_default();
        #[cfg(not(feature = "unstable-rmcp"))]
        let mut accepted = SubscriptionFilter::default();
        accepted.tools_list_changed = requested.tools_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = self.subscribing().pop_front();
        let changes = changes.unwrap_or_else(|| self.shared.registry().changes());
        let tools = changes::follow(changes, context.sink().clone());
        let cancelled = context.request_context().ct.clone();
        let ends = async {
            tokio::select! {
                () = cancelled.cancelled() => {}
                () = self.ended.cancelled() => {}
                () = self.shared.shutdown.cancelled() => {}
            }
        };
        let told = async {
            #[cfg(feature = "unstable-rmcp")]
            if let Some(host) = &self.shared.host {
                let ((), others) = tokio::join!(tools, host.listen(context));
                return others;
            }
            tools.await;
            // The subscription lasts, even where there will be nothing to tell.
            std::future::pending().await
        };
        tokio::select! {
            told = told => told,
            () = ends => Ok(()),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if super::methods::is_known(&request.method, is_modern(&context)) {
            let what = format!("the parameters of {} can not be read", request.method);
            return Err(ErrorData::invalid_params(what, None));
        }
        #[cfg(feature = "unstable-rmcp")]
        if let Some(host) = &self.shared.host {
            return host.custom(request, context).await;
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    #[cfg(feature = "unstable-rmcp")]
    of_the_host!(forwarded);
}

impl Session {
    /// The tools of a host that the registry does not have.
    #[cfg(feature = "unstable-rmcp")]
    async fn beside(&self, context: RequestContext<RoleServer>) -> Result<Vec<Tool>, ErrorData> {
        match &self.shared.host {
            Some(host) => host.tools(context).await,
            None => Ok(Vec::new()),
        }
    }

    #[cfg(not(feature = "unstable-rmcp"))]
    #[expect(clippy::unused_async, reason = "with a host, its answer is waited for")]
    async fn beside(&self, _: RequestContext<RoleServer>) -> Result<Vec<Tool>, ErrorData> {
        Ok(Vec::new())
    }
}
