//! A strict JSON reader: text in, one value out, every defect reported with its place.
//!
//! It is stricter than `serde_json` where a lenient reader would let two readers see two values (duplicate keys, integers
//! that do not fit), and it tells text that ends early from text that is wrong. It works without recursion, so no input
//! can overflow the stack, and it does not depend on which features of `serde_json` are switched on.

mod defect;
mod fault;
mod limits;
mod literal;
mod reader;
mod source;
mod string;
#[cfg(test)]
mod tests;

pub(crate) use defect::Defect;
pub(crate) use fault::{Fault, FaultKind, Position};
pub(crate) use limits::Limits;

use serde_json::Value;

/// What reading gave: the value, and the defects that make it unfit to be used.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The value; where a defect stands, its content means nothing.
    pub(crate) value: Value,
    /// Duplicate keys and numbers that do not fit, in the order of the text; empty for a sound value.
    pub(crate) defects: Vec<Defect>,
}

/// Reads `text` as exactly one JSON value.
pub(crate) fn read(text: &str, limits: &Limits) -> Result<Reading, Fault> {
    reader::Reader::new(text, limits)?.read()
}

/// Reads the value that `text` begins with, and says how many bytes it takes; anything may follow.
pub(crate) fn read_first(text: &str, limits: &Limits) -> Result<(Reading, usize), Fault> {
    reader::Reader::new(text, limits)?.read_first()
}
