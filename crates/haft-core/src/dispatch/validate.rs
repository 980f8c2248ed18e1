//! First stage: look the tool up, read the arguments once, check all of them.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    dispatch::execute::Place,
    error::{ErrorCode, ToolError},
    event::EventBody,
    registry::{Registered, Snapshot},
    schema::{Issue, Leniency, Refused, Repair},
    tool::Tool,
};

/// A call whose arguments match. Only this stage makes one.
#[derive(Debug)]
pub(super) struct ValidatedCall {
    pub(super) registered: Arc<Registered>,
    pub(super) arguments: CheckedArguments,
    _stage: Stage,
}

/// Keeps other modules from making a [`ValidatedCall`].
#[derive(Debug)]
struct Stage;

/// Effective arguments.
#[derive(Debug)]
pub(crate) struct CheckedArguments {
    pub(crate) value: Value,
    pub(crate) repaired: Vec<Repair>,
}

pub(super) fn validate(place: &Place<'_>, tools: &Snapshot) -> Result<ValidatedCall, ToolError> {
    let call = place.call;
    if call.name.is_empty() {
        return Err(malformed("the call names no tool; send it again with the name of a tool"));
    }
    let registered = tools.get(&call.name).ok_or_else(|| tools.not_found(&call.name))?;
    let arguments = check_arguments(&registered.tool, &call.arguments, place.settings.registry.leniency())?;
    if !arguments.repaired.is_empty() {
        place.scope.events.emit(|| EventBody::Repaired {
            tool_call_id: call.id.clone(),
            repairs: arguments.repaired.clone(),
        });
    }
    Ok(ValidatedCall { registered: Arc::clone(registered), arguments, _stage: Stage })
}

/// The error of a call that is none.
pub(super) fn malformed(message: impl Into<String>) -> ToolError {
    ToolError::of(ErrorCode::MalformedCall, message)
}

/// Checks argument text against a tool's schema.
pub(crate) fn check_arguments(
    tool: &Tool,
    arguments: &str,
    leniency: &Leniency,
) -> Result<CheckedArguments, ToolError> {
    let judgement = tool.definition().input.judge(arguments, leniency);
    match judgement.verdict {
        Ok(value) => Ok(CheckedArguments { value, repaired: judgement.repaired }),
        Err(refused) => Err(refusal(tool, refused)),
    }
}

fn refusal(tool: &Tool, refused: Refused) -> ToolError {
    let definition = tool.definition();
    let mut issues = refused.issues;
    for issue in &mut issues {
        let own = definition.required_messages.iter().find(|(field, _)| is_empty_text(issue, field));
        if let Some((_, message)) = own {
            issue.message.clone_from(message);
        }
    }
    let message = match issues.as_slice() {
        [] => format!("the arguments of {} do not match its schema", tool.name()),
        issues => issues.iter().map(|issue| issue.message.as_str()).collect::<Vec<_>>().join("; "),
    };
    ToolError::of(ErrorCode::Arguments, message).detail(|details| {
        details.issues = Some(issues);
        details.fields = Some(definition.input.fields().to_vec());
        details.reason = refused.reason.map(|reason| reason.as_str().into());
    })
}

/// The error of a function; one that refuses an argument gets the fields that the tool takes.
pub(crate) fn completed(tool: &Tool, error: ToolError) -> ToolError {
    if error.code() != ErrorCode::Arguments {
        return error;
    }
    error.detail(|details| {
        details.fields.get_or_insert_with(|| tool.definition().input.fields().to_vec());
    })
}

/// Whether an issue says that a required text is missing, null or empty.
fn is_empty_text(issue: &Issue, field: &str) -> bool {
    issue.path.strip_prefix('/') == Some(field)
        && matches!(issue.got.as_str(), "" | "null" | "\"\"" | "nothing")
}
