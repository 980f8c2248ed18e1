//! Keeps one server connected: connects, serves, and connects again when the connection is lost.

use std::{path::PathBuf, sync::Arc, time::Duration};

use haft_core::{BuildError, BuildProblem, CancellationToken, ToolRegistry};
use rmcp::service::ClientInitializeError;
use tokio::{
    sync::{Notify, mpsc, watch},
    time::{Instant, sleep, timeout},
};

use super::{
    McpEra, McpError, McpProblem, McpServerChange,
    connect::{Connector, Lifecycle, Opened, Service, introduce},
    event::Events,
    list::Listing,
    remote::{Link, Remote},
    serving::Serving,
    session::{Abandoned, Session},
};
use crate::sandbox::Running;

/// How long is waited before another attempt: twice as long each time.
const SHORTEST: Duration = Duration::from_millis(500);
const LONGEST: Duration = Duration::from_secs(60);
/// A connection that held so long begins the count anew.
const HELD: Duration = Duration::from_secs(30);

/// Keeps one server connected.
pub(super) struct Driver {
    pub(super) remote: Arc<Remote>,
    pub(super) connector: Connector,
    pub(super) supervisor: Option<PathBuf>,
    pub(super) registry: ToolRegistry,
    pub(super) events: Events,
    pub(super) stop: CancellationToken,
    /// Set once the first attempt is over.
    pub(super) tried: watch::Sender<bool>,
    pub(super) lifecycle: Lifecycle,
}

/// A connection whose tools are known.
pub(super) struct Connected {
    pub(super) service: Service,
    pub(super) running: Option<Running>,
    pub(super) session: Arc<Session>,
    pub(super) abandoned: mpsc::Receiver<Abandoned>,
    pub(super) changed: Arc<Notify>,
}

impl Driver {
    /// Runs until it is stopped, or no other attempt is of use.
    pub(super) async fn run(mut self) {
        let mut failures = 0;
        while !self.stop.is_cancelled() {
            self.remote.set(Link::Connecting);
            self.emit(McpServerChange::Connecting { attempt: failures + 1 });
            let began = Instant::now();
            let stop = self.stop.clone();
            let connected = tokio::select! {
                connected = self.attempt() => connected,
                () = stop.cancelled() => Err(McpError::Closed),
            };
            let error = match connected {
                Ok((connected, listing)) => {
                    self.ready(&connected, listing, began.elapsed());
                    let began = Instant::now();
                    let error = Serving::new(&self, connected).run().await;
                    if began.elapsed() >= HELD {
                        failures = 0;
                    }
                    error
                }
                Err(error) => error,
            };
            if self.stop.is_cancelled() {
                break;
            }
            failures += 1;
            if !self.wait(error, failures).await {
                return;
            }
        }
        self.end(McpError::Closed);
        self.emit(McpServerChange::Stopped);
    }

    /// Waits for the next attempt; `false` where there is none.
    async fn wait(&mut self, error: McpError, failures: u32) -> bool {
        let error = error.hiding(&self.remote.secrets);
        let again = error.may_pass() && !self.is_given();
        let retry_in = again.then(|| LONGEST.min(SHORTEST * 2_u32.saturating_pow(failures - 1)));
        tracing::warn!(server = %self.remote.server.name(), %error, "an MCP server can not be used");
        match &retry_in {
            Some(_) => self.remote.set(Link::Down(error.clone())),
            None => self.end(error.clone()),
        }
        self.emit(McpServerChange::Failed { error, retry_in });
        self.tried.send_replace(true);
        let Some(wait) = retry_in else { return false };
        tokio::select! {
            () = sleep(wait) => true,
            () = self.remote.wake.notified() => true,
            () = self.stop.cancelled() => true,
        }
    }

    /// No other attempt is made, and its tools go.
    fn end(&self, error: McpError) {
        self.remote.retire(error);
        drop(self.registry.refresh());
        self.tried.send_replace(true);
    }

    /// Connects; once more at once where the first try showed which protocol the server speaks. A program that takes long to
    /// start may answer the question for the newest one late, and then take no other.
    async fn attempt(&mut self) -> Result<(Connected, Listing), McpError> {
        let before = self.lifecycle;
        match self.connect().await {
            Err(first) if before == Lifecycle::Either && self.lifecycle != before && !self.is_given() => {
                let next = self.lifecycle;
                match self.connect().await {
                    // That it does not speak the newest protocol after all is not why the older one failed.
                    Err(_) if next == Lifecycle::Only(McpEra::Modern) => Err(first),
                    connected => connected,
                }
            }
            connected => connected,
        }
    }

    /// Whether there is this one connection and no other.
    fn is_given(&self) -> bool {
        matches!(self.connector, Connector::Given(_))
    }

