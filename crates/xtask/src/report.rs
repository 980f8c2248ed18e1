//! How a check says what it found.

use crate::test::Skip;

/// The outcome of one check.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What to show in full; empty when all is well.
    pub(crate) failures: Vec<String>,
    /// One line for the summary: what was looked at.
    pub(crate) detail: String,
    /// How many tests passed and failed, where the check runs tests.
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// What was left out.
    pub(crate) skipped: Vec<Skip>,
}

impl Report {
    pub(crate) fn is_failure(&self) -> bool {
        !self.failures.is_empty()
    }
}
