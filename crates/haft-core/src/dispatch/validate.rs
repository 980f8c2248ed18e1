//! First stage: look the tool up, read the arguments once, check all of them.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    dispatch::{execute::Known, past::Accepted, place::Place},
    error::{ErrorCode, ToolError},
    event::EventBody,
    registry::{Registered, Snapshot, ToolRegistry},
    schema::{Issue, Judgement, Leniency, Refused, Repair, RepairRule, canonical, pointer},
    tool::{ApprovalNeed, Effective, Tool},
};

/// A call whose arguments match. Only this stage makes one.
#[derive(Debug)]
pub(super) struct ValidatedCall<'t> {
    pub(super) registered: &'t Arc<Registered>,
    pub(super) arguments: CheckedArguments,
    /// Why a hook wants somebody to be asked.
    pub(super) asks: Option<String>,
    _stage: Stage,
}

/// A [`ValidatedCall`] with a hold on its tool of its own.
#[derive(Debug)]
pub(super) struct DetachedCall {
    registered: Arc<Registered>,
    arguments: CheckedArguments,
    asks: Option<String>,
    _stage: Stage,
}

impl DetachedCall {
    pub(super) fn registered(&self) -> &Arc<Registered> {
        &self.registered
    }

    /// The call again; none for another tool than its own.
    pub(super) fn of(self, registered: &Arc<Registered>) -> Option<ValidatedCall<'_>> {
        let same = Arc::ptr_eq(&self.registered, registered);
        let Self { arguments, asks, .. } = self;
        same.then_some(ValidatedCall { registered, arguments, asks, _stage: Stage })
    }
}

/// Keeps other modules from making a [`ValidatedCall`].
#[derive(Debug)]
struct Stage;

/// Effective arguments.
#[derive(Debug)]
pub(crate) struct CheckedArguments {
    pub(crate) effective: Effective,
    pub(crate) repaired: Vec<Repair>,
}

impl CheckedArguments {
    /// The value; there is none when only the function was to see the arguments.
    pub(crate) fn value(&self) -> Option<&Value> {
        self.effective.value()
    }
}

pub(super) fn validate<'t>(place: &Place<'_>, tools: &'t Snapshot) -> Result<ValidatedCall<'t>, ToolError> {
    let name = place.name();
    if name.is_empty() {
        return Err(malformed("the call names no tool; send it again with the name of a tool"));
    }
    // Resolved here, once: whatever comes after sees the tool's own name.
    let found = place.settings.registry.resolve(tools, name);
    let (registered, repair) = found.ok_or_else(|| tools.not_found(name))?;
    validate_registered(registered, repair, place)
}

/// As [`validate`], for a tool that has been looked up; `repair` is what was done to its name.
pub(super) fn validate_registered<'t>(
    registered: &'t Arc<Registered>,
    repair: Option<Repair>,
    place: &Place<'_>,
) -> Result<ValidatedCall<'t>, ToolError> {
    let mut arguments = match read_for_function(registered, place) {
        Some(effective) => CheckedArguments { effective, repaired: Vec::new() },
        None => {
            let leniency = place.settings.registry.leniency(&registered.tool);
            check_arguments(&registered.tool, place.arguments(), leniency)?
        }
    };
    if let Some(repair) = repair {
        arguments.repaired.insert(0, repair);
    }
    if !arguments.repaired.is_empty() {
        place.emit(|| EventBody::Repaired {
            tool_call_id: place.id().clone(),
            repairs: arguments.repaired.clone(),
        });
    }
    Ok(ValidatedCall { registered, arguments, asks: None, _stage: Stage })
}

/// A call of which nobody but its function looks at the arguments, which reads and by that checks them when it starts.
/// Nobody has a say in it.
pub(super) struct UnreadCall<'t> {
    registered: &'t Arc<Registered>,
    _stage: Stage,
}

impl<'t> UnreadCall<'t> {
    pub(super) fn into_registered(self) -> &'t Arc<Registered> {
        self.registered
    }
}

/// The call, where its function can read the text and nobody observes; what it does not accept has not run, and takes
/// the complete road.
pub(super) fn unread<'t>(registered: &'t Arc<Registered>, place: &Place<'_>) -> Option<UnreadCall<'t>> {
    let reads = registered.reads_text && !place.settings.has_journal() && !place.settings.has_hooks();
    (reads && !place.is_observed()).then_some(UnreadCall { registered, _stage: Stage })
}

/// The fast road, for a call of which nobody but its function looks at the arguments. What it accepts is right under any
/// leniency.
fn read_for_function(registered: &Registered, place: &Place<'_>) -> Option<Effective> {
    let definition = registered.tool.definition();
    let unseen = matches!(definition.approval, ApprovalNeed::Never)
        && definition.chunk_by.is_none()
        && definition.narrowing.is_none()
        && !place.settings.has_journal()
        && !place.settings.has_hooks();
    let read = registered.run.reader().filter(|_| unseen)?;
    read(&definition.input, place.arguments())
}

