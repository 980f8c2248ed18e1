//! What an error carries out of a function that has to wait.

use crate::{
    ask::{Answer, Question, approval::short},
    journal::Asked,
    schema::Digest,
};

/// A call that waits for an answer.
#[derive(Debug, Clone)]
pub(crate) struct Suspension {
    pub(crate) waits_for: Asked,
    pub(crate) id: String,
    pub(crate) question: Option<Question>,
    /// What the function has asked before in this run, and was answered at once.
    pub(crate) answered: Vec<Answered>,
}

/// A question that was answered at once.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) id: String,
    pub(crate) question: Question,
    pub(crate) answer: Answer,
}

impl Suspension {
    /// For the `number`-th question of a call; its id covers the question's text.
    pub(crate) fn question(key: &Digest, number: usize, question: Question) -> Self {
        let text = serde_json::to_string(&question).unwrap_or_default();
        let id =
            format!("qst_{}", short(&Digest::of("question", [key.to_string(), number.to_string(), text])));
        Self { waits_for: Asked::Question, id, question: Some(question), answered: Vec::new() }
    }

    /// For the result of a tool that the client runs.
    pub(crate) fn external(key: &Digest) -> Self {
        let id = format!("ext_{}", short(&Digest::of("external", [key.to_string()])));
        Self { waits_for: Asked::External, id, question: None, answered: Vec::new() }
    }
}
