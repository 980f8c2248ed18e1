//! What becomes of calls that were interrupted.

use std::{future::Future, pin::Pin};

use serde::Serialize;
use serde_json::Value;

use crate::{
    error::ToolError,
    tool::{ToolContext, ToolOutput},
};

/// What a resumed run does with a call that had started and has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Recovery {
    /// It runs again: repeating it is harmless.
    Repeat,
    /// It runs again with the same idempotency key, by which its other side knows it.
    Keyed,
    /// The tool is asked what has happened.
    Probe,
    /// A person is asked whether it runs again.
    Ask,
    /// It does not run again; the model is told that its outcome is not known.
    Never,
}

/// What a probe finds out about a call that was interrupted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Probed {
    /// It had done its work, and this is its output.
    Done(ToolOutput),
    /// It had changed nothing: it may run again.
    NotDone,
    /// That can not be found out.
    Unknown,
}

/// Asks a tool what has happened to a call.
pub(crate) trait Probe: Send + Sync {
    fn probe(&self, arguments: Value, context: ToolContext) -> ProbeFuture;
}

pub(crate) type ProbeFuture = Pin<Box<dyn Future<Output = Result<Probed, ToolError>> + Send>>;

impl<F, Fut> Probe for F
where
    F: Fn(Value, ToolContext) -> Fut + Send + Sync,
    Fut: Future<Output = Result<Probed, ToolError>> + Send + 'static,
{
    fn probe(&self, arguments: Value, context: ToolContext) -> ProbeFuture {
        Box::pin(self(arguments, context))
    }
}
