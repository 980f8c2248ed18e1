//! What can go wrong between haft and an MCP server.

use std::{io, sync::Arc, time::Duration};

use rmcp::{ServiceError, service::ClientInitializeError, transport::DynamicTransportError};

use crate::redact::Secrets;

use super::http::{self, Failure, HttpError};

/// Why the tools of a server can not be had, or no longer be called.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum McpError {
    /// 2701: no server can have the name.
    #[error(
        "the server name {name:?} can not stand before the names of tools: letters, digits and '-' are allowed, single '_' between them, \
         40 characters at most"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// 2702: two servers have one name.
    #[error("two servers are named {name:?}; rename one")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// 2703: the program can not be started.
    #[error("the program {command:?} can not be started: {source}{}", not_found(command, source))]
    Start {
        /// The program.
        command: String,
        /// What the system says.
        source: Arc<io::Error>,
    },
    /// 2704: the address or a header is none.
    #[error("{what} is not valid: {why}")]
    Address {
        /// Which part of the definition.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// 2705: nothing answers.
    #[error("the server can not be reached: {why}")]
    Unreachable {
        /// What the network says.
        why: String,
    },
    /// 2706: what answers does not speak the protocol.
    #[error("the server does not speak the protocol, or no version that is known here: {why}")]
    Protocol {
        /// What it answered.
        why: String,
    },
    /// 2707: the server takes too long.
    #[error("the server did not answer within {limit:?}")]
    Timeout {
        /// How long was waited.
        limit: Duration,
    },
    /// 2708: the server wants to know who asks.
    #[error("the server wants an authorization: {why}")]
    Unauthorized {
        /// What it says.
        why: String,
    },
    /// 2709: the server does not list its tools.
    #[error("the server does not list its tools: {why}")]
    List {
        /// What it answered.
        why: String,
    },
    /// 2710: the connection is lost.
    #[error("the connection was lost{}", told(why))]
    Lost {
        /// How it ended, where that is known.
        why: String,
    },
    /// 2711: the host has closed the connection.
    #[error("the connection was closed by the host")]
    Closed,
    /// 2712: the program has no folder to run in.
    #[error("the program {command:?} can not be started: its folder {folder} is not there")]
    Folder {
        /// The program.
        command: String,
        /// The folder.
        folder: String,
    },
    /// 2713: what answers says that it fails itself, or has no time.
    #[error("the server answers that it can not serve now: {why}")]
    Failing {
        /// What it says.
        why: String,
    },
}

impl McpError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Name { .. } => 2701,
            Self::DuplicateName { .. } => 2702,
            Self::Start { .. } => 2703,
            Self::Address { .. } => 2704,
            Self::Unreachable { .. } => 2705,
            Self::Protocol { .. } => 2706,
            Self::Timeout { .. } => 2707,
            Self::Unauthorized { .. } => 2708,
            Self::List { .. } => 2709,
            Self::Lost { .. } => 2710,
            Self::Closed => 2711,
            Self::Folder { .. } => 2712,
            Self::Failing { .. } => 2713,
        }
    }

    /// As it may be shown: what others said may repeat what they were given.
    pub(super) fn hiding(mut self, secrets: &Secrets) -> Self {
        if let Self::Start { command: why, .. }
        | Self::Unreachable { why }
        | Self::Failing { why }
        | Self::Protocol { why }
        | Self::Unauthorized { why }
        | Self::List { why }
        | Self::Lost { why } = &mut self
        {
            *why = secrets.redact(why);
        }
        if let Self::Folder { command, folder } = &mut self {
            *command = secrets.redact(command);
            *folder = secrets.redact(folder);
        }
        self
    }

    /// Whether another attempt may fare better.
    pub(super) const fn may_pass(&self) -> bool {
        !matches!(self, Self::Name { .. } | Self::DuplicateName { .. } | Self::Address { .. } | Self::Closed)
    }

    pub(super) fn of_start(error: ClientInitializeError) -> Self {
        use ClientInitializeError as E;
        if error.is_authorization_required() || error.auth_challenge().is_some() || is_without_token(&error) {
            return Self::Unauthorized { why: told_of_start(&error) };
        }
        match error {
            E::ConnectionClosed(_) => {
                Self::Lost { why: "it ended before the server had introduced itself".into() }
            }
            E::TransportError { error, .. } => {
                let why = told_of_transport(&error);
                match error.error.downcast_ref() {
                    Some(failure) if http::is_foreign(failure) => Self::Protocol { why },
                    Some(failure) if http::is_failing(failure) => Self::Failing { why },
                    _ => Self::Unreachable { why },
                }
            }
            E::LegacyFallbackFailed { fallback, .. } => Self::of_start(*fallback),
            E::Cancelled => Self::Closed,
            E::JsonRpcError(error) => Self::Protocol { why: format!("{} ({})", error.message, error.code.0) },
            E::ExpectedInitResult(_) | E::ExpectedInitResponse(_) => {
                Self::Protocol { why: "its introduction can not be read".into() }
            }
            other => Self::Protocol { why: other.to_string() },
        }
    }
}

