//! A turn that waits, as the host sees it.

use std::sync::Arc;

use crate::{
    ask::{ApprovalRequest, Question},
    message::ToolCall,
    result::ToolResult,
};

/// What an answer has to be.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum PendingKind {
    /// An approval: [`ResumeBuilder::answer`](crate::ResumeBuilder::answer).
    Approval(ApprovalRequest),
    /// An answer to a question: [`ResumeBuilder::answer`](crate::ResumeBuilder::answer).
    Question(Question),
    /// The result of a tool that the client runs: [`ResumeBuilder::answer`](crate::ResumeBuilder::answer).
    External {
        /// The effective arguments, as canonical JSON text.
        arguments: String,
    },
    /// A decision on a call that was interrupted: approving runs it again.
    Recovery(ApprovalRequest),
}

/// One answer that a turn waits for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pending {
    /// What the answer has to name.
    pub id: String,
    /// The call that waits, as the model sent it.
    pub call: Arc<ToolCall>,
    /// What is waited for.
    pub kind: PendingKind,
}

/// A turn that waits for answers: resume it with [`Dispatcher::resume`](crate::Dispatcher::resume).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Waiting {
    /// The session; empty where none was named.
    pub session: String,
    /// The turn.
    pub turn: String,
    pub(crate) pending: Vec<Pending>,
    pub(crate) results: Vec<Option<ToolResult>>,
}

impl Waiting {
    /// What it waits for, in the model's order.
    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// The results that are there already, in the model's order.
    pub fn results(&self) -> &[Option<ToolResult>] {
        &self.results
    }
}
