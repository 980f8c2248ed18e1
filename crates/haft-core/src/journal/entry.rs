//! The entries of a journal, as they are written: versioned, one JSON object each.

use serde::{Deserialize, Serialize};

use crate::journal::RecordedResult;

/// The version that is written now.
pub(crate) const VERSION: u16 = 1;

/// One entry: `{"v","session","turn","at","entry":{"type","data"}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the wire's name")]
#[non_exhaustive]
pub struct Entry {
    /// The version of the form.
    pub v: u16,
    /// The session; empty where none was named.
    pub session: String,
    /// The turn.
    pub turn: String,
    /// Milliseconds since 1970 by the host's clock.
    pub at: Option<u64>,
    /// What is recorded.
    pub entry: EntryBody,
}

impl Entry {
    /// An entry of the present version.
    pub fn new(
        session: impl Into<String>,
        turn: impl Into<String>,
        at: Option<u64>,
        entry: EntryBody,
    ) -> Self {
        Self { v: VERSION, session: session.into(), turn: turn.into(), at, entry }
    }
}

/// A call as it came, by its place in the model's message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallEntry {
    /// The model's id.
    pub id: String,
    /// The name that the model called.
    pub name: String,
    /// The raw text of the arguments, byte for byte.
    pub arguments: String,
}

/// What was decided on a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// It may run.
    Allow,
    /// It may not.
    Deny,
    /// Somebody is asked.
    Ask,
}

/// What a suspended call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Asked {
    /// A person's approval.
    Approval,
    /// An answer to a question of the tool.
    Question,
    /// The result of a tool that the client runs.
    External,
    /// A decision on a call that was interrupted.
    Recovery,
}

/// What is recorded. `position` is a call's place in the model's message, from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryBody {
    /// The turn begins: all its calls, as they came.
    TurnOpened {
        /// The calls, in the model's order.
        calls: Vec<CallEntry>,
    },
    /// A call's arguments match.
    CallAccepted {
        /// The call.
        position: usize,
        /// The tool's own name.
        tool: String,
        /// The effective arguments, as canonical JSON text.
        arguments: String,
        /// The digest of the tool's definition.
        definition: String,
    },
    /// It was decided on a call.
    CallDecided {
        /// The call.
        position: usize,
        /// What was decided.
        verdict: Verdict,
        /// Why.
        rule: Option<String>,
    },
    /// A person is asked for approval.
    ApprovalRequested {
        /// The call.
        position: usize,
        /// What the answer has to name.
        id: String,
    },
    /// The approval was answered.
    ApprovalResolved {
        /// The call.
        position: usize,
        /// What the answer named.
        id: String,
        /// `approve`, `reject` or `edit`.
        decision: String,
        /// A person's note.
        note: Option<String>,
        /// The arguments that a person put in place, as canonical JSON text.
        arguments: Option<String>,
    },
    /// The function is about to run.
    CallStarted {
        /// The call.
        position: usize,
        /// Which attempt, from 1.
        attempt: u32,
    },
    /// A tool asks a question.
    QuestionAsked {
        /// The call.
        position: usize,
        /// What the answer has to name; it covers the question's text.
        id: String,
        /// The question.
        question: crate::Question,
    },
    /// The question was answered.
    QuestionAnswered {
        /// The call.
        position: usize,
        /// What the answer named.
        id: String,
        /// The answer.
        answer: crate::Answer,
    },
    /// A call waits, and holds nothing but its place.
    CallSuspended {
        /// The call.
        position: usize,
        /// What for.
        waits_for: Asked,
        /// What the answer has to name.
        id: String,
    },
    /// A call has its result.
    CallFinished {
        /// The call.
        position: usize,
        /// Its result.
        result: Box<RecordedResult>,
    },
    /// Every call has its result.
    TurnClosed,
}
