//! What the client's user answers to what a call waits for.

use haft_core::{CancellationToken, ErrorCode, Reply, ToolError};
#[cfg(feature = "mcp")]
use rmcp::model::ElicitationAction;
use rmcp::{
    RoleServer,
    model::{ClientResult, ElicitRequest, ElicitResult, InputResponses, RequestId, ServerRequest},
    service::{OriginatingRequestId, Peer, PeerRequestOptions, RequestHandle, ServiceError},
};

#[cfg(feature = "mcp")]
use crate::people;

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

    fn not_shown() -> Self {
        Self::no_answer("the client can not show the question")
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
        let Some(peer) = &caller.peer else { return Answered::Not(NotAnswered::not_shown()) };
        let (peer, request) = (peer.clone(), caller.request.clone());
        let shown = Shown { peer, request, cancelled: &caller.cancelled, ended };
        match shown.answer(ask).await {
            Ok(Some(answer)) => match said(ask, &answer) {
                Said::Reply(reply) => replies.push((ask.id.clone(), reply)),
                Said::Declined => return Answered::Not(NotAnswered::declined(ask)),
                Said::Unfit => return Answered::Later,
            },
            Ok(None) => return Answered::Later,
            Err(why) => return Answered::Not(why),
        }
    }
    Answered::With(replies)
}

/// A form that a client is shown.
struct Shown<'a> {
    peer: Peer<RoleServer>,
    /// The call's, on whose stream the client is asked.
    request: RequestId,
    cancelled: &'a CancellationToken,
    ended: &'a CancellationToken,
}

impl Shown<'_> {
    /// The client's answer; none where it answers something else.
    async fn answer(&self, ask: &Ask) -> Result<Option<ElicitResult>, NotAnswered> {
        let mut request = ElicitRequest::new(ask.request().ok_or_else(NotAnswered::not_shown)?);
        request.extensions.insert(OriginatingRequestId(self.request.clone()));
        let request = ServerRequest::ElicitRequest(request);
        let sent = self.peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
        let mut open = Open(Some(sent.map_err(|error| NotAnswered::no_answer(&failed(&error)))?));
        let answer = tokio::select! {
            answer = open.answer() => answer,
            () = self.cancelled.cancelled() => {
                open.take_back().await;
                return Err(NotAnswered::no_answer("it was cancelled"));
            }
            () = self.ended.cancelled() => return Err(NotAnswered::no_answer("the client is gone")),
        };
        open.0 = None;
        match answer {
            Ok(ClientResult::ElicitResult(answer)) => Ok(Some(answer)),
            Ok(_) => Ok(None),
            Err(error) => Err(NotAnswered::no_answer(&failed(&error))),
        }
    }
}

/// A form that is being filled in. Nobody shall answer what nobody waits for.
struct Open(Option<RequestHandle<RoleServer>>);

impl Open {
    async fn answer(&mut self) -> Result<ClientResult, ServiceError> {
        let Some(form) = &mut self.0 else { return Err(ServiceError::TransportClosed) };
        (&mut form.rx).await.unwrap_or(Err(ServiceError::TransportClosed))
    }

    async fn take_back(&mut self) {
        if let Some(form) = self.0.take() {
            take_back(form).await;
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if let (Some(form), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            drop(runtime.spawn(take_back(form)));
        }
    }
}

async fn take_back(form: RequestHandle<RoleServer>) {
    // Who is gone has it no more.
    drop(form.cancel(Some("the call was cancelled".to_owned())).await);
}

/// How a client is asked while its call goes on, where it can be.
#[cfg(feature = "mcp")]
pub(super) fn in_passing(caller: &Caller, ended: &CancellationToken) -> Option<people::Asks> {
    let (peer, request) = (caller.peer.clone()?, caller.request.clone());
    let (cancelled, ended) = (caller.cancelled.clone(), ended.clone());
    Some(people::Asks::new(move |question| {
        let (peer, request) = (peer.clone(), request.clone());
        let (cancelled, ended) = (cancelled.clone(), ended.clone());
        Box::pin(async move {
            let shown = Shown { peer, request, cancelled: &cancelled, ended: &ended };
            let ask = Ask::of_question(String::new(), &question);
            for _ in 0..super::TRIES {
                let Ok(Some(answer)) = shown.answer(&ask).await else { break };
                match said(&ask, &answer) {
                    Said::Reply(Reply::Answer(answer)) => return people::Said::Answer(answer),
                    Said::Declined if answer.action == ElicitationAction::Decline => return people::Said::No,
                    Said::Unfit => {}
                    Said::Declined | Said::Reply(_) => break,
                }
            }
            people::Said::Nothing
        })
    }))
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
