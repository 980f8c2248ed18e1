//! Several messages of JSON-RPC in one, as revision 2025-03-26 of MCP has them.

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error as _, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

/// How many messages a batch can have: a line of the longest kind could hold millions.
const MOST: usize = 1_000;

/// The messages of a batch, as they were written.
pub(crate) struct Batch<'a>(pub(crate) Vec<&'a RawValue>);

impl<'de> Deserialize<'de> for Batch<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Messages)
    }
}

struct Messages;

impl<'de> Visitor<'de> for Messages {
    type Value = Batch<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "at most {MOST} messages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Batch<'de>, A::Error> {
        let mut messages = Vec::new();
        while let Some(message) = list.next_element::<&RawValue>()? {
            if messages.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            messages.push(message);
        }
        Ok(Batch(messages))
    }
}

#[cfg(test)]
mod tests {
    use super::Batch;

    #[test]
    fn a_batch_is_bounded() {
        let count = |messages: usize| {
            let text = format!("[{}{{}}]", "0,".repeat(messages - 1));
            serde_json::from_str::<Batch<'_>>(&text).ok().map(|Batch(messages)| messages.len())
        };
        assert_eq!((count(1), count(1_000), count(1_001)), (Some(1), Some(1_000), None));
    }
}
