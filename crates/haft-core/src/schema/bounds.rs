//! How large a schema may be: one that a server sent must not be able to exhaust the host.

use serde_json::Value;

use super::error::SchemaError;

/// Most arrays and objects inside each other.
const DEPTH: usize = 128;
/// Most values.
const NODES: usize = 100_000;
/// Most bytes of keys and strings.
const BYTES: usize = 4 * 1024 * 1024;

/// Refuses a schema that is too deep, has too many values or too much text. Does not recurse.
pub(super) fn check(schema: &Value) -> Result<(), SchemaError> {
    let (mut nodes, mut bytes) = (0_usize, 0_usize);
    let mut open = vec![(schema, 1_usize)];
    while let Some((value, depth)) = open.pop() {
        nodes += 1;
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                open.extend(members.values().map(|member| (member, depth + 1)));
            }
            _ => {}
        }
        let over = [
            (depth > DEPTH, format!("it nests deeper than {DEPTH} levels")),
            (nodes > NODES, format!("it has more than {NODES} values")),
            (bytes > BYTES, format!("its text has more than {BYTES} bytes")),
        ];
        if let Some((_, reason)) = over.into_iter().find(|(over, _)| *over) {
            return Err(SchemaError::TooLarge { reason });
        }
    }
    Ok(())
}

/// How many arrays and objects stand inside each other, at most. Does not recurse.
pub(super) fn depth(value: &Value) -> usize {
    let (mut deepest, mut open) = (0, vec![(value, 0_usize)]);
    while let Some((value, around)) = open.pop() {
        let depth = around + usize::from(value.is_array() || value.is_object());
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth))),
            Value::Object(members) => open.extend(members.values().map(|member| (member, depth))),
            _ => {}
        }
    }
    deepest
}
