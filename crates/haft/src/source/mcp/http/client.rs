//! Requests to a server, and what comes back.

use std::{collections::HashMap, sync::Arc, time::Duration};

use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderName, HeaderValue},
};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::streamable_http_client::{
        StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
    },
};
use tokio::{
    sync::{Mutex, watch},
    time::timeout,
};

use crate::redact::Secrets;

use super::{
    super::{
        McpServer,
        error::with_causes,
        wire::{Awaited, Noise},
    },
    Authorizer,
    body::beginning,
    events::{EventStream, events},
    failure::Failure,
    reply::{Asked, challenge, document, failed, media_type, unauthorized},
};

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// How long a call waits for the stream on which the server may ask something of this side; a server may be slow to open it.
const OPENING: Duration = Duration::from_secs(1);

/// As often one request is repeated with another token.
const TRIES: usize = 3;

/// Why a request failed. No address stands in it, since one may hold secrets.
#[derive(Debug, thiserror::Error)]
pub(in super::super) enum HttpError {
    #[error("{}", with_causes(.0))]
    Request(#[source] reqwest::Error),
    #[error("no token could be had: {0}")]
    Token(String),
    /// The server, or what stands before it, says that it failed.
    #[error("{0}")]
    Failed(String),
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        Self::Request(error.without_url())
    }
}

impl From<HttpError> for Failure {
    fn from(error: HttpError) -> Self {
        Self::Client(error)
    }
}

/// Sends requests to a server.
#[derive(Clone)]
pub(in super::super) struct HttpClient {
    client: Client,
    awaited: Arc<Awaited>,
    authorizer: Option<Arc<dyn Authorizer>>,
    /// One challenge is answered at a time.
    challenged: Arc<Mutex<()>>,
    /// Whether the stream of a session for what belongs to no request is open, or will not be.
    listening: Arc<watch::Sender<bool>>,
    secrets: Secrets,
    noise: Arc<Noise>,
}

type Headers = HashMap<HeaderName, HeaderValue>;

impl HttpClient {
    pub(super) fn new(client: Client, awaited: Arc<Awaited>, server: &McpServer, secrets: Secrets) -> Self {
        let listening = Arc::new(watch::channel(false).0);
        let noise = Arc::new(Noise::new(server.name().into(), secrets.clone()));
        let authorizer = server.authorizer.clone();
        Self { client, awaited, authorizer, challenged: Arc::default(), listening, secrets, noise }
    }

    /// What looks at the events of an answer.
    fn watching(&self) -> (Arc<Awaited>, Arc<Noise>) {
        (Arc::clone(&self.awaited), Arc::clone(&self.noise))
    }

    /// What a server asks before the stream for it is open is lost with some: the first call of a session waits for it.
    async fn listened(&self) {
        let mut listening = self.listening.subscribe();
        let opened = listening.wait_for(|listening| *listening);
        if timeout(OPENING, opened).await.is_err() {
            self.listening.send_replace(true);
        }
    }

    /// Sends a request, with another token where the server wants one.
    async fn send(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let mut token = self.token(None).await?;
        for tried in 1.. {
            let copy = request.try_clone().ok_or(StreamableHttpError::UnexpectedEndOfStream)?;
            let copy = token.iter().fold(copy, RequestBuilder::bearer_auth);
            let response = copy.send().await.map_err(HttpError::from)?;
            let Some(challenge) = challenge(&response) else { return Ok(response) };
            let next = if tried < TRIES { self.renewed(token.as_deref(), &challenge).await? } else { None };
            if next.is_none() {
                return Err(unauthorized(response.status(), challenge));
            }
            token = next;
        }
        Err(StreamableHttpError::UnexpectedEndOfStream)
    }

    async fn token(&self, challenge: Option<&str>) -> Result<Option<String>, HttpError> {
        let Some(authorizer) = &self.authorizer else { return Ok(None) };
        let token = authorizer.token(challenge).await.map_err(HttpError::Token)?;
        if let Some(token) = &token {
            self.secrets.pass(token);
        }
        Ok(token)
    }

