//! `mcp.json` as others write it: where its servers stand, and the keys that programs have for one.

use std::time::Duration;

use super::{
    duration,
    entry::{self, Dialect, Draft, Kind, Known},
    problem::ConfigProblemKind,
    scope::Scope,
    tree::{Entry, Node, Value},
};

/// A number below this is one of seconds: nobody gives a server less than a second.
const LEAST_MILLISECONDS: f64 = 1_000.0;

/// The servers of a document, and how it is written; none where it has no place for them.
pub(super) fn servers(root: &Node) -> Option<(Dialect, &Entry)> {
    if let Some(entry) = root.get("mcpServers").or_else(|| root.get("servers")) {
        return Some((Dialect::Standard, entry));
    }
    let of_opencode = root.get("mcp")?;
    // In VS Code's settings and in newer files of opencode they stand one step deeper.
    let inner = of_opencode.node.get("servers").filter(|inner| matches!(inner.node.value, Value::Table(_)));
    match inner {
        Some(inner) if inner.node.get("command").is_none() && inner.node.get("url").is_none() => {
            Some((Dialect::Opencode, inner))
        }
        _ => Some((Dialect::Opencode, of_opencode)),
    }
}

/// Reads one key of a server.
pub(super) fn field(scope: &mut Scope<'_>, draft: &mut Draft, field: &Entry) -> Known {
    let (key, node) = (field.key.as_str(), &field.node);
    if matches!(node.value, Value::Null) {
        return Known::Yes;
    }
    match key {
        "command" | "cmd" => entry::command(scope, draft, key, node),
        "args" | "arguments" => draft.args.extend(scope.texts(key, node).unwrap_or_default()),
        "env" | "environment" => variables(scope, draft, key, node),
        "cwd" | "workingDirectory" => draft.cwd = scope.text(key, node),
        "url" | "httpUrl" | "serverUrl" => draft.url = scope.text(key, node),
        "headers" | "requestHeaders" => entry::pairs(scope, &mut draft.headers, key, node),
        "type" | "transport" | "transportType" => draft.kind = kind(scope, key, node),
        "disabled" => {
            let disabled = scope.boolean(key, node);
            // Said in both ways, the server is off where one of them says so.
            draft.enabled = Some(!disabled.unwrap_or_default() && draft.enabled.unwrap_or(true));
        }
        "enabled" => {
            let enabled = scope.boolean(key, node);
            draft.enabled = Some(enabled.unwrap_or(true) && draft.enabled.unwrap_or(true));
        }
        "timeout" => timeout(scope, draft, node),
        "include" | "includeTools" | "include_tools" | "enabledTools" | "enabled_tools" | "allowedTools"
        | "allowed_tools" => include(scope, draft, key, node),
        "tools" if matches!(node.value, Value::List(_)) => include(scope, draft, key, node),
        "tools" => switches(scope, draft, node),
        "exclude" | "excludeTools" | "exclude_tools" | "disabledTools" | "disabled_tools" => {
            draft.exclude.extend(scope.texts(key, node).unwrap_or_default());
        }
        "instructions" if matches!(node.value, Value::Boolean(_)) => {
            draft.instructions = scope.boolean(key, node);
        }
        "trust_annotations" => draft.trust_annotations = scope.boolean(key, node).unwrap_or_default(),
        "envFile" => scope.problem(
            field.at,
            ConfigProblemKind::Server,
            "haft reads no envFile; set its variables before haft starts, and give them in `env` as \"${NAME}\"",
        ),
        "name" | "title" | "description" | "version" | "gallery" | "icon" | "icons" | "$schema" | "comment" => {}
        "alwaysAllow" | "autoApprove" | "trust" | "permissions" => {
            return Known::Of("who is asked is not the file's to decide");
        }
        "oauth" | "auth" | "headersHelper" => return Known::Of("haft signs in by headers alone"),
        _ => return Known::No,
    }
    Known::Yes
}

/// Variables; one that is null is left out, as VS Code has it.
fn variables(scope: &mut Scope<'_>, draft: &mut Draft, key: &str, node: &Node) {
    let Value::Table(entries) = &node.value else { return entry::pairs(scope, &mut draft.env, key, node) };
    let given = entries.iter().filter(|entry| !matches!(entry.node.value, Value::Null)).cloned().collect();
    entry::pairs(scope, &mut draft.env, key, &Node { at: node.at, value: Value::Table(given) });
}

fn kind(scope: &mut Scope<'_>, key: &str, node: &Node) -> Option<Kind> {
    let text = scope.text(key, node)?;
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.to_ascii_lowercase().as_str() {
        "stdio" | "local" => Some(Kind::Stdio),
        "http" | "https" | "streamablehttp" | "httpstreamable" | "streamable" | "httpstream"
        | "streaminghttp" | "remote" => Some(Kind::Http),
        "sse" => {
            let message = "its type is the old HTTP+SSE transport, which haft does not speak; most such servers answer \
                           streamable HTTP too, mostly at /mcp in place of /sse: give that address, with the type `http`";
            scope.problem(node.at, ConfigProblemKind::Server, message);
            None
        }
        "ws" | "wss" | "websocket" => {
            let message = "haft speaks no MCP over WebSockets; give the address at which the server answers streamable HTTP, \
                           with the type `http`";
            scope.problem(node.at, ConfigProblemKind::Server, message);
            None
        }
        _ => scope.wrong(key, node, "one of `stdio` and `http`"),
    }
}

/// A number of milliseconds, or of seconds where it is small; or one for starting and one for each request.
fn timeout(scope: &mut Scope<'_>, draft: &mut Draft, node: &Node) {
    let Value::Table(entries) = &node.value else {
        draft.timeout = time(scope, "timeout", node);
        return;
    };
    for entry in entries {
        match entry.key.as_str() {
            "startup" => draft.connect_timeout = time(scope, "timeout.startup", &entry.node),
            "request" => draft.timeout = time(scope, "timeout.request", &entry.node),
            _ => {}
        }
    }
}

fn time(scope: &mut Scope<'_>, key: &str, node: &Node) -> Option<Duration> {
    let Value::Number(number) = &node.value else { return scope.time(key, node) };
    let number = number.parse::<f64>().ok().filter(|number| *number > 0.0 && *number < 1e9);
    let seconds = number.map(|number| if number < LEAST_MILLISECONDS { number } else { number / 1_000.0 });
    match seconds.map(Duration::from_secs_f64).and_then(duration::within) {
        Some(time) => Some(time),
        None => scope.wrong(key, node, "a number of milliseconds, such as 60000, within a day"),
    }
}

/// The tools to use; `*` is all of them.
fn include(scope: &mut Scope<'_>, draft: &mut Draft, key: &str, node: &Node) {
    if let Some(tools) = scope.texts(key, node)
        && !tools.iter().any(|tool| tool == "*")
    {
        draft.include = Some(tools);
    }
}

/// Tools by name, each on or off.
fn switches(scope: &mut Scope<'_>, draft: &mut Draft, node: &Node) {
    let Some(entries) = scope.table("tools", node) else { return };
    for entry in entries {
        if scope.boolean(&format!("tools.{}", entry.key), &entry.node) == Some(false) {
            draft.exclude.push(entry.key.clone());
        }
    }
}
