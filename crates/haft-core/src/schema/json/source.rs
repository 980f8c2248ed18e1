//! The text being read and the place reached in it.

use super::fault::{Fault, FaultKind, Position};

/// A cursor over a text that always stands on a character boundary.
#[derive(Debug)]
pub(super) struct Source<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Source<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, offset: 0 }
    }

    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// The byte at the cursor.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    /// The text from the cursor on.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// The text from `start` to the cursor.
    pub(super) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.offset).unwrap_or_default()
    }

    /// Moves past `bytes` bytes; the caller has seen that they are whole characters.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.offset += bytes;
    }

    /// Moves past `byte` when it stands at the cursor.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.offset += 1;
        }
        found
    }

    /// Moves past ASCII digits and says how many there were.
    pub(super) fn take_digits(&mut self) -> usize {
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.offset += count;
        count
    }

    /// Moves past JSON's whitespace.
    pub(super) fn skip_whitespace(&mut self) {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.offset += self.rest().bytes().take_while(blank).count();
    }

    /// The text ends where more was needed.
    pub(super) fn truncated(&self, place: &str) -> Fault {
        Fault {
            kind: FaultKind::Truncated,
            position: Position::of(self.text, self.text.len()),
            reason: format!("the text ends {place}"),
        }
    }

    /// What stands at the cursor is wrong; at the end of the text, more is missing instead.
    pub(super) fn unexpected(&self, wanted: &str, place: &str) -> Fault {
        match self.rest().chars().next() {
            None => self.truncated(place),
            Some(found) => self.malformed(format!("expected {wanted}, found {}", shown(found))),
        }
    }

    /// The text at the cursor is wrong.
    pub(super) fn malformed(&self, reason: impl Into<String>) -> Fault {
        self.fault_at(self.offset, FaultKind::Malformed, reason)
    }

    /// A fault at byte `offset`.
    pub(super) fn fault_at(&self, offset: usize, kind: FaultKind, reason: impl Into<String>) -> Fault {
        Fault { kind, position: Position::of(self.text, offset), reason: reason.into() }
    }
}

/// A character as an error shows it: itself when it prints, else its number.
fn shown(found: char) -> String {
    if found == '`' {
        "a backtick".to_owned()
    } else if found.is_ascii_graphic() || found.is_alphanumeric() {
        format!("`{found}`")
    } else {
        format!("U+{:04X}", u32::from(found))
    }
}
