//! What makes a tool hard to use, whatever the provider.

use super::{Lint, LintRow};
use crate::schema::projection::parameters;
use crate::tool::Tool;

/// Fewest characters of a description that says something.
const SHORTEST: usize = 20;

/// Words that say nothing of what a tool acts on.
const VAGUE: [&str; 40] = [
    "action", "add", "call", "change", "check", "create", "data", "delete", "do", "execute", "fetch", "find",
    "get", "handle", "helper", "insert", "list", "load", "make", "manage", "modify", "open", "post",
    "process", "put", "query", "read", "remove", "run", "save", "search", "send", "set", "start", "stop",
    "test", "tool", "update", "utility", "write",
];

pub(super) fn rows(tool: &Tool) -> Vec<LintRow> {
    let definition = tool.definition();
    let name = tool.name();
    let mut rows = Vec::new();
    let mut found = |lint: Lint, message: String| rows.push(LintRow::new(name, lint, message));
    if VAGUE.contains(&name.to_ascii_lowercase().as_str()) {
        found(Lint::VagueName, format!("{name:?} does not say what it acts on"));
    }
    let description = definition.description.trim();
    if same_words(description, name) {
        found(Lint::DescriptionIsName, "the description is the name".to_owned());
    }
    let length = description.chars().count();
    if length < SHORTEST {
        found(Lint::ShortDescription, format!("the description has {length} characters"));
    }
    // What a remote tool runs is not known here.
    if definition.output.is_some() && !definition.source.is_remote() && tool.returns_text() {
        found(Lint::TextOutput, "the function returns text, and an output schema is declared".to_owned());
    }
    if tool.is_blocking() && definition.timeout.is_none() {
        found(Lint::BlockingWithoutTimeout, "the function blocks its thread and has no timeout".to_owned());
    }
    rows.extend(parameter_rows(tool));
    rows
}

fn parameter_rows(tool: &Tool) -> Vec<LintRow> {
    let (mut undescribed, mut unstated) = (Vec::new(), Vec::new());
    for parameter in parameters(tool.definition().input.published()) {
        let text = parameter.description.unwrap_or_default().to_lowercase();
        if text.trim().is_empty() {
            undescribed.push((parameter.name.clone(), parameter.pointer.clone()));
        }
        let says = ["default", "omit", "if not", "left out", "without it", "unless"]
            .iter()
            .any(|word| text.contains(word));
        if !parameter.required && !parameter.has_default && !says {
            unstated.push((parameter.name, parameter.pointer));
        }
    }
    let row = |lint: Lint, found: Vec<(String, String)>, what: &str| {
        let (names, places): (Vec<String>, Vec<String>) = found.into_iter().unzip();
        let message = format!("{} {what}", listed(&names));
        (!names.is_empty()).then(|| LintRow::new(tool.name(), lint, message).at(places))
    };
    [
        row(Lint::UndescribedParameter, undescribed, "has no description"),
        row(Lint::UnstatedDefault, unstated, "may be left out, and nothing says what that means"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Names, cut where there are many.
fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let mut shown: Vec<String> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    match shown.as_slice() {
        [only] => only.clone(),
        several => format!("each of {}", several.join(", ")),
    }
}

/// Whether two texts differ by case, spaces and punctuation only.
fn same_words(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}
