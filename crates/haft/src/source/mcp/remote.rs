//! A server as its tools know it, whether it is connected or not.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use haft_core::{ErrorCode, Tool, ToolError};
use tokio::{
    sync::{Notify, watch},
    time::timeout,
};

use super::{
    McpEra, McpError, McpProblem, McpServer, McpServerState, McpServerStatus,
    asking::Answering,
    instructions::as_kept,
    list::{Listed, Listing},
    session::Session,
    tool::make_tools,
};
use crate::{nearest::nearest, redact::Secrets, sandbox::Tail};

/// How the connection is.
#[derive(Clone)]
pub(super) enum Link {
    Connecting,
    Ready(Arc<Session>),
    /// Another attempt is made later, or when a call wants it.
    Down(McpError),
    /// No other attempt is made.
    Over(McpError),
}

/// A tool, and what it was made from.
#[derive(Clone)]
pub(super) struct Made {
    pub(super) listed: Listed,
    pub(super) tool: Tool,
    pub(super) problem: Option<McpProblem>,
}

#[derive(Default)]
struct Known {
    tools: Vec<Made>,
    problems: Vec<McpProblem>,
    era: Option<(McpEra, String)>,
    software: Option<String>,
    instructions: Option<String>,
    tail: Option<Arc<Tail>>,
}

/// A server as its tools know it.
pub(super) struct Remote {
    pub(super) server: McpServer,
    pub(super) answering: Arc<Answering>,
    link: watch::Sender<Link>,
    /// A call wants the next attempt now.
    pub(super) wake: Notify,
    known: Mutex<Known>,
    /// That of the catalog that all servers stand in.
    generation: Arc<AtomicU64>,
    /// What it was given, and may write to standard error.
    pub(super) secrets: Secrets,
}

impl Remote {
    pub(super) fn new(server: McpServer, answering: Arc<Answering>, generation: Arc<AtomicU64>) -> Arc<Self> {
        let (link, _) = watch::channel(Link::Connecting);
        let (known, mut secrets) = (Mutex::default(), Secrets::default());
        secrets.add(server.secrets());
        Arc::new(Self { server, answering, link, wake: Notify::new(), known, generation, secrets })
    }

    /// The connection. Where there is none, one is made now, and waited for.
    pub(super) async fn session(&self) -> Result<Arc<Session>, ToolError> {
        let limit = self.server.connect_timeout.min(self.server.timeout);
        let connected = timeout(limit, self.connected()).await;
        connected.unwrap_or(Err(McpError::Timeout { limit })).map_err(|error| {
            let (told, name) = (error.to_string(), &self.server.name);
            // What its program wrote last is for people.
            let told = told.lines().next().unwrap_or_default();
            let told = format!("the MCP server {name:?} can not be used now: {told}; nothing was changed");
            ToolError::of(ErrorCode::Mcp, told).retryable(error.may_pass())
        })
    }

    async fn connected(&self) -> Result<Arc<Session>, McpError> {
        let mut link = self.link.subscribe();
        let mut woken = false;
        loop {
            let now = link.borrow_and_update().clone();
            match now {
                Link::Ready(session) if !session.peer.is_transport_closed() => return Ok(session),
                Link::Ready(_) | Link::Connecting => {}
                Link::Down(error) if woken => return Err(error),
                Link::Down(_) => {
                    woken = true;
                    self.wake.notify_one();
                }
                Link::Over(error) => return Err(error),
            }
            if link.changed().await.is_err() {
                return Err(McpError::Closed);
            }
        }
    }

    pub(super) fn set(&self, link: Link) {
        self.link.send_replace(link);
    }

    /// Keeps what a server says of itself.
    pub(super) fn introduced(&self, session: &Session) {
        let mut known = self.known();
        known.era = Some(session.era());
        let (software, instructions) = session.introduction();
        known.software = software;
        known.instructions = instructions.map(|text| as_kept(&text, &self.secrets));
    }

    pub(super) fn writes_to(&self, tail: Option<Arc<Tail>>) {
        self.known().tail = tail;
    }

