//! Why a request came to nothing, and what is known of it then.

use std::time::Duration;

use reqwest::StatusCode;
use rmcp::transport::streamable_http_client::StreamableHttpError as E;

use super::client::HttpError;

pub(in super::super) type Failure = E<HttpError>;

/// What happened, in a few words.
pub(in super::super) fn told(failure: &Failure) -> String {
    let challenge = |header: &str| match header.trim() {
        "" => "authorization required".to_owned(),
        header => format!("authorization required ({header})"),
    };
    match failure {
        E::Client(error) => error.to_string(),
        E::AuthRequired(error) => format!("HTTP 401: {}", challenge(&error.www_authenticate_header)),
        E::InsufficientScope(error) => format!("HTTP 403: {}", challenge(&error.www_authenticate_header)),
        E::UnexpectedServerResponse(text) => text.to_string(),
        _ if is_of_session(failure) => {
            "it does not know the session any more, and no new one could be begun".to_owned()
        }
        other => super::super::error::with_causes(other),
    }
}

/// Whether an answer says that the request was not even looked at.
pub(in super::super) fn was_refused(failure: &Failure) -> bool {
    match failure {
        _ if is_of_session(failure) => true,
        E::AuthRequired(_) | E::InsufficientScope(_) | E::Client(HttpError::Token(_)) => true,
        E::Client(HttpError::Request(error)) => error.is_connect(),
        E::HttpStatus(error) => error.status == StatusCode::TOO_MANY_REQUESTS.as_u16(),
        _ => false,
    }
}

/// Whether something answered that does not seem to speak the protocol.
pub(in super::super) fn is_foreign(failure: &Failure) -> bool {
    matches!(
        failure,
        E::UnexpectedServerResponse(_) | E::UnexpectedContentType(_) | E::ResponseBodyTooLarge { .. }
    )
}

/// Whether something answered that says that it fails itself, or has no time.
pub(in super::super) fn is_failing(failure: &Failure) -> bool {
    matches!(failure, E::HttpStatus(_) | E::Client(HttpError::Failed(_)))
}

/// Whether the session is lost, and no other could be begun.
pub(in super::super) fn is_of_session(failure: &Failure) -> bool {
    matches!(failure, E::SessionExpired | E::ReinitializationFailed(_))
}

/// How long a server that has no time wants to be left alone; a date is not looked at.
pub(in super::super) fn wait_before_retry(failure: &Failure) -> Option<Duration> {
    let E::HttpStatus(error) = failure else { return None };
    Some(Duration::from_secs(error.retry_after.as_ref()?.trim().parse().ok()?))
}
