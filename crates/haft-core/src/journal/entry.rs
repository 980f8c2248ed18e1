//! The entries of a journal, as they are written: versioned, one JSON object each.

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::value::RawValue;

use crate::{journal::RecordedResult, schema::Repair};

/// The version that is written now.
pub(crate) const VERSION: u16 = 1;

/// One entry: `{"v","session","turn","at","entry":{"type","data"}}`.
///
/// It is read from JSON alone. What a journal does not know of an entry it need not know: one of another version reads
/// as [`EntryBody::Unreadable`], and a turn with one is not taken up.
///
/// ```
/// use haft_core::{Entry, EntryBody};
///
/// let line = r#"{"v":1,"session":"s-1","turn":"t-1","at":null,"entry":{"type":"turn_closed"}}"#;
/// let entry: Entry = serde_json::from_str(line).unwrap();
/// assert_eq!(entry.entry, EntryBody::TurnClosed);
/// assert_eq!(serde_json::to_string(&entry).unwrap(), line);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
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

    /// Whether this version of haft knows what the entry says.
    pub(crate) fn is_readable(&self) -> bool {
        self.v == VERSION && self.entry != EntryBody::Unreadable
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members in any order, as a database may give them back.
        #[derive(Deserialize)]
        struct Frame {
            v: u16,
            session: String,
            turn: String,
            #[serde(default)]
            at: Option<u64>,
            entry: Box<RawValue>,
        }
        #[derive(Deserialize)]
        struct Tagged {
            r#type: String,
            #[serde(default)]
            data: Option<Box<RawValue>>,
        }

        let Frame { v, session, turn, at, entry } = Frame::deserialize(deserializer)?;
        if v != VERSION {
            return Ok(Self { v, session, turn, at, entry: EntryBody::Unreadable });
        }
        let Tagged { r#type, data } = serde_json::from_str(entry.get()).map_err(D::Error::custom)?;
        // The kind goes before its data: serde would otherwise keep the data in a form that loses numbers.
        let name = serde_json::to_string(&r#type).map_err(D::Error::custom)?;
        let text = match data {
            Some(data) => format!(r#"{{"type":{name},"data":{data}}}"#),
            None => format!(r#"{{"type":{name}}}"#),
        };
        let entry = serde_json::from_str(&text).map_err(D::Error::custom)?;
        Ok(Self { v, session, turn, at, entry })
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
        /// What was changed about the call before it was accepted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repaired: Vec<Repair>,
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
        /// The arguments that a person put in place, as JSON text.
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
    /// What another version of haft has recorded, of which no more is known. It is read, and never written.
    #[serde(skip)]
    Unreadable,
}

impl EntryBody {
    /// The name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::TurnOpened { .. } => "turn_opened",
            Self::CallAccepted { .. } => "call_accepted",
            Self::CallDecided { .. } => "call_decided",
            Self::ApprovalRequested { .. } => "approval_requested",
            Self::ApprovalResolved { .. } => "approval_resolved",
            Self::CallStarted { .. } => "call_started",
            Self::QuestionAsked { .. } => "question_asked",
            Self::QuestionAnswered { .. } => "question_answered",
            Self::CallSuspended { .. } => "call_suspended",
            Self::CallFinished { .. } => "call_finished",
            Self::TurnClosed => "turn_closed",
            Self::Unreadable => "unreadable",
        }
    }
}
