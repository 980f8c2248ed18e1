//! The fast road: arguments are checked while they are read, straight from their text.
//!
//! A schema is compiled into [`Checks`], a flat list of nodes that the reader walks in step with the text. The answer is
//! the value or nothing: whatever is not plainly right, or not understood, is left to the complete road, which alone
//! refuses. What is accepted here is accepted there, with an equal value.
//!
//! In reading order: a schema becomes nodes (`compile`, `node`), the text is read byte by byte (`cursor`, `string`,
//! `number`), each value against its node (`bounds`, `keys`), into a Rust type (`typed`, `members`, `items`) or a JSON
//! value (`value`), through alternatives where there are some (`union`).

mod bounds;
mod compile;
mod cursor;
mod items;
mod keys;
mod members;
mod node;
mod number;
mod string;
#[cfg(test)]
mod tests;
mod typed;
mod union;
mod value;
mod variant;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(in crate::schema) use compile::Rules;
use cursor::Cursor;
pub(in crate::schema) use node::Checks;

/// Longer texts take the complete road, whose bounds on work are told from the whole value.
const MOST_BYTES: usize = 256 * 1024;

/// `text` read as `T`, when it is one object that the schema accepts.
pub(in crate::schema) fn read_typed<T: DeserializeOwned>(text: &str, checks: &Checks) -> Option<T> {
    let mut cursor = Cursor::new(text, checks)?;
    let read = T::deserialize(typed::Reader::root(&mut cursor)?).ok()?;
    cursor.ended().then_some(read)
}

/// `text` read as a JSON value, when it is one object that the schema accepts.
pub(in crate::schema) fn read_value(text: &str, checks: &Checks) -> Option<Value> {
    let mut cursor = Cursor::new(text, checks)?;
    if cursor.peek() != Some(b'{') {
        return None;
    }
    let read = cursor.value(checks.root()?, true).ok()?;
    cursor.ended().then_some(read)
}

/// Whether the schema plainly accepts `text`, whatever its type.
pub(in crate::schema) fn accepts(text: &str, checks: &Checks) -> bool {
    let (Some(mut cursor), Some(root)) = (Cursor::new(text, checks), checks.root()) else { return false };
    cursor.value::<()>(root, true).is_ok() && cursor.ended()
}
