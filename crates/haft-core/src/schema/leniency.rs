//! How far a check departs from JSON Schema's own verdict, and what it did to the arguments.

use serde::Serialize;

/// What happens to a property that the schema neither lists nor speaks about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownFields {
    /// It is refused: a misspelt or invented argument never vanishes silently.
    #[default]
    Refuse,
    /// The schema alone decides, so where it is silent the property is allowed.
    AsSchema,
}

/// The departures from JSON Schema's own verdict; all are on by default.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leniency {
    /// `null` for a declared property whose schema refuses null counts as left out, at any depth.
    pub null_as_absent: bool,
    /// What happens to properties that the schema does not list.
    pub unknown_fields: UnknownFields,
}

impl Default for Leniency {
    fn default() -> Self {
        Self { null_as_absent: true, unknown_fields: UnknownFields::Refuse }
    }
}

impl Leniency {
    /// JSON Schema's own verdict: nothing is dropped, added or refused beyond it.
    pub fn none() -> Self {
        Self { null_as_absent: false, unknown_fields: UnknownFields::AsSchema }
    }

    /// The same with `unknown_fields` set.
    #[must_use]
    pub fn with_unknown_fields(mut self, unknown_fields: UnknownFields) -> Self {
        self.unknown_fields = unknown_fields;
        self
    }

    /// The same with `null_as_absent` set.
    #[must_use]
    pub fn with_null_as_absent(mut self, null_as_absent: bool) -> Self {
        self.null_as_absent = null_as_absent;
        self
    }
}

/// A change that was made to the arguments so that they could be accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Repair {
    /// The rule that made it, such as `null`.
    pub rule: &'static str,
    /// JSON pointer of the value that was changed.
    pub path: String,
}

impl Repair {
    pub(crate) fn new(rule: &'static str, path: impl Into<String>) -> Self {
        Self { rule, path: path.into() }
    }
}
