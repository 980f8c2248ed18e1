//! Built-in tools by their spec names: which there are, and which a configuration wants.

use haft_core::{DefinitionError, Tool};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{
    problem::ConfigProblemKind,
    scope::{Scope, shown},
    tree::{Entry, Node, Value},
};
use crate::{SystemClock, builtin, nearest::nearest};

/// A built-in tool, or several that go together, by the name that `haft.toml` knows it by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Builtin {
    /// The spec name.
    pub name: &'static str,
    /// Whether its tools are in use.
    pub enabled: bool,
    /// The names of its tools; none where haft knows the spec name and does not have it yet.
    pub tools: Vec<String>,
}

type Definition = fn() -> Result<Tool, DefinitionError>;

/// What stands behind a spec name.
pub(super) struct Spec {
    pub(super) name: &'static str,
    /// The tools; none where haft knows the name and does not have it yet.
    pub(super) tools: &'static [Definition],
}

/// Every spec name, in the order in which its tools are listed.
pub(super) const SPECS: [Spec; 17] = [
    Spec { name: "math", tools: &[builtin::calculate] },
    Spec { name: "current-date", tools: &[|| builtin::current_date(SystemClock)] },
    Spec { name: "day-name", tools: &[builtin::day_name] },
    Spec { name: "http", tools: &[] },
    Spec { name: "todo", tools: &[] },
    Spec { name: "ask-question", tools: &[] },
    Spec { name: "fs", tools: &[] },
    Spec { name: "shell", tools: &[] },
    Spec { name: "email", tools: &[] },
    Spec { name: "slack", tools: &[] },
    Spec { name: "github", tools: &[] },
    Spec { name: "jira", tools: &[] },
    Spec { name: "unit-convert", tools: &[] },
    Spec { name: "scratchpad", tools: &[] },
    Spec { name: "text-search", tools: &[] },
    Spec { name: "parse", tools: &[] },
    Spec { name: "url-fetch", tools: &[] },
];

/// The spec names that have tools.
pub(super) fn available() -> impl Iterator<Item = &'static Spec> {
    SPECS.iter().filter(|spec| !spec.tools.is_empty())
}

/// Which built-in tools are wanted, by spec name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// All, or none.
    Every(bool),
    /// These alone.
    Only(Vec<&'static str>),
    /// All but what is set otherwise.
    Switched(Vec<(&'static str, bool)>),
}

impl Choice {
    pub(super) fn has(&self, name: &str) -> bool {
        match self {
            Self::Every(on) => *on,
            Self::Only(names) => names.contains(&name),
            Self::Switched(switches) => switches.iter().all(|(switched, on)| *switched != name || *on),
        }
    }
}

/// What may stand under `builtin`.
pub(super) fn schema() -> Json {
    let names: Vec<&str> = available().map(|spec| spec.name).collect();
    let switch = json!({"anyOf": [
        {"type": "boolean"},
        {"type": "object", "properties": {"enabled": {"type": "boolean"}}, "additionalProperties": false}
    ]});
    let switches: serde_json::Map<String, Json> =
        names.iter().map(|name| ((*name).to_owned(), switch.clone())).collect();
    json!({"anyOf": [
        {"type": "boolean"},
        {"type": "array", "items": {"enum": names}},
        {"type": "object", "properties": switches, "additionalProperties": false}
    ]})
}

/// Reads what stands under `builtin`.
pub(super) fn read(scope: &mut Scope<'_>, node: &Node) -> Option<Choice> {
    match &node.value {
        Value::Boolean(on) => Some(Choice::Every(*on)),
        Value::List(items) => {
            let mut names = Vec::new();
            for item in items {
                let Value::Text(name) = &item.value else {
                    return scope.wrong("builtin", item, "the name of a built-in tool");
                };
                names.extend(known(scope, name, item.at));
            }
            Some(Choice::Only(names))
        }
        Value::Table(entries) => {
            let switch = |entry| switch(scope, entry);
            Some(Choice::Switched(entries.iter().filter_map(switch).collect()))
        }
        _ => scope.wrong("builtin", node, "true, false, a list of names, or a table of names"),
    }
}

/// `math = false`, or `math = { enabled = false }`, where its options will stand.
fn switch(scope: &mut Scope<'_>, entry: &Entry) -> Option<(&'static str, bool)> {
    let off = matches!(entry.node.value, Value::Boolean(false));
    let name =
        if off { named(scope, &entry.key, entry.at)?.name } else { known(scope, &entry.key, entry.at)? };
    let key = format!("builtin.{name}");
    let Value::Table(options) = &entry.node.value else {
        return Some((name, scope.boolean(&key, &entry.node)?));
    };
    let mut on = true;
    for option in options {
        if option.key == "enabled" {
            on = scope.boolean(&format!("{key}.enabled"), &option.node)?;
        } else {
            let message = format!("unknown key `{}`; the only key here is `enabled`", shown(&option.key));
            scope.problem(option.at, ConfigProblemKind::UnknownKey, message);
        }
    }
    Some((name, on))
}

/// The spec name, where its tools can be had.
fn known(scope: &mut Scope<'_>, name: &str, at: usize) -> Option<&'static str> {
    let spec = named(scope, name, at)?;
    if spec.tools.is_empty() {
        let message = format!("the built-in tool `{}` is not there yet; {}", spec.name, those());
        scope.problem(at, ConfigProblemKind::Builtin, message);
        return None;
    }
    Some(spec.name)
}

/// The spec of that name, whether or not it has tools.
fn named(scope: &mut Scope<'_>, name: &str, at: usize) -> Option<&'static Spec> {
    let spec = SPECS.iter().find(|spec| spec.name == name);
    if spec.is_none() && !scope.is_full() {
        let name = shown(name);
        let meant = of_tool(&name).or_else(|| nearest(&name, SPECS.iter().map(|spec| spec.name)));
        let message = match meant {
            Some(meant) => format!("there is no built-in tool `{name}`; did you mean `{meant}`?"),
            None => format!("there is no built-in tool `{name}`; {}", those()),
        };
        scope.problem(at, ConfigProblemKind::Builtin, message);
    }
    spec
}

/// The spec name of a tool that a model knows by this name.
fn of_tool(name: &str) -> Option<&'static str> {
    let is_it = |definition: &Definition| definition().is_ok_and(|tool| tool.name() == name);
    SPECS.iter().find(|spec| spec.tools.iter().any(is_it)).map(|spec| spec.name)
}

fn those() -> String {
    let names: Vec<String> = available().map(|spec| format!("`{}`", spec.name)).collect();
    format!("those that are there: {}", names.join(", "))
}
