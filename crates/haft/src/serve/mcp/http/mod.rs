//! Serving over HTTP: a `tower` service for a router of the host.

mod body;
mod cors;
mod crowd;
mod front;
mod guard;
mod head;
mod intake;
mod options;
mod priming;
mod replay;
mod sessions;
mod token;

use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::Full;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower_service::Service;

pub(super) use self::token::LEAST as LEAST_TOKEN;
pub use self::{body::HttpBody, options::HttpOptions, token::BearerToken};
use self::{
    crowd::{Crowd, Parts},
    front::Front,
    guard::Guard,
    intake::Limits,
    sessions::Sessions,
};
use super::{service::McpService, session::Session};

/// An [`McpService`] as a `tower` service: one endpoint of a router, such as `axum`'s `route_service("/mcp", service)`.
///
/// Browsers are told which pages may ask: those of the origins that are [named](HttpOptions::origin). A request whose `Host`
/// or `Origin` is not allowed is answered 403, one without the token 401, one with too long a body
/// 413, one whose body does not arrive 408, one too many 503. Cheap to clone; a clone has the same sessions.
#[derive(Clone)]
pub struct McpHttpService(Arc<Endpoint>);

struct Endpoint {
    guard: Guard,
    crowd: Crowd,
    limits: Limits,
    front: Front,
    /// What answers all that the front does not.
    library: StreamableHttpService<Session, Sessions>,
}

impl McpService {
    /// Serves clients over HTTP, as many as come.
    ///
    /// ```
    /// use haft::{Dispatcher, ToolRegistry, serve::mcp::{BearerToken, HttpOptions, McpService}};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let service = McpService::builder(Dispatcher::new(ToolRegistry::builder().build()?)).build();
    /// let local = service.http(HttpOptions::new());
    /// let public = service.http(HttpOptions::new().any_host().token(BearerToken::generate()?));
    /// # Ok(())
    /// # }
    /// ```
    pub fn http(&self, options: HttpOptions) -> McpHttpService {
        let sessions = Arc::new(Sessions::new(options.idle));
        let config = StreamableHttpServerConfig::default()
            // Both are looked at before a request comes that far.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_legacy_session_mode(!options.stateless)
            .with_json_response(options.stateless)
            .with_cancellation_token(self.0.shutdown.child_token());
        let (shared, stateless) = (Arc::clone(&self.0), options.stateless);
        let session = move || {
            let session = Session::new(Arc::clone(&shared));
            // Without a session there is nothing to say in what of the log is wanted.
            Ok(if stateless { session.without_log() } else { session })
        };
        McpHttpService(Arc::new(Endpoint {
            limits: Limits { bytes: options.body_limit, time: options.body_time },
            crowd: Crowd::new(&options, Arc::clone(&sessions)),
            front: Front::new(Arc::clone(&self.0), &options),
            library: StreamableHttpService::new(session, sessions, config),
            guard: Guard::new(options),
        }))
    }
}

impl<B> Service<Request<B>> for McpHttpService
where
    B: Body + Send + 'static,
    B::Data: Send + 'static,
    B::Error: fmt::Display,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<HttpBody>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = Arc::clone(&self.0);
        Box::pin(async move { Ok(endpoint.answer(request).await) })
    }
}

impl Endpoint {
    async fn answer<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body,
        B::Error: fmt::Display,
    {
        let page = self.guard.page(&request);
        let answer = match self.guard.admit(&request, page.as_ref()) {
            Ok(()) => self.admitted(request).await,
            Err(refused) => *refused,
        };
        match page {
            Some(page) => page.shown(answer),
            None => answer,
        }
    }

    async fn admitted<B>(&self, request: Request<B>) -> Response<HttpBody>
    where
        B: Body,
        B::Error: fmt::Display,
    {
        let Some(place) = self.crowd.admit(&Parts::of(&request)).await else { return guard::too_many() };
        let request = match intake::whole(request, self.limits).await {
            Ok(request) => request,
            Err(refused) => return refused,
        };
        let place = match self.front.answer(&request, place).await {
            Ok(answer) => return answer,
            Err(place) => place,
        };
        let (body, knows_priming) = (request.body().clone(), priming::is_known(request.headers()));
        // Boxed, so that what the front answers stays small.
        let answer = Box::pin(self.library.handle(request.map(Full::new))).await;
        let is_unread = answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE;
        match is_unread.then(|| intake::unreadable(&body)).flatten() {
            Some(refused) => refused,
            None => {
                let answer = if knows_priming { answer } else { priming::without(answer) };
                answer.map(|body| HttpBody::new(body, place))
            }
        }
    }
}

impl fmt::Debug for McpHttpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpHttpService").field("guard", &self.0.guard).finish_non_exhaustive()
    }
}
