//! What a host serves besides tools, through a handler of `rmcp`.

#![expect(deprecated, reason = "clients of today still subscribe to resources")]

use std::{future::Future, pin::Pin};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, PaginatedRequestParams,
        ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

/// The future of an answer of a host.
pub(in crate::serve::mcp) type HostFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The requests that are the host's alone: the handler's method, what it takes and gives, and the method on the wire.
macro_rules! of_the_host {
    ($with:ident) => {
        $with! {
            complete(rmcp::model::CompleteRequestParams) -> rmcp::model::CompleteResult, "completion/complete";
            get_prompt(rmcp::model::GetPromptRequestParams) -> rmcp::model::GetPromptResponse, "prompts/get";
            list_prompts(Option<rmcp::model::PaginatedRequestParams>) -> rmcp::model::ListPromptsResult, "prompts/list";
            list_resources(Option<rmcp::model::PaginatedRequestParams>) -> rmcp::model::ListResourcesResult, "resources/list";
            list_resource_templates(Option<rmcp::model::PaginatedRequestParams>) -> rmcp::model::ListResourceTemplatesResult, "resources/templates/list";
            read_resource(rmcp::model::ReadResourceRequestParams) -> rmcp::model::ReadResourceResponse, "resources/read";
            subscribe(rmcp::model::SubscribeRequestParams) -> (), "resources/subscribe";
            unsubscribe(rmcp::model::UnsubscribeRequestParams) -> (), "resources/unsubscribe";
            get_task(rmcp::model::GetTaskParams) -> rmcp::model::GetTaskResult, "tasks/get";
            update_task(rmcp::model::UpdateTaskParams) -> (), "tasks/update";
            cancel_task(rmcp::model::CancelTaskParams) -> (), "tasks/cancel";
        }
    };
}

macro_rules! host {
    ($($method:ident($params:ty) -> $answer:ty, $wire:literal;)*) => {
        /// A handler of a host, whatever its type.
        pub(in crate::serve::mcp) trait Host: Send + Sync {
            /// What it offers.
            fn info(&self) -> ServerConfig;
            /// All tools that it has.
            fn tools(&self, context: RequestContext<RoleServer>) -> HostFuture<'_, Result<Vec<Tool>, ErrorData>>;
            /// One of them.
            fn tool(&self, name: &str) -> Option<Tool>;
            /// Calls one of them.
            fn call(
                &self,
                request: CallToolRequestParams,
                context: RequestContext<RoleServer>,
            ) -> HostFuture<'_, Result<CallToolResponse, ErrorData>>;
            /// What of a subscription it can fill.
            fn accepted(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter>;
            /// Fills a subscription.
            fn listen(&self, context: SubscriptionContext) -> HostFuture<'_, Result<(), ErrorData>>;
            /// A session has begun.
            fn initialized(&self, context: NotificationContext<RoleServer>) -> HostFuture<'_, ()>;
            /// A request that the protocol does not know.
            fn custom(
                &self,
                request: CustomRequest,
                context: RequestContext<RoleServer>,
            ) -> HostFuture<'_, Result<CustomResult, ErrorData>>;
            $(
                fn $method(
                    &self,
                    request: $params,
                    context: RequestContext<RoleServer>,
                ) -> HostFuture<'_, Result<$answer, ErrorData>>;
            )*
        }

        impl<H: ServerHandler> Host for H {
            fn info(&self) -> ServerConfig {
                self.get_info()
            }

            fn tools(&self, context: RequestContext<RoleServer>) -> HostFuture<'_, Result<Vec<Tool>, ErrorData>> {
                Box::pin(all_tools(self, context))
            }

            fn tool(&self, name: &str) -> Option<Tool> {
                self.get_tool(name)
            }

            fn call(
                &self,
                request: CallToolRequestParams,
                context: RequestContext<RoleServer>,
            ) -> HostFuture<'_, Result<CallToolResponse, ErrorData>> {
                Box::pin(self.call_tool(request, context))
            }

            fn accepted(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
                self.accepted_subscription_filter(requested)
            }

            fn listen(&self, context: SubscriptionContext) -> HostFuture<'_, Result<(), ErrorData>> {
                Box::pin(ServerHandler::listen(self, context))
            }

            fn initialized(&self, context: NotificationContext<RoleServer>) -> HostFuture<'_, ()> {
                Box::pin(self.on_initialized(context))
            }

            fn custom(
                &self,
                request: CustomRequest,
                context: RequestContext<RoleServer>,
            ) -> HostFuture<'_, Result<CustomResult, ErrorData>> {
                Box::pin(self.on_custom_request(request, context))
            }

            $(
                fn $method(
                    &self,
                    request: $params,
                    context: RequestContext<RoleServer>,
                ) -> HostFuture<'_, Result<$answer, ErrorData>> {
                    Box::pin(ServerHandler::$method(self, request, context))
                }
            )*
        }
    };
}

of_the_host!(host);

/// How many pages of a host's tools are asked for.
const PAGES: usize = 1_000;

async fn all_tools<H: ServerHandler>(
    host: &H,
    context: RequestContext<RoleServer>,
) -> Result<Vec<Tool>, ErrorData> {
    if host.get_info().capabilities.tools.is_none() {
        return Ok(Vec::new());
    }
    let (mut tools, mut cursor) = (Vec::new(), None);
    for _ in 0..PAGES {
        let request = PaginatedRequestParams::default().with_cursor(cursor.take());
        let page = host.list_tools(Some(request), context.clone()).await?;
        tools.extend(page.tools);
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    Ok(tools)
}

/// The handler's methods for what is the host's alone.
macro_rules! forwarded {
    ($($method:ident($params:ty) -> $answer:ty, $wire:literal;)*) => {
        $(
            async fn $method(
                &self,
                request: $params,
                context: RequestContext<RoleServer>,
            ) -> Result<$answer, ErrorData> {
                match &self.shared.host {
                    Some(host) => host.$method(request, context).await,
                    None => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, $wire, None)),
                }
            }
        )*
    };
}

pub(in crate::serve::mcp) use {forwarded, of_the_host};
