//! Someone who answers while the turn runs.

use std::{fmt, future::Future, pin::Pin};

use crate::ask::{Answer, ApprovalDecision, ApprovalRequest, Question};

/// The future of an answer; `None` is "not now": the turn then suspends.
pub type AnswerFuture<'a, T> = Pin<Box<dyn Future<Output = Option<T>> + Send + 'a>>;

/// Someone who answers while the turn runs, in the same process: a terminal, a form, a test.
///
/// Without one, or where it does not answer, the turn suspends and is resumed with the answers.
///
/// ```
/// use haft_core::{AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest};
///
/// #[derive(Debug)]
/// struct SmallSums;
///
/// impl Answerer for SmallSums {
///     fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
///         Box::pin(async move { (request.tool == "tip").then_some(ApprovalDecision::Approve) })
///     }
/// }
/// ```
pub trait Answerer: fmt::Debug + Send + Sync {
    /// Decides on a call; not now unless implemented.
    fn approve<'a>(&'a self, _request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(std::future::ready(None))
    }

    /// Decides whether a call that was interrupted runs again, where its tool's contract is to ask; not now unless
    /// implemented, so that nobody who approves calls repeats one unawares.
    fn recover<'a>(&'a self, _request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(std::future::ready(None))
    }

    /// Answers a tool's question; not now unless implemented.
    fn answer<'a>(&'a self, _question: &'a Question) -> AnswerFuture<'a, Answer> {
        Box::pin(std::future::ready(None))
    }
}
