//! Several servers, whose tools stand in one registry.

use std::{
    collections::HashSet,
    fmt, io,
    path::PathBuf,
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use haft_core::{Answerer, CancellationToken, ToolRegistry};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    task::JoinSet,
};

use super::{
    McpError, McpInstructions, McpRoot, McpServer, McpServerChange, McpServerEvent, McpServerEvents,
    McpServerStatus, Sampler,
    asking::Answering,
    catalog::Catalog,
    connect::{Connector, Lifecycle, Reader, Writer},
    driver::Driver,
    event::Events,
    name::is_server_name,
    remote::Remote,
};

/// Connects servers to a registry.
#[derive(Debug, Default)]
#[must_use = "a builder does nothing until `connect`"]
pub struct McpServersBuilder {
    servers: Vec<(McpServer, Connector)>,
    supervisor: Option<PathBuf>,
    answering: Answering,
    events: Events,
    instructions: McpInstructions,
}

impl McpServersBuilder {
    /// Adds a server.
    pub fn server(mut self, server: McpServer) -> Self {
        self.servers.push((server, Connector::Definition));
        self
    }

    /// Adds servers.
    pub fn servers(mut self, servers: impl IntoIterator<Item = McpServer>) -> Self {
        self.servers.extend(servers.into_iter().map(|server| (server, Connector::Definition)));
        self
    }

    /// Adds a server that the host is connected to already; once the connection ends, its tools are gone.
    pub fn connection(
        mut self,
        server: McpServer,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        self.servers.push((server, Connector::Given(Mutex::new(Some((Box::new(reader), Box::new(writer)))))));
        self
    }

    /// Adds a server that the host connects; whenever the connection is lost, `connect` makes another one.
    pub fn connector<F, Fut, R, W>(mut self, server: McpServer, connect: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = io::Result<(R, W)>> + Send + 'static,
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let make = move || {
            let streams = connect();
            let streams = async move {
                let (reader, writer) = streams.await?;
                Ok((Box::new(reader) as Reader, Box::new(writer) as Writer))
            };
            Box::pin(streams) as std::pin::Pin<Box<_>>
        };
        self.servers.push((server, Connector::Made(Box::new(make))));
        self
    }

    /// The program that owns the programs of servers, so that they end even where this process is killed: `haft`, or any
    /// that calls [`supervise`](crate::sandbox::supervise) for `supervise -- COMMAND ARGUMENTS`.
    ///
    /// Without one, programs end when these servers are closed or dropped.
    pub fn supervisor(mut self, program: impl Into<PathBuf>) -> Self {
        self.supervisor = Some(program.into());
        self
    }

    /// Who answers when a server asks for input of a person; whoever answers for the turn is asked where this one does not.
    pub fn answerer(mut self, answerer: impl Answerer + 'static) -> Self {
        self.answering.answerer = Some(Arc::new(answerer));
        self
    }

    /// Who answers when a server asks for a completion of a model; without one, servers are told that nobody does.
    pub fn sampler(mut self, sampler: impl Sampler + 'static) -> Self {
        self.answering.sampler = Some(Arc::new(sampler));
        self
    }

    /// A folder or file that servers are told they may work in.
    pub fn root(mut self, root: McpRoot) -> Self {
        self.answering.roots.push(root);
        self
    }

    /// Calls a function for everything that happens to a server. It may not block.
    pub fn on_event(mut self, watcher: impl Fn(&McpServerEvent) + Send + Sync + 'static) -> Self {
        self.events.watch(Box::new(watcher));
        self
    }

    /// Tells everything that happens to the servers, from the first attempt on.
    pub fn subscribe(&self) -> McpServerEvents {
        self.events.subscribe()
    }

    /// What the servers will say to models of the use of their tools.
    pub fn instructions(&self) -> McpInstructions {
        self.instructions.clone()
    }

