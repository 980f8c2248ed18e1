//! A number or a text against its node.

use super::cursor::{Cursor, Stop};
use super::node::{Kinds, Node, NumberChecks, TextChecks};
use super::number::Numeral;

impl Cursor<'_, '_> {
    /// Reads a number that the node accepts.
    #[inline]
    pub(super) fn checked_number(&mut self, node: &Node) -> Result<Numeral, Stop> {
        if !node.kinds.meets(Kinds::NUMERIC) {
            return Err(Stop::Refused);
        }
        let numeral = self.numeral()?;
        if let Numeral::Fraction(value) = numeral {
            // What is whole may become an integer before it is checked.
            if !node.kinds.meets(Kinds::NUMBER) || (self.trying && !node.part && value.fract() == 0.0) {
                return Err(if value.fract() == 0.0 { Stop::Undecided } else { Stop::Refused });
            }
        }
        if let Some(checks) = &node.number {
            checks.accept(numeral)?;
        }
        match (&node.choices, numeral.integer()) {
            (None, _) => Ok(numeral),
            (Some(choices), Some(integer)) if choices.integers.contains(&integer) => Ok(numeral),
            (Some(_), Some(_)) => Err(Stop::Refused),
            (Some(_), None) => Err(Stop::Undecided),
        }
    }
}

impl NumberChecks {
    #[inline]
    fn accept(&self, numeral: Numeral) -> Result<(), Stop> {
        let within = match (numeral.integer(), numeral) {
            (Some(integer), _) => {
                let whole_times = |unit| integer % unit == 0;
                integer >= self.least && integer <= self.most && self.multiple_of.is_none_or(whole_times)
            }
            (None, Numeral::Fraction(value)) => {
                if self.multiple_of.is_some() {
                    return Err(Stop::Undecided);
                }
                let above = if self.low_excluded { value > self.low } else { value >= self.low };
                let below = if self.high_excluded { value < self.high } else { value <= self.high };
                above && below
            }
            (None, _) => false,
        };
        if within { Ok(()) } else { Err(Stop::Refused) }
    }
}

/// Whether the node accepts a text.
#[inline]
pub(super) fn accept_text(node: &Node, text: &str) -> Result<(), Stop> {
    let chosen = node.choices.as_ref().is_none_or(|choices| choices.texts.iter().any(|one| **one == *text));
    let fits = || node.text.as_ref().is_none_or(|checks| checks.accepts(text));
    if node.kinds.meets(Kinds::STRING) && chosen && fits() { Ok(()) } else { Err(Stop::Refused) }
}

impl TextChecks {
    #[inline]
    fn accepts(&self, text: &str) -> bool {
        // A character takes one to four bytes; mostly that settles it without counting.
        let bytes = text.len();
        let long_enough = bytes >= self.least.saturating_mul(4) || bytes > 0 && self.least <= 1;
        let settled = bytes <= self.most && (long_enough || self.least == 0);
        let fits = settled || {
            let characters = text.chars().count();
            characters >= self.least && characters <= self.most
        };
        fits && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(text))
    }
}
