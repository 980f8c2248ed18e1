//! Second stage: what has been checked is decided on.

use std::borrow::Cow;

use crate::{
    ask::{ApprovalDecision, ApprovalRequest},
    dispatch::{
        guard::{caught, guarded},
        machine::Stop,
        place::Place,
        seal,
        validate::ValidatedCall,
    },
    error::{ErrorCode, ToolError},
    event::EventBody,
    message::ToolCallId,
    registry::ToolRegistry,
    tool::ApprovalNeed,
};

/// Why a call is asked about where nobody but its tool says so.
pub(super) const TOOL_ASKS: &str = "the tool wants an approval";
/// The same, where the call has begun before.
pub(super) const TOOL_ASKS_AGAIN: &str =
    "the tool wants an approval; the call was interrupted before, and what it did is not known";

/// A call that may run. Only this stage makes one.
#[derive(Debug)]
pub(super) struct AuthorizedCall<'t>(ValidatedCall<'t>);

impl<'t> AuthorizedCall<'t> {
    pub(super) fn into_inner(self) -> ValidatedCall<'t> {
        self.0
    }

    pub(super) fn validated(&self) -> &ValidatedCall<'t> {
        &self.0
    }
}

/// What is decided on a call.
#[derive(Debug)]
pub(super) enum Verdict<'t> {
    Allow(AuthorizedCall<'t>),
    /// Somebody has to be asked, for the reason given.
    Ask(ValidatedCall<'t>, Cow<'static, str>),
}

/// The library's default: what matches may run, unless the tool itself wants an approval.
pub(super) fn authorize(call: ValidatedCall<'_>) -> Result<Verdict<'_>, ToolError> {
    let asks = tool_asks(&call)?;
    Ok(match call.asks.clone() {
        Some(reason) => Verdict::Ask(call, reason.into()),
        None if asks => Verdict::Ask(call, TOOL_ASKS.into()),
        None => Verdict::Allow(AuthorizedCall(call)),
    })
}

/// Whether the tool itself wants an approval of the call.
pub(super) fn tool_asks(call: &ValidatedCall<'_>) -> Result<bool, ToolError> {
    match &call.registered.tool.definition().approval {
        ApprovalNeed::Never => Ok(false),
        ApprovalNeed::Always => Ok(true),
        // What the predicate can not see, a person has to.
        ApprovalNeed::When(predicate) => match call.arguments.value() {
            Some(arguments) => guarded(|| predicate(arguments)),
            None => Ok(true),
        },
    }
}

/// Applies the decision on a call: what runs is what the request has shown, or the edit checked anew.
///
/// The request's id was made from the call as it stands; whoever answered named that id.
pub(super) fn decide<'t>(
    call: ValidatedCall<'t>,
    request: &ApprovalRequest,
    decision: &ApprovalDecision,
    registry: &ToolRegistry,
) -> Result<AuthorizedCall<'t>, ToolError> {
    let shown = call.accepted(&request.arguments);
    if shown.arguments != request.arguments || shown.definition != request.definition {
        return Err(ToolError::of(
            ErrorCode::Denied,
            "the approval was given for another call; nothing was run",
        ));
    }
    match decision {
        ApprovalDecision::Approve => Ok(AuthorizedCall(call)),
        ApprovalDecision::Edit { arguments } => call.edited(arguments, registry).map(AuthorizedCall),
        ApprovalDecision::Reject { note } => Err(rejected(&request.tool, note.clone())),
    }
}

/// A call of an earlier run that was allowed there, and that nobody has to be asked about again.
pub(super) fn reauthorize(call: ValidatedCall<'_>) -> AuthorizedCall<'_> {
    AuthorizedCall(call)
}

fn rejected(tool: &str, note: Option<String>) -> ToolError {
    let message = match &note {
        Some(note) => format!("a person rejected the call of {tool}: {note}"),
        None => format!("a person rejected the call of {tool}; nothing was run"),
    };
    ToolError::of(ErrorCode::Rejected, message).detail(|details| details.note = note)
}

/// The error of a call that an earlier run denied and did not come to seal.
pub(super) fn denied_before(tool: &str) -> ToolError {
    ToolError::of(ErrorCode::Denied, format!("the call of {tool} was denied; nothing was run"))
}

/// The error of a call that somebody had to be asked about where nobody can be.
pub(super) fn nobody_to_ask(tool: &str) -> ToolError {
    let message = format!("{tool} needs an approval and nobody can be asked here; nothing was run");
    ToolError::of(ErrorCode::Denied, message)
        .detail(|details| details.reason = Some("nobody can be asked".into()))
}

/// Says that somebody is asked.
pub(super) fn requested(call: &ToolCallId, request: &ApprovalRequest) -> EventBody {
    EventBody::ApprovalRequested {
        tool_call_id: call.clone(),
        id: request.id.clone(),
        tool: request.tool.clone(),
    }
}

/// Says that somebody has answered.
pub(super) fn resolved(
    call: &ToolCallId,
    request: &ApprovalRequest,
    decision: &ApprovalDecision,
) -> EventBody {
    EventBody::ApprovalResolved {
        tool_call_id: call.clone(),
        id: request.id.clone(),
        decision: decision.name(),
    }
}

/// Asks about a call that no turn stands behind: it can not wait beyond the call.
pub(super) async fn ask_now<'t>(
    call: ValidatedCall<'t>,
    reason: &str,
    place: &Place<'_>,
) -> Result<AuthorizedCall<'t>, ToolError> {
    let request = request(&call, reason, None, place);
    place.emit(|| requested(place.id(), &request));
    let _waiting: Vec<_> = place.parent.into_iter().map(|(parent, _)| parent.wait_for_people()).collect();
    let answering = async {
        match &place.settings.answerer {
            Some(answerer) => answered(caught(|| answerer.approve(&request)).await),
            None => None,
        }
    };
    let answered = tokio::select! {
        biased;
        () = place.cancelled() => return Err(seal::never_began(Stop::Cancelled)),
        answered = answering => answered,
    };
    let Some(decision) = answered else { return Err(nobody_to_ask(&request.tool)) };
    place.emit(|| resolved(place.id(), &request, &decision));
    decide(call, &request, &decision, &place.settings.registry)
}

/// The answer; one who panics has given none.
pub(super) fn answered<T>(answer: Result<Option<T>, ToolError>) -> Option<T> {
    answer.unwrap_or_else(|error| {
        tracing::error!(error = error.message(), "whoever answers has panicked");
        None
    })
}

/// Puts together what is shown, and what the answer will be bound to.
pub(super) fn request(
    call: &ValidatedCall<'_>,
    reason: &str,
    interrupted: Option<u32>,
    place: &Place<'_>,
) -> ApprovalRequest {
    let accepted = call.accepted(place.arguments());
    let request = ApprovalRequest {
        id: String::new(),
        tool: accepted.tool,
        definition: accepted.definition,
        arguments: accepted.arguments,
        session: place.scope().session().unwrap_or_default().to_owned(),
        turn: place.scope().turn_id().to_owned(),
        tool_call_id: place.id().as_str().to_owned(),
        policy_version: place.settings.policy_version.clone(),
        reason: reason.to_owned(),
        repaired: accepted.repaired,
    };
    let position = place.position;
    request.identified(&match interrupted {
        None => position.to_string(),
        Some(attempt) => format!("{position}, attempt {attempt}"),
    })
}
