//! A server's table into a [`ServerEntry`]: the keys of `haft.toml`, and those that other programs write in `mcp.json`.

use crate::source::mcp::McpEra;

use super::{
    problem::ConfigProblemKind,
    scope::{Scope, shown},
    server::{FIELDS, LARGEST_MESSAGE, SMALLEST_MESSAGE, ServerEntry, Transport},
    standard,
    tree::{Entry, Node, Value},
};

/// What is said of a server so far.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) enabled: Option<bool>,
    pub(super) timeout: Option<std::time::Duration>,
    pub(super) ceiling: Option<std::time::Duration>,
    pub(super) connect_timeout: Option<std::time::Duration>,
    pub(super) probe_timeout: Option<std::time::Duration>,
    pub(super) era: Option<McpEra>,
    pub(super) largest_message: Option<usize>,
    pub(super) include: Option<Vec<String>>,
    pub(super) exclude: Vec<String>,
    pub(super) trust_annotations: bool,
    pub(super) instructions: Option<bool>,
    /// What a key `type` demands.
    pub(super) kind: Option<Kind>,
}

/// How a server says that it is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Stdio,
    Http,
}

/// How a file is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `haft.toml`: an unknown key is a mistake.
    Haft,
    /// `mcp.json`: what is for other programs is passed over.
    Standard,
    /// The same as opencode writes it, where `{env:NAME}` is a placeholder too.
    Opencode,
}

/// Reads one server. Mistakes go to the scope; what was passed over is handed back.
pub(super) fn read(
    scope: &mut Scope<'_>,
    dialect: Dialect,
    entry: &Entry,
    name: &str,
) -> Option<(ServerEntry, Vec<String>)> {
    let entries = scope.table(&entry.key, &entry.node)?;
    let mut draft = Draft::default();
    let mut passed_over = Vec::new();
    for field in entries {
        let known = match dialect {
            Dialect::Haft => haft_field(scope, &mut draft, field),
            Dialect::Standard | Dialect::Opencode => standard::field(scope, &mut draft, field),
        };
        match known {
            Known::Yes => {}
            Known::Of(program) => passed_over.push(format!("`{}` ({program})", shown(&field.key))),
            Known::No if dialect == Dialect::Haft => scope.unknown(field, FIELDS),
            Known::No => passed_over.push(format!("`{}`", shown(&field.key))),
        }
    }
    let transport = transport(scope, &mut draft, entry.at);
    let transport = transport.filter(|_| scope.problems.is_empty())?;
    let server = ServerEntry {
        name: name.to_owned(),
        place: scope.source.place(entry.at),
        transport,
        enabled: draft.enabled.unwrap_or(true),
        timeout: draft.timeout,
        ceiling: draft.ceiling,
        connect_timeout: draft.connect_timeout,
        probe_timeout: draft.probe_timeout,
        era: draft.era,
        largest_message: draft.largest_message,
        include: draft.include,
        exclude: draft.exclude,
        trust_annotations: draft.trust_annotations,
        instructions: draft.instructions,
        bare: dialect == Dialect::Opencode,
    };
    Some((server, passed_over))
}

