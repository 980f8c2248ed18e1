//! What a projection changed, as data.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

/// What became of a part of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ChangeKind {
    /// It is not in the projection at all; it still holds at a call.
    Dropped,
    /// The projection accepts more there than the schema; the schema still holds at a call.
    Weakened,
    /// The projection does not offer everything there that the schema accepts.
    Narrowed,
    /// It is said in another way that means the same.
    Rewritten,
}

impl ChangeKind {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Weakened => "weakened",
            Self::Narrowed => "narrowed",
            Self::Rewritten => "rewritten",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReportRow {
    /// What became of it.
    pub kind: ChangeKind,
    /// JSON pointer of the place in the schema as it was, `""` for its root.
    pub pointer: String,
    /// The keyword, or what else it is about, such as `name`.
    pub what: Cow<'static, str>,
    /// Why, for a person.
    pub why: Cow<'static, str>,
}

impl fmt::Display for ReportRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the root" } else { &self.pointer };
        write!(formatter, "{} {} at {place}: {}", self.kind.as_str(), self.what, self.why)
    }
}

/// Everything that a projection changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ProjectionReport {
    rows: Vec<ReportRow>,
}

impl ProjectionReport {
    /// The changes, in the order of the schema.
    pub fn rows(&self) -> &[ReportRow] {
        &self.rows
    }

    /// Whether nothing was changed.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether there is a change of that kind.
    pub fn has(&self, kind: ChangeKind) -> bool {
        self.rows.iter().any(|row| row.kind == kind)
    }

    pub(super) fn add(
        &mut self,
        kind: ChangeKind,
        pointer: &str,
        what: impl Into<Cow<'static, str>>,
        why: impl Into<Cow<'static, str>>,
    ) {
        let row = ReportRow { kind, pointer: pointer.to_owned(), what: what.into(), why: why.into() };
        // A definition that is used in several places is told once.
        if !self.rows.contains(&row) {
            self.rows.push(row);
        }
    }
}
