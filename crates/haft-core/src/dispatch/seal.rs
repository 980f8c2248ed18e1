//! Last stage: however a call ended, it is sealed with one result.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, value::RawValue};

use crate::{
    ask::Answer,
    dispatch::{
        execute::{Known, limit},
        lone::Progress,
        machine::Stop,
        place::Place,
        presence::LeftBehind,
        supervisor::Ending,
        validate::completed,
    },
    error::{Effects, ErrorCode, ToolError},
    event::EventBody,
    registry::Registered,
    result::{Record, ToolResult},
    schema::{Issue, Repair},
    tool::{Outcome, Tool, ToolOutput},
};

/// How a call ended, before it is sealed.
pub(super) struct Ended {
    /// The tool's own name, where there is a tool.
    tool_name: Option<Arc<str>>,
    outcome: Outcome,
    repaired: Vec<Repair>,
    returned: Option<Box<ToolOutput>>,
    note: Option<String>,
    arguments: Option<Arc<Value>>,
}

impl Ended {
    /// It was refused before it was accepted.
    pub(super) fn refused(error: ToolError, registered: Option<&Arc<Registered>>) -> Self {
        let tool_name = registered.map(|registered| registered.tool.definition().name.shared());
        Self {
            tool_name,
            outcome: Err(error),
            repaired: Vec::new(),
            returned: None,
            note: None,
            arguments: None,
        }
    }

    /// It was accepted, and its function never began.
    pub(super) fn not_run(known: Known<'_>, stop: Stop) -> Self {
        Self::new(known, Err(never_began(stop)), None)
    }

    /// It was accepted, and ends in an error of haft's.
    pub(super) fn of_error(known: Known<'_>, error: ToolError) -> Self {
        Self::new(known, Err(error), None)
    }

    /// Its function waits for an answer that will not come.
    pub(super) fn forgone(known: Known<'_>, stop: Stop) -> Self {
        let error = stopped(&known.registered.tool, stop, LeftBehind::Running, None);
        Self::new(known, Err(error), None)
    }

    /// Tells the model that it ran with other arguments than it had sent.
    pub(super) fn with_note(mut self, edited: Option<&String>) -> Self {
        self.note = edited
            .map(|arguments| format!("A person changed the arguments before the call ran: {arguments}"));
        self
    }

    /// Its function ended by itself; what it returned is checked.
    pub(super) fn by_itself(known: Known<'_>, outcome: Outcome) -> Self {
        match outcome {
            Ok(output) => match check_output(&known.registered.tool, known.own_output, &output) {
                None => Self::new(known, Ok(output), None),
                Some(error) => Self::new(known, Err(error), Some(output)),
            },
            Err(error) => {
                let error = completed(&known.registered.tool, error);
                Self::new(known, Err(error), None)
            }
        }
    }

    /// Its function had to be waited for.
    pub(super) fn of(known: Known<'_>, ending: Ending, place: &Place<'_>) -> Self {
        let (stop, returned, left) = match ending {
            Ending::ByItself(outcome) => return Self::by_itself(known, outcome),
            Ending::Stopped { stop, returned, left } => (stop, returned, left),
        };
        match returned {
            // It was done when it was told to end: what happened is better told than what might have.
            Some(Ok(output)) if stop != Stop::Timeout => return Self::by_itself(known, Ok(output)),
            Some(late) => {
                let (tool_call_id, is_error) = (place.id().clone(), late.is_err());
                place.emit(|| EventBody::Late { tool_call_id, is_error });
            }
            None if left == LeftBehind::Running => {
                let tool_call_id = place.id().clone();
                tracing::warn!(tool = known.registered.tool.name(), %tool_call_id, "a tool did not end and was left behind");
                place.emit(|| EventBody::Detached { tool_call_id });
            }
            None => {}
        }
        if left == LeftBehind::NotBegun && stop != Stop::Timeout {
            return Self::not_run(known, stop);
        }
        let error = stopped(&known.registered.tool, stop, left, limit(known.registered, place.settings));
        Self::new(known, Err(error), None)
    }

    /// Nobody waits for it any more.
    pub(super) fn abandoned(known: Known<'_>, begun: bool) -> Self {
        if !begun {
            return Self::not_run(known, Stop::Cancelled);
        }
        let error = stopped(&known.registered.tool, Stop::Cancelled, LeftBehind::Dropped, None);
        Self::new(known, Err(error), None)
    }

    /// A call that no turn stands behind can not wait for an answer.
    pub(super) fn or_denied(mut self) -> Self {
        if self.outcome.as_ref().is_err_and(|error| error.suspension().is_some()) {
            self.outcome = Err(unanswered());
        }
        self
    }

    /// What hooks see of it.
    pub(super) fn outcome(&self) -> Result<&ToolOutput, &ToolError> {
        self.outcome.as_ref()
    }

    /// The effective arguments, where hooks want to see them.
    pub(super) fn arguments(&self) -> Option<Arc<Value>> {
        self.arguments.clone()
    }

    /// Hooks may have put another outcome in place.
    pub(super) fn replaced(mut self, outcome: Option<Outcome>) -> Self {
        if let Some(outcome) = outcome {
            self.outcome = outcome;
        }
        self
    }

    /// Whether it aborts the run.
    pub(super) fn aborts(&self) -> bool {
        self.outcome.as_ref().is_err_and(ToolError::propagates)
    }

    fn new(known: Known<'_>, outcome: Outcome, returned: Option<ToolOutput>) -> Self {
        let tool_name = Some(known.registered.tool.definition().name.shared());
        Self {
            tool_name,
            outcome,
            repaired: known.repaired,
            returned: returned.map(Box::new),
            note: None,
            arguments: known.arguments,
        }
    }
}