    /// Another token than the one that was refused; none where there is none.
    async fn renewed(&self, refused: Option<&str>, challenge: &str) -> Result<Option<String>, HttpError> {
        let _alone = self.challenged.lock().await;
        // Another request may have been challenged before.
        let current = self.token(None).await?;
        if current.is_some() && current.as_deref() != refused {
            return Ok(current);
        }
        self.token(Some(challenge)).await
    }
}

/// How an answer is packed that had to come as it is.
fn packed(response: &Response) -> Option<&str> {
    let how = response.headers().get(CONTENT_ENCODING)?.to_str().unwrap_or_default().trim();
    (!how.is_empty() && !how.eq_ignore_ascii_case("identity")).then_some(how)
}

/// Whether a media type says nothing of what an answer is, or that it is some JSON.
fn is_untold(media: &str) -> bool {
    matches!(media, "" | "text/plain" | "application/octet-stream") || media.ends_with("+json")
}

fn with_headers(
    request: RequestBuilder,
    session: Option<&str>,
    auth: Option<&str>,
    headers: Headers,
) -> RequestBuilder {
    // An answer may come packed in any way unless that is said.
    let request = request.header(ACCEPT_ENCODING, "identity");
    let request = session.into_iter().fold(request, |request, session| request.header(SESSION, session));
    let request = auth.into_iter().fold(request, RequestBuilder::bearer_auth);
    request.headers(headers.into_iter().collect())
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, auth, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        self.awaited.sent(&message);
        let asked = Asked::of(&message, session.is_some(), self.secrets.clone());
        if session.is_some() && asked.calls {
            self.listened().await;
        }
        let request = self.client.post(uri.as_ref()).header(ACCEPT, format!("{JSON}, {EVENTS}"));
        let request = with_headers(request, session.as_deref(), auth.as_deref(), headers);
        let request = request.header(CONTENT_TYPE, JSON).body(serde_json::to_vec(&message)?);
        let response = self.send(request).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            // Outside of a session there is no other stream on which an answer could still come.
            if asked.id.is_some() && session.is_none() {
                let told = format!("HTTP {status}, which does not answer the request");
                return Err(StreamableHttpError::UnexpectedServerResponse(told.into()));
            }
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if !status.is_success() {
            return failed(response, &asked, limits).await;
        }
        if let Some(packed) = packed(&response) {
            let told = format!("an answer packed as {packed:?}, which was not asked for");
            return Err(StreamableHttpError::UnexpectedServerResponse(told.into()));
        }
        let session = response.headers().get(SESSION).and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        match media_type(&response).as_str() {
            EVENTS => {
                let events = events(response, limits.max_sse_event_size, self.watching(), asked.id);
                Ok(StreamableHttpPostResponse::Sse(events, session))
            }
            JSON => document(response, &asked, &self.awaited, session, limits.max_json_response_size).await,
            // What awaits no answer needs none.
            _ if asked.id.is_none() => Ok(StreamableHttpPostResponse::Accepted),
            // Some servers forget to say that it is JSON.
            other if is_untold(other) => {
                document(response, &asked, &self.awaited, session, limits.max_json_response_size).await
            }
            other => {
                let begins = beginning(response, limits.max_error_response_size).await;
                let begins = self.secrets.excerpt(begins.trim(), 100);
                let told = format!("an answer of the type {other:?}, which is no JSON: {begins}");
                Err(StreamableHttpError::UnexpectedServerResponse(told.into()))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), Failure> {
        let request =
            with_headers(self.client.delete(uri.as_ref()), Some(&session), auth.as_deref(), headers);
        let response = self.send(request).await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Ok(());
        }
        response.error_for_status().map_err(HttpError::from)?;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<EventStream, Failure> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, auth, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        auth: Option<String>,
        headers: Headers,
        most: usize,
    ) -> Result<EventStream, Failure> {
        let request = self.client.get(uri.as_ref()).header(ACCEPT, EVENTS);
        let request = last_event.iter().fold(request, |request, last| request.header(LAST_EVENT, last));
        let response = self.send(with_headers(request, session.as_deref(), auth.as_deref(), headers)).await;
        self.listening.send_replace(true);
        let response = response?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        let response = response.error_for_status().map_err(HttpError::from)?;
        match media_type(&response).as_str() {
            EVENTS => Ok(events(response, most, self.watching(), None)),
            other => Err(StreamableHttpError::UnexpectedContentType(Some(other.to_owned()))),
        }
    }
}
