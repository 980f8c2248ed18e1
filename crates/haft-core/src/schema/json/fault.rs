//! Why a text could not be read at all, and where.

use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Bytes before the place.
    pub(crate) offset: usize,
    /// Line, counted from 1.
    pub(crate) line: usize,
    /// Column in characters, counted from 1.
    pub(crate) column: usize,
}

impl Position {
    /// The line and column of byte `offset` of `text`.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.get(line_start..).map_or(0, |tail| tail.chars().count()) + 1;
        Self { offset: before.len(), line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, column {} (byte {})", self.line, self.column, self.offset)
    }
}

/// What kind of fault ended the reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The text ends before the value does; so far it could still have become valid.
    Truncated,
    /// The text is wrong, whatever might follow.
    Malformed,
    /// The text is larger, deeper or has more values than the limits allow.
    TooLarge,
}

/// The first thing that made a text unreadable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The kind of fault.
    pub(crate) kind: FaultKind,
    /// Where it was seen.
    pub(crate) position: Position,
    /// What was wrong, as a short phrase without the position.
    pub(crate) reason: String,
}
