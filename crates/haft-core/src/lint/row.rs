//! What was found, as data.

use serde::{Serialize, Serializer};

use super::{Lint, LintLevel};
use crate::schema::Target;

/// What is to be said about tools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LintReport {
    /// How many tools were looked at.
    pub tools: usize,
    /// One row a tool, provider and lint.
    pub rows: Vec<LintRow>,
}

impl LintReport {
    /// Whether some provider would refuse a tool.
    pub fn is_refused(&self) -> bool {
        self.rows.iter().any(|row| row.level == LintLevel::Refused)
    }
}

/// One thing to mend.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LintRow {
    /// The tool.
    pub tool: String,
    /// The provider that it is about, written `any` where it is about all.
    #[serde(serialize_with = "provider")]
    pub provider: Option<Target>,
    /// What kind it is.
    pub lint: Lint,
    /// How much it weighs.
    pub level: LintLevel,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub mend: &'static str,
    /// JSON pointers of the places in the input schema; empty where it is about the tool as a whole.
    pub places: Vec<String>,
}

impl LintRow {
    /// A row about a tool as a whole, for all providers.
    pub(super) fn new(tool: impl Into<String>, lint: Lint, message: impl Into<String>) -> Self {
        Self {
            tool: tool.into(),
            provider: None,
            lint,
            level: lint.level(),
            message: message.into(),
            mend: lint.mend(),
            places: Vec::new(),
        }
    }

    pub(super) fn of(mut self, provider: Target) -> Self {
        self.provider = Some(provider);
        self
    }

    pub(super) fn at(mut self, places: Vec<String>) -> Self {
        self.places = places;
        self
    }
}

#[expect(clippy::ref_option, clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn provider<S: Serializer>(provider: &Option<Target>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(provider.map_or("any", Target::name))
}
