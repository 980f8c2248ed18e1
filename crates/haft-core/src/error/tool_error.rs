//! The error that a tool returns: a value for the model, not an exception.

use std::{any::type_name, borrow::Cow, error::Error, fmt, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    ask::Suspension,
    error::{ErrorCode, ToolErrorKind},
    refusal::Refusal,
    schema::Issue,
};

/// What is known about the effects of a call that did not end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Effects {
    /// Nothing was changed.
    None,
    /// The call may have changed something before it was stopped.
    Unknown,
}

/// How a call failed: a kind, a message for the model, and what belongs to the kind.
///
/// It deliberately does not implement [`std::error::Error`], so that `?` turns any error into one:
///
/// ```
/// use haft_core::ToolError;
///
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     Ok(text.parse::<u32>()?)
/// }
///
/// let error = parse("seven").unwrap_err();
/// assert_eq!(error.name(), "ParseIntError");
/// assert_eq!(error.kind().as_str(), "execution");
/// ```
pub struct ToolError(Box<Inner>);

#[derive(Default)]
pub(crate) struct Details {
    pub(crate) issues: Option<Vec<Issue>>,
    pub(crate) fields: Option<Vec<String>>,
    pub(crate) reason: Option<Cow<'static, str>>,
    pub(crate) recoverable: Option<bool>,
    pub(crate) note: Option<String>,
    pub(crate) effects: Option<Effects>,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) more: Option<usize>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) retryable: Option<bool>,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) further: Vec<(String, Value)>,
    pub(crate) metadata: Option<Map<String, Value>>,
}

struct Inner {
    code: ErrorCode,
    name: Option<Cow<'static, str>>,
    message: String,
    details: Details,
    source: Option<Box<dyn Error + Send + Sync>>,
    propagates: bool,
    suspension: Option<Box<Suspension>>,
}