    async fn connect(&mut self) -> Result<(Connected, Listing), McpError> {
        let limit = self.remote.server.connect_timeout;
        let until = Instant::now() + limit;
        let mut opened = Opened::open(&self.remote, &mut self.connector, self.supervisor.as_deref()).await?;
        let mut running = opened.running.take();
        let awaited = Arc::clone(&opened.awaited);
        let changed = Arc::new(Notify::new());
        let late = |_| McpError::Timeout { limit };
        let introduced = introduce(&self.remote, opened, self.lifecycle, &changed);
        let introduced = timeout(limit, introduced).await.map_err(late);
        let service = match introduced {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => {
                self.lifecycle = self.next_lifecycle(&error);
                return Err(self.explained(McpError::of_start(error), running).await);
            }
            Err(error) => return Err(self.explained(error, running).await),
        };
        let (session, abandoned) = Session::new(service.peer().clone(), awaited);
        let listed = tokio::select! {
            listed = tokio::time::timeout_at(until, session.list()) => listed.map_err(late),
            status = ended(&mut running) => Err(status),
        };
        match listed.and_then(|listed| listed) {
            Ok(listing) => Ok((Connected { service, running, session, abandoned, changed }, listing)),
            Err(error) => {
                drop(service);
                Err(self.explained(error, running).await)
            }
        }
    }

    /// Some servers end when they are asked for the newest protocol first, and some know no other.
    fn next_lifecycle(&self, error: &ClientInitializeError) -> Lifecycle {
        use ClientInitializeError as E;
        let wanted = Lifecycle::of(self.remote.server.era);
        match (wanted, self.lifecycle, error) {
            (Lifecycle::Either, Lifecycle::Either, E::ConnectionClosed(_)) => Lifecycle::Only(McpEra::Legacy),
            (Lifecycle::Either, Lifecycle::Either, E::JsonRpcError(_)) => Lifecycle::Only(McpEra::Modern),
            (Lifecycle::Either, Lifecycle::Either, E::LegacyFallbackFailed { fallback, .. })
                if matches!(**fallback, E::JsonRpcError(_)) =>
            {
                Lifecycle::Only(McpEra::Modern)
            }
            _ => wanted,
        }
    }

    /// Ends the program of a failed attempt, and adds what it said last.
    async fn explained(&self, error: McpError, running: Option<Running>) -> McpError {
        let Some(running) = running else { return error };
        let status = running.end().await;
        match error {
            McpError::Lost { why } => self.lost(&why, status.map(|status| status.to_string())),
            other => other,
        }
    }

    pub(super) fn lost(&self, why: &str, status: Option<String>) -> McpError {
        let ended = status.map(|status| format!("the program ended with {status}"));
        let said = self.remote.stderr();
        let last = said.iter().skip(said.len().saturating_sub(5)).map(|line| format!("\n  {line}"));
        let parts: Vec<&str> =
            Some(why).filter(|why| !why.is_empty()).into_iter().chain(ended.as_deref()).collect();
        McpError::Lost { why: format!("{}{}", parts.join("; "), last.collect::<String>()) }
    }

    fn ready(&self, connected: &Connected, listing: Listing, after: Duration) {
        self.remote.introduced(&connected.session);
        let (era, _) = connected.session.era();
        let known = !self.remote.tools().is_empty();
        let changed = self.publish(listing);
        self.remote.set(Link::Ready(Arc::clone(&connected.session)));
        let tools = self.remote.tools().len();
        self.emit(McpServerChange::Ready { tools, era, after });
        if known && changed {
            self.emit(McpServerChange::ToolsChanged { tools });
        }
        self.tried.send_replace(true);
    }

    /// Puts other tools in place; whether there are other ones than before.
    pub(super) fn publish(&self, listing: Listing) -> bool {
        let before = self.remote.problems();
        let changed = self.remote.publish(listing);
        let problems = self.registry.refresh().err();
        for problem in problems.iter().flat_map(BuildError::problems) {
            if let BuildProblem::DuplicateTool { name, .. } = problem
                && let Some(tool) = self.remote.tools().iter().find(|tool| tool.name() == name)
            {
                let original = tool.definition().original_name.clone();
                let name = original.unwrap_or_else(|| name.clone());
                self.remote.add_problem(McpProblem::LeftOut { name, why: problem.to_string() });
            }
        }
        for problem in self.remote.problems().into_iter().filter(|problem| !before.contains(problem)) {
            tracing::warn!(server = %self.remote.server.name(), %problem, "something is wrong with the tools of an MCP server");
            self.emit(McpServerChange::Problem(problem));
        }
        changed
    }

    pub(super) fn emit(&self, what: McpServerChange) {
        self.events.emit(&self.remote.server.name, what);
    }
}

/// Waits until the program has ended; for ever where there is none.
async fn ended(running: &mut Option<Running>) -> McpError {
    match running {
        Some(running) => match running.exited().await {
            Ok(status) => McpError::Lost { why: format!("the program ended with {status}") },
            Err(error) => McpError::Lost { why: error.to_string() },
        },
        None => std::future::pending().await,
    }
}
