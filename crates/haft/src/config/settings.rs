//! Everything in `haft.toml` but its servers: what was set, and what stays as it is.

use std::time::Duration;

use serde_json::{Value as Json, json};

use super::{
    builtins::{self, Choice},
    field::{self, Field},
    leniency::{self, Changes},
    scope::Scope,
    server,
    tree::{Entry, Node},
};
use crate::source::mcp::LONGEST_NAME;

/// The keys of `haft.toml`.
pub(super) const FIELDS: &[Field] = &[
    Field {
        name: "$schema",
        help: "Where the schema of this file is, for editors; haft does not read it.",
        schema: field::text,
        also: &[],
    },
    Field {
        name: "concurrency",
        help: "How many calls run at once, in all turns together: 32 unless given. 1 runs them strictly in order.",
        schema: field::count,
        also: &["tool_concurrency", "max_concurrency", "parallelism"],
    },
    Field {
        name: "timeout",
        help: "How long a call may take where its tool or its server does not say; unbounded unless given.",
        schema: field::time,
        also: &["call_timeout", "tool_timeout"],
    },
    Field {
        name: "grace",
        help: "How long a call that was told to end may take before it is left behind: \"2s\" unless given.",
        schema: field::time,
        also: &["grace_period"],
    },
    Field {
        name: "blocking_threads",
        help: "How many threads there are at most for functions that block: 32 unless given.",
        schema: field::count,
        also: &["threads"],
    },
    Field {
        name: "builtin",
        help: "Which built-in tools there are: true is all, false is none, a list is these alone, a table sets some on or off.",
        schema: builtins::schema,
        also: &["builtins", "toolkits", "tools"],
    },
    Field {
        name: "leniency",
        help: "How much more than the schemas of tools themselves is accepted.",
        schema: leniency::schema,
        also: &["strict"],
    },
    Field {
        name: "servers",
        help: "MCP servers by name. The name stands before those of its tools: `<server>__<tool>`.",
        schema: servers_schema,
        also: &["mcp_servers", "mcpServers", "mcp"],
    },
];

/// What was set in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) concurrency: Option<usize>,
    pub(super) timeout: Option<Duration>,
    pub(super) grace: Option<Duration>,
    pub(super) blocking_threads: Option<usize>,
    pub(super) builtin: Option<Choice>,
    pub(super) leniency: Changes,
}

impl Settings {
    /// What is set here, else there.
    pub(super) fn or(self, other: &Self) -> Self {
        Self {
            concurrency: self.concurrency.or(other.concurrency),
            timeout: self.timeout.or(other.timeout),
            grace: self.grace.or(other.grace),
            blocking_threads: self.blocking_threads.or(other.blocking_threads),
            builtin: self.builtin.or_else(|| other.builtin.clone()),
            leniency: self.leniency.or(&other.leniency),
        }
    }
}

/// Reads everything but the servers, whose table is handed back.
pub(super) fn read<'n>(scope: &mut Scope<'_>, root: &'n Node) -> (Settings, Option<&'n Entry>) {
    let mut settings = Settings::default();
    let mut servers = None;
    for entry in scope.table("", root).unwrap_or_default() {
        let (key, node) = (entry.key.as_str(), &entry.node);
        match key {
            "$schema" => drop(scope.text(key, node)),
            "concurrency" => settings.concurrency = scope.count(key, node),
            "timeout" => settings.timeout = scope.time(key, node),
            "grace" => settings.grace = scope.time(key, node),
            "blocking_threads" => settings.blocking_threads = scope.count(key, node),
            "builtin" => settings.builtin = builtins::read(scope, node),
            "leniency" => settings.leniency = leniency::read(scope, node).unwrap_or_default(),
            "servers" => servers = scope.table(key, node).map(|_| entry),
            _ => scope.unknown(entry, FIELDS),
        }
    }
    (settings, servers)
}

/// The schema of `haft.toml`, for editors.
pub(super) fn schema() -> Json {
    let mut schema = field::schema(FIELDS);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".to_owned(), "haft.toml".into());
        schema.insert(
            "description".to_owned(),
            "The configuration of haft, the tool layer for AI agents.".into(),
        );
    }
    schema
}

fn servers_schema() -> Json {
    let mut server = field::schema(server::FIELDS);
    if let Some(server) = server.as_object_mut() {
        server.insert("oneOf".to_owned(), json!([{"required": ["command"]}, {"required": ["url"]}]));
    }
    json!({
        "type": "object",
        "propertyNames": {"pattern": "^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$", "maxLength": LONGEST_NAME},
        "additionalProperties": server
    })
}
