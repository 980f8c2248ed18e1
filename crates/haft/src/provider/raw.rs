//! JSON read lazily: a value stays a slice of the text until it is asked for, so that no call is written anew.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// What stands at a place in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

impl Kind {
    /// With its article, for messages.
    pub(super) const fn named(self) -> &'static str {
        match self {
            Self::Object => "an object",
            Self::Array => "an array",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
            Self::Null => "null",
        }
    }
}

/// A value as it stands in the text, without the blanks around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raw<'a>(&'a RawValue);

impl<'a> Raw<'a> {
    /// Reads one value; its syntax is checked to the end, whatever its depth.
    pub(super) fn read(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self)
    }

    pub(super) fn text(self) -> &'a str {
        self.0.get()
    }

    pub(super) fn kind(self) -> Kind {
        match self.text().bytes().next() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    pub(super) fn object(self) -> Option<Object<'a>> {
        serde_json::from_str(self.text()).ok()
    }

    pub(super) fn array(self) -> Option<Vec<Raw<'a>>> {
        let items: Vec<&RawValue> = serde_json::from_str(self.text()).ok()?;
        Some(items.into_iter().map(Raw).collect())
    }

    /// The content of a string; `None` for other values, and where an escape stands for no character.
    pub(super) fn string(self) -> Option<Cow<'a, str>> {
        #[derive(Deserialize)]
        struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

        serde_json::from_str(self.text()).ok().map(|Text(text)| text)
    }

    /// The content of a string, where an escape that stands for no character (half of a surrogate pair) stays the
    /// escape that it is; other values as they stand.
    ///
    /// So arguments with such an escape arrive as the malformed text that they are, and are refused as that.
    pub(super) fn content(self) -> Cow<'a, str> {
        if self.kind() != Kind::String {
            return Cow::Borrowed(self.text());
        }
        self.string()
            .or_else(|| {
                let kept = keep_lone_surrogates(self.text());
                serde_json::from_str(&kept).ok().map(Cow::Owned)
            })
            .unwrap_or(Cow::Borrowed(self.text()))
    }
}

/// Doubles the backslash of each escape that is half of a surrogate pair.
fn keep_lone_surrogates(literal: &str) -> String {
    let mut kept = String::with_capacity(literal.len() + 8);
    let mut rest = literal;
    while let Some((before, escape)) = rest.split_once('\\') {
        kept.push_str(before);
        let unit =
            |text: &str| text.strip_prefix('u')?.get(..4).and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let (extra, length) = match unit(escape) {
            Some(0xD800..=0xDBFF) => {
                let low = escape.get(5..).and_then(|next| unit(next.strip_prefix('\\')?));
                if matches!(low, Some(0xDC00..=0xDFFF)) { ("", 11) } else { ("\\", 5) }
            }
            Some(0xDC00..=0xDFFF) => ("\\", 5),
            Some(_) => ("", 5),
            None => ("", 1),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        kept.push_str(extra);
        kept.push('\\');
        kept.push_str(escape);
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// The entries of an object, in the order of the text.
#[derive(Debug, Clone)]
pub(super) struct Object<'a>(Vec<(Cow<'a, str>, Raw<'a>)>);

impl<'a> Object<'a> {
    /// The value of a key, the last one where it stands twice; `None` where there is none, or null.
    pub(super) fn get(&self, key: &str) -> Option<Raw<'a>> {
        let (_, value) = self.0.iter().rev().find(|(name, _)| name == key)?;
        (value.kind() != Kind::Null).then_some(*value)
    }

    /// The value of a key, where it is a string.
    pub(super) fn string(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.string()
    }

    /// The value of a key, where it is an object.
    pub(super) fn object(&self, key: &str) -> Option<Object<'a>> {
        self.get(key)?.object()
    }

    /// The value of a key, where it is an array.
    pub(super) fn array(&self, key: &str) -> Option<Vec<Raw<'a>>> {
        self.get(key)?.array()
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_ref())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    entries.push((Raw(key).content(), Raw(value)));
                }
                Ok(Object(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_surrogate_pair_stays_an_escape() {
        for (literal, content) in [
            (r#""a\ud83d\ude00b""#, "a😀b"),
            (r#""a\ud83db""#, r"a\ud83db"),
            (r#""\ude00\ud83d\ude00\ud83d""#, r"\ude00😀\ud83d"),
            (r#""\\ud83d \"\n\u0041\udc00""#, "\\ud83d \"\nA\\udc00"),
            (r#""\ud83d\ud83d\ude00é""#, r"\ud83d😀é"),
        ] {
            assert_eq!(Raw::read(literal).unwrap().content(), content, "{literal}");
        }
    }

    #[test]
    fn a_value_is_the_slice_that_it_was() {
        let text = r#" {"a" : {"n": 12345678901234567890123, "n":1.0 } , "\ud800":[ 1 ,2], "a": null } "#;
        let object = Raw::read(text).unwrap().object().unwrap();
        assert!(object.get("a").is_none(), "the last one counts");
        assert_eq!(object.keys().collect::<Vec<_>>(), ["a", r"\ud800", "a"]);
        let (_, first) = &object.0[0];
        assert_eq!(first.text(), r#"{"n": 12345678901234567890123, "n":1.0 }"#);
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{{\"deep\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        let object = Raw::read(&deep).unwrap().object().unwrap();
        assert_eq!(object.get("deep").unwrap().text().len(), 400_000);
    }
}
