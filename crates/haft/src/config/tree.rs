//! What a configuration file says, before anything of it is understood: values, each with its place.
//!
//! Values may be secrets, so nothing here can be shown: there is no `Debug`, and messages name keys and kinds alone.

use std::path::{Path, PathBuf};

/// A value, and the byte at which it begins.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) value: Value,
}

/// A value of TOML or JSON.
#[derive(Clone)]
pub(super) enum Value {
    Null,
    Boolean(bool),
    /// As it is written.
    Number(String),
    Text(String),
    /// A date or a time.
    Time,
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key with its value, in the order of the file.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) key: String,
    /// Where the key begins.
    pub(super) at: usize,
    pub(super) node: Node,
}

impl Value {
    /// What it is, for a message.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Time => "a date",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

impl Node {
    /// What stands under a key of a table.
    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }
}

/// The text of a file, to tell places in it.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

/// A place in a file that a person finds: line and column, from 1, in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Source<'_> {
    pub(super) fn place(&self, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            file: self.path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// Where a text is not what its format demands.
pub(super) struct SyntaxFault {
    pub(super) at: usize,
    /// Never a part of the text.
    pub(super) message: String,
}
