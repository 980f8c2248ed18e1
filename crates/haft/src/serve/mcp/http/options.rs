//! Who may ask over HTTP, and how much.

use std::time::Duration;

use super::BearerToken;

/// How long a request may be, unless set: 4 MiB.
const BODY_LIMIT: usize = 4 * 1024 * 1024;
/// How long the body of a request may take to arrive, unless set.
const BODY_TIME: Duration = Duration::from_secs(60);
/// How long a session lasts without a request, unless set.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// How many requests are answered at once, unless set.
const REQUESTS: usize = 1_024;
/// How many sessions there are at once, unless set.
const SESSIONS: usize = 1_024;

/// Who may ask over HTTP, and how much.
///
/// Unless set otherwise only programs of this machine may, and of web pages only those that come from it: a page of any
/// other origin could make a browser ask on its behalf.
///
/// ```
/// use haft::serve::mcp::{BearerToken, HttpOptions};
///
/// # fn main() -> Result<(), haft::serve::mcp::ServeError> {
/// let options = HttpOptions::new()
///     .host("tools.example.com")
///     .origin("https://app.example.com")
///     .token(BearerToken::generate()?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "options do nothing until a service has them"]
pub struct HttpOptions {
    /// Names that the server is reached by besides those of this machine; none where any will do.
    pub(super) hosts: Option<Vec<String>>,
    pub(super) origins: Vec<String>,
    pub(super) token: Option<BearerToken>,
    pub(super) body_limit: usize,
    pub(super) body_time: Duration,
    pub(super) idle: Duration,
    pub(super) stateless: bool,
    pub(super) requests: usize,
    pub(super) sessions: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl HttpOptions {
    /// Programs and pages of this machine, without a token.
    pub fn new() -> Self {
        Self {
            hosts: Some(Vec::new()),
            origins: Vec::new(),
            token: None,
            body_limit: BODY_LIMIT,
            body_time: BODY_TIME,
            idle: IDLE,
            stateless: false,
            requests: REQUESTS,
            sessions: SESSIONS,
        }
    }

    /// Adds a name that the server is reached by, with or without a port.
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.get_or_insert_default().push(host.into());
        self
    }

    /// Lets the server be reached by any name. Demand a token then: a page of any origin can make up a name.
    pub fn any_host(mut self) -> Self {
        self.hosts = None;
        self
    }

    /// Adds an origin whose pages may ask, such as `https://app.example.com`, with the port where it is not the usual one.
    /// Their browsers are told so.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        let origin = origin.into();
        // Browsers write none at the end.
        self.origins.push(origin.strip_suffix('/').unwrap_or(&origin).to_owned());
        self
    }

    /// Demands a token.
    pub fn token(mut self, token: BearerToken) -> Self {
        self.token = Some(token);
        self
    }

    /// How many bytes a request may have: 4 MiB unless set.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// How long the body of a request may take to arrive: a minute unless set. Another is answered 408.
    ///
    /// ```
    /// use haft::serve::mcp::HttpOptions;
    /// use std::time::Duration;
    ///
    /// let options = HttpOptions::new().body_time(Duration::from_secs(10)).body_limit(1024 * 1024);
    /// ```
    pub fn body_time(mut self, time: Duration) -> Self {
        self.body_time = time;
        self
    }

    /// Answers every request by itself, with one JSON document: no sessions, so that any of several processes may answer, and
    /// less work for each call.
    ///
    /// Clients that begin with a handshake get no log then, and can not be asked anything, so what would have to ask them is
    /// denied. Who wants to hear of progress, or names a level of the log with the request, gets a stream instead of a document.
    pub fn stateless(mut self) -> Self {
        self.stateless = true;
        self
    }

    /// How long a session lasts without a request: 5 minutes unless set.
    pub fn idle(mut self, time: Duration) -> Self {
        self.idle = time;
        self
    }

    /// How many requests are answered at once, subscriptions included: 1,024 unless set. Others are answered 503.
    pub fn requests(mut self, most: usize) -> Self {
        self.requests = most;
        self
    }

    /// How many sessions there are at once: 1,024 unless set. A client that would begin another is answered 503.
    pub fn sessions(mut self, most: usize) -> Self {
        self.sessions = most;
        self
    }
}
