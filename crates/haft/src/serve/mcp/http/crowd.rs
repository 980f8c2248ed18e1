//! How many clients are served at once.

use std::sync::Arc;

use http::{HeaderMap, Method, Request};
use rmcp::model::ProtocolVersion;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{HttpOptions, sessions::Sessions};

/// Counts who is served.
#[derive(Clone)]
pub(super) struct Crowd {
    requests: Arc<Semaphore>,
    sessions: Arc<Sessions>,
    most_sessions: usize,
}

/// A place among those who are served, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Crowd {
    pub(super) fn new(options: &HttpOptions, sessions: Arc<Sessions>) -> Self {
        let requests = options.requests.clamp(1, Semaphore::MAX_PERMITS);
        Self { requests: Arc::new(Semaphore::new(requests)), sessions, most_sessions: options.sessions }
    }

    /// A place for a request; none where it would be one too many.
    ///
    /// The stream that a session listens on takes none: there is one a session, and sessions are counted.
    pub(super) async fn admit(&self, parts: &Parts) -> Option<Place> {
        if !parts.is_post {
            return Some(Place { _permit: None });
        }
        let permit = Arc::clone(&self.requests).try_acquire_owned().ok()?;
        if parts.may_begin_session && self.sessions.count().await >= self.most_sessions {
            return None;
        }
        Some(Place { _permit: Some(permit) })
    }
}

/// What of a request says how it counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    is_post: bool,
    may_begin_session: bool,
}

impl Parts {
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        let headers = request.headers();
        let may_begin_session = !headers.contains_key("mcp-session-id") && !is_modern(headers);
        Self { is_post: request.method() == Method::POST, may_begin_session }
    }
}

fn is_modern(headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}