/// A call that an earlier run accepted: the tool must still be the one that was accepted.
pub(super) fn revalidate<'t>(
    accepted: &Accepted,
    tools: &'t Snapshot,
    registry: &ToolRegistry,
) -> Result<ValidatedCall<'t>, ToolError> {
    let registered = tools.get(&accepted.tool).ok_or_else(|| tools.not_found(&accepted.tool))?;
    if registered.tool.definition().digest().to_string() != accepted.definition {
        let name = &accepted.tool;
        let message = format!(
            "the tool {name} has changed since the call was accepted; nothing was run, send the call again"
        );
        return Err(ToolError::of(ErrorCode::NotRun, message));
    }
    let leniency = registry.leniency(&registered.tool);
    let mut arguments = check_effective(&registered.tool, &accepted.arguments, leniency)?;
    arguments.repaired.splice(0..0, accepted.repaired.iter().cloned());
    Ok(ValidatedCall { registered, arguments, asks: None, _stage: Stage })
}

impl<'t> ValidatedCall<'t> {
    /// The same call with other arguments, which are checked like the first ones.
    pub(super) fn edited(self, arguments: &str, registry: &ToolRegistry) -> Result<Self, ToolError> {
        let tool = &self.registered.tool;
        let mut arguments = check_effective(tool, arguments, registry.leniency(tool))?;
        // The arguments are others, the name is the one that was called.
        let name =
            self.arguments.repaired.into_iter().filter(|repair| repair.rule == RepairRule::Name.as_str());
        arguments.repaired.splice(0..0, name);
        Ok(Self { arguments, ..self })
    }

    /// A call whose arguments went into its function, read once more: as they were sent, or as they are `effective`.
    pub(super) fn again(
        known: &Known<'t>,
        arguments: &str,
        effective: bool,
        registry: &ToolRegistry,
    ) -> Option<Self> {
        let tool = &known.registered.tool;
        let leniency = registry.leniency(tool);
        let read = if effective { check_effective } else { check_arguments };
        let mut arguments = read(tool, arguments, leniency).ok()?;
        arguments.repaired.clone_from(&known.repaired);
        Some(Self { registered: known.registered, arguments, asks: None, _stage: Stage })
    }

    /// The same call, for a task that outlives whoever holds its tool.
    pub(super) fn detached(self) -> DetachedCall {
        DetachedCall {
            registered: Arc::clone(self.registered),
            arguments: self.arguments,
            asks: self.asks,
            _stage: Stage,
        }
    }

    /// The value of the argument that the tool is chunked by, as canonical text.
    pub(super) fn key(&self) -> Option<String> {
        let name = self.registered.tool.definition().chunk_by.as_ref()?;
        self.arguments.value()?.get(name).map(canonical)
    }

    /// What a journal and an approval keep of it; where only the function saw the arguments, they are read once more
    /// from the text that was `sent`.
    pub(super) fn accepted(&self, sent: &str) -> Accepted {
        let definition = self.registered.tool.definition();
        let again =
            || Some(check_arguments(&self.registered.tool, sent, &Leniency::default()).ok()?.effective);
        let arguments = match self.arguments.value() {
            Some(value) => canonical(value),
            None => again().as_ref().and_then(Effective::value).map_or_else(|| sent.to_owned(), canonical),
        };
        Accepted {
            tool: definition.name.as_str().to_owned(),
            arguments,
            definition: definition.digest().to_string(),
            repaired: self.arguments.repaired.clone(),
        }
    }
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
    let definition = tool.definition();
    let judgement = definition.input.judge(arguments, leniency);
    let judgement = match &definition.narrowing {
        Some(narrowing) => narrowing.complete(&definition.input, judgement, leniency),
        None => judgement,
    };
    checked(tool, judgement)
}

/// Checks effective arguments once more, or ones that a person edited: unlike a model's, they may have what the host
/// has set.
pub(crate) fn check_effective(
    tool: &Tool,
    arguments: &str,
    leniency: &Leniency,
) -> Result<CheckedArguments, ToolError> {
    match &tool.definition().narrowing {
        Some(narrowing) => checked(tool, narrowing.judge_all(arguments, leniency)),
        None => check_arguments(tool, arguments, leniency),
    }
}

/// The effective arguments of an edit, as canonical text; none where they do not match any more.
pub(super) fn effective(tool: &Tool, edit: &str, registry: &ToolRegistry) -> Option<String> {
    let checked = check_effective(tool, edit, registry.leniency(tool)).ok()?;
    checked.value().map(canonical)
}

fn checked(tool: &Tool, judgement: Judgement) -> Result<CheckedArguments, ToolError> {
    match judgement.verdict {
        Ok(value) => {
            Ok(CheckedArguments { effective: Effective::Value(value), repaired: judgement.repaired })
        }
        Err(refused) => Err(refusal(tool, refused)),
    }
}

fn refusal(tool: &Tool, refused: Refused) -> ToolError {
    let definition = tool.definition();
    let mut issues = refused.issues;
    for issue in &mut issues {
        let own = definition.required_messages().iter().find(|(field, _)| is_empty_text(issue, field));
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
    issue.path == pointer::child("", field) && matches!(issue.got.as_str(), "" | "null" | "\"\"" | "nothing")
}
