//! One MCP server: where it is, and how far it is trusted.

use std::{collections::BTreeMap, ffi::OsString, fmt, path::PathBuf, sync::Arc, time::Duration};

use super::{Authorizer, McpEra};
use crate::redact;

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum McpTransport {
    /// A program that is started, and spoken to over its standard input and output.
    Stdio {
        /// The program: a path, or a name to be looked up in `PATH`.
        command: OsString,
        /// Its arguments.
        arguments: Vec<OsString>,
        /// Variables that it gets besides the few that every program gets.
        environment: BTreeMap<OsString, OsString>,
        /// The folder it runs in; that of this process where there is none.
        folder: Option<PathBuf>,
    },
    /// A server that answers HTTP requests.
    Http {
        /// Where it answers.
        url: String,
        /// Headers that every request carries.
        headers: BTreeMap<String, String>,
    },
    /// A server that the host connects, see [`McpServersBuilder::connection`](crate::source::mcp::McpServersBuilder::connection).
    Given,
}

/// Values of variables and headers are secrets: none is shown.
impl fmt::Debug for McpTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, environment, folder, .. } => formatter
                .debug_struct("Stdio")
                .field("command", command)
                .field("environment", &environment.keys())
                .field("folder", folder)
                .finish_non_exhaustive(),
            Self::Http { headers, .. } => {
                formatter.debug_struct("Http").field("headers", &headers.keys()).finish_non_exhaustive()
            }
            Self::Given => formatter.write_str("Given"),
        }
    }
}

/// One MCP server: where it is, what of it is used, and how far it is trusted.
///
/// ```
/// use haft::source::mcp::McpServer;
/// use std::time::Duration;
///
/// let files = McpServer::stdio("files", "npx")
///     .arguments(["-y", "@modelcontextprotocol/server-filesystem", "."])
///     .exclude(["write_file"]);
/// let search = McpServer::http("search", "https://example.com/mcp")
///     .header("authorization", "Bearer …")
///     .timeout(Duration::from_secs(20));
/// assert_eq!((files.name(), search.name()), ("files", "search"));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct McpServer {
    pub(super) name: String,
    pub(super) transport: McpTransport,
    pub(super) timeout: Duration,
    pub(super) ceiling: Duration,
    pub(super) connect_timeout: Duration,
    pub(super) include: Option<Vec<String>>,
    pub(super) exclude: Vec<String>,
    pub(super) trust_annotations: bool,
    pub(super) instructions: bool,
    pub(super) era: Option<McpEra>,
    pub(super) authorizer: Option<Arc<dyn Authorizer>>,
    pub(super) largest_message: usize,
    pub(super) probe: Duration,
    /// What no text may show besides what is always a secret.
    hidden: Hidden,
}

/// Secrets, which are not shown.
#[derive(Clone, Default)]
struct Hidden(Vec<String>);

impl fmt::Debug for Hidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} secrets", self.0.len())
    }
}

/// What of an address may be a secret: who asks, a password, and what is asked for.
fn in_address(url: &str) -> Vec<String> {
    let Ok(url) = reqwest::Url::parse(url) else { return Vec::new() };
    let mut secrets: Vec<String> = url.query_pairs().map(|(_, value)| value.into_owned()).collect();
    let pairs = url.query().into_iter().flat_map(|query| query.split('&'));
    secrets.extend(pairs.filter_map(|pair| Some(pair.split_once('=')?.1.to_owned())));
    secrets.extend(url.password().map(str::to_owned));
    secrets.push(url.username().to_owned());
    secrets
}

/// A text as it stands in the path of an address, and before its host.
fn as_in_address(text: &str) -> Option<[String; 2]> {
    let mut url = reqwest::Url::parse("http://host").ok()?;
    url.set_path(text);
    url.set_username(text).ok()?;
    Some([url.path().trim_start_matches('/').to_owned(), url.username().to_owned()])
}

impl McpServer {
    /// A program that is started. Its tools are named `<name>__<tool>`.
    pub fn stdio(name: impl Into<String>, command: impl Into<OsString>) -> Self {
        Self::new(
            name.into(),
            McpTransport::Stdio {
                command: command.into(),
                arguments: Vec::new(),
                environment: BTreeMap::new(),
                folder: None,
            },
        )
    }

    /// A server that answers at a URL. Its tools are named `<name>__<tool>`.
    pub fn http(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(name.into(), McpTransport::Http { url: url.into(), headers: BTreeMap::new() })
    }

    /// A server that the host connects itself. Its tools are named `<name>__<tool>`.
    pub fn given(name: impl Into<String>) -> Self {
        Self::new(name.into(), McpTransport::Given)
    }

