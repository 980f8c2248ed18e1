//! The items of an array, one after another.

use serde::de::{DeserializeSeed, SeqAccess};

use super::cursor::{Cursor, Stop};
use super::node::{ArrayChecks, Kinds};
use super::typed::Reader;
use super::value::{accept_count, item};

pub(super) struct Items<'r, 't, 'c> {
    cursor: &'r mut Cursor<'t, 'c>,
    checks: Option<&'c ArrayChecks>,
    fills: bool,
    count: usize,
    done: bool,
}

impl<'r, 't, 'c> Items<'r, 't, 'c> {
    pub(super) fn enter(reader: Reader<'r, 't, 'c>) -> Result<Self, Stop> {
        let Reader { cursor, node, fills } = reader;
        if !node.kinds.meets(Kinds::ARRAY) {
            return Err(Stop::Refused);
        }
        cursor.enter()?;
        Ok(Self { cursor, checks: node.array.as_deref(), fills, count: 0, done: false })
    }

    /// Whether the array was read to its end; a tuple stops behind its last item.
    pub(super) fn ended(&mut self) -> Result<(), Stop> {
        if self.done || self.end() { accept_count(self.checks, self.count) } else { Err(Stop::Undecided) }
    }

    fn end(&mut self) -> bool {
        self.cursor.skip_whitespace();
        self.done = self.cursor.peek() == Some(b']');
        if self.done {
            self.cursor.leave();
        }
        self.done
    }
}

impl<'t> SeqAccess<'t> for Items<'_, 't, '_> {
    type Error = Stop;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Stop> {
        if self.done || self.end() {
            return Ok(None);
        }
        if self.count > 0 {
            self.cursor.expect(b',')?;
        }
        let node = self.cursor.node(item(self.checks, self.count)?)?;
        self.count += 1;
        seed.deserialize(Reader { cursor: self.cursor, node, fills: self.fills }).map(Some)
    }
}
