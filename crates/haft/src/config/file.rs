//! One configuration file: read, bounded, and taken apart into settings and servers.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use haft_core::Digest;

use super::{
    entry::{self, Dialect},
    json_text, name,
    problem::{ConfigProblem, ConfigProblemKind, reason},
    scope::{Scope, shown},
    server::ServerEntry,
    settings::{self, Settings},
    standard, toml_text,
    tree::{Entry, Node, Source, Value},
};
use crate::source::mcp::is_server_name;

/// Most bytes of a configuration file.
const MOST_BYTES: u64 = 1024 * 1024;

/// Most servers of a file, and most mistakes in them that are told.
const MOST_SERVERS: usize = 500;
const MOST_FAULTS: usize = 50;

/// Where a configuration file was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigOrigin {
    /// A person named it.
    Named,
    /// It lies in the working directory: whoever made that folder wrote it.
    Folder,
    /// It lies in the user's configuration directory.
    User,
}

/// A file's bytes, with what they are told by.
pub(super) struct Text {
    pub(super) path: PathBuf,
    pub(super) content: String,
    pub(super) digest: Digest,
}

/// What a file says.
#[derive(Default)]
pub(super) struct Content {
    pub(super) settings: Settings,
    pub(super) servers: Vec<ServerEntry>,
    /// Servers that can not be used.
    pub(super) faulty: Vec<ConfigProblem>,
    /// What a person may want to know.
    pub(super) remarks: Vec<String>,
}

/// Reads a file; none where there is none.
pub(super) fn load(path: &Path) -> Result<Option<Text>, ConfigProblem> {
    let unreadable = |error: io::Error| {
        ConfigProblem::new(ConfigProblemKind::Unreadable, path, format!("the file {}", reason(&error)))
    };
    let metadata = match std::fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(None),
        found => found.map_err(unreadable)?,
    };
    // A pipe would be waited for.
    if !metadata.is_file() {
        let message = "this is no file; a configuration is a file".to_owned();
        return Err(ConfigProblem::new(ConfigProblemKind::Unreadable, path, message));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        let message = "the file is larger than 1 MiB; a configuration is not".to_owned();
        return Err(ConfigProblem::new(ConfigProblemKind::Unreadable, path, message));
    }
    let digest = content_digest(&bytes);
    let content = String::from_utf8(bytes).map_err(|_| {
        ConfigProblem::new(ConfigProblemKind::Syntax, path, "the file is not UTF-8; save it as UTF-8")
    })?;
    Ok(Some(Text { path: path.to_owned(), content, digest }))
}

/// What the content of a configuration file is told by.
pub fn content_digest(bytes: &[u8]) -> Digest {
    Digest::of("configuration", [bytes])
}

/// Takes a file apart.
pub(super) fn read(path: &Path, text: &str) -> Result<Content, Vec<ConfigProblem>> {
    // The mark that some editors put in front.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source { path, text };
    let is_json = is_json(path, text);
    let root = if is_json { json_text::read(text) } else { toml_text::read(text) };
    let root = root.map_err(|fault| {
        let language = if is_json { "JSON" } else { "TOML" };
        let message = format!("this is no {language}: {}", fault.message);
        vec![ConfigProblem::at(ConfigProblemKind::Syntax, source.place(fault.at), message)]
    })?;
    if is_json { of_json(&source, &root) } else { of_toml(&source, &root) }
}

/// Told by the name of the file; by its first letter where the name does not say.
fn is_json(path: &Path, text: &str) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "json" | "jsonc" | "json5" => true,
        "toml" => false,
        _ => text.trim_start().starts_with('{'),
    }
}

fn of_toml(source: &Source<'_>, root: &Node) -> Result<Content, Vec<ConfigProblem>> {
    let mut scope = Scope::new(source, None);
    let (settings, servers) = settings::read(&mut scope, root);
    if !scope.problems.is_empty() {
        return Err(scope.problems);
    }
    let mut content = Content { settings, ..Content::default() };
    read_servers(source, Dialect::Haft, servers, &mut content);
    Ok(content)
}

fn of_json(source: &Source<'_>, root: &Node) -> Result<Content, Vec<ConfigProblem>> {
    let mut content = Content::default();
    let Some((dialect, servers)) = standard::servers(root) else {
        let message = "it holds no servers: they stand under `mcpServers`, `servers` or `mcp`";
        return Err(vec![ConfigProblem::at(ConfigProblemKind::Server, source.place(root.at), message)]);
    };
    let mut scope = Scope::new(source, None);
    if scope.table(&servers.key, &servers.node).is_none() {
        return Err(scope.problems);
    }
    read_servers(source, dialect, Some(servers), &mut content);
    Ok(content)
}

/// Reads each server by itself: one that is wrong costs no other.
fn read_servers(source: &Source<'_>, dialect: Dialect, servers: Option<&Entry>, content: &mut Content) {
    let Some(Entry { node: Node { value: Value::Table(entries), .. }, .. }) = servers else { return };
    let mut names = HashSet::new();
    let mut untold = 0;
    for (position, entry) in entries.iter().enumerate() {
        let foreign = shown(&entry.key);
        let mut scope = Scope::new(source, Some(&foreign));
        if position == MOST_SERVERS {
            let message = format!("it is one of more than {MOST_SERVERS}; so is every server behind it");
            scope.problem(entry.at, ConfigProblemKind::Server, message);
            content.faulty.append(&mut scope.problems);
            break;
        }
        let name = named(&mut scope, dialect, entry);
        if let Some(name) = &name {
            if *name != entry.key {
                content.remarks.push(format!(
                    "the server {foreign:?} is called {name} here, as its tools' names need it"
                ));
            }
            if !names.insert(name.clone()) {
                let message = format!("another server is called {name} already; rename one of them");
                scope.problem(entry.at, ConfigProblemKind::Server, message);
            }
            scope.server = Some(name.clone());
        }
        let read = entry::read(&mut scope, dialect, entry, name.as_deref().unwrap_or_default());
        match read {
            Some((server, passed_over)) if scope.problems.is_empty() => {
                if !passed_over.is_empty() {
                    let keys = passed_over.join(", ");
                    content.remarks.push(format!("of the server {} is passed over: {keys}", server.name));
                }
                for place in server.unfilled() {
                    content.remarks.push(format!(
                        "{place} of the server {} stays as it is written: only ${{NAME}} is filled in here",
                        server.name
                    ));
                }
                content.servers.push(server);
            }
            _ if content.faulty.len() < MOST_FAULTS => content.faulty.append(&mut scope.problems),
            _ => untold += 1,
        }
    }
    if untold > 0 {
        content
            .remarks
            .push(format!("{untold} more servers can not be used; mend those that are told first"));
    }
}

/// The name of a server here. In `haft.toml` it has to be one already.
fn named(scope: &mut Scope<'_>, dialect: Dialect, entry: &Entry) -> Option<String> {
    if is_server_name(&entry.key) {
        return Some(entry.key.clone());
    }
    let tamed = name::tame(&entry.key);
    if dialect != Dialect::Haft && tamed.is_some() {
        return tamed;
    }
    let rule = "a server's name has letters, digits and `-`, with single `_` between them, at most 40";
    let message = match tamed {
        Some(tamed) => format!("{rule}; `{tamed}` would do"),
        None => rule.to_owned(),
    };
    scope.problem(entry.at, ConfigProblemKind::Server, message);
    None
}
