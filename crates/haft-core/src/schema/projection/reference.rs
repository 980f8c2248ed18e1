//! References as other tools write them: with characters that no URI holds, to the other of the two names that tables of
//! definitions have, or to a table that was nested together with them.

use super::super::plan::References;
use super::super::pointer;
use serde_json::Value;

/// The two names under which definitions stand.
pub(super) const TABLES: [&str; 2] = ["$defs", "definitions"];

/// What the reference that stands in the schema at `place` was meant to be; `None` where it is right, or wrong beyond that.
pub(super) fn meant(
    references: &References<'_>,
    root: &Value,
    place: &str,
    reference: &str,
) -> Option<String> {
    let path = reference.strip_prefix('#').filter(|path| path.starts_with('/'))?;
    let is_uri = is_uri(path);
    if references.target(place, reference).is_some() {
        return (!is_uri).then(|| to(path));
    }
    // A schema that names itself is not the place from which its references start.
    if !references.has_embedded() {
        if root.pointer(path).is_some() {
            return Some(to(path));
        }
        if let Some(found) = beside(root, place, path) {
            return Some(to(&found));
        }
    }
    (!is_uri).then(|| to(path))
}

/// The reference to a JSON pointer.
pub(super) fn to(path: &str) -> String {
    let mut reference = String::from("#");
    for byte in path.bytes() {
        if is_plain(byte) {
            reference.push(char::from(byte));
        } else {
            let digit =
                |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase();
            reference.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    reference
}

/// The definition that was meant, in the table nearest to the place.
fn beside(root: &Value, place: &str, path: &str) -> Option<String> {
    let rest = TABLES.iter().find_map(|table| path.strip_prefix(&format!("/{table}/")))?;
    let mut around = place;
    loop {
        for table in TABLES {
            let candidate = format!("{around}/{table}/{rest}");
            if root.pointer(&candidate).is_some() {
                return Some(candidate);
            }
        }
        if around.is_empty() {
            return None;
        }
        around = pointer::parent(around);
    }
}

fn is_uri(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.iter().enumerate().all(|(index, byte)| match byte {
        b'%' => {
            let digits = bytes.get(index + 1..index + 3);
            digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        }
        other => is_plain(*other),
    })
}

/// Whether a fragment of a URI may hold the byte as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?".contains(&byte)
}
