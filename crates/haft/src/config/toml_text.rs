//! TOML into values with places.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::tree::{Entry, Node, SyntaxFault, Value};

/// Reads a document; its root is a table.
pub(super) fn read(text: &str) -> Result<Node, SyntaxFault> {
    match DeTable::parse(text) {
        Ok(document) => {
            let span = document.span();
            Ok(Node { at: span.start, value: table(document.into_inner()) })
        }
        // The error's own text shows the line, which may hold a secret.
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            Err(SyntaxFault { at, message: unquoted(error.message()) })
        }
    }
}

fn node(value: Spanned<DeValue<'_>>) -> Node {
    let Range { start, .. } = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(number) => Value::Number(decimal(number.as_str(), number.radix())),
        DeValue::Float(number) => Value::Number(number.as_str().to_owned()),
        DeValue::Boolean(value) => Value::Boolean(value),
        DeValue::Datetime(_) => Value::Time,
        DeValue::Array(items) => Value::List(items.into_iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
    };
    Node { at: start, value }
}

/// The entries in the order of the file.
fn table(table: DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| {
            let at = key.span().start;
            Entry { key: key.into_inner().into_owned(), at, node: node(value) }
        })
        .collect();
    entries.sort_by_key(|entry| entry.at);
    Value::Table(entries)
}

/// A number of another base as others are written.
fn decimal(digits: &str, radix: u32) -> String {
    i64::from_str_radix(digits, radix).map_or_else(|_| digits.to_owned(), |number| number.to_string())
}

/// One line, without what stands in back quotes where that could be of the text.
fn unquoted(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}
