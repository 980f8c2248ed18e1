//! What an answer to a request means.

use reqwest::{Response, StatusCode, header};
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::{
        AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
        StreamableHttpPostResponse, StreamableHttpResponseLimits,
    },
};

use crate::redact::Secrets;

use super::{
    super::wire::{Awaited, Seen},
    body::{BodyError, beginning, whole},
    client::HttpError,
    failure::Failure,
};

/// What a request is, as far as its answer depends on it.
pub(super) struct Asked {
    /// None where no answer is awaited.
    pub(super) id: Option<RequestId>,
    pub(super) calls: bool,
    discovers: bool,
    in_session: bool,
    /// What no text of the server's may show.
    secrets: Secrets,
}

impl Asked {
    pub(super) fn of(message: &ClientJsonRpcMessage, in_session: bool, secrets: Secrets) -> Self {
        let request = match message {
            ClientJsonRpcMessage::Request(request) => Some(request),
            _ => None,
        };
        let discovers =
            request.is_some_and(|request| matches!(request.request, ClientRequest::DiscoverRequest(_)));
        let calls =
            request.is_some_and(|request| matches!(request.request, ClientRequest::CallToolRequest(_)));
        Self { id: request.map(|request| request.id.clone()), calls, discovers, in_session, secrets }
    }
}

/// What a refusal says about who asks; empty where it says nothing.
pub(super) fn challenge(response: &Response) -> Option<String> {
    let header = response.headers().get(header::WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(header.unwrap_or_default().to_owned()),
        // Without a challenge another token would fare no better.
        StatusCode::FORBIDDEN => header.map(str::to_owned),
        _ => None,
    }
}

/// A refusal for want of an authorization.
pub(super) fn unauthorized(status: StatusCode, challenge: String) -> Failure {
    if status == StatusCode::FORBIDDEN {
        let scope = challenge.split_once("scope=\"").and_then(|(_, rest)| rest.split_once('"'));
        let scope = scope.map(|(scope, _)| scope.to_owned());
        return StreamableHttpError::InsufficientScope(InsufficientScopeError::new(challenge, scope));
    }
    StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge))
}

/// The media type of an answer, without parameters.
pub(super) fn media_type(response: &Response) -> String {
    let value = response.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media = value.and_then(|value| value.split(';').next()).unwrap_or_default();
    media.trim().to_ascii_lowercase()
}

/// An answer that says that the request failed.
pub(super) async fn failed(
    response: Response,
    asked: &Asked,
    limits: StreamableHttpResponseLimits,
) -> Result<StreamableHttpPostResponse, Failure> {
    let status = response.status();
    if status == StatusCode::NOT_FOUND && asked.in_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    let may_be_lost = asked.in_session && matches!(status, StatusCode::BAD_REQUEST | StatusCode::GONE);
    let target = target(&response);
    let retry_after = response.headers().get(header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|value| value.to_str().ok()).map(str::to_owned);
    let is_json = media_type(&response) == "application/json";
    let text = if is_json && status != StatusCode::TOO_MANY_REQUESTS {
        let body = whole(response, limits.max_json_response_size).await.unwrap_or_default();
        String::from_utf8_lossy(&body).into_owned()
    } else {
        beginning(response, limits.max_error_response_size).await
    };
    if may_be_lost && tells_of_session(&text, asked.calls) {
        return Err(StreamableHttpError::SessionExpired);
    }
    let is_refusal = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    if let (Some(id), false) = (&asked.id, is_refusal) {
        if let Ok(ServerJsonRpcMessage::Error(error)) = serde_json::from_str(&text) {
            // What is answered here is this request, whatever id the error carries.
            let error = ServerJsonRpcMessage::error(error.error, Some(id.clone()));
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        // An old server knows neither this request nor requests outside of a session, and may say so as its own mistake.
        let unknown = status.is_client_error() || matches!(status.as_u16(), 500 | 501);
        if asked.discovers && !asked.in_session && unknown {
            let why = told(status, target.as_deref(), &text, &asked.secrets);
            let error = ServerJsonRpcMessage::error(ErrorData::invalid_request(why, None), Some(id.clone()));
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
    }
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return Err(HttpStatusError::new(status.as_u16(), retry_after).into());
    }
    let told = told(status, target.as_deref(), &text, &asked.secrets);
    // What is not implemented is no failure: it is asked of something else.
    if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
        return Err(HttpError::Failed(told).into());
    }
    Err(StreamableHttpError::UnexpectedServerResponse(told.into()))
}

