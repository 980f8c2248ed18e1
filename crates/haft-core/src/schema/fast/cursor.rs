//! The text, the place reached in it, and what a reader may still spend.

use std::fmt;

use super::MOST_BYTES;
use super::node::{Checks, Node, NodeId};

/// Deepest nesting that is read here.
const DEEPEST: u32 = 64;
/// Most unions inside of each other.
const MOST_UNIONS: u32 = 16;

/// Why reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The schema plainly refuses the value: of several branches another may hold.
    Refused,
    /// The complete road has to decide.
    Undecided,
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not decided")
    }
}

impl std::error::Error for Stop {}

impl serde::de::Error for Stop {
    // Whatever a type has against its value is told by the complete road.
    #[cold]
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Undecided
    }

    #[cold]
    fn invalid_type(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self::Undecided
    }

    #[cold]
    fn invalid_value(_: serde::de::Unexpected<'_>, _: &dyn serde::de::Expected) -> Self {
        Self::Undecided
    }

    #[cold]
    fn invalid_length(_: usize, _: &dyn serde::de::Expected) -> Self {
        Self::Undecided
    }

    #[cold]
    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::Undecided
    }

    #[cold]
    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::Undecided
    }

    #[cold]
    fn missing_field(_: &'static str) -> Self {
        Self::Undecided
    }

    #[cold]
    fn duplicate_field(_: &'static str) -> Self {
        Self::Undecided
    }
}

/// A cursor over JSON text.
#[derive(Debug)]
pub(super) struct Cursor<'t, 'c> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) checks: &'c Checks,
    /// Several branches of a union are tried on the same text.
    pub(super) trying: bool,
    /// A branch that is tried holds only if the complete road sees the value as this one does.
    pub(super) doubt: bool,
    depth: u32,
    /// Unions that are being decided on, one inside of the other.
    unions: u32,
    fuel: usize,
}

impl<'t, 'c> Cursor<'t, 'c> {
    /// A cursor before the first value; none when the text is too long.
    pub(super) fn new(text: &'t str, checks: &'c Checks) -> Option<Self> {
        let fuel = text.len().saturating_mul(4) + 1024;
        let mut cursor = Self { text, at: 0, checks, trying: false, doubt: false, depth: 0, unions: 0, fuel };
        cursor.skip_whitespace();
        (text.len() <= MOST_BYTES).then_some(cursor)
    }

    pub(super) fn node(&self, id: NodeId) -> Result<&'c Node, Stop> {
        self.checks.node(id).ok_or(Stop::Undecided)
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text from `start` to the cursor.
    #[inline]
    pub(super) fn since(&self, start: usize) -> Result<&'t str, Stop> {
        self.text.get(start..self.at).ok_or(Stop::Undecided)
    }

    #[inline]
    pub(super) fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Moves past `byte`, and past whitespace behind it.
    #[inline]
    pub(super) fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.peek() != Some(byte) {
            return Err(Stop::Undecided);
        }
        self.at += 1;
        self.skip_whitespace();
        Ok(())
    }

    /// Moves past `true`, `false` or `null`.
    pub(super) fn word(&mut self, word: &str) -> Result<(), Stop> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(word.as_bytes()) {
            return Err(Stop::Undecided);
        }
        self.at += word.len();
        Ok(())
    }

    /// Whether nothing but whitespace follows.
    pub(super) fn ended(&mut self) -> bool {
        self.skip_whitespace();
        self.at == self.text.len()
    }

    /// Moves into an array or object.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), Stop> {
        if self.depth >= DEEPEST {
            return Err(Stop::Undecided);
        }
        self.depth += 1;
        self.at += 1;
        self.skip_whitespace();
        Ok(())
    }

    /// Moves behind the bracket that ends an array or object.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    /// Goes back to where a value began.
    pub(super) fn rewind(&mut self, at: usize, depth: u32) {
        self.at = at;
        self.depth = depth;
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Decides on a union. A branch may be the union itself, which consumes nothing: that ends here.
    pub(super) fn in_union<T>(
        &mut self,
        decide: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        if self.unions >= MOST_UNIONS {
            return Err(Stop::Undecided);
        }
        self.unions += 1;
        let decided = decide(self);
        self.unions -= 1;
        decided
    }

    /// Counts a value that is tried: unions in unions may try the same text again and again.
    pub(super) fn spend(&mut self) -> Result<(), Stop> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Undecided)?;
        Ok(())
    }
}
