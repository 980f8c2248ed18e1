//! A tool called outside any registry and dispatcher.

use crate::{
    dispatch::{
        check_arguments, completed,
        guard::{Guarded, guarded},
        seal::check_output,
    },
    error::{ErrorCode, ToolError},
    schema::Leniency,
    tool::{CallInput, Outcome, Started, States, Tool, ToolContext},
};

/// Checks and runs; a blocking function blocks the caller.
pub(crate) async fn call_alone(
    tool: &Tool,
    arguments: &str,
    context: ToolContext,
    states: &States,
) -> Outcome {
    let run = tool.bind(states, &[]).map_err(|missing| {
        ToolError::of(ErrorCode::NotRun, format!("{} can not run alone: {missing}", tool.name()))
    })?;
    let effective = check_arguments(tool, arguments, &Leniency::default())?.effective;
    let mut input = CallInput::new(effective, &context);
    let outcome = match guarded(|| run.start(&mut input))? {
        Started::Done(outcome) => outcome,
        Started::Future(future) => Guarded::new(future).await,
        Started::Blocking(job) => guarded(job)?,
    };
    let output = outcome.map_err(|error| completed(tool, error))?;
    match check_output(tool, run.reader().is_some(), &output) {
        None => Ok(output),
        Some(error) => Err(error),
    }
}
