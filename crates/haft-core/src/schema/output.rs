//! The schema of a tool's structured output.

use std::fmt;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde_json::Value;

use super::error::SchemaError;
use super::finding::ordered;
use super::issue::Issue;
use super::road::Road;
use super::{bounds, typed};

/// A checked schema of output. Cheap to clone.
///
/// The verdict is JSON Schema's own: nothing is dropped, closed or filled.
#[derive(Clone)]
pub struct OutputSchema(Arc<Inner>);

struct Inner {
    published: Value,
    road: OnceLock<Result<Road, SchemaError>>,
}

impl OutputSchema {
    /// The schema given as data.
    ///
    /// # Errors
    ///
    /// The schema is no valid JSON Schema, refers to something outside itself, or is too large.
    pub fn new(schema: Value) -> Result<Self, SchemaError> {
        bounds::check(&schema)?;
        Road::build(&schema, false)?;
        Ok(Self(Arc::new(Inner { published: schema, road: OnceLock::new() })))
    }

    /// The schema of a Rust type, as its `Serialize` gives it.
    ///
    /// # Errors
    ///
    /// As [`OutputSchema::new`].
    pub fn typed<T: JsonSchema>() -> Result<Self, SchemaError> {
        Self::new(typed::output::<T>())
    }

    /// The schema as others see it.
    pub fn published(&self) -> &Value {
        &self.0.published
    }

    /// Every mismatch of `value`, in the order of a refusal; empty when the schema accepts it.
    pub fn check(&self, value: &Value) -> Vec<Issue> {
        match self.0.road.get_or_init(|| Road::build(&self.0.published, false)) {
            Ok(road) => ordered(road.findings(value)),
            Err(error) => {
                let text = format!("the output cannot be checked: {error}");
                vec![Issue::told("", "a valid schema", "nothing".to_owned(), text)]
            }
        }
    }
}

impl fmt::Debug for OutputSchema {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("OutputSchema").finish_non_exhaustive()
    }
}

impl PartialEq for OutputSchema {
    fn eq(&self, other: &Self) -> bool {
        self.0.published == other.0.published
    }
}
