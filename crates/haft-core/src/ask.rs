//! Questions and approvals: what a turn waits for, and who answers.

mod answerer;
mod approval;
mod pending;
mod question;
mod suspension;

pub use answerer::{AnswerFuture, Answerer};
pub use approval::{ApprovalDecision, ApprovalRequest};
pub use pending::{Pending, PendingKind, Waiting};
pub use question::{Answer, Question};
pub(crate) use suspension::{Answered, Suspension};