/// The error of a call that was told to end before its function began.
pub(super) fn never_began(stop: Stop) -> ToolError {
    let why = match stop {
        Stop::Cancelled => "the turn was cancelled before it began",
        Stop::Timeout => "its time was over before it began",
        Stop::TurnTimeout => "the time of the turn was over before it began",
        Stop::Aborted => "another call ended the run before it began",
        Stop::Journal => "the journal failed before it began",
    };
    ToolError::of(ErrorCode::NotRun, format!("the call was not run: {why}; nothing was changed"))
}

/// The error of a call that was told to end.
fn stopped(tool: &Tool, stop: Stop, left: LeftBehind, limit: Option<Duration>) -> ToolError {
    let read_only = tool.definition().is_read_only();
    let effects = if read_only || left == LeftBehind::NotBegun { Effects::None } else { Effects::Unknown };
    let told = match effects {
        Effects::None => "nothing was changed",
        Effects::Unknown => "it may have changed something before: check before you call it again",
    };
    let name = tool.name();
    let (code, what) = match stop {
        Stop::Timeout => {
            let limit = limit.map_or_else(|| "it may".to_owned(), |limit| format!("{limit:?}"));
            (ErrorCode::Timeout, format!("{name} took longer than {limit}"))
        }
        Stop::TurnTimeout => {
            (ErrorCode::Timeout, format!("{name} was still running when the time of the turn was over"))
        }
        Stop::Cancelled | Stop::Aborted | Stop::Journal => {
            (ErrorCode::Cancelled, format!("{name} was cancelled while it ran"))
        }
    };
    ToolError::of(code, format!("{what}; {told}")).detail(|details| details.effects = Some(effects))
}

/// What is wrong with an output, by the tool's output schema.
/// Why an output does not match; `own` says that it is just what the typed function returned.
pub(super) fn check_output(tool: &Tool, own: bool, output: &ToolOutput) -> Option<ToolError> {
    let schema = tool.definition().output.as_ref()?;
    let implied = own && schema.is_implied();
    if output.as_json_text().is_some_and(|text| implied || schema.accepts(text)) {
        return None;
    }
    let issues = match output.structured() {
        Some(value) => schema.check(&value),
        None => vec![Issue::told(
            "",
            "structured output",
            "text".to_owned(),
            "the tool declares structured output and returned none",
        )],
    };
    if issues.is_empty() {
        return None;
    }
    let said: Vec<&str> = issues.iter().map(|issue| issue.message.as_str()).collect();
    let message =
        format!("what {} returned does not match its output schema: {}", tool.name(), said.join("; "));
    Some(ToolError::of(ErrorCode::Output, message).detail(|details| details.issues = Some(issues)))
}

/// Seals a call: from here on its result does not change.
pub(super) fn result(ended: Ended, place: &Place<'_>) -> ToolResult {
    let tool_name = ended.tool_name.unwrap_or_else(|| place.name().into());
    let record = Record {
        style: place.settings.style,
        called: place.called(&tool_name),
        repaired: ended.repaired,
        returned: ended.returned.map(|returned| *returned),
        note: ended.note,
    };
    ToolResult::new(place.id().clone(), tool_name, ended.outcome, record)
}

/// The result of a call whose function ended by itself, and at once. Mostly there is no more to say than its output.
pub(super) fn at_once<'a>(known: Known<'_>, outcome: Outcome, place: &Place<'_>) -> Progress<'a> {
    let plain = known.repaired.is_empty() && known.arguments.is_none();
    let name = &known.registered.tool.definition().name;
    match outcome {
        Ok(output)
            if plain
                && name.as_str() == place.name()
                && check_output(&known.registered.tool, known.own_output, &output).is_none() =>
        {
            Progress::Plain(name.shared(), output)
        }
        outcome => Progress::Done(result(Ended::by_itself(known, outcome).or_denied(), place)),
    }
}

/// Tells observers of a result.
pub(super) fn announce(result: &ToolResult, place: &Place<'_>) {
    place.emit(|| {
        let (call, result) = (place.call(), result.clone());
        if result.is_error() {
            EventBody::Failed { call, result }
        } else {
            EventBody::Completed { call, result }
        }
    });
}

/// The error of a call whose process ended while it ran.
pub(super) fn interrupted(tool: &str) -> ToolError {
    let message =
        format!("{tool} was interrupted while it ran; what it did is not known, and it is not run again");
    ToolError::of(ErrorCode::Interrupted, message).detail(|details| details.effects = Some(Effects::Unknown))
}

/// The outcome of a tool that the client ran: `{"output": text, "isError": bool}`, or any other value as output. Of a tool
/// that declares structured output the text is that, as JSON.
pub(super) fn external(answer: &Answer, tool: &Tool) -> Outcome {
    let structured = |output| {
        let declared = tool.definition().output.as_ref();
        declared.and_then(|_| serde_json::from_str::<&RawValue>(output).ok()).map(ToolOutput::raw_json)
    };
    let value = answer.as_value();
    match (value.get("output").and_then(Value::as_str), value.get("isError").and_then(Value::as_bool)) {
        (Some(output), Some(true)) => Err(ToolError::new(output)),
        (Some(output), _) => Ok(structured(output).unwrap_or_else(|| ToolOutput::text(output))),
        (None, _) => Ok(answer.as_text().map_or_else(|| ToolOutput::json(value), ToolOutput::text)),
    }
}

/// The error of a call that waits for an answer where nobody gives one.
pub(super) fn unanswered() -> ToolError {
    ToolError::of(ErrorCode::Denied, "the call waits for an answer, and nobody can be asked here")
        .detail(|details| details.reason = Some("nobody can be asked".into()))
}
