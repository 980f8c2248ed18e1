//! The fields of a line that say what is called, as they were written.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::text;

/// Where other formats put the arguments.
const STRAY: [&str; 3] = ["args", "input", "parameters"];

/// What is read of a line; other fields do not matter.
#[derive(Debug, Default)]
pub(super) struct Fields<'line> {
    /// The name, unless it is null.
    pub(super) name: Option<&'line RawValue>,
    /// The arguments, unless they are null.
    pub(super) arguments: Option<&'line RawValue>,
    /// A key that stands for `arguments` elsewhere: a call with it alone is not what was meant.
    pub(super) stray: Option<&'static str>,
    /// Whether the name stands twice; then it is the last one.
    pub(super) repeats_name: bool,
    /// Whether the arguments stand twice; then they are the last ones.
    pub(super) repeats_arguments: bool,
}

/// The fields while they are read, with what has been seen.
#[derive(Default)]
struct Entries<'line> {
    fields: Fields<'line>,
    has_name: bool,
    has_arguments: bool,
}

impl<'line> Entries<'line> {
    fn put(&mut self, key: &str, value: &'line RawValue) {
        let present = (value.get() != "null").then_some(value);
        let fields = &mut self.fields;
        match key {
            "name" => {
                fields.repeats_name |= self.has_name;
                (fields.name, self.has_name) = (present, true);
            }
            "arguments" => {
                fields.repeats_arguments |= self.has_arguments;
                (fields.arguments, self.has_arguments) = (present, true);
            }
            _ => {
                let stray = STRAY.into_iter().find(|stray| *stray == key && present.is_some());
                fields.stray = fields.stray.or(stray);
            }
        }
    }
}

impl<'de: 'line, 'line> Deserialize<'de> for Fields<'line> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries::default())
    }
}

impl<'de> Visitor<'de> for Entries<'de> {
    type Value = Fields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Fields<'de>, A::Error> {
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            self.put(&text::read(key.get()).map_err(A::Error::custom)?, value);
        }
        Ok(self.fields)
    }
}
