//! OpenAI: a function of a chat completion, without strict mode.
//!
//! Rules: <https://platform.openai.com/docs/guides/function-calling>. Without strict mode nearly all of JSON Schema is
//! taken; what is refused shows only in errors: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/
//! 'not' at the top level", "object schema missing properties", "array schema missing items", "regex lookaround is not
//! supported".

use serde_json::Value;

use super::Made;
use super::error::Fault;
use super::keyword::is_known;
use super::plain::{Habit, Plain, Rules};
use super::report::ProjectionReport;
use super::root;

const RULES: Rules =
    Rules { knows: is_known, habits: &[Habit::Modern, Habit::ItemsAlways, Habit::NoLookAround] };

pub(super) fn schema(schema: &Value, report: &mut ProjectionReport) -> Result<Made, Fault> {
    varied(schema, RULES.habits, report)
}

/// The same with what one server wants written in another way.
pub(super) fn varied(
    schema: &Value,
    habits: &'static [Habit],
    report: &mut ProjectionReport,
) -> Result<Made, Fault> {
    let rules = Rules { habits, ..RULES };
    let mut plain = Plain::new(rules, schema, report);
    let mut made = root::object(&mut plain, schema)?;
    plain.define(&mut made);
    Ok(Made { value: Value::Object(made), ..Made::default() })
}
