//! How calls stand to each other.

use serde::Serialize;

use crate::tool::ToolDefinition;

/// How the calls of a tool stand to the other calls of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum BatchingStrategy {
    /// A barrier: what stands before it has finished, what stands after it has not begun.
    Serial,
    /// At once, as far as the caps allow.
    Parallel,
    /// In order with the calls of the same key, at once with all others.
    Chunked,
}

/// How the calls of a tool stand to others where its author did not say: a tool that changes nothing is parallel, one
/// with a declared key is chunked, any other is serial.
pub fn infer_batching_strategy(definition: &ToolDefinition) -> BatchingStrategy {
    match (definition.annotations.read_only, &definition.chunk_by) {
        (Some(true), _) => BatchingStrategy::Parallel,
        (_, Some(_)) => BatchingStrategy::Chunked,
        _ => BatchingStrategy::Serial,
    }
}