    /// Connects all servers side by side, and returns once each is ready or its first attempt has failed. The registry
    /// follows their tools from now on.
    ///
    /// No server's failure is another's: see [`McpServers::status`].
    pub async fn connect(self, registry: &ToolRegistry) -> McpServers {
        let generation = Arc::new(AtomicU64::new(0));
        let answering = Arc::new(self.answering);
        let (stop, mut tasks, mut waiting) = (CancellationToken::new(), JoinSet::new(), Vec::new());
        let (mut remotes, mut names) = (Vec::new(), HashSet::new());
        let mut drivers = Vec::new();
        for (server, connector) in self.servers {
            let name = server.name.clone();
            let lifecycle = Lifecycle::of(server.era);
            let remote = Remote::new(server, Arc::clone(&answering), Arc::clone(&generation));
            remotes.push(Arc::clone(&remote));
            let error = if !is_server_name(&name) {
                McpError::Name { name }
            } else if !names.insert(name.clone()) {
                McpError::DuplicateName { name }
            } else {
                let (tried, wait) = watch::channel(false);
                waiting.push(wait);
                let (events, registry) = (self.events.clone(), registry.clone());
                let (stop, supervisor) = (stop.clone(), self.supervisor.clone());
                drivers.push(Driver {
                    remote,
                    connector,
                    supervisor,
                    registry,
                    events,
                    stop,
                    tried,
                    lifecycle,
                });
                continue;
            };
            self.events
                .emit(&remote.server.name, McpServerChange::Failed { error: error.clone(), retry_in: None });
            remote.retire(error);
        }
        self.instructions.of(&remotes);
        let catalog = Catalog { remotes: remotes.clone(), generation };
        if let Err(error) = registry.update(|builder| builder.catalog(catalog)) {
            tracing::error!(%error, "the tools of MCP servers can not be put into the registry");
        }
        for driver in drivers {
            tasks.spawn(driver.run());
        }
        for mut wait in waiting {
            // A driver that is gone has been tried.
            drop(wait.wait_for(|tried| *tried).await);
        }
        McpServers { remotes, stop, tasks, events: self.events, instructions: self.instructions }
    }
}

/// Servers whose tools stand in a registry. Dropping it ends them and takes their tools away.
///
/// ```no_run
/// use haft::{CallContext, Dispatcher, ToolRegistry, source::mcp::{McpServer, McpServers}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder().build()?;
/// let servers = McpServers::builder()
///     .server(McpServer::stdio("files", "npx").arguments(["-y", "@modelcontextprotocol/server-filesystem", "."]))
///     .server(McpServer::http("search", "https://example.com/mcp"))
///     .on_event(|event| eprintln!("{}: {:?}", event.server, event.what))
///     .connect(&registry)
///     .await;
///
/// let dispatcher = Dispatcher::new(registry);
/// let result = dispatcher.call("files__read_text_file", r#"{"path": "notes.txt"}"#, CallContext::new()).await?;
/// println!("{}", result.text());
/// servers.close().await;
/// # Ok(())
/// # }
/// ```
pub struct McpServers {
    remotes: Vec<Arc<Remote>>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    events: Events,
    instructions: McpInstructions,
}

impl McpServers {
    /// Begins a set of servers.
    pub fn builder() -> McpServersBuilder {
        McpServersBuilder::default()
    }

    /// How the servers are, in the order in which they were given.
    pub fn status(&self) -> Vec<McpServerStatus> {
        self.remotes.iter().map(|remote| remote.status()).collect()
    }

    /// The tools of a server that are used, as it lists them, with all fields.
    pub fn listed(&self, server: &str) -> Vec<Value> {
        let found = self.remotes.iter().find(|remote| remote.server.name() == server);
        found.map(|remote| remote.listed()).unwrap_or_default()
    }

    /// What the servers say to models of the use of their tools.
    pub fn instructions(&self) -> McpInstructions {
        self.instructions.clone()
    }

    /// Tells what happens to the servers from now on.
    pub fn subscribe(&self) -> McpServerEvents {
        self.events.subscribe()
    }

    /// Ends all connections and programs, and returns once they have ended: a program may first end by itself, then it is
    /// told to, then it is killed with everything that it started.
    pub async fn close(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Drop for McpServers {
    fn drop(&mut self) {
        self.stop.cancel();
        self.remotes.iter().for_each(|remote| remote.retire(McpError::Closed));
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.remotes.iter().map(|remote| remote.server.name());
        formatter.debug_list().entries(names).finish()
    }
}
