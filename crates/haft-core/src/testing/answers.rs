//! Answers from a list, and a record of what was asked.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    ask::{
        Answer, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Pending, PendingKind, Question,
    },
    dispatch::Reply,
    tool::ToolOutput,
};

/// Answers from a list; each entry answers once, and what has none is not answered. A clone is the same list.
///
/// Approvals, decisions on interrupted calls and results of external tools are found by the name of the tool or the id
/// of the call; answers to questions by the question's text.
///
/// As [`Answerer`] of a dispatcher it answers while a turn runs; in a [`Script`](super::Script) after the turn has
/// suspended, as a person does who comes later.
///
/// ```
/// use haft_core::{ApprovalDecision, testing::Answers};
///
/// let answers = Answers::new()
///     .approve("pay")
///     .decide("call_2", ApprovalDecision::reject("too much"))
///     .answer("Which branch?", "main");
/// assert_eq!(answers.unused().len(), 3);
/// ```
#[derive(Clone, Default)]
pub struct Answers(Arc<Mutex<List>>);

#[derive(Debug, Clone, Default)]
struct List {
    rules: Vec<Rule>,
    approvals: Vec<ApprovalRequest>,
    questions: Vec<Question>,
    rejects_recovery: bool,
}

#[derive(Debug, Clone)]
struct Rule {
    asked: Asked,
    /// A tool, a call or a question.
    of: String,
    reply: Reply,
    used: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Approval,
    Recovery,
    Question,
    External,
}

impl Answers {
    /// A list that answers nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Approves one call of a tool, or the call of that id.
    #[must_use]
    pub fn approve(self, of: impl Into<String>) -> Self {
        self.decide(of, ApprovalDecision::Approve)
    }

    /// Decides on one call of a tool, or on the call of that id.
    #[must_use]
    pub fn decide(self, of: impl Into<String>, decision: ApprovalDecision) -> Self {
        self.with(Asked::Approval, of.into(), decision.into())
    }

    /// Decides on one interrupted call of a tool, or on the interrupted call of that id: approving runs it again.
    #[must_use]
    pub fn recover(self, of: impl Into<String>, decision: ApprovalDecision) -> Self {
        self.with(Asked::Recovery, of.into(), decision.into())
    }

    /// Answers one question.
    #[must_use]
    pub fn answer(self, prompt: impl Into<String>, answer: impl Into<Answer>) -> Self {
        self.with(Asked::Question, prompt.into(), Reply::Answer(answer.into()))
    }

    /// Gives the result of one call of an external tool, or of the call of that id.
    #[must_use]
    pub fn result(self, of: impl Into<String>, output: ToolOutput) -> Self {
        self.with(Asked::External, of.into(), output.into())
    }

    /// The approvals that were asked for, in order.
    pub fn approvals(&self) -> Vec<ApprovalRequest> {
        self.lock().approvals.clone()
    }

    /// The questions that were asked, in order.
    pub fn questions(&self) -> Vec<Question> {
        self.lock().questions.clone()
    }

    /// The tools, calls and questions whose answers nobody has asked for yet.
    pub fn unused(&self) -> Vec<String> {
        self.lock().rules.iter().filter(|rule| !rule.used).map(|rule| rule.of.clone()).collect()
    }

    /// The same list as it was at first.
    pub(super) fn fresh(&self) -> Self {
        let rules = self.lock().rules.iter().map(|rule| Rule { used: false, ..rule.clone() }).collect();
        Self(Arc::new(Mutex::new(List { rules, ..List::default() })))
    }

    /// Rejects every interrupted call that the list says nothing about.
    pub(super) fn rejecting_recovery(self) -> Self {
        self.lock().rejects_recovery = true;
        self
    }

    /// The reply to what a suspended turn waits for.
    pub(super) fn reply(&self, pending: &Pending) -> Option<Reply> {
        let names = [pending.call.id.as_str(), pending.call.name.as_str()];
        match &pending.kind {
            PendingKind::Approval(request) => self.approval(Asked::Approval, request),
            PendingKind::Recovery(request) => self.approval(Asked::Recovery, request),
            PendingKind::Question(question) => self.question(question),
            PendingKind::External { .. } => self.take(Asked::External, &names),
        }
    }

    fn approval(&self, asked: Asked, request: &ApprovalRequest) -> Option<Reply> {
        self.lock().approvals.push(request.clone());
        let reply = self.take(asked, &[&request.tool_call_id, &request.tool]);
        let rejects = asked == Asked::Recovery && self.lock().rejects_recovery;
        reply.or_else(|| rejects.then(|| ApprovalDecision::Reject { note: None }.into()))
    }

    fn decision(&self, asked: Asked, request: &ApprovalRequest) -> Option<ApprovalDecision> {
        match self.approval(asked, request) {
            Some(Reply::Decision(decision)) => Some(decision),
            _ => None,
        }
    }

    fn question(&self, question: &Question) -> Option<Reply> {
        self.lock().questions.push(question.clone());
        self.take(Asked::Question, &[&question.prompt])
    }

    fn with(self, asked: Asked, of: String, reply: Reply) -> Self {
        self.lock().rules.push(Rule { asked, of, reply, used: false });
        self
    }

    fn take(&self, asked: Asked, names: &[&str]) -> Option<Reply> {
        let mut list = self.lock();
        let fits = |rule: &&mut Rule| !rule.used && rule.asked == asked && names.contains(&rule.of.as_str());
        let rule = list.rules.iter_mut().find(fits)?;
        rule.used = true;
        Some(rule.reply.clone())
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Answerer for Answers {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(std::future::ready(self.decision(Asked::Approval, request)))
    }

    fn recover<'a>(&'a self, request: &'a ApprovalRequest) -> AnswerFuture<'a, ApprovalDecision> {
        Box::pin(std::future::ready(self.decision(Asked::Recovery, request)))
    }

    fn answer<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a, Answer> {
        let answer = match self.question(question) {
            Some(Reply::Answer(answer)) => Some(answer),
            _ => None,
        };
        Box::pin(std::future::ready(answer))
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Answers").field("unused", &self.unused()).finish_non_exhaustive()
    }
}
