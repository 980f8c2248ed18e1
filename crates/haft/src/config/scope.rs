//! Reading typed values, with every mistake collected and none of them fatal to the next.

use std::{ops::RangeInclusive, time::Duration};

use super::{
    duration,
    field::{self, Field},
    problem::{ConfigProblem, ConfigProblemKind},
    tree::{Entry, Node, Source, Value},
};

/// Most problems that are told of one file.
const MOST_PROBLEMS: usize = 50;

/// A part of a file that is being read.
pub(super) struct Scope<'a> {
    pub(super) source: &'a Source<'a>,
    pub(super) problems: Vec<ConfigProblem>,
    /// The server that a mistake costs; the whole file where there is none.
    pub(super) server: Option<String>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(source: &'a Source<'a>, server: Option<&str>) -> Self {
        Self { source, problems: Vec::new(), server: server.map(str::to_owned) }
    }

    /// Whether no further mistake is told, so that none is worth its words.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    /// Notes a mistake.
    pub(super) fn problem(&mut self, at: usize, kind: ConfigProblemKind, message: impl Into<String>) {
        if !self.is_full() {
            let mut problem = ConfigProblem::at(kind, self.source.place(at), message);
            problem.server.clone_from(&self.server);
            self.problems.push(problem);
        }
    }

    /// Notes a value that does not go with its key.
    pub(super) fn wrong<T>(&mut self, key: &str, node: &Node, expected: &str) -> Option<T> {
        let message = match &node.value {
            // Its kind is right, so that says nothing.
            Value::Text(_) | Value::Number(_)
                if expected.contains("such as") || expected.contains("one of") =>
            {
                format!("`{}`: expected {expected}", shown(key))
            }
            value => format!("`{}`: expected {expected}, found {}", shown(key), value.kind()),
        };
        self.problem(node.at, ConfigProblemKind::Value, message);
        None
    }

    /// Notes a key that is not one of the fields.
    pub(super) fn unknown(&mut self, entry: &Entry, fields: &'static [Field]) {
        if self.is_full() {
            return;
        }
        let key = shown(&entry.key);
        let message = match field::meant(&entry.key, fields) {
            Some(meant) => format!("unknown key `{key}`; did you mean `{meant}`?"),
            None => format!("unknown key `{key}`; the keys here are {}", field::names(fields)),
        };
        self.problem(entry.at, ConfigProblemKind::UnknownKey, message);
    }

    pub(super) fn table<'n>(&mut self, key: &str, node: &'n Node) -> Option<&'n [Entry]> {
        match &node.value {
            Value::Table(entries) => Some(entries),
            _ => self.wrong(key, node, "a table"),
        }
    }

    pub(super) fn boolean(&mut self, key: &str, node: &Node) -> Option<bool> {
        match node.value {
            Value::Boolean(value) => Some(value),
            _ => self.wrong(key, node, "true or false"),
        }
    }

    pub(super) fn text(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) if text.trim().is_empty() => {
                self.problem(node.at, ConfigProblemKind::Value, format!("`{}` is empty", shown(key)));
                None
            }
            Value::Text(text) => Some(text.clone()),
            _ => self.wrong(key, node, "text"),
        }
    }

    /// A list of texts; numbers, true and false stand for their text, as people write them among arguments.
    pub(super) fn texts(&mut self, key: &str, node: &Node) -> Option<Vec<String>> {
        let Value::List(items) = &node.value else { return self.wrong(key, node, "a list of texts") };
        items.iter().map(|item| self.scalar(key, item)).collect()
    }

    /// Text, or what stands for its text.
    pub(super) fn scalar(&mut self, key: &str, node: &Node) -> Option<String> {
        match &node.value {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => Some(number.clone()),
            Value::Boolean(value) => Some(value.to_string()),
            _ => self.wrong(key, node, "text"),
        }
    }

    pub(super) fn time(&mut self, key: &str, node: &Node) -> Option<Duration> {
        match &node.value {
            Value::Text(text) => match duration::read(text) {
                Some(time) => Some(time),
                None => self.wrong(key, node, duration::EXPECTED),
            },
            _ => self.wrong(key, node, duration::EXPECTED),
        }
    }

    pub(super) fn count(&mut self, key: &str, node: &Node) -> Option<usize> {
        self.number(key, node, 1..=65_536)
    }

    pub(super) fn number(&mut self, key: &str, node: &Node, range: RangeInclusive<usize>) -> Option<usize> {
        let number = match &node.value {
            Value::Number(number) => number.parse().ok().filter(|number| range.contains(number)),
            _ => None,
        };
        let expected = || format!("a whole number, one of {} to {}", range.start(), range.end());
        number.or_else(|| self.wrong(key, node, &expected()))
    }
}

/// A key as it can stand in a message of one line.
pub(super) fn shown(key: &str) -> String {
    let mut shown: String = key.chars().take(80).flat_map(char::escape_debug).collect();
    if key.chars().nth(80).is_some() {
        shown.push('…');
    }
    shown
}
