//! The tools of a command: built-in ones, and those of the configured servers that it needs.

mod connection;
mod policy;
mod watch;

use std::{future::pending, time::Duration};

use haft::{
    DispatcherBuilder, ToolRegistry,
    config::{Config, ConfigError, ConfigProblem, ConfigServer, Environment},
    source::mcp::{McpInstructions, McpServer, McpServerState, McpServerStatus},
};

use self::{connection::Connection, policy::AskUnlessReadOnly, watch::Watch};
use crate::{command::doctor::cause, host::Host, settings::Configuration};

/// The tools of a command, and what they run with.
pub(crate) struct Workbench {
    pub(crate) config: Config,
    pub(crate) registry: ToolRegistry,
    environment: Environment,
    connections: Vec<Connection>,
}

impl Workbench {
    /// The built-in tools, as the configuration wants them; servers are started where they are asked for.
    pub(crate) fn open(settings: &Configuration, host: &mut Host) -> anyhow::Result<Self> {
        let environment = Environment::of_process()?;
        let config = Config::load(&environment, &settings.source).map_err(|error| told(error, host))?;
        let config = if settings.strict { config.repairing_nothing() } else { config };
        Self::of(environment, config)
    }

    /// The same with a configuration that has been loaded.
    pub(crate) fn of(environment: Environment, config: Config) -> anyhow::Result<Self> {
        let registry = config.registry_builder()?.build()?;
        Ok(Self { config, registry, environment, connections: Vec::new() })
    }

    /// A dispatcher of these tools: what changes nothing runs, anything else is asked about.
    pub(crate) fn dispatcher(&self) -> DispatcherBuilder {
        let builder = self.config.dispatcher_builder(self.registry.clone());
        let changes = self.registry.iter().any(|tool| !tool.definition().is_read_only());
        // Tools that can not change anything, where no others can come, need no question and not its cost.
        if changes || !self.config.mcp_servers().is_empty() {
            builder.hook(AskUnlessReadOnly)
        } else {
            builder
        }
    }

    /// Makes the tools of all servers ones of the registry, and tells what is left out.
    pub(crate) async fn connect_all(&mut self, host: &mut Host) {
        self.tell(host, |_| true);
        self.connect(host, None, |_| true).await;
        self.tell_failures(host);
    }

    /// The same; servers that take longer are left to come later.
    pub(crate) async fn connect_within(&mut self, limit: Duration, host: &mut Host) {
        self.tell(host, |_| true);
        self.connect(host, Some(limit), |_| true).await;
        self.tell_failures(host);
    }

    /// The same, with nothing told.
    pub(crate) async fn connect_quietly(&mut self, host: &mut Host) {
        self.connect(host, None, |_| true).await;
    }

    /// Makes the tools of those servers ones of the registry that tools of these names would be of.
    ///
    /// A name without a server's may be what a server calls a tool: then all are asked.
    pub(crate) async fn connect_for(&mut self, tools: &[&str], host: &mut Host) {
        let wanted = self.connect_needed(tools, host).await;
        if wanted.iter().any(|tool| !tool.contains(SEPARATOR)) {
            self.connect(host, None, |_| true).await;
        }
        self.tell_missing(&wanted, host);
    }

    /// The same, for who is told what tools there are where one is missing: then all servers are asked.
    pub(crate) async fn connect_for_model(&mut self, tools: &[&str], host: &mut Host) {
        let wanted = self.connect_needed(tools, host).await;
        if !wanted.is_empty() {
            self.connect_all(host).await;
        }
    }

    /// Starts the servers whose names the tools bear; the names that are still none of a tool.
    async fn connect_needed(&mut self, tools: &[&str], host: &mut Host) -> Vec<String> {
        let missing = |registry: &ToolRegistry| -> Vec<String> {
            let missing = tools.iter().filter(|tool| !registry.contains(tool));
            missing.map(|tool| (*tool).to_owned()).collect()
        };
        let wanted = missing(&self.registry);
        self.connect(host, None, |server| wanted.iter().any(|tool| is_of(tool, server))).await;
        missing(&self.registry)
    }

