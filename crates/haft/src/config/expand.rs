//! `${NAME}` in values that may hold secrets becomes the value of the variable.
//!
//! What comes of it is never shown; a message names the placeholder alone.

use std::path::{Path, PathBuf};

use super::{environment::Environment, problem::ConfigProblemKind, scope::shown};

/// Why a text can not be filled in.
pub(super) struct Fault {
    pub(super) kind: ConfigProblemKind,
    pub(super) message: String,
}

/// Whether a text, or what stands behind a `Bearer `, is the placeholder of another program and of nothing here: `$NAME`,
/// `%NAME%`, `$env:NAME`, `{{NAME}}`.
pub(super) fn is_of_others(text: &str) -> bool {
    let text = text.strip_prefix("Bearer ").unwrap_or(text).trim();
    let inside =
        |before: &str, after: &str| text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    let name = inside("$env:", "").or(inside("$", "")).or(inside("%", "%")).or(inside("{{", "}}"));
    let is_letter = |letter: char| letter == '_' || letter.is_ascii_uppercase() || letter.is_ascii_digit();
    name.is_some_and(|name| {
        name.len() > 1
            && name.starts_with(|first: char| !first.is_ascii_digit())
            && name.chars().all(is_letter)
    })
}

/// Fills placeholders in.
pub(super) struct Expander<'a> {
    pub(super) environment: &'a Environment,
    /// The folder that `${workspaceFolder}` stands for.
    pub(super) folder: &'a Path,
    /// Whether `{env:NAME}` is a placeholder too, as in opencode's files.
    pub(super) bare: bool,
}

impl Expander<'_> {
    /// The text with every placeholder filled in. `$${NAME}` stays `${NAME}`.
    pub(super) fn fill(&self, text: &str) -> Result<String, Fault> {
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, kept, after)) = self.next(rest) {
            filled.push_str(before);
            if let Some(literal) = kept {
                filled.push_str(literal);
                rest = after;
                continue;
            }
            let Some((inside, after)) = after.split_once('}') else {
                return Err(placeholder("a placeholder `${…` has no closing `}`".to_owned()));
            };
            filled.push_str(&self.value(inside)?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// A path that begins with `~` as a path: no shell looks at it.
    pub(super) fn at_home(&self, path: String) -> PathBuf {
        let path = PathBuf::from(path);
        let home = path.strip_prefix("~").ok().zip(self.environment.home());
        home.map(|(rest, home)| home.join(rest)).unwrap_or(path)
    }

    /// What stands before the next placeholder, what is kept in its place, and what stands after its opening.
    fn next<'t>(&self, text: &'t str) -> Option<(&'t str, Option<&'static str>, &'t str)> {
        let dollar = text.find("${").map(|at| (at, 2));
        let bare = if self.bare { text.find("{env:").map(|at| (at, 1)) } else { None };
        // `${env:…}` is found by its `${`, which stands before.
        let (at, length) = match (dollar, bare) {
            (Some(dollar), Some(bare)) => dollar.min(bare),
            (found, other) => found.or(other)?,
        };
        let (before, found) = text.split_at(at);
        let (_, after) = found.split_at(length);
        match before.strip_suffix('$') {
            Some(before) if length == 2 => Some((before, Some("${"), after)),
            _ => Some((before, None, after)),
        }
    }

    /// What a placeholder stands for.
    fn value(&self, inside: &str) -> Result<String, Fault> {
        let folder = |path: Option<&Path>| path.and_then(Path::to_str).map(str::to_owned);
        match inside {
            "workspaceFolder" => {
                return folder(Some(self.folder)).ok_or_else(|| no_path(inside));
            }
            "workspaceFolderBasename" => {
                return folder(self.folder.file_name().map(Path::new)).ok_or_else(|| no_path(inside));
            }
            "userHome" => return folder(self.environment.home()).ok_or_else(|| no_path(inside)),
            "pathSeparator" | "/" => return Ok(std::path::MAIN_SEPARATOR_STR.to_owned()),
            _ => {}
        }
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let name = name.strip_prefix("env:").unwrap_or(name);
        if !is_variable(name) {
            return Err(self.unknown(name));
        }
        if default.is_some_and(|default| default.contains("${")) {
            return Err(placeholder(format!("the default of `${{{name}:-…}}` holds a placeholder itself")));
        }
        let value = self.environment.variable(name);
        match (value, default) {
            (Some(value), None) => Ok(value),
            (Some(value), Some(_)) if !value.is_empty() => Ok(value),
            (_, Some(default)) => Ok(default.to_owned()),
            (None, None) => Err(Fault {
                kind: ConfigProblemKind::MissingVariable,
                message: format!(
                    "the variable {name} is not set in the environment; set it, or give a default as `${{{name}:-…}}`"
                ),
            }),
        }
    }

    #[expect(clippy::unused_self, reason = "reads as one with the others")]
    fn unknown(&self, name: &str) -> Fault {
        match name.split_once(':') {
            Some((kind @ ("input" | "command" | "config" | "file"), _)) => placeholder(format!(
                "`${{{kind}:…}}` can not be filled in: haft has nobody to ask; set a variable and write `${{NAME}}`"
            )),
            // What is no name may be anything, a secret among it.
            _ => placeholder(
                "a placeholder names no variable: `${NAME}`, `${NAME:-default}` or `${env:NAME}` is expected; \
                 write `$${` for the text `${`"
                    .to_owned(),
            ),
        }
    }
}

/// The names of the variables that a text asks for.
pub(super) fn variables(text: &str, bare: bool) -> Vec<String> {
    let openings: &[&str] = if bare { &["${", "{env:"] } else { &["${"] };
    let after = openings.iter().flat_map(|opening| text.split(opening).skip(1));
    let names = after.filter_map(|part| {
        let (inside, _) = part.split_once('}')?;
        let name = inside.split_once(":-").map_or(inside, |(name, _)| name);
        let name = name.strip_prefix("env:").unwrap_or(name);
        (is_variable(name) && !PLACES.contains(&name)).then(|| shown(name))
    });
    names.collect()
}

/// Placeholders that are no variables.
const PLACES: [&str; 4] = ["workspaceFolder", "workspaceFolderBasename", "userHome", "pathSeparator"];

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn placeholder(message: String) -> Fault {
    Fault { kind: ConfigProblemKind::Placeholder, message }
}

fn no_path(name: &str) -> Fault {
    placeholder(format!(
        "`${{{name}}}` can not be filled in: there is no such folder, or its path is no text"
    ))
}
