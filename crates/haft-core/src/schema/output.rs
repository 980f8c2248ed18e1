//! The schema of a tool's structured output.

use std::fmt;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde_json::Value;

use super::error::SchemaError;
use super::fast::{self, Checks, Rules};
use super::finding::ordered;
use super::issue::Issue;
use super::published::Published;
use super::road::Road;
use super::{bounds, typed};

/// A checked schema of output. Cheap to clone.
///
/// The verdict is JSON Schema's own: nothing is dropped, closed or filled.
#[derive(Clone)]
pub struct OutputSchema(Arc<Inner>);

struct Inner {
    published: Published,
    /// The type that it was made of holds all that it says.
    implied: bool,
    checks: OnceLock<Option<Checks>>,
    road: OnceLock<Box<Road>>,
}

impl OutputSchema {
    /// The schema given as data.
    ///
    /// # Errors
    ///
    /// The schema is no valid JSON Schema, refers to something outside itself, or is too large.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        Self::made(schema, false)
    }

    /// The schema of a Rust type, as its `Serialize` gives it.
    ///
    /// # Errors
    ///
    /// As [`OutputSchema::new`].
    pub fn typed<T: JsonSchema>() -> Result<Self, SchemaError> {
        let (schema, implied) = typed::output::<T>();
        Self::made(schema, implied)
    }

    fn made(published: Value, implied: bool) -> Result<Self, SchemaError> {
        bounds::check(&published)?;
        Road::check(&published)?;
        let (published, checks, road) = (Published::new(published), OnceLock::new(), OnceLock::new());
        Ok(Self(Arc::new(Inner { published, implied, checks, road })))
    }

    /// Whether the type that the schema was made of holds all that it says.
    pub(crate) fn is_implied(&self) -> bool {
        self.0.implied
    }

    /// Whether output that was written as JSON text plainly matches; else [`check`](Self::check) tells.
    pub(crate) fn accepts(&self, output: &str) -> bool {
        let compile = || Checks::of(self.published(), &Rules::default());
        self.0.checks.get_or_init(compile).as_ref().is_some_and(|checks| fast::accepts(output, checks))
    }

    /// The schema as others see it.
    pub fn published(&self) -> &Value {
        self.0.published.value()
    }

    /// Every mismatch of `value`, in the order of a refusal; empty when the schema accepts it.
    pub fn check(&self, value: &Value) -> Vec<Issue> {
        let road = self.0.road.get_or_init(|| Box::new(Road::of(self.published(), false)));
        ordered(road.findings(value))
    }
}

impl fmt::Debug for OutputSchema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OutputSchema").finish_non_exhaustive()
    }
}

impl PartialEq for OutputSchema {
    fn eq(&self, other: &Self) -> bool {
        self.published() == other.published()
    }
}
