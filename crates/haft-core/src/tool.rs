//! What a tool is: a definition, and a function that asks for what it needs by type.

mod annotations;
mod builder;
mod context;
mod convention;
mod definition;
mod effective;
mod extract;
mod handler;
mod into_output;
mod name;
mod output;
mod parameters;
mod requirements;
mod typed;

pub(crate) use builder::Layers;
pub(crate) use context::{CallInput, ContextSource, MakesContext};
pub(crate) use effective::{Effective, ReadArguments};
pub(crate) use handler::{Outcome, Run, Started};
pub(crate) use requirements::{Requirements, States};

pub use annotations::ToolAnnotations;
pub use builder::{IntoTool, ToolBuilder};
pub use context::{CallRequest, Progress, ToolContext};
pub(crate) use convention::ConventionField;
pub use convention::{DRY_RUN_ADVICE, DRY_RUN_FIELD, DryRun, REVISION_FIELD, Revision, or_note, size_of};
pub(crate) use definition::Probe;
pub use definition::{
    ApprovalNeed, BatchingStrategy, DefinitionError, DefinitionProblem, Probed, Recovery, Tool,
    ToolDefinition, ToolSource, infer_batching_strategy,
};
pub use extract::{Args, Extension, Extract, State};
pub use handler::{Handler, SyncHandler};
pub use into_output::IntoToolOutput;
pub use name::{InvalidToolName, ToolName, assign_names, sanitize};
pub use output::{Content, Json, Rows, ToolOutput};
pub use parameters::ParameterTool;
pub use requirements::MissingState;
pub use typed::TypedTool;
