//! One server as a file has it: read, and then filled in with what the environment has.

use std::time::Duration;

use crate::{
    redact,
    source::mcp::{McpEra, McpServer},
};

use super::{
    environment::{DEPTH, Environment},
    expand::{self, Expander, Fault},
    field::{self, Field},
    problem::{ConfigProblem, ConfigProblemKind},
    tree::Place,
};

/// The keys of a server in `haft.toml`.
pub(super) const FIELDS: &[Field] = &[
    Field {
        name: "command",
        help: "The program to start: a path, or a name to be looked up in PATH. A list holds its arguments too.",
        schema: || serde_json::json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
        also: &["cmd", "program", "path"],
    },
    Field { name: "args", help: "Arguments of the program.", schema: arguments, also: &["arguments"] },
    Field {
        name: "env",
        help: "Variables that the program gets besides the few that every program gets. Write secrets as \"${NAME}\".",
        schema: field::table_of_texts,
        also: &["environment", "variables"],
    },
    Field {
        name: "cwd",
        help: "The folder it runs in, counted from that of this file; the working directory unless given.",
        schema: field::text,
        also: &["folder", "dir", "directory", "workingDirectory", "working_directory"],
    },
    Field {
        name: "url",
        help: "Where a server answers by streamable HTTP. Instead of `command`.",
        schema: field::text,
        also: &["httpUrl", "serverUrl", "uri", "address"],
    },
    Field {
        name: "headers",
        help: "Headers that every request carries. Write secrets as \"${NAME}\".",
        schema: field::table_of_texts,
        also: &["http_headers"],
    },
    Field {
        name: "enabled",
        help: "Whether the server is used; it is unless this is false.",
        schema: field::boolean,
        also: &["disabled", "active"],
    },
    Field {
        name: "timeout",
        help: "How long a call may take without a sign of progress: \"60s\" unless given.",
        schema: field::time,
        also: &["tool_timeout_sec", "request_timeout"],
    },
    Field {
        name: "ceiling",
        help: "How long a call may take whatever progress it reports: \"10m\" unless given.",
        schema: field::time,
        also: &["max_timeout", "max_total_timeout"],
    },
    Field {
        name: "connect_timeout",
        help: "How long the server may take until its tools are known: \"30s\" unless given.",
        schema: field::time,
        also: &["startup_timeout", "startup_timeout_sec", "connectTimeout"],
    },
    Field {
        name: "probe_timeout",
        help: "How long a program may be silent when it is asked for the newest protocol, before the older one is spoken: \"5s\" unless given.",
        schema: field::time,
        also: &["probe"],
    },
    Field {
        name: "era",
        help: "Which protocol is spoken: legacy (up to 2025-11-25) or modern (from 2026-07-28); unless given, the server is asked.",
        schema: || serde_json::json!({"enum": ERAS}),
        also: &["protocol", "protocolVersion"],
    },
    Field {
        name: "largest_message",
        help: "How long one message of the server may be, in bytes: 16 MiB unless given.",
        schema: || serde_json::json!({"type": "integer", "minimum": SMALLEST_MESSAGE, "maximum": LARGEST_MESSAGE}),
        also: &["max_message_size"],
    },
    Field {
        name: "include",
        help: "Use these tools only, by the names that the server gives them.",
        schema: field::texts,
        also: &["tools", "includeTools", "enabled_tools", "allowedTools"],
    },
    Field {
        name: "exclude",
        help: "Leave these tools out, by the names that the server gives them.",
        schema: field::texts,
        also: &["excludeTools", "disabled_tools", "disabledTools"],
    },
    Field {
        name: "trust_annotations",
        help: "Whether what the server says of its tools' effects counts for policy: read-only tools then run unasked.",
        schema: field::boolean,
        also: &["trust", "trusted"],
    },
    Field {
        name: "instructions",
        help: "Whether what the server says to models of the use of its tools is handed on to clients of `haft serve`; it is unless this is false.",
        schema: field::boolean,
        also: &["server_instructions", "use_instructions"],
    },
];

/// The names of both eras of the protocol.
pub(super) const ERAS: [&str; 2] = ["legacy", "modern"];
/// The bounds of `largest_message`, in bytes: below, no list of tools would come through.
pub(super) const SMALLEST_MESSAGE: usize = 64 * 1024;
pub(super) const LARGEST_MESSAGE: usize = 1024 * 1024 * 1024;

fn arguments() -> serde_json::Value {
    serde_json::json!({"type": "array", "items": {"type": ["string", "number", "boolean"]}})
}

/// A server as a file has it, with nothing filled in.
#[derive(Clone)]
pub(super) struct ServerEntry {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) transport: Transport,
    pub(super) enabled: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) ceiling: Option<Duration>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) probe_timeout: Option<Duration>,
    pub(super) era: Option<McpEra>,
    pub(super) largest_message: Option<usize>,
    pub(super) include: Option<Vec<String>>,
    pub(super) exclude: Vec<String>,
    pub(super) trust_annotations: bool,
    pub(super) instructions: Option<bool>,
    /// Whether `{env:NAME}` is a placeholder.
    pub(super) bare: bool,
}

/// How long a call may take in all where nothing is said, as [`McpServer::ceiling`] has it.
const CEILING: Duration = Duration::from_secs(600);

/// How it is reached.
#[derive(Clone)]
pub(super) enum Transport {
    Stdio { command: String, args: Vec<String>, env: Vec<(String, String)>, cwd: Option<String> },
    Http { url: String, headers: Vec<(String, String)> },
}

