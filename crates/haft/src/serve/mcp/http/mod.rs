//! Serving over HTTP: a `tower` service for a router of the host.

mod body;
mod cors;
mod crowd;
mod guard;
mod intake;
mod options;
mod token;

use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tower_service::Service;

pub(super) use self::token::LEAST as LEAST_TOKEN;
pub use self::{body::HttpBody, options::HttpOptions, token::BearerToken};
use self::{
    cors::Page,
    crowd::{Crowd, Parts, Place},
    guard::Guard,
    intake::Limits,
};
use super::{service::McpService, session::Session};

/// An [`McpService`] as a `tower` service: one endpoint of a router, such as `axum`'s `route_service("/mcp", service)`.
///
/// Browsers are told which pages may ask: those of the origins that are [named](HttpOptions::origin). A request whose `Host`
/// or `Origin` is not allowed is answered 403, one without the token 401, one with too long a body
/// 413, one whose body does not arrive 408, one too many 503. Cheap to clone; a clone has the same sessions.
#[derive(Clone)]
pub struct McpHttpService {
    inner: StreamableHttpService<Session, LocalSessionManager>,
    guard: Arc<Guard>,
    crowd: Crowd,
    limits: Limits,
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
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(options.idle);
        let config = StreamableHttpServerConfig::default()
            // Both are looked at before a request comes that far.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_legacy_session_mode(!options.stateless)
            .with_json_response(options.stateless)
            .with_cancellation_token(self.0.shutdown.child_token());
        let shared = Arc::clone(&self.0);
        let session = move || Ok(Session::new(Arc::clone(&shared)));
        let sessions = Arc::new(sessions);
        McpHttpService {
            limits: Limits { bytes: options.body_limit, time: options.body_time },
            crowd: Crowd::new(&options, Arc::clone(&sessions)),
            inner: StreamableHttpService::new(session, sessions, config),
            guard: Arc::new(Guard::new(options)),
        }
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
        let page = self.guard.page(&request);
        let shown = |answer, page: Option<Page>| match page {
            Some(page) => page.shown(answer),
            None => answer,
        };
        if let Err(refused) = self.guard.admit(&request, page.as_ref()) {
            return Box::pin(std::future::ready(Ok(shown(*refused, page))));
        }
        let (crowd, parts, inner) = (self.crowd.clone(), Parts::of(&request), self.inner.clone());
        let limits = self.limits;
        Box::pin(async move {
            let answer = match crowd.admit(&parts).await {
                Some(place) => match intake::whole(request, limits).await {
                    Ok(request) => answered(inner, request, place).await?,
                    Err(refused) => refused,
                },
                None => guard::too_many(),
            };
            Ok(shown(answer, page))
        })
    }
}

async fn answered(
    mut inner: StreamableHttpService<Session, LocalSessionManager>,
    request: Request<Full<Bytes>>,
    place: Place,
) -> Result<Response<HttpBody>, Infallible> {
    let body = request.body().clone();
    let answer = inner.call(request).await?;
    if answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE
        && let Ok(body) = body.collect().await
        && let Some(refused) = intake::unreadable(&body.to_bytes())
    {
        return Ok(refused);
    }
    Ok(answer.map(|body| HttpBody::new(body, place)))
}

impl fmt::Debug for McpHttpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpHttpService").field("guard", &self.guard).finish_non_exhaustive()
    }
}