impl ToolError {
    /// A failure of kind `execution` with a message for the model.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(ErrorCode::Execution, message)
    }

    /// A failure of any row of the table.
    pub fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            code,
            name: None,
            message: message.into(),
            details: Details::default(),
            source: None,
            propagates: false,
            suspension: None,
        }))
    }

    /// What a function finds wrong with one of its arguments that the schema can not say: kind `validation`, with an
    /// issue, as if the schema had refused it.
    ///
    /// ```
    /// use haft_core::ToolError;
    ///
    /// let error = ToolError::argument("date", "a day of the calendar", "2023-02-29", "February 2023 has 28 days");
    /// assert_eq!(error.code().number(), 1001);
    /// assert_eq!(error.message(), "date: February 2023 has 28 days");
    /// assert_eq!(error.issues()[0].path, "/date");
    /// ```
    pub fn argument(
        field: &str,
        expected: impl Into<String>,
        got: impl Into<Value>,
        message: impl Into<String>,
    ) -> Self {
        let issue = Issue::refused(field, expected, &got.into(), message);
        Self::of(ErrorCode::Arguments, issue.message.clone())
            .detail(|details| details.issues = Some(vec![issue]))
    }

    /// A refusal with advice: a code of the host's own (`[a-z][a-z0-9-]*`), and what to do instead.
    ///
    /// Characters that a code may not have become `-`; an empty code becomes `refused`.
    ///
    /// ```
    /// use haft_core::ToolError;
    ///
    /// let error = ToolError::refusal("stale-revision", "The note has moved on.").row(["revision", "8"]);
    /// assert_eq!(error.refused().unwrap().body(), "refused\tstale-revision\tThe note has moved on.\nrevision\t8");
    /// ```
    pub fn refusal(code: &str, message: impl AsRef<str>) -> Self {
        Self::from_refusal(Refusal::lenient(code, message.as_ref()))
    }

    /// A failure from a [`Refusal`] that was made before.
    pub fn from_refusal(refusal: Refusal) -> Self {
        let mut error = Self::new(refusal.message());
        error.0.name = Some(Cow::Borrowed("ToolRefusal"));
        error.0.details.refusal = Some(refusal);
        error
    }

    /// A failure from a boxed error, such as `anyhow` makes; named `ToolExecutionError`.
    pub fn from_boxed(error: Box<dyn Error + Send + Sync>) -> Self {
        let error = match error.downcast::<Carried>() {
            Ok(carried) => return carried.0,
            Err(error) => error,
        };
        let mut made = Self::new(error.to_string());
        made.0.source = Some(error);
        made
    }

    /// Adds a row of advice to a refusal; on other errors it does nothing.
    #[must_use]
    pub fn row<I>(mut self, fields: I) -> Self
    where
        I: IntoIterator,
        I::Item: AsRef<str>,
    {
        if let Some(refusal) = self.0.details.refusal.as_mut() {
            refusal.push_row(fields);
        }
        self
    }

    /// Chooses the kind; `error` takes the name of that kind unless one was chosen.
    #[must_use]
    pub fn with_kind(mut self, kind: ToolErrorKind) -> Self {
        // What aborts the run is sealed as `execution`.
        if !self.0.propagates {
            self.0.code = ErrorCode::of_kind(kind);
        }
        self
    }

    /// Chooses the name that stands in `error`.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.name = Some(name.into());
        self
    }

    /// Says whether the same call may succeed when it is tried again.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.0.details.retryable = Some(retryable);
        self
    }

    /// Says how long to wait before the next try, and that a next try makes sense.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.0.details.retryable = Some(true);
        self.0.details.retry_after = Some(wait);
        self
    }

    /// Says what is known about effects, for kinds `timeout`, `cancelled` and `interrupted`.
    #[must_use]
    pub fn with_effects(mut self, effects: Effects) -> Self {
        self.0.details.effects = Some(effects);
        self
    }

    /// Says why a rule refused the call, for kind `denied`.
    #[must_use]
    pub fn with_reason(mut self, reason: impl Into<Cow<'static, str>>) -> Self {
        self.0.details.reason = Some(reason.into());
        self
    }

    /// Says whether a refused call can still be mended, for kind `denied`.
    #[must_use]
    pub fn recoverable(mut self, recoverable: bool) -> Self {
        self.0.details.recoverable = Some(recoverable);
        self
    }

    /// Adds what a person said who refused the call, for kind `rejected`.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.0.details.note = Some(note.into());
        self
    }

    /// Adds a field of one's own to the body, after those of haft; a name of haft's own is left out.
    #[must_use]
    pub fn with_field(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.details.further.push((name.into(), value.into()));
        self
    }

    /// Adds metadata for the host, which stands in no body, so that no model sees it.
    ///
    /// ```
    /// use haft_core::{ErrorBody, ToolError};
    ///
    /// let error = ToolError::new("the page did not load").with_metadata("screenshot", "iVBORw0KGgo…");
    /// assert!(!ErrorBody::new("browse", &error).to_json().contains("iVBOR"));
    /// assert_eq!(error.metadata().unwrap()["screenshot"], "iVBORw0KGgo…");
    /// ```
    #[must_use]
    pub fn with_metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.details.metadata.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// The metadata for the host.
    pub fn metadata(&self) -> Option<&Map<String, Value>> {
        self.0.details.metadata.as_ref()
    }

    /// Makes the error abort the whole run instead of being a mere result.
    ///
    /// The call that raised it is sealed with kind `execution`, calls that run come to their end, the others
    /// are `not-run`, and the turn ends in [`TurnError::Aborted`](crate::TurnError::Aborted) with all results.
    #[must_use]
    pub fn propagate(mut self) -> Self {
        self.0.code = ErrorCode::Execution;
        self.0.propagates = true;
        self
    }

    /// Whether the error says that the same call may succeed when it is tried again.
    pub fn is_retryable(&self) -> bool {
        self.0.details.retryable == Some(true)
    }

    /// How long to wait before the next try, where the error says so.
    pub fn wait_before_retry(&self) -> Option<Duration> {
        self.0.details.retry_after
    }

    /// The row of the table.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The kind: what the model and the host decide by.
    pub fn kind(&self) -> ToolErrorKind {
        self.0.code.kind()
    }

    /// The name in `error`.
    pub fn name(&self) -> &str {
        self.0.name.as_deref().unwrap_or(self.0.code.error_name())
    }

    /// The message, whole; the body carries its first 2,000 characters.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What did not match, for kinds `validation` and `output`.
    pub fn issues(&self) -> &[Issue] {
        self.0.details.issues.as_deref().unwrap_or_default()
    }

    /// What is known about effects, for kinds `timeout`, `cancelled` and `interrupted`.
    pub fn effects(&self) -> Option<Effects> {
        self.0.details.effects
    }

    /// The refusal, when the tool made one.
    pub fn refused(&self) -> Option<&Refusal> {
        self.0.details.refusal.as_ref()
    }

    /// The error that caused this one, for the host's logs; the model never sees it.
    pub fn source(&self) -> Option<&(dyn Error + Send + Sync + 'static)> {
        self.0.source.as_deref()
    }

    /// Whether the error aborts the run.
    pub fn propagates(&self) -> bool {
        self.0.propagates
    }

    /// What carries a suspension out of a function.
    pub(crate) fn suspend(suspension: Suspension) -> Self {
        let mut error = Self::of(ErrorCode::NotRun, "the call waits for an answer");
        error.0.suspension = Some(Box::new(suspension));
        error
    }

    /// The same suspension, carried out of a call around the one that waits.
    pub(crate) fn suspend_like(inner: &Self) -> Self {
        let mut error = Self::of(ErrorCode::NotRun, inner.message());
        error.0.suspension.clone_from(&inner.0.suspension);
        error
    }

    pub(crate) fn suspension(&self) -> Option<&Suspension> {
        self.0.suspension.as_deref()
    }

    pub(crate) fn details(&self) -> &Details {
        &self.0.details
    }

    pub(crate) fn detail(mut self, set: impl FnOnce(&mut Details)) -> Self {
        set(&mut self.0.details);
        self
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ToolError")
            .field("code", &self.0.code.number())
            .field("name", &self.name())
            .field("message", &self.0.message)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.name(), self.message())
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut made = Self::new(error.to_string());
        made.0.name = Some(Cow::Borrowed(last_segment(type_name::<E>())));
        made.0.source = Some(Box::new(error));
        made
    }
}

/// Carries a tool's error through code that knows only boxed errors; [`ToolError::from_boxed`] finds it again.
struct Carried(ToolError);

impl fmt::Debug for Carried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl fmt::Display for Carried {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.message())
    }
}

impl Error for Carried {}

impl From<ToolError> for Box<dyn Error + Send + Sync> {
    fn from(error: ToolError) -> Self {
        Box::new(Carried(error))
    }
}

/// `a::b::Error<c::D>` → `Error`.
fn last_segment(path: &'static str) -> &'static str {
    let plain = path.split('<').next().unwrap_or(path);
    plain.rsplit("::").next().unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::last_segment;

    #[test]
    fn names_are_the_last_path_segment() {
        for (path, name) in [
            ("std::io::error::Error", "Error"),
            ("my::Wrapped<std::fmt::Error>", "Wrapped"),
            ("Plain", "Plain"),
        ] {
            assert_eq!(last_segment(path), name);
        }
    }
}