impl ServerEntry {
    /// The texts in which placeholders are filled in.
    pub(super) fn texts(&self) -> Vec<&str> {
        match &self.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let env = env.iter().map(|(_, value)| value);
                std::iter::once(command).chain(args).chain(env).chain(cwd).map(String::as_str).collect()
            }
            Transport::Http { url, headers } => {
                let headers = headers.iter().map(|(_, value)| value);
                std::iter::once(url).chain(headers).map(String::as_str).collect()
            }
        }
    }

    /// Where a placeholder of another program stands, which stays as it is here.
    pub(super) fn unfilled(&self) -> Vec<String> {
        let (kind, pairs, args) = match &self.transport {
            Transport::Stdio { args, env, .. } => ("variable", env, args.as_slice()),
            Transport::Http { headers, .. } => ("header", headers, [].as_slice()),
        };
        let pairs = pairs.iter().filter(|(_, value)| expand::is_of_others(value));
        let pairs = pairs.map(|(name, _)| format!("the {kind} {}", super::scope::shown(name)));
        let args = args.iter().filter(|argument| expand::is_of_others(argument));
        pairs.chain(args.map(|_| "an argument".to_owned())).collect()
    }

    /// The server, with what the environment has filled in.
    pub(super) fn resolve(&self, environment: &Environment) -> Result<McpServer, Box<ConfigProblem>> {
        let folder = self.place.file.parent().unwrap_or(environment.folder());
        let expander = Expander { environment, folder, bare: self.bare };
        let server = self.connected(&expander).map_err(|Fault { kind, message }| {
            Box::new(ConfigProblem::at(kind, self.place.clone(), message).of_server(&self.name))
        })?;
        let server = server.exclude(self.exclude.iter().cloned()).trust_annotations(self.trust_annotations);
        let server = self.instructions.into_iter().fold(server, McpServer::instructions);
        let server = match &self.include {
            Some(tools) => server.include(tools.iter().cloned()),
            None => server,
        };
        let limit = |server, limit: Option<Duration>, set: fn(McpServer, Duration) -> McpServer| match limit {
            Some(limit) => set(server, limit),
            None => server,
        };
        // A ceiling below the time without progress would never be asked for.
        let ceiling = self.ceiling.or(self.timeout.filter(|timeout| *timeout > CEILING));
        let server = limit(server, self.timeout, McpServer::timeout);
        let server = limit(server, ceiling, McpServer::ceiling);
        let server = limit(server, self.connect_timeout, McpServer::connect_timeout);
        let server = limit(server, self.probe_timeout, McpServer::probe_timeout);
        let server = self.era.into_iter().fold(server, McpServer::era);
        let server = self.variables(environment).into_iter().fold(server, McpServer::secret);
        Ok(self.largest_message.into_iter().fold(server, McpServer::largest_message))
    }

    /// What may be a secret, once it is filled in: what came from the environment, and values of variables and headers.
    pub(super) fn secrets(&self, environment: &Environment) -> Vec<String> {
        let folder = self.place.file.parent().unwrap_or(environment.folder());
        let expander = Expander { environment, folder, bare: self.bare };
        let values = match &self.transport {
            Transport::Stdio { env, .. } => env,
            Transport::Http { headers, .. } => headers,
        };
        let values = values.iter().filter_map(|(_, value)| expander.fill(value).ok());
        let mut secrets = self.variables(environment);
        secrets.extend(values.flat_map(|value| redact::of_value(&value).collect::<Vec<_>>()));
        secrets
    }

    /// What came from the environment.
    fn variables(&self, environment: &Environment) -> Vec<String> {
        let texts = self.texts();
        let names = texts.iter().flat_map(|text| expand::variables(text, self.bare));
        names.filter_map(|name| environment.variable(&name)).collect()
    }

    fn connected(&self, expander: &Expander<'_>) -> Result<McpServer, Fault> {
        match &self.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let command = expander.at_home(expander.fill(command)?);
                let mut server = McpServer::stdio(&self.name, command);
                // Where it is haft itself, by whatever way, this is what ends a chain of them.
                let depth = expander.environment.depth().saturating_add(1);
                server = server.variable(DEPTH, depth.to_string());
                for argument in args {
                    server = server.arguments([expander.fill(argument)?]);
                }
                for (name, value) in env {
                    server = server.variable(name, expander.fill(value)?);
                }
                if let Some(cwd) = cwd {
                    let path = expander.at_home(expander.fill(cwd)?);
                    server = server.folder(expander.folder.join(path));
                }
                Ok(server)
            }
            Transport::Http { url, headers } => {
                let url = expander.fill(url)?;
                if !is_web_address(&url) {
                    let message =
                        "`url`: expected an address that begins with http:// or https://".to_owned();
                    return Err(Fault { kind: ConfigProblemKind::Value, message });
                }
                let mut server = McpServer::http(&self.name, url);
                for (name, value) in headers {
                    let value = expander.fill(value)?;
                    if value.contains(['\r', '\n', '\0']) {
                        let message = format!("the header {name:?} has a line break in its value");
                        return Err(Fault { kind: ConfigProblemKind::Value, message });
                    }
                    server = server.header(name, value);
                }
                Ok(server)
            }
        }
    }
}

/// Whether a text is an address of the web, as far as can be told without taking it apart.
fn is_web_address(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let rest = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}
