//! Which schemas are plainly sound: the validator would compile them, and this is seen without it.
//!
//! The validator's own judgement of a schema takes a compiled meta-schema, which costs more time and memory than all else that
//! a small server does at its start. Nearly every schema of a tool is made of few keywords in their ordinary form, which a look
//! at each is enough for. What is not known here is not wrong: it is compiled.

mod keyword;
mod pattern;
mod reference;

use serde_json::Value;

/// What `$schema` may say: the dialects in which the known keywords mean the same, as far as soundness goes.
const DIALECTS: [&str; 4] = [
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2020-12/schema#",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-07/schema#",
];

/// Whether `schema` is plainly sound. Its nesting is bounded before.
pub(super) fn is_plainly_sound(schema: &Value) -> bool {
    let Value::Object(keywords) = schema else { return schema.is_boolean() };
    let speaks = match keywords.get("$schema") {
        None => true,
        Some(dialect) => dialect.as_str().is_some_and(|dialect| DIALECTS.contains(&dialect)),
    };
    let below = || keywords.iter().filter(|(keyword, _)| *keyword != "$schema");
    speaks && below().all(|(keyword, value)| keyword::is_sound(schema, keyword, value))
}

/// The same of a part of `root`.
fn is_part_sound(root: &Value, schema: &Value) -> bool {
    match schema {
        Value::Bool(_) => true,
        Value::Object(keywords) => {
            keywords.iter().all(|(keyword, value)| keyword::is_sound(root, keyword, value))
        }
        _ => false,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests read a data set and say so when they are skipped")]
mod tests;