    /// The last lines that its program wrote to standard error, without what it was given.
    pub(super) fn stderr(&self) -> Vec<String> {
        let tail = self.known().tail.clone();
        tail.map(|tail| tail.lines(&self.secrets)).unwrap_or_default()
    }

    /// Takes a new list of tools over; whether there are other tools now.
    pub(super) fn publish(self: &Arc<Self>, listing: Listing) -> bool {
        let Listing { tools, mut problems } = listing;
        problems.extend(self.unknown_names(&tools));
        let wanted = tools.into_iter().filter(|tool| self.is_wanted(&tool.name)).collect();
        let before = self.known().tools.clone();
        let made = make_tools(self, wanted, &before, &mut problems);
        let mut known = self.known();
        known.problems = problems;
        let same = made.len() == known.tools.len()
            && made.iter().zip(&known.tools).all(|(one, other)| one.listed == other.listed);
        known.tools = made;
        drop(known);
        if !same {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        !same
    }

    /// Takes its tools away.
    pub(super) fn retire(&self, error: McpError) {
        self.set(Link::Over(error));
        self.known().tools = Vec::new();
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn add_problem(&self, problem: McpProblem) {
        self.known().problems.push(problem);
    }

    pub(super) fn problems(&self) -> Vec<McpProblem> {
        self.known().problems.clone()
    }

    fn is_wanted(&self, tool: &str) -> bool {
        let included = self.server.include.as_ref().is_none_or(|names| names.iter().any(|name| name == tool));
        included && !self.server.exclude.iter().any(|name| name == tool)
    }

    fn unknown_names(&self, tools: &[Listed]) -> Vec<McpProblem> {
        let names = self.server.include.iter().flatten().chain(&self.server.exclude);
        let unknown = names.filter(|name| !tools.iter().any(|tool| tool.name == **name));
        unknown
            .map(|name| McpProblem::UnknownTool {
                name: name.clone(),
                nearest: nearest(name, tools.iter().map(|tool| tool.name.as_str())).map(str::to_owned),
            })
            .collect()
    }

    /// The tools that it has now.
    pub(super) fn tools(&self) -> Vec<Tool> {
        self.known().tools.iter().map(|made| made.tool.clone()).collect()
    }

    /// The tools as the server lists them.
    pub(super) fn listed(&self) -> Vec<serde_json::Value> {
        self.known().tools.iter().map(|made| serde_json::Value::Object(made.listed.raw.clone())).collect()
    }

    /// What it says to models of the use of its tools, where it has any, and where that is handed on.
    pub(super) fn instructions(&self) -> Option<String> {
        let known = self.known();
        let speaks = self.server.instructions && !known.tools.is_empty();
        known.instructions.clone().filter(|_| speaks)
    }

    /// Whether a tool is known to change nothing.
    pub(super) fn is_read_only(&self, tool: &str) -> bool {
        let known = self.known();
        known.tools.iter().any(|made| made.listed.name == tool && made.tool.definition().is_read_only())
    }

    pub(super) fn status(&self) -> McpServerStatus {
        let link = self.link.borrow().clone();
        let (state, error) = match link {
            Link::Connecting => (McpServerState::Connecting, None),
            Link::Ready(_) => (McpServerState::Ready, None),
            Link::Down(error) => (McpServerState::Failed, Some(error)),
            Link::Over(McpError::Closed) => (McpServerState::Stopped, None),
            Link::Over(error) => (McpServerState::Stopped, Some(error)),
        };
        let stderr = self.stderr();
        let known = self.known();
        McpServerStatus {
            name: self.server.name.clone(),
            state,
            tools: known.tools.iter().map(|made| made.tool.name().to_owned()).collect(),
            era: known.era.as_ref().map(|(era, _)| *era),
            protocol: known.era.as_ref().map(|(_, protocol)| protocol.clone()),
            software: known.software.clone(),
            instructions: known.instructions.clone(),
            problems: known.problems.clone(),
            error: error.as_ref().map(ToString::to_string),
            code: error.as_ref().map(McpError::code),
            stderr,
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
