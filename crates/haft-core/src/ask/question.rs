//! A question of a tool, and its answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A question that a tool asks the user.
///
/// ```
/// use haft_core::Question;
///
/// let question = Question::new("Which branch?").option("main").option("next");
/// assert_eq!(question.options.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The question, for people.
    pub prompt: String,
    /// Answers to choose from; any text where there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl Question {
    /// A question that any text answers.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), options: Vec::new() }
    }

    /// Adds an answer to choose from.
    #[must_use]
    pub fn option(mut self, answer: impl Into<String>) -> Self {
        self.options.push(answer.into());
        self
    }

    /// Whether the answer is one that the question allows.
    pub(crate) fn allows(&self, answer: &Answer) -> bool {
        self.options.is_empty()
            || answer.as_text().is_some_and(|text| self.options.iter().any(|option| option == text))
    }
}

/// The answer to a question: text, or any JSON value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Answer(Value);

impl Answer {
    /// The answer as text, where it is text.
    pub fn as_text(&self) -> Option<&str> {
        self.0.as_str()
    }

    /// The answer as a value.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

impl<T: Into<Value>> From<T> for Answer {
    fn from(answer: T) -> Self {
        Self(answer.into())
    }
}