/// Where a redirect leads to, as far as that can be shown.
fn target(response: &Response) -> Option<String> {
    let location = response.headers().get(header::LOCATION)?.to_str().ok()?;
    let mut target = response.url().join(location).ok()?;
    target.set_query(None);
    target.set_fragment(None);
    target.set_username("").and_then(|()| target.set_password(None)).ok()?;
    Some(target.to_string())
}

/// What an answer says that is none of the protocol's.
fn told(status: StatusCode, target: Option<&str>, text: &str, secrets: &Secrets) -> String {
    if let Some(target) = target.filter(|_| status.is_redirection()) {
        let target = secrets.excerpt(target, 300);
        return format!(
            "HTTP {status} to {target}, which is not followed: give that address if it is the right one"
        );
    }
    match secrets.excerpt(text.trim(), 200).as_str() {
        "" => format!("HTTP {status}"),
        text => format!("HTTP {status}: {text}"),
    }
}

/// Whether an answer to a request of a session says that there is none. The specification has 404 for that; many servers that
/// were made after an example say 400. A call is sent again then, so that for one it has to be said plainly.
fn tells_of_session(text: &str, calls: bool) -> bool {
    // What is wrong with one request has a code that says so.
    let is_of_request =
        serde_json::from_str::<ServerJsonRpcMessage>(text).is_ok_and(|message| match message {
            ServerJsonRpcMessage::Error(error) => (-32799..=-32601).contains(&error.error.code.0),
            _ => true,
        });
    let text = text.trim().to_ascii_lowercase();
    !is_of_request && text.contains("session") && (!calls || is_session_of_protocol(&text))
}

/// No server says more where it does not know a session, in bytes; pages do.
const LONGEST: usize = 400;
/// How servers write what they miss.
const ID: [&str; 4] = ["session id", "session-id", "session_id", "sessionid"];
/// What is said of a session that is none.
const GONE: [&str; 10] =
    ["no", "unknown", "missing", "invalid", "expired", "found", "terminated", "closed", "required", "exist"];
/// What is said of other sessions: of whoever is logged in, or of what a tool works with.
const OTHERS: [&str; 12] = [
    "login", "log", "logged", "sign", "signin", "signed", "sso", "user", "your", "account", "browser",
    "cookie",
];

/// Whether it is the protocol's session that a text in small letters says to be none.
fn is_session_of_protocol(text: &str) -> bool {
    let says = |words: &[&str]| text.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
    text.len() <= LONGEST
        && (ID.iter().any(|id| text.contains(id)) || (says(&["session"]) && says(&GONE) && !says(&OTHERS)))
}

/// An answer that is one JSON document.
pub(super) async fn document(
    response: Response,
    asked: &Asked,
    awaited: &Awaited,
    session: Option<String>,
    most: usize,
) -> Result<StreamableHttpPostResponse, Failure> {
    let body = match whole(response, most).await {
        Ok(body) => body,
        Err(BodyError::TooLarge) => return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: most }),
        Err(BodyError::Broken(error)) => return Err(StreamableHttpError::Client(HttpError::from(error))),
    };
    let Some(id) = &asked.id else { return Ok(StreamableHttpPostResponse::Accepted) };
    let text = String::from_utf8_lossy(&body);
    let text = text.trim_start_matches('\u{feff}');
    let seen = Seen::all(text, awaited).into_iter().map(|seen| seen.answering(Some(id), awaited));
    let messages = seen.filter_map(|seen| serde_json::from_str(&seen.into_text()?).ok());
    let answer = messages.into_iter().find(|message: &ServerJsonRpcMessage| is_answer(message, id));
    match answer {
        Some(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
        None => {
            let told = match asked.secrets.excerpt(text.trim(), 200).as_str() {
                "" => "an empty document, which does not answer the request".to_owned(),
                text => format!("a document that does not answer the request: {text}"),
            };
            Err(StreamableHttpError::UnexpectedServerResponse(told.into()))
        }
    }
}

fn is_answer(message: &ServerJsonRpcMessage, id: &RequestId) -> bool {
    match message {
        ServerJsonRpcMessage::Response(response) => response.id == *id,
        ServerJsonRpcMessage::Error(error) => error.id.as_ref() == Some(id),
        _ => false,
    }
}
