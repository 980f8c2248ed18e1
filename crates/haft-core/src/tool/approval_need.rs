//! When a tool itself wants a person to approve its calls.

use std::{fmt, sync::Arc};

use serde_json::Value;

/// When a person has to approve a call.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum ApprovalNeed {
    /// Never, as far as the tool itself is concerned.
    #[default]
    Never,
    /// Always.
    Always,
    /// Where a predicate of the effective arguments says so; one that panics fails the call.
    When(Arc<dyn Fn(&Value) -> bool + Send + Sync>),
}

impl fmt::Debug for ApprovalNeed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Never => "Never",
            Self::Always => "Always",
            Self::When(_) => "When(…)",
        })
    }
}
