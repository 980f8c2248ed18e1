//! The text of a JSON string, also where it is no Unicode, as models write it now and then.

use std::{
    fmt::{self, Write as _},
    str,
};

use serde::de::{Deserializer as _, Error, Visitor};

/// The text of a string; half of a surrogate pair, which no text can hold, stays the escape that it is.
///
/// So arguments with one are judged as the malformed text that they are.
pub(super) fn read(literal: &str) -> serde_json::Result<String> {
    serde_json::Deserializer::from_str(literal).deserialize_bytes(Content)
}

struct Content;

impl Visitor<'_> for Content {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<String, E> {
        Ok(escaped(bytes))
    }
}

/// Bytes that are UTF-8 but for halves of surrogate pairs, encoded as if they were characters: three bytes each.
fn escaped(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    loop {
        let valid = match str::from_utf8(bytes) {
            Ok(rest) => return text + rest,
            Err(error) => error.valid_up_to(),
        };
        let (before, after) = bytes.split_at_checked(valid).unwrap_or((bytes, &[]));
        text.push_str(&String::from_utf8_lossy(before));
        let [_, high, low, rest @ ..] = after else { return text };
        let unit = 0xD000 | u16::from(high & 0x3F) << 6 | u16::from(low & 0x3F);
        // Writing to a text does not fail.
        let _ = write!(text, "\\u{unit:04x}");
        bytes = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_stay_escapes() {
        for (literal, text) in [
            (r#""""#, ""),
            (r#""größer \"\\\n\u0041""#, "größer \"\\\nA"),
            (r#""a\ud83d\ude00b""#, "a😀b"),
            (r#""a\ud83db""#, r"a\ud83db"),
            (r#""\ude00\ud83d\ude00\ud83d""#, r"\ude00😀\ud83d"),
            (r#""\uD800\uDFFF\uDBFF\uDC00\uDFFF""#, "\u{103ff}\u{10fc00}\\udfff"),
            (r#""\ud83d\ud83d\ude00é""#, r"\ud83d😀é"),
        ] {
            assert_eq!(read(literal).expect("a text"), text, "{literal}");
        }
    }

    #[test]
    fn what_is_no_string_is_an_error() {
        assert!(read("1").is_err() && read(r#""\x""#).is_err());
    }
}
