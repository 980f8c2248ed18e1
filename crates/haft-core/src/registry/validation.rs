//! A check without a run, for forms, hosts with their own runner, and the command line.

use serde_json::Value;

use crate::{
    dispatch::CheckedArguments,
    error::ToolError,
    schema::{Issue, Repair},
    tool::Tool,
};

/// What a call would be judged as.
#[derive(Debug)]
#[non_exhaustive]
pub struct Validation {
    /// Whether the tool would run.
    pub valid: bool,
    /// Everything that does not match.
    pub issues: Vec<Issue>,
    /// The effective arguments: what hooks, rules and the function would see.
    pub arguments: Option<Value>,
    /// What was changed about the arguments before they were accepted.
    pub repaired: Vec<Repair>,
    /// The error that the call would end in.
    pub error: Option<ToolError>,
    /// The name of the tool.
    pub tool_name: String,
}

impl Validation {
    pub(crate) fn of(tool: &Tool, checked: Result<CheckedArguments, ToolError>) -> Self {
        let tool_name = tool.name().to_owned();
        match checked {
            Ok(CheckedArguments { effective, repaired }) => Self {
                valid: true,
                issues: Vec::new(),
                arguments: effective.into_value(),
                repaired,
                error: None,
                tool_name,
            },
            Err(error) => Self {
                valid: false,
                issues: error.issues().to_vec(),
                arguments: None,
                repaired: Vec::new(),
                error: Some(error),
                tool_name,
            },
        }
    }
}
