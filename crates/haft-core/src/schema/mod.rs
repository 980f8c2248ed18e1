//! Schemas of arguments and output, and the verdict on what a model sent.
//!
//! In reading order: a schema is made ([`InputSchema`], [`OutputSchema`]) and refused when it is faulty ([`SchemaError`]);
//! argument text is judged against it ([`Judgement`]), as leniently as is set ([`Leniency`]); what is wrong becomes
//! [`Issue`]s. [`canonical`] text and [`Digest`]s are what locks, journals and approvals compare.

mod bounds;
mod canon;
mod check;
mod close;
mod dialect;
mod digest;
mod error;
mod fast;
mod finding;
mod implied;
mod input;
mod issue;
pub(crate) mod json;
mod judge;
mod leniency;
mod narrow;
mod output;
mod plan;
pub(crate) mod pointer;
pub(crate) mod projection;
mod published;
mod repair;
mod road;
mod sound;
mod typed;
mod walk;

pub use canon::canonical;
pub use digest::{Digest, ParseDigestError};
pub use error::SchemaError;
pub use input::InputSchema;
pub use issue::Issue;
pub use judge::{Judgement, RefusalReason, Refused};
pub use leniency::{Leniency, Repair, UnknownFields};
pub(crate) use narrow::{NarrowError, Narrowing};
pub use output::OutputSchema;
pub use projection::{
    ChangeKind, Profile, Projected, ProjectedTool, ProjectedTools, Projection, ProjectionError,
    ProjectionReport, RefusedTool, Renamed, ReportRow, Target, UnknownProjection,
};
pub use repair::RepairRule;

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test reads a data set and says so when it is skipped")]
mod suite_tests;
