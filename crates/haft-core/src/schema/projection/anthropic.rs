//! Anthropic: a tool of a message.
//!
//! Rules: <https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview>. The schema is JSON Schema 2020-12 with an
//! object at its root. Refused, as errors show: "`input_schema` does not support oneOf, allOf, or anyOf at the top level", and
//! "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", which is checked at the root only.

use serde_json::Value;

use super::Made;
use super::error::Fault;
use super::keyword::is_known;
use super::plain::{Habit, Plain, Rules};
use super::rename;
use super::report::ProjectionReport;
use super::root;

const RULES: Rules = Rules { knows: is_known, habits: &[Habit::Modern] };

/// Most characters of an argument's name.
const LONGEST: usize = 64;

pub(super) fn schema(schema: &Value, report: &mut ProjectionReport) -> Result<Made, Fault> {
    let mut plain = Plain::new(RULES, schema, report);
    let mut made = root::object(&mut plain, schema)?;
    plain.define(&mut made);
    let allowed = |name: &str| {
        (1..=LONGEST).contains(&name.len())
            && name.bytes().all(|byte| is_plain(byte) || byte == b'.' || byte == b'-')
    };
    let renamed = rename::properties(&mut made, allowed, report);
    Ok(Made { value: Value::Object(made), renamed, ..Made::default() })
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
