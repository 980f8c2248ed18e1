//! The service: a dispatcher, and how clients see it.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use haft_core::{CallContext, CancellationToken, Dispatcher, ToolRegistry};
use rmcp::{
    RoleServer,
    model::RequestStateCodec,
    service::{QuitReason, RunningService, ServerInitializeError},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinSet,
};

use super::{
    changes::Listeners,
    error::ServeError,
    lines::{Lines, Opening, Outbox},
    session::Session,
    tools::Listing,
};

/// How many tools one page of a list has, unless set.
const PAGE: usize = 1_000;
/// How long a client may keep a list without asking again, unless set.
const FRESH: Duration = Duration::from_secs(5);

/// A registry served to MCP clients, through its dispatcher.
///
/// Clients of both eras of the protocol are served: those that begin with a handshake (revisions up to 2025-11-25), and
/// those that do not (2026-07-28). Cheap to clone; a clone is the same service.
///
/// Every call runs through the dispatcher. What a call waits for, an approval or an answer to a tool's question, is asked of
/// the client's user, where the client can show a form; it is denied where it can not. Dispatchers that are built with
/// `suspends(false)` deny it everywhere.
///
/// ```no_run
/// use haft::{Dispatcher, Tool, ToolRegistry, serve::mcp::McpService};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder()
///     .tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() }))
///     .build()?;
/// let service = McpService::builder(Dispatcher::new(registry)).name("shouter").version("1.0.0").build();
/// service.stdio().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpService(pub(super) Arc<Shared>);

/// What all sessions of a service have in common.
pub(super) struct Shared {
    pub(super) dispatcher: Dispatcher,
    pub(super) identity: Identity,
    pub(super) context: CallContext,
    pub(super) listing: Listing,
    pub(super) listeners: Listeners,
    /// Seals what clients keep for a call that waits; without it no such client can be asked.
    pub(super) codec: Option<RequestStateCodec>,
    pub(super) shutdown: CancellationToken,
    #[cfg(feature = "unstable-rmcp")]
    pub(super) host: Option<Arc<dyn super::host::Host>>,
    process: u64,
    sessions: AtomicU64,
}

/// What clients are told of the server.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) version: String,
    /// The host's own.
    instructions: Option<String>,
    more: Vec<More>,
}

/// What else models are told, asked for whenever a client begins.
pub(super) struct More(Box<dyn Fn() -> Option<String> + Send + Sync>);

impl fmt::Debug for More {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("More")
    }
}

impl Identity {
    /// What models are told of the use of the tools as a whole: what the host says, then what it has from others.
    pub(super) fn instructions(&self) -> Option<String> {
        let own = self.instructions.clone().into_iter();
        let said: Vec<String> = own.chain(self.more.iter().filter_map(|more| more.0())).collect();
        (!said.is_empty()).then(|| said.join("\n\n"))
    }
}

impl Shared {
    pub(super) fn registry(&self) -> &ToolRegistry {
        self.dispatcher.registry()
    }

    /// Whether a host answers for more than the registry.
    #[cfg(feature = "unstable-rmcp")]
    pub(super) fn has_host(&self) -> bool {
        self.host.is_some()
    }

    #[cfg(not(feature = "unstable-rmcp"))]
    #[expect(clippy::unused_self, reason = "with a host, this is looked at")]
    pub(super) fn has_host(&self) -> bool {
        false
    }

    /// The name of a new session.
    pub(super) fn next_session(&self) -> Arc<str> {
        let number = self.sessions.fetch_add(1, Ordering::Relaxed);
        format!("mcp-{:016x}-{number}", self.process).into()
    }
}

impl McpService {
    /// Begins a service over a dispatcher and its registry.
    pub fn builder(dispatcher: Dispatcher) -> McpServiceBuilder {
        McpServiceBuilder::new(dispatcher)
    }

    /// Serves one client over the standard input and output of this process, until it leaves.
    ///
    /// Nothing else may be written to standard output meanwhile. On Linux, pipes are used without a thread between.
    ///
    /// # Errors
    /// When the client can not be understood at all, or not be written to.
    pub async fn stdio(&self) -> Result<(), ServeError> {
        let (reader, writer) = rmcp::transport::stdio_pipes();
        self.serve(reader, writer).await
    }

