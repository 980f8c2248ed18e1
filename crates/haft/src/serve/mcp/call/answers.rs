//! What the client's user answers to what a call waits for.

use haft_core::{CancellationToken, ErrorCode, Reply, ToolError};
use rmcp::{
    model::{ClientResult, ElicitRequest, ElicitResult, InputResponses, ServerRequest},
    service::{PeerRequestOptions, ServiceError},
};

use super::{
    Caller,
    ask::{Ask, Said},
    run::Waits,
};

/// How far what is asked is answered.
pub(super) enum Answered {
    /// With these, by the ids of what they answer.
    With(Vec<(String, Reply)>),
    /// Not, and it will not be.
    Not(NotAnswered),
    /// Not yet.
    Later,
}

/// Why a call ends without its answer.
pub(super) struct NotAnswered(pub(super) ToolError);

impl NotAnswered {
    fn declined(ask: &Ask) -> Self {
        Self(ToolError::of(ErrorCode::Rejected, format!("a person declined to answer ({})", ask.key)))
    }

    /// Nobody could be asked, or nobody answered.
    pub(super) fn no_answer(why: &str) -> Self {
        Self(ToolError::of(ErrorCode::Denied, format!("the call needs an answer of a person, and {why}")))
    }
}

/// Takes what the client sent along; each answer counts once.
pub(super) fn sent(waits: &Waits, responses: &mut InputResponses, seen: bool) -> Answered {
    let mut replies = Vec::new();
    for ask in waits.asks.iter().filter(|ask| seen || !ask.is_approval()) {
        let Some(response) = responses.remove(&ask.key) else { continue };
        let Ok(answer) = serde_json::from_value::<ElicitResult>(response) else { continue };
        match said(ask, &answer) {
            Said::Reply(reply) => replies.push((ask.id.clone(), reply)),
            Said::Declined => return Answered::Not(NotAnswered::declined(ask)),
            Said::Unfit => {}
        }
    }
    if replies.is_empty() { Answered::Later } else { Answered::With(replies) }
}

/// Asks the client one thing after the other.
pub(super) async fn asked(waits: &Waits, caller: &Caller, ended: &CancellationToken) -> Answered {
    let mut replies = Vec::new();
    for ask in &waits.asks {
        let (Some(request), Some(peer)) = (ask.request(), &caller.peer) else {
            return Answered::Not(NotAnswered::no_answer("the client can not show the question"));
        };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(request));
        let sent = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let mut form = match sent {
            Ok(form) => form,
            Err(error) => return Answered::Not(NotAnswered::no_answer(&failed(&error))),
        };
        let answer = tokio::select! {
            answer = &mut form.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
            () = caller.cancelled.cancelled() => {
                // Nobody shall answer what nobody waits for.
                drop(form.cancel(Some("the call was cancelled".to_owned())).await);
                return Answered::Not(NotAnswered::no_answer("it was cancelled"));
            }
            () = ended.cancelled() => return Answered::Not(NotAnswered::no_answer("the client is gone")),
        };
        match answer {
            Ok(ClientResult::ElicitResult(answer)) => match said(ask, &answer) {
                Said::Reply(reply) => replies.push((ask.id.clone(), reply)),
                Said::Declined => return Answered::Not(NotAnswered::declined(ask)),
                Said::Unfit => return Answered::Later,
            },
            Ok(_) => return Answered::Later,
            Err(error) => return Answered::Not(NotAnswered::no_answer(&failed(&error))),
        }
    }
    Answered::With(replies)
}

fn said(ask: &Ask, answer: &ElicitResult) -> Said {
    ask.read(&answer.action, answer.content.as_ref())
}

fn failed(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => format!("the client refused to ask: {}", error.message),
        _ => "the client can not be asked".to_owned(),
    }
}
