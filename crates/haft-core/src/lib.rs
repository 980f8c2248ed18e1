//! Vocabulary and pipeline of haft, the tool layer for AI agents.

mod schema;

pub use schema::{
    Digest, InputSchema, Issue, Judgement, Leniency, OutputSchema, ParseDigestError, RefusalReason, Refused,
    Repair, SchemaError, UnknownFields, canonical,
};