    fn new(name: String, transport: McpTransport) -> Self {
        Self {
            name,
            transport,
            timeout: Duration::from_secs(60),
            ceiling: Duration::from_secs(600),
            connect_timeout: Duration::from_secs(30),
            include: None,
            exclude: Vec::new(),
            trust_annotations: false,
            instructions: true,
            era: None,
            authorizer: None,
            largest_message: 16 << 20,
            probe: Duration::from_secs(5),
            hidden: Hidden::default(),
        }
    }

    /// The name that stands before those of its tools.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How it is reached.
    pub fn transport(&self) -> &McpTransport {
        &self.transport
    }

    /// What it is given that no text may show.
    pub(super) fn secrets(&self) -> Vec<String> {
        let mut secrets = self.hidden.0.clone();
        match &self.transport {
            McpTransport::Stdio { environment, .. } => {
                secrets.extend(environment.values().filter_map(|value| value.to_str().map(str::to_owned)));
            }
            McpTransport::Http { url, headers } => {
                secrets.extend(self.hidden.0.iter().filter_map(|secret| as_in_address(secret)).flatten());
                secrets.extend(in_address(url));
                secrets.extend(headers.values().flat_map(|value| redact::of_value(value)));
            }
            McpTransport::Given => {}
        }
        secrets
    }

    /// Shows a text nowhere, as in errors and in what the program writes: a key among its arguments or in the path of its
    /// address. Values of variables and headers are never shown, nor is what an address asks for.
    ///
    /// ```
    /// use haft::source::mcp::McpServer;
    ///
    /// let key = "4711-0815";
    /// let notes = McpServer::http("notes", format!("https://example.com/{key}/mcp")).secret(key);
    /// assert!(!format!("{notes:?}").contains(key));
    /// ```
    pub fn secret(mut self, text: impl Into<String>) -> Self {
        self.hidden.0.push(text.into());
        self
    }

    /// Adds arguments of the program; nothing where the server is reached by HTTP.
    pub fn arguments(mut self, added: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        if let McpTransport::Stdio { arguments, .. } = &mut self.transport {
            arguments.extend(added.into_iter().map(Into::into));
        }
        self
    }

    /// Gives the program a variable; nothing where the server is reached by HTTP.
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        if let McpTransport::Stdio { environment, .. } = &mut self.transport {
            environment.insert(name.into(), value.into());
        }
        self
    }

    /// The folder that the program runs in; nothing where the server is reached by HTTP.
    pub fn folder(mut self, path: impl Into<PathBuf>) -> Self {
        if let McpTransport::Stdio { folder, .. } = &mut self.transport {
            *folder = Some(path.into());
        }
        self
    }

    /// Adds a header to every request; nothing where the server is a program.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let McpTransport::Http { headers, .. } = &mut self.transport {
            headers.insert(name.into(), value.into());
        }
        self
    }

    /// How long a call may take without a sign of progress; a minute unless given.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// How long a call may take whatever progress it reports; ten minutes unless given.
    pub fn ceiling(mut self, limit: Duration) -> Self {
        self.ceiling = limit;
        self
    }

    /// How long the server may take until its tools are known; half a minute unless given.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Uses these tools only, by the names that the server gives them.
    pub fn include(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.include.get_or_insert_default().extend(tools.into_iter().map(Into::into));
        self
    }

    /// Leaves these tools out, by the names that the server gives them.
    pub fn exclude(mut self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.exclude.extend(tools.into_iter().map(Into::into));
        self
    }

    /// Whether what the server says of its tools' effects counts for policy and recovery too; it does for scheduling.
    pub fn trust_annotations(mut self, trusted: bool) -> Self {
        self.trust_annotations = trusted;
        self
    }

    /// Whether what the server says to models of the use of its tools stands among the
    /// [instructions](crate::source::mcp::McpInstructions) of all; it does unless this is false.
    pub fn instructions(mut self, handed_on: bool) -> Self {
        self.instructions = handed_on;
        self
    }

    /// Who gets the tokens that requests carry, where the server wants to know who asks.
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// Which protocol is spoken; unless given, the server is asked whether it speaks the newest one.
    pub fn era(mut self, era: McpEra) -> Self {
        self.era = Some(era);
        self
    }

    /// How long one message of the server may be, in bytes; 16 MiB unless given. A call whose answer is longer fails.
    pub fn largest_message(mut self, bytes: usize) -> Self {
        self.largest_message = bytes;
        self
    }

    /// How long a program may be silent when it is asked whether it speaks the newest protocol; five seconds unless given.
    /// One that is silent for longer is spoken to in the older protocol.
    pub fn probe_timeout(mut self, limit: Duration) -> Self {
        self.probe = limit;
        self
    }
}