fn told_of_start(error: &ClientInitializeError) -> String {
    use ClientInitializeError as E;
    match error {
        E::TransportError { error, .. } => told_of_transport(error),
        E::LegacyFallbackFailed { fallback, .. } => told_of_start(fallback),
        other => with_causes(other),
    }
}

/// Whether the host's own authorizer had no token.
fn is_without_token(error: &ClientInitializeError) -> bool {
    let ClientInitializeError::TransportError { error, .. } = error else { return false };
    let first: &(dyn std::error::Error + 'static) = error.error.as_ref();
    let mut causes = std::iter::successors(Some(first), |error| error.source());
    causes.any(|error| matches!(error.downcast_ref(), Some(HttpError::Token(_))))
}

/// How errors begin that say no more than that there is one.
const LAYERS: [&str; 2] = ["error sending request", "client error ("];

/// An error of the protocol library with all its causes, which alone say what happened.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let mut told: Vec<String> = causes.map(ToString::to_string).collect();
    // The library for HTTP says first, by whatever layer, that something went wrong.
    let last = told.len().saturating_sub(1);
    let layers = told.iter().take(last).take_while(|text| LAYERS.iter().any(|layer| text.starts_with(layer)));
    told.drain(..layers.count());
    // Many errors say what their cause says.
    told.dedup_by(|cause, error| error.contains(cause.as_str()));
    told.join(": ")
}

/// Whether a request failed before the server took it up: nobody was there, or it refused to look at it.
pub(super) fn was_not_taken(error: &ServiceError) -> bool {
    of_http(error).is_some_and(http::was_refused)
}

/// How long a server that has no time wants to be left alone.
pub(super) fn wait_before_retry(error: &ServiceError) -> Option<Duration> {
    of_http(error).and_then(http::wait_before_retry)
}

fn told_of_transport(error: &DynamicTransportError) -> String {
    let http = error.error.downcast_ref().map(http::told);
    http.unwrap_or_else(|| with_causes(error.error.as_ref()))
}

fn of_http(error: &ServiceError) -> Option<&Failure> {
    let ServiceError::TransportSend(error) = error else { return None };
    error.error.downcast_ref()
}

/// What a failed request comes to, in a few words.
pub(super) fn told_of_request(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("{} ({})", error.message, error.code.0),
        ServiceError::TransportClosed => "the connection was lost".to_owned(),
        ServiceError::TransportSend(error) => told_of_transport(error),
        other => other.to_string(),
    }
}

fn not_found(command: &str, error: &io::Error) -> &'static str {
    if error.kind() != io::ErrorKind::NotFound {
        return "";
    }
    if command.contains(char::is_whitespace) {
        return "; if that is a program with arguments, give them apart from it";
    }
    if command.contains(['/', '\\']) {
        return "; a path that is not a full one counts from the working directory";
    }
    "; is it installed, and in the PATH that haft was started with?"
}

fn told(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

/// What is wrong with the tools of a server that can be used otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum McpProblem {
    /// 2721: a tool that is to be used, or to be left out, is none of the server's.
    #[error("the server has no tool {name:?}{}", advice(nearest.as_deref()))]
    UnknownTool {
        /// The name.
        name: String,
        /// The tool whose name is most like it.
        nearest: Option<String>,
    },
    /// 2722: a tool is left out, since it can not be used.
    #[error("the tool {name:?} is left out: {why}")]
    LeftOut {
        /// The tool, by the name that the server gives it.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// 2723: the structured results of a tool are not checked.
    #[error("the results of the tool {name:?} are not checked: {why}")]
    Unchecked {
        /// The tool, by the name that the server gives it.
        name: String,
        /// What is wrong with its output schema.
        why: String,
    },
    /// 2724: the list of tools does not end.
    #[error("the list of tools was read to page {pages}: {why}")]
    Endless {
        /// How many pages were read.
        pages: usize,
        /// Why the reading ended.
        why: String,
    },
}

impl McpProblem {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::UnknownTool { .. } => 2721,
            Self::LeftOut { .. } => 2722,
            Self::Unchecked { .. } => 2723,
            Self::Endless { .. } => 2724,
        }
    }
}

fn advice(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean {name:?}?")).unwrap_or_default()
}
