//! Approvals: a single-use answer that covers all that was shown.

use serde::Serialize;

use crate::schema::{Digest, Repair};

/// What a person is asked to approve. Its id covers all that will run, and where: an answer is for just this call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// What the answer has to name: a digest of what stands below, up to the version of the rules.
    pub id: String,
    /// The tool's name.
    pub tool: String,
    /// The digest of the tool's definition.
    pub definition: String,
    /// The effective arguments, as canonical JSON text: what will run.
    pub arguments: String,
    /// The session; empty where none was named.
    pub session: String,
    /// The turn.
    pub turn: String,
    /// The model's id for the call.
    pub tool_call_id: String,
    /// The version of the rules that asked.
    pub policy_version: String,
    /// Why it is asked, for people.
    pub reason: String,
    /// What was changed about the model's call before it was accepted; a person may want to know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<Repair>,
}

impl ApprovalRequest {
    /// Fills in the id.
    ///
    /// `place` tells apart the questions about one call: the first one, and one for each interrupted attempt.
    pub(crate) fn identified(mut self, place: &str) -> Self {
        let covered = [
            self.tool.as_str(),
            &self.definition,
            &self.arguments,
            &self.session,
            &self.turn,
            place,
            &self.tool_call_id,
            &self.policy_version,
        ];
        self.id = format!("apr_{}", short(&Digest::of("approval", covered)));
        self
    }
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalDecision {
    /// The call runs as it was shown.
    Approve,
    /// The call does not run.
    Reject {
        /// What the model is told.
        note: Option<String>,
    },
    /// The call runs with other arguments: they are checked again, and the model is told.
    Edit {
        /// The arguments, as JSON text.
        arguments: String,
    },
}

impl ApprovalDecision {
    /// A rejection with a note for the model.
    pub fn reject(note: impl Into<String>) -> Self {
        Self::Reject { note: Some(note.into()) }
    }

    /// Reads a recorded decision back; one that is not known counts as a rejection.
    pub(crate) fn restore(name: &str, note: Option<String>, arguments: Option<String>) -> Self {
        match (name, arguments) {
            ("approve", _) => Self::Approve,
            ("edit", Some(arguments)) => Self::Edit { arguments },
            _ => Self::Reject { note },
        }
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject { .. } => "reject",
            Self::Edit { .. } => "edit",
        }
    }
}

/// The first 32 hex digits of a digest: enough to name one thing among all.
pub(super) fn short(digest: &Digest) -> String {
    digest.to_string().chars().take(32).collect()
}
