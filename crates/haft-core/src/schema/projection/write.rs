//! What the writers of shapes share.

use serde_json::{Map, Value};

use super::reader::Assertion;
use super::report::{ChangeKind, ProjectionReport};
use super::shape::Shape;
use super::words;

/// A schema that is being written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) keywords: Map<String, Value>,
    /// What goes into the description.
    pub(super) rules: Vec<String>,
}

impl Written {
    pub(super) fn of_type(name: &str) -> Self {
        let mut written = Self::default();
        written.set("type", name.into());
        written
    }

    pub(super) fn set(&mut self, keyword: &str, value: Value) {
        self.keywords.insert(keyword.to_owned(), value);
    }

    /// Ends with the description: the shape's own, then the rules that the schema can not say.
    pub(super) fn end(mut self, description: Option<&str>) -> Value {
        let text = words::described(description, &self.rules);
        if !text.is_empty() {
            self.set("description", text.into());
        }
        Value::Object(self.keywords)
    }
}

/// Leaves a bound to the description.
pub(super) fn tell_bound(
    written: &mut Written,
    bound: &Assertion<'_>,
    why: &'static str,
    report: &mut ProjectionReport,
) {
    report.add(ChangeKind::Dropped, &bound.pointer, bound.keyword.to_owned(), why);
    if bound.value != &Value::Bool(false) {
        written.rules.push(words::bound(bound.keyword, bound.value));
    }
}

/// Leaves the conditions and rules of a shape to the description.
pub(super) fn tell_rest(
    written: &mut Written,
    shape: &Shape<'_>,
    why: &'static str,
    report: &mut ProjectionReport,
) {
    for condition in &shape.conditions {
        report.add(ChangeKind::Dropped, &condition.pointer, condition.keyword.to_owned(), why);
        written.rules.push(words::condition(condition.keyword, condition.value));
    }
    written.rules.extend(shape.rules.iter().cloned());
}

/// Leaves a default to the description; a default of null says nothing.
pub(super) fn tell_default(written: &mut Written, shape: &Shape<'_>) {
    if let Some(default) = shape.default.filter(|default| !default.is_null()) {
        written.rules.push(words::bound("default", default));
    }
}