    /// Serves one client over a pair of streams, a message a line, until it leaves.
    ///
    /// A line that is no message is dropped. At most 1,024 requests are worked on at once, and the client is not read while
    /// 16 MiB wait for it to read. What it has called when it leaves is answered; after 5 seconds in which no call ends, the rest is
    /// told to end.
    ///
    /// # Errors
    /// When the client can not be understood at all, or not be written to.
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let outbox = Arc::new(Outbox::default());
        let mut writing = JoinSet::new();
        writing.spawn(Arc::clone(&outbox).write_to(writer));
        let session = Arc::new(Session::new(Arc::clone(&self.0)));
        let stop = self.0.shutdown.child_token();
        let mut lines = Lines::new(reader, Arc::clone(&outbox), Arc::clone(&session), stop.clone());
        let opening =
            if self.0.has_host() { Some(Opening::Unknown) } else { lines.open(&session, &stop).await };
        let served = match opening {
            Some(opening) => Box::pin(until_left(opening.over(session, lines, stop))).await,
            None => Ok(()),
        };
        outbox.close();
        let written = writing.join_next().await;
        served?;
        match written {
            // A client that has left does not read its last answers.
            Some(Ok(Err(error))) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Ends all sessions: what runs has 2 seconds to end, and nothing new begins.
    pub fn shutdown(&self) {
        self.0.shutdown.cancel();
    }
}

/// Waits for the end of a session that the protocol's library was begun for.
async fn until_left(
    begun: impl Future<Output = Result<RunningService<RoleServer, Arc<Session>>, ServerInitializeError>>,
) -> Result<(), ServeError> {
    match begun.await {
        Ok(running) => match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(ServeError::Handshake(error.to_string())),
            Ok(_) => Ok(()),
        },
        // The client left before it began, or the host did.
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => Ok(()),
        Err(error) => Err(ServeError::Handshake(error.to_string())),
    }
}

impl fmt::Debug for McpService {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpService").field("identity", &self.0.identity).finish_non_exhaustive()
    }
}

/// Builds an [`McpService`].
#[must_use = "a builder does nothing until `build`"]
pub struct McpServiceBuilder {
    dispatcher: Dispatcher,
    identity: Identity,
    context: CallContext,
    page: usize,
    fresh: Duration,
    shutdown: CancellationToken,
    #[cfg(feature = "unstable-rmcp")]
    host: Option<Arc<dyn super::host::Host>>,
}

impl McpServiceBuilder {
    fn new(dispatcher: Dispatcher) -> Self {
        Self {
            dispatcher,
            identity: Identity {
                name: "haft".to_owned(),
                title: None,
                version: env!("CARGO_PKG_VERSION").to_owned(),
                instructions: None,
                more: Vec::new(),
            },
            context: CallContext::new(),
            page: PAGE,
            fresh: FRESH,
            shutdown: CancellationToken::new(),
            #[cfg(feature = "unstable-rmcp")]
            host: None,
        }
    }

    /// The server's name: `haft` unless given.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.identity.name = name.into();
        self
    }

    /// The server's name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.identity.title = Some(title.into());
        self
    }

    /// The server's version: that of haft unless given.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.identity.version = version.into();
        self
    }

    /// What models are told about the use of the tools as a whole.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.identity.instructions = Some(instructions.into());
        self
    }

    /// What models are told besides, which may differ from time to time: it is asked for whenever a client begins, and may
    /// not block. Such as what the servers say whose tools are served, `McpServers::instructions`.
    ///
    /// A client that begins before there is something to say is not told later: the protocol has no message for it.
    pub fn more_instructions(mut self, say: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.identity.more.push(More(Box::new(say)));
        self
    }

    /// What every call brings: messages, and values that tools ask for as [`Extension`](crate::Extension). Session, id and
    /// cancellation of a call are the client's.
    pub fn context(mut self, context: CallContext) -> Self {
        self.context = context;
        self
    }

    /// How many tools one page of a list has: 1,000 unless set. Zero counts as 1.
    pub fn page_size(mut self, tools: usize) -> Self {
        self.page = tools.max(1);
        self
    }

    /// How long a client may use a list without asking again: 5 seconds unless set. Changes are told besides.
    pub fn fresh_for(mut self, time: Duration) -> Self {
        self.fresh = time;
        self
    }

    /// Ends all sessions when the token is cancelled.
    pub fn shutdown(mut self, token: CancellationToken) -> Self {
        self.shutdown = token;
        self
    }

    /// What else is served: resources, prompts, completion, tasks, and tools that the registry does not have.
    #[cfg(feature = "unstable-rmcp")]
    pub fn host(mut self, handler: impl rmcp::ServerHandler) -> Self {
        self.host = Some(Arc::new(handler));
        self
    }

    /// Builds the service.
    pub fn build(self) -> McpService {
        let process = getrandom::u64().unwrap_or_default();
        McpService(Arc::new(Shared {
            listing: Listing::new(self.page, self.fresh),
            listeners: Listeners::default(),
            codec: codec(),
            dispatcher: self.dispatcher,
            identity: self.identity,
            context: self.context,
            shutdown: self.shutdown,
            #[cfg(feature = "unstable-rmcp")]
            host: self.host,
            process,
            sessions: AtomicU64::new(1),
        }))
    }
}

/// A codec with a key of this process.
fn codec() -> Option<RequestStateCodec> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).ok()?;
    RequestStateCodec::try_new(key).ok()
}

impl fmt::Debug for McpServiceBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("McpServiceBuilder").field("identity", &self.identity).finish_non_exhaustive()
    }
}