/// Whether a key means something here.
pub(super) enum Known {
    Yes,
    No,
    /// For other programs: what it does there.
    Of(&'static str),
}

fn haft_field(scope: &mut Scope<'_>, draft: &mut Draft, field: &Entry) -> Known {
    let (key, node) = (field.key.as_str(), &field.node);
    match key {
        "command" => command(scope, draft, key, node),
        "args" => draft.args.extend(scope.texts(key, node).unwrap_or_default()),
        "env" => pairs(scope, &mut draft.env, key, node),
        "cwd" => draft.cwd = scope.text(key, node),
        "url" => draft.url = scope.text(key, node),
        "headers" => pairs(scope, &mut draft.headers, key, node),
        "enabled" => draft.enabled = scope.boolean(key, node),
        "timeout" => draft.timeout = scope.time(key, node),
        "ceiling" => draft.ceiling = scope.time(key, node),
        "connect_timeout" => draft.connect_timeout = scope.time(key, node),
        "probe_timeout" => draft.probe_timeout = scope.time(key, node),
        "era" => draft.era = era(scope, key, node),
        "largest_message" => {
            draft.largest_message = scope.number(key, node, SMALLEST_MESSAGE..=LARGEST_MESSAGE);
        }
        "include" => draft.include = scope.texts(key, node),
        "exclude" => draft.exclude.extend(scope.texts(key, node).unwrap_or_default()),
        "trust_annotations" => draft.trust_annotations = scope.boolean(key, node).unwrap_or_default(),
        "instructions" => draft.instructions = scope.boolean(key, node),
        _ => return Known::No,
    }
    Known::Yes
}

fn era(scope: &mut Scope<'_>, key: &str, node: &Node) -> Option<McpEra> {
    match &node.value {
        Value::Text(text) if text == "legacy" => Some(McpEra::Legacy),
        Value::Text(text) if text == "modern" => Some(McpEra::Modern),
        _ => scope.wrong(key, node, "one of `legacy`, `modern`"),
    }
}

/// A program as text, or as a list with its arguments.
pub(super) fn command(scope: &mut Scope<'_>, draft: &mut Draft, key: &str, node: &Node) {
    if !matches!(node.value, Value::List(_)) {
        draft.command = scope.text(key, node);
        return;
    }
    let mut words = scope.texts(key, node).unwrap_or_default().into_iter();
    match words.next().filter(|program| !program.trim().is_empty()) {
        Some(program) => draft.command = Some(program),
        None => scope.problem(node.at, ConfigProblemKind::Value, format!("`{key}` names no program")),
    }
    // What stands in the list goes before `args`, wherever the keys stand.
    draft.args.splice(0..0, words);
}

/// A table of names and texts.
pub(super) fn pairs(scope: &mut Scope<'_>, pairs: &mut Vec<(String, String)>, key: &str, node: &Node) {
    let Some(entries) = scope.table(key, node) else { return };
    for entry in entries {
        let name = entry.key.as_str();
        if name.is_empty() || name.contains(['=', '\0', '\r', '\n', ':']) {
            let message = format!("`{key}`: {:?} can not be a name", shown(name));
            scope.problem(entry.at, ConfigProblemKind::Value, message);
        } else if let Some(value) = scope.scalar(&format!("{key}.{name}"), &entry.node) {
            pairs.push((name.to_owned(), value));
        }
    }
}

/// How the server is reached, where what is said of it agrees.
fn transport(scope: &mut Scope<'_>, draft: &mut Draft, at: usize) -> Option<Transport> {
    let told = scope.problems.len();
    let mut refuse = |message: &str| {
        if told == 0 {
            scope.problem(at, ConfigProblemKind::Server, message);
        }
        None
    };
    match (draft.command.take(), draft.url.take()) {
        (Some(_), Some(_)) => refuse("it has both a command and a url; keep one of them"),
        (None, None) => refuse("it has neither a command nor a url; give one of them"),
        (Some(_), None) if draft.kind == Some(Kind::Http) => {
            refuse("its type wants a url, and it has a command")
        }
        (None, Some(_)) if draft.kind == Some(Kind::Stdio) => {
            refuse("its type wants a command, and it has a url")
        }
        (Some(_), None) if !draft.headers.is_empty() => {
            refuse("it has headers, which go with a url, not with a command")
        }
        (None, Some(_)) if !draft.args.is_empty() => {
            refuse("it has args, which go with a command, not with a url")
        }
        (Some(command), None) => {
            let (args, env) = (std::mem::take(&mut draft.args), std::mem::take(&mut draft.env));
            Some(Transport::Stdio { command, args, env, cwd: draft.cwd.take() })
        }
        // Some programs write empty tables of the other kind; what is in them means nothing.
        (None, Some(url)) => Some(Transport::Http { url, headers: std::mem::take(&mut draft.headers) }),
    }
}
