//! The table of ways a call can fail: one code a row, stable numbers from 1001.

use std::fmt;

use serde::{Serialize, Serializer};

/// Why a call has no output, as the model and the host see it in `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The arguments, or the call itself, did not match; nothing ran.
    Validation,
    /// The tool ran, and what it returned does not match its output schema.
    Output,
    /// No tool has that name.
    NotFound,
    /// A rule or hook refused the call; nothing ran.
    Denied,
    /// A person refused the call; nothing ran.
    Rejected,
    /// The call was accepted and never started.
    NotRun,
    /// The call took longer than it may.
    Timeout,
    /// The call was cancelled while it ran.
    Cancelled,
    /// The tool needs a sandbox and there is none.
    Sandbox,
    /// A remote MCP server answered with an error.
    Mcp,
    /// The tool ran and failed.
    Execution,
    /// The process ended while the call ran; what it did is not known.
    Interrupted,
}

impl ToolErrorKind {
    /// The name on the wire, such as `not-found`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Output => "output",
            Self::NotFound => "not-found",
            Self::Denied => "denied",
            Self::Rejected => "rejected",
            Self::NotRun => "not-run",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Sandbox => "sandbox",
            Self::Mcp => "mcp",
            Self::Execution => "execution",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for ToolErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Serialize for ToolErrorKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A row of the table: each has a kind, a name for `error`, a number and a page in the guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// 1001: the arguments do not match the input schema.
    Arguments,
    /// 1002: the output does not match the output schema.
    Output,
    /// 1003: no tool has that name.
    NotFound,
    /// 1004: refused by a rule or hook.
    Denied,
    /// 1005: refused by a person.
    Rejected,
    /// 1006: accepted and never started.
    NotRun,
    /// 1007: took longer than it may.
    Timeout,
    /// 1008: cancelled while it ran.
    Cancelled,
    /// 1009: needs a sandbox and there is none.
    Sandbox,
    /// 1010: an MCP server answered with an error.
    Mcp,
    /// 1011: the tool ran and failed, panicked or refused.
    Execution,
    /// 1012: the call itself is malformed: no name, or the id of an earlier call.
    MalformedCall,
    /// 1013: the process ended while the call ran.
    Interrupted,
}

impl ErrorCode {
    /// Every row, in the order of the numbers.
    pub const ALL: [Self; 13] = [
        Self::Arguments,
        Self::Output,
        Self::NotFound,
        Self::Denied,
        Self::Rejected,
        Self::NotRun,
        Self::Timeout,
        Self::Cancelled,
        Self::Sandbox,
        Self::Mcp,
        Self::Execution,
        Self::MalformedCall,
        Self::Interrupted,
    ];

    /// The stable number.
    pub const fn number(self) -> u16 {
        match self {
            Self::Arguments => 1001,
            Self::Output => 1002,
            Self::NotFound => 1003,
            Self::Denied => 1004,
            Self::Rejected => 1005,
            Self::NotRun => 1006,
            Self::Timeout => 1007,
            Self::Cancelled => 1008,
            Self::Sandbox => 1009,
            Self::Mcp => 1010,
            Self::Execution => 1011,
            Self::MalformedCall => 1012,
            Self::Interrupted => 1013,
        }
    }

    /// The kind that the body carries.
    pub const fn kind(self) -> ToolErrorKind {
        match self {
            Self::Arguments | Self::MalformedCall => ToolErrorKind::Validation,
            Self::Output => ToolErrorKind::Output,
            Self::NotFound => ToolErrorKind::NotFound,
            Self::Denied => ToolErrorKind::Denied,
            Self::Rejected => ToolErrorKind::Rejected,
            Self::NotRun => ToolErrorKind::NotRun,
            Self::Timeout => ToolErrorKind::Timeout,
            Self::Cancelled => ToolErrorKind::Cancelled,
            Self::Sandbox => ToolErrorKind::Sandbox,
            Self::Mcp => ToolErrorKind::Mcp,
            Self::Execution => ToolErrorKind::Execution,
            Self::Interrupted => ToolErrorKind::Interrupted,
        }
    }

    /// The name that stands in `error` unless the tool or its error type gives another.
    pub const fn error_name(self) -> &'static str {
        match self {
            Self::Arguments => "ToolArgumentsValidationError",
            Self::Output => "ToolOutputValidationError",
            Self::NotFound => "ToolNotFoundError",
            Self::Denied => "ToolDeniedError",
            Self::Rejected => "ToolRejectedError",
            Self::NotRun => "ToolNotRunError",
            Self::Timeout => "ToolTimeoutError",
            Self::Cancelled => "ToolCancelledError",
            Self::Sandbox => "SandboxRequiredError",
            Self::Mcp => "McpToolError",
            Self::Execution => "ToolExecutionError",
            Self::MalformedCall => "MalformedToolCallError",
            Self::Interrupted => "ToolInterruptedError",
        }
    }

    /// The row that a kind stands for when nothing more is known.
    pub const fn of_kind(kind: ToolErrorKind) -> Self {
        match kind {
            ToolErrorKind::Validation => Self::Arguments,
            ToolErrorKind::Output => Self::Output,
            ToolErrorKind::NotFound => Self::NotFound,
            ToolErrorKind::Denied => Self::Denied,
            ToolErrorKind::Rejected => Self::Rejected,
            ToolErrorKind::NotRun => Self::NotRun,
            ToolErrorKind::Timeout => Self::Timeout,
            ToolErrorKind::Cancelled => Self::Cancelled,
            ToolErrorKind::Sandbox => Self::Sandbox,
            ToolErrorKind::Mcp => Self::Mcp,
            ToolErrorKind::Execution => Self::Execution,
            ToolErrorKind::Interrupted => Self::Interrupted,
        }
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u16(self.number())
    }
}