    /// Tells why these are names of no tool; what is there after all is worth no word.
    fn tell_missing(&self, wanted: &[String], host: &mut Host) {
        if wanted.iter().all(|tool| self.registry.contains(tool)) {
            return;
        }
        self.tell(host, |server| wanted.iter().any(|tool| is_of(tool, server) || !tool.contains(SEPARATOR)));
        self.tell_failures(host);
        let servers: Vec<&str> = self.config.servers().iter().map(|server| server.name.as_str()).collect();
        for tool in wanted.iter().filter(|tool| !servers.iter().any(|server| is_of(tool, server))) {
            if let Some((server, _)) = tool.split_once(SEPARATOR).filter(|_| !servers.is_empty()) {
                let servers = servers.join(", ");
                host.note(format_args!("no server is called {server:?}; the servers are {servers}"));
            }
        }
    }

    /// How the servers are that were started.
    pub(crate) fn status(&self) -> Vec<McpServerStatus> {
        self.connections.iter().flat_map(Connection::status).collect()
    }

    /// What the servers that were started say to models, whenever it is asked for.
    pub(crate) fn instructions(&self) -> impl Fn() -> Option<String> + Send + Sync + 'static {
        let said: Vec<_> =
            self.connections.iter().map(|connection| connection.instructions.clone()).collect();
        move || {
            let said: Vec<String> = said.iter().filter_map(McpInstructions::text).collect();
            (!said.is_empty()).then(|| said.join("\n\n"))
        }
    }

    /// How long a server took until its tools could be called.
    pub(crate) fn took(&self, server: &str) -> Option<Duration> {
        self.connections.iter().find_map(|connection| connection.took(server))
    }

    /// Tells which servers can not be used, and what is wrong with tools of the others.
    fn tell_failures(&self, host: &mut Host) {
        for status in self.status() {
            let name = &status.name;
            if matches!(status.state, McpServerState::Failed | McpServerState::Stopped) {
                let error = self.config.redact(cause(&status));
                host.note(format_args!(
                    "the server {name} can not be used: {error}; `haft doctor` says more"
                ));
            }
            for problem in &status.problems {
                host.note(format_args!("of the server {name}: {}", self.config.redact(&problem.to_string())));
            }
        }
    }

    /// Tells what was left out: of these servers, and of whole files.
    fn tell(&self, host: &mut Host, wanted: impl Fn(&str) -> bool) {
        let concerns = |problem: &&ConfigProblem| problem.server.as_deref().is_none_or(&wanted);
        self.config.problems().iter().filter(concerns).for_each(|problem| host.note(problem));
    }

    /// Starts the servers that are wanted and not there yet, and waits for them.
    async fn connect(&mut self, host: &mut Host, limit: Option<Duration>, wanted: impl Fn(&str) -> bool) {
        let is_new = |name: &str| !self.connections.iter().any(|connection| connection.has(name));
        let servers =
            self.config.servers().iter().filter(|server| wanted(&server.name) && is_new(&server.name));
        let servers: Vec<McpServer> = servers.filter_map(ConfigServer::ready).cloned().collect();
        if servers.is_empty() {
            return;
        }
        // A person who interrupts ends the waiting, not what has been started in order.
        let stop = host.interrupt.cancels();
        self.connections.push(Connection::start(servers, self.environment.program(), &self.registry));
        // It is kept already, so that it is ended as well where the waiting is given up.
        if let Some(connection) = self.connections.last_mut() {
            connection.settle(limit, &stop, host).await;
        }
    }

    /// Tells what happens to the servers that were started last, for as long as it is waited for.
    pub(crate) async fn watch(&mut self, host: &mut Host) {
        let mut watch = Watch::after(&self.status());
        let Some(connection) = self.connections.last_mut() else { return pending().await };
        loop {
            let event = connection.next().await;
            if let Some(text) = watch.tells(&event) {
                host.note(self.config.redact(&text));
            }
        }
    }

    /// Ends what was started.
    pub(crate) async fn close(self) {
        for connection in self.connections {
            connection.close().await;
        }
    }
}

/// What stands between a server's name and that of its tool.
const SEPARATOR: &str = "__";

/// Whether the tool would be one of the server: by its name, or by one that is repaired to it.
fn is_of(tool: &str, server: &str) -> bool {
    let plain = |name: &str| name.to_ascii_lowercase().replace('-', "_");
    plain(tool).strip_prefix(&plain(server)).is_some_and(|rest| rest.starts_with(SEPARATOR))
}

/// All that is wrong, one a line; the last is the error.
fn told(error: ConfigError, host: &mut Host) -> anyhow::Error {
    let Some((last, others)) = error.problems().split_last() else { return error.into() };
    for problem in others {
        host.problem(problem);
    }
    anyhow::anyhow!("{last}")
}
