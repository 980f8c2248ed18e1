//! A question of a tool, and its answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::schema::OutputSchema;

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
    /// JSON Schema of the answer, where it is more than a text: a form asks for an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// What programs call the question: protocols that show several questions at once tell them apart by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Question {
    /// A question that any text answers.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), options: Vec::new(), schema: None, name: None }
    }

    /// Adds an answer to choose from.
    #[must_use]
    pub fn option(mut self, answer: impl Into<String>) -> Self {
        self.options.push(answer.into());
        self
    }

    /// Gives the question a name for programs, which is unique among the questions of its call.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Says what the answer has to look like.
    ///
    /// ```
    /// use haft_core::Question;
    /// use serde_json::json;
    ///
    /// let question = Question::new("Where to?").schema(json!({
    ///     "type": "object",
    ///     "properties": {"city": {"type": "string"}},
    ///     "required": ["city"],
    /// }));
    /// assert!(question.problem(&json!({"city": "Oslo"}).into()).is_none());
    /// assert_eq!(question.problem(&json!({}).into()).as_deref(), Some("missing field `city`: expected string"));
    /// ```
    #[must_use]
    pub fn schema(mut self, schema: Value) -> Self {
        self.schema = Some(schema);
        self
    }

    /// Why an answer is none that the question allows; none where it is one.
    pub fn problem(&self, answer: &Answer) -> Option<String> {
        let chosen = |text| self.options.iter().any(|option| option == text);
        if !self.options.is_empty() && !answer.as_text().is_some_and(chosen) {
            return Some(format!("one of {} is expected", self.options.join(", ")));
        }
        let issues = match OutputSchema::new(self.schema.clone()?) {
            Ok(schema) => schema.check(answer.as_value()),
            Err(error) => return Some(format!("no answer can be checked: {error}")),
        };
        let told: Vec<String> = issues.into_iter().map(|issue| issue.message).collect();
        (!told.is_empty()).then(|| told.join("; "))
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
