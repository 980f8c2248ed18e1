//! A difference between what was expected and what came, readable line by line.

use std::fmt;

/// What came is not what was expected: the text shows both, line by line.
///
/// `Debug` is the same text, so that a test that ends with `?` shows it readably.
#[derive(Clone, PartialEq, Eq)]
pub struct Mismatch {
    what: &'static str,
    expected: Vec<String>,
    found: Vec<String>,
}

impl Mismatch {
    /// Compares lines.
    pub(super) fn check(what: &'static str, expected: &[&str], found: Vec<String>) -> Result<(), Self> {
        if expected == found {
            return Ok(());
        }
        Err(Self { what, expected: expected.iter().map(|&line| line.to_owned()).collect(), found })
    }

    /// The stable number of this error: 2601.
    #[expect(clippy::unused_self, reason = "every error answers `code()`")]
    pub const fn code(&self) -> u16 {
        2601
    }

    /// What was expected.
    pub fn expected(&self) -> &[String] {
        &self.expected
    }

    /// What came.
    pub fn found(&self) -> &[String] {
        &self.found
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the {} differ (- expected, + found):", self.what)?;
        let same = |pair: &(&String, &String)| pair.0 == pair.1;
        let before = self.expected.iter().zip(&self.found).take_while(same).count();
        let (expected, found) = (self.expected.iter().skip(before), self.found.iter().skip(before));
        let after = expected.clone().rev().zip(found.clone().rev()).take_while(same).count();
        let end = |lines: usize| lines.saturating_sub(after);
        let (left, right) = (end(expected.len()), end(found.len()));
        let parts = [
            (' ', self.expected.iter().take(before).collect::<Vec<_>>()),
            ('-', expected.clone().take(left).collect()),
            ('+', found.take(right).collect()),
            (' ', expected.skip(left).collect()),
        ];
        for (mark, lines) in parts {
            for line in lines {
                write!(formatter, "\n{mark} {line}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl std::error::Error for Mismatch {}
