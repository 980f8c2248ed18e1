//! The events, and how they look on the wire.

use std::sync::Arc;

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Value, value::RawValue};

use crate::{
    error::ErrorBody,
    message::{ToolCall, ToolCallId},
    result::ToolResult,
    schema::Repair,
};

/// One thing that happened in a turn.
///
/// On the wire an object of `type`, `session` (null where none was named), `turn`, `at` (milliseconds since 1970 by
/// the host's clock; null without one), `seq` (dense within the turn, from 0) and what belongs to the type.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolEvent {
    /// The session that the caller named.
    pub session: Option<Arc<str>>,
    /// The turn.
    pub turn: Arc<str>,
    /// Milliseconds since 1970 by the host's clock.
    pub at: Option<u64>,
    /// The place in the turn's events, from 0 without gaps.
    pub seq: u64,
    /// What happened.
    pub body: EventBody,
}

/// What happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum EventBody {
    /// `tool.started`: a call's id and name are known.
    Started {
        /// The call, as the model sent it.
        call: Arc<ToolCall>,
    },
    /// `tool.repaired`: the arguments were changed before they were accepted.
    Repaired {
        /// The call.
        tool_call_id: ToolCallId,
        /// What was changed.
        repairs: Vec<Repair>,
    },
    /// `tool.repeated`: the same call came in a row more often than [`RepeatedCalls`](crate::RepeatedCalls) allows.
    Repeated {
        /// The call.
        tool_call_id: ToolCallId,
        /// Its place in the row, from 1.
        count: u32,
    },
    /// `tool.executing`: the function begins.
    Executing {
        /// The call.
        tool_call_id: ToolCallId,
    },
    /// `tool.retrying`: the function is tried again.
    Retrying {
        /// The call.
        tool_call_id: ToolCallId,
        /// Which attempt begins, from 1.
        attempt: u32,
    },
    /// `tool.progress`: the function says how far it is.
    Progress {
        /// The call.
        tool_call_id: ToolCallId,
        /// How far, in the function's own unit.
        progress: f64,
        /// How far it has to go.
        total: Option<f64>,
        /// A message for people.
        message: Option<String>,
    },
    /// `tool.approval_requested`: somebody is asked to approve a call.
    ApprovalRequested {
        /// The call.
        tool_call_id: ToolCallId,
        /// What the answer has to name.
        id: String,
        /// The tool.
        tool: String,
    },
    /// `tool.approval_resolved`: somebody has answered.
    ApprovalResolved {
        /// The call.
        tool_call_id: ToolCallId,
        /// What the answer named.
        id: String,
        /// `approve`, `reject` or `edit`.
        decision: &'static str,
    },
    /// `tool.completed`: the call has an output.
    Completed {
        /// The call, as the model sent it.
        call: Arc<ToolCall>,
        /// Its result.
        result: ToolResult,
    },
    /// `tool.failed`: the call has an error.
    Failed {
        /// The call, as the model sent it.
        call: Arc<ToolCall>,
        /// Its result.
        result: ToolResult,
    },
    /// `tool.detached`: a function did not end when it was to, and is left behind.
    Detached {
        /// The call.
        tool_call_id: ToolCallId,
    },
    /// `tool.late`: a function that was left behind has ended; what it returned is dropped.
    Late {
        /// The call.
        tool_call_id: ToolCallId,
        /// Whether it failed.
        is_error: bool,
    },
    /// `events.lagged`: the observer was too slow and missed events.
    Lagged {
        /// How many it missed.
        missed: u64,
    },
}

impl EventBody {
    /// The name on the wire.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Started { .. } => "tool.started",
            Self::Repaired { .. } => "tool.repaired",
            Self::Repeated { .. } => "tool.repeated",
            Self::Executing { .. } => "tool.executing",
            Self::Retrying { .. } => "tool.retrying",
            Self::Progress { .. } => "tool.progress",
            Self::ApprovalRequested { .. } => "tool.approval_requested",
            Self::ApprovalResolved { .. } => "tool.approval_resolved",
            Self::Completed { .. } => "tool.completed",
            Self::Failed { .. } => "tool.failed",
            Self::Detached { .. } => "tool.detached",
            Self::Late { .. } => "tool.late",
            Self::Lagged { .. } => "events.lagged",
        }
    }
}

impl Serialize for ToolEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.body.name())?;
        map.serialize_entry("session", &self.session.as_deref())?;
        map.serialize_entry("turn", &*self.turn)?;
        map.serialize_entry("at", &self.at)?;
        map.serialize_entry("seq", &self.seq)?;
        serialize_body(&self.body, &mut map)?;
        map.end()
    }
}

fn serialize_body<M: SerializeMap>(body: &EventBody, map: &mut M) -> Result<(), M::Error> {
    match body {
        EventBody::Started { call } => map.serialize_entry("toolCall", &Call(call)),
        EventBody::Repaired { tool_call_id, repairs } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("repairs", repairs)
        }
        EventBody::Executing { tool_call_id } | EventBody::Detached { tool_call_id } => {
            map.serialize_entry("toolCallId", tool_call_id)
        }
        EventBody::Repeated { tool_call_id, count } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("count", count)
        }
        EventBody::Retrying { tool_call_id, attempt } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("attempt", attempt)
        }
        EventBody::Progress { tool_call_id, progress, total, message } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("progress", progress)?;
            total.as_ref().map_or(Ok(()), |total| map.serialize_entry("total", total))?;
            message.as_ref().map_or(Ok(()), |message| map.serialize_entry("message", message))
        }
        EventBody::ApprovalRequested { tool_call_id, id, tool } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("approvalId", id)?;
            map.serialize_entry("toolName", tool)
        }
        EventBody::ApprovalResolved { tool_call_id, id, decision } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("approvalId", id)?;
            map.serialize_entry("decision", decision)
        }
        EventBody::Completed { call, result } => {
            map.serialize_entry("toolCall", &Call(call))?;
            map.serialize_entry("result", result)
        }
        EventBody::Failed { call, result } => {
            map.serialize_entry("toolCall", &Call(call))?;
            match result.error() {
                Some(error) => map.serialize_entry("error", &ErrorBody::new(result.tool_name(), error)),
                None => Ok(()),
            }
        }
        EventBody::Late { tool_call_id, is_error } => {
            map.serialize_entry("toolCallId", tool_call_id)?;
            map.serialize_entry("isError", is_error)
        }
        EventBody::Lagged { missed } => map.serialize_entry("missed", missed),
    }
}

/// The text on one line, when it is JSON: a [`Value`] would round large numbers.
fn arguments(text: &str) -> Option<Box<RawValue>> {
    serde_json::from_str::<Value>(text).ok()?;
    RawValue::from_string(on_one_line(text)).ok()
}

/// JSON text without the space between its tokens.
fn on_one_line(text: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let kept = text.chars().filter(|c| {
        let token = in_string || !c.is_ascii_whitespace();
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = in_string,
            '"' => in_string = !in_string,
            _ => {}
        }
        token
    });
    kept.collect()
}

/// A call on the wire: its arguments as JSON where the text is JSON, else as the text.
struct Call<'a>(&'a ToolCall);

impl Serialize for Call<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.0.id)?;
        if let Some(parent) = &self.0.parent {
            map.serialize_entry("parent", parent)?;
        }
        map.serialize_entry("name", &self.0.name)?;
        match arguments(&self.0.arguments) {
            Some(arguments) => map.serialize_entry("args", &arguments)?,
            None => map.serialize_entry("args", &self.0.arguments)?,
        }
        map.end()
    }
}
