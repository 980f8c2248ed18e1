//! JSON Schema's own verdict. The only place that sees the validator crate.

mod branch;
mod describe;
mod explain;
mod refuse;

use std::fmt;

use jsonschema::{PatternOptions, Uri, Validator};
use serde_json::Value;

use super::error::SchemaError;
use super::finding::Finding;
use super::plan::Plan;
use super::sound::is_plainly_sound;

/// Steps that a pattern may take on one text before it counts as not matching.
const MOST_BACKTRACKING: usize = 100_000;

/// Refuses what can not be compiled. What is plainly sound is not compiled to see that.
pub(super) fn refuse_unsound(schema: &Value) -> Result<(), SchemaError> {
    if is_plainly_sound(schema) { Ok(()) } else { Checker::compile(schema).map(drop) }
}

/// A compiled schema.
pub(super) struct Checker {
    validator: Validator,
}

impl fmt::Debug for Checker {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Checker")
    }
}

impl Checker {
    /// Compiles `schema`. Nothing is fetched, formats are not asserted.
    pub(super) fn compile(schema: &Value) -> Result<Self, SchemaError> {
        match options().build(schema) {
            Ok(validator) => Ok(Self { validator }),
            Err(error) => Err(refuse::refusal(schema, &error)),
        }
    }

    pub(super) fn accepts(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }

    /// What the schema has against `value`, unordered; empty when it accepts it.
    pub(super) fn findings(&self, schema: &Value, plan: &Plan, value: &Value) -> Vec<Finding> {
        if self.accepts(value) {
            return Vec::new();
        }
        let explainer = explain::Explainer { schema, plan, value };
        self.validator.iter_errors(value).flat_map(|error| explainer.findings(&error)).collect()
    }
}

fn options<'s>() -> jsonschema::ValidationOptions<'s> {
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKING))
}

/// Which of the subschemas at `pointers` accept the value given with them.
pub(super) fn accepted_at<'v>(schema: &Value, pairs: &[(String, &'v Value)]) -> Vec<bool> {
    let Ok(validators) = options().build_map(schema) else { return vec![false; pairs.len()] };
    let accepted = |(pointer, value): &(String, &'v Value)| {
        let fragment = format!("#{pointer}");
        validators.get(&fragment).is_some_and(|validator| validator.is_valid(value))
    };
    pairs.iter().map(accepted).collect()
}

/// A regular expression of `patternProperties`, as the validator reads it.
#[derive(Debug)]
pub(super) struct Pattern {
    checker: Option<Checker>,
}

impl Pattern {
    pub(super) fn new(pattern: &str) -> Self {
        let schema = serde_json::json!({"type": "string", "pattern": pattern});
        Self { checker: Checker::compile(&schema).ok() }
    }

    /// Whether it is a regular expression at all.
    pub(super) fn is_sound(&self) -> bool {
        self.checker.is_some()
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        self.checker.as_ref().is_some_and(|checker| checker.accepts(&Value::from(name)))
    }
}

/// `reference` resolved against `base`; `None` when one of them is no URI.
pub(super) fn resolve_uri(base: &str, reference: &str) -> Option<String> {
    let base = Uri::parse(base).ok()?;
    let resolved = jsonschema::uri::resolve_against(&base, reference).ok()?;
    Some(resolved.as_str().to_owned())
}
