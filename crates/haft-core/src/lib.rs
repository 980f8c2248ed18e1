//! The vocabulary and the pipeline of haft, the tool layer for AI agents.
//!
//! A *tool* is a named, described, schema'd callable that a language model can call. This crate defines tools, checks
//! what models send, decides what may run, runs all calls of a model's turn, and hands back results that the model can
//! act on. It does no I/O: no network, files, processes, environment or wall clock.
//!
//! Most users want the crate `haft`, which adds the attribute, providers' codecs and everything that does I/O.

mod ask;
mod attribute;
mod clock;
mod dispatch;
mod error;
mod event;
mod hook;
mod journal;
mod layer;
mod lint;
mod message;
mod refusal;
mod registry;
mod result;
mod schema;
mod semaphore;
pub mod testing;
mod tool;

pub use tool::{
    ApprovalNeed, Args, BatchingStrategy, CallRequest, Content, DRY_RUN_ADVICE, DRY_RUN_FIELD,
    DefinitionError, DefinitionProblem, DryRun, Extension, Extract, Handler, IconTheme, IntoTool,
    IntoToolOutput, InvalidToolName, Json, MissingState, ParameterTool, Probed, Progress, REVISION_FIELD,
    Recovery, Revision, Rows, State, SyncHandler, Tool, ToolAnnotations, ToolBuilder, ToolContext,
    ToolDefinition, ToolIcon, ToolName, ToolOutput, ToolPresentation, ToolSource, TypedTool,
    WaitingForPeople, assign_names, infer_batching_strategy, or_note, sanitize, size_of,
};

pub use schema::{
    Digest, InputSchema, Issue, Judgement, Leniency, OutputSchema, ParseDigestError, RefusalReason, Refused,
    Repair, RepairRule, SchemaError, UnknownFields, canonical,
};

pub use schema::{
    ChangeKind, Profile, Projected, ProjectedTool, ProjectedTools, Projection, ProjectionError,
    ProjectionReport, RefusedTool, Renamed, ReportRow, Target, UnknownProjection,
};

pub use lint::{Lint, LintLevel, LintReport, LintRow, Linter, UnknownLint};

pub use registry::{
    BatchingHint, BuildError, BuildProblem, Contributions, Plugin, RegistryBuilder, ToolCatalog, ToolChanges,
    ToolRegistry, Toolkit, Validation, ViewProblem,
};

pub use message::{Message, Role, ToolCall, ToolCallId};

pub use ask::{
    Answer, AnswerFuture, Answerer, ApprovalDecision, ApprovalRequest, Pending, PendingKind, Question,
    Waiting,
};
pub use dispatch::{
    AnswerError, CallContext, Dispatcher, DispatcherBuilder, DispatcherStatus, Reply, ResumeBuilder,
    ResumeError, StartError, TurnBuilder, TurnError, TurnHandle, TurnOutcome,
};
pub use event::{EventBody, ToolEvent, ToolEvents};
pub use hook::{AfterCall, BeforeCall, Hook, HookCall, HookFuture, RepeatedCalls};
pub use journal::{
    Asked, CallEntry, Entry, EntryBody, Journal, JournalError, JournalFuture, MemoryJournal, RecordedError,
    RecordedOutput, RecordedResult, Verdict,
};
pub use result::ToolResult;

pub use error::{Effects, ErrorBody, ErrorCode, ErrorStyle, ToolError, ToolErrorKind};
pub use refusal::{InvalidRefusalCode, Refusal, field};

pub use layer::{
    CircuitBreakerLayer, CircuitBreakerService, RateLimitLayer, RateLimitService, RetryLayer, RetryService,
    ToolRequest, ToolService,
};
pub use semaphore::{Permit, Semaphore};

pub use clock::{Clock, CountingIds, IdSource};
pub use tokio_util::sync::CancellationToken;

#[doc(hidden)]
pub mod __private {
    //! For the code that `#[haft::tool]` writes.
    pub use crate::attribute::*;
}
