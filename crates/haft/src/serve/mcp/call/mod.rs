//! `tools/call`: a call of a client, from its request to its answer.

mod answers;
mod ask;
mod observe;
mod outcome;
mod run;
mod state;

use std::sync::Arc;

use haft_core::{CallContext, ToolCallId};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, ClientCapabilities, InputResponses},
    service::RequestContext,
};

use self::{
    answers::Answered,
    observe::Observer,
    run::{Run, Stage},
};
use super::session::{Session, is_modern};

/// The arguments of a call as the client wrote them.
#[derive(Debug, Clone)]
pub(super) struct RawArguments(pub(super) Arc<str>);

/// How often a client that is asked in place may give an answer that does not fit.
const TRIES: usize = 3;

/// Answers a call.
pub(super) async fn call_tool(
    session: &Session,
    mut request: CallToolRequestParams,
    mut context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let arguments = arguments(&mut request, &mut context);
    #[cfg(feature = "unstable-rmcp")]
    if let Some(host) = &session.shared.host
        && !session.shared.registry().contains(&request.name)
    {
        request.arguments = serde_json::from_str(&arguments).ok();
        return host.call(request, context).await;
    }
    let client = Client::of(session, &context);
    let responses = request.input_responses.take().unwrap_or_default();
    let sealed = request.request_state.take();
    let run = Run::new(session, &client, &request.name, &arguments, &context);
    // Who answers before it is asked can answer a tool's question, which it knows by name; an approval it has to see first.
    let seen = sealed.is_some();
    let stage = match sealed {
        None => run.begin().await?,
        Some(sealed) => state::open(session, &run, &sealed)?,
    };
    match client.era {
        Era::Modern => in_rounds(&run, stage, responses, seen).await,
        Era::Legacy => in_place(&run, stage, &context).await,
    }
}

/// Asks by answering: the client sends the call again with what its user said.
async fn in_rounds(
    run: &Run<'_>,
    mut stage: Stage,
    mut responses: InputResponses,
    mut seen: bool,
) -> Result<CallToolResponse, ErrorData> {
    loop {
        let waits = match stage {
            Stage::Ended(result) => return Ok(result.into()),
            Stage::Waits(waits) => waits,
        };
        match answers::sent(&waits, &mut responses, seen) {
            Answered::With(replies) => stage = run.resume(waits, replies).await?,
            Answered::Not(why) => return run.end(waits, why).await.map(Into::into),
            Answered::Later => return state::ask(run, &waits),
        }
        // What comes up now has not been shown.
        seen = false;
    }
}

/// Asks while the client waits for the call.
async fn in_place(
    run: &Run<'_>,
    mut stage: Stage,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let mut tries = TRIES;
    loop {
        let waits = match stage {
            Stage::Ended(result) => return Ok(result.into()),
            Stage::Waits(waits) => waits,
        };
        match answers::asked(&waits, context, run.session.ended()).await {
            Answered::With(replies) => stage = run.resume(waits, replies).await?,
            Answered::Not(why) => return run.end(waits, why).await.map(Into::into),
            Answered::Later if tries > 1 => {
                tries -= 1;
                stage = Stage::Waits(waits);
            }
            Answered::Later => {
                let why = answers::NotAnswered::no_answer("no answer that fits was given");
                return run.end(waits, why).await.map(Into::into);
            }
        }
    }
}

/// The arguments as JSON text: as they were written where that is known.
fn arguments(request: &mut CallToolRequestParams, context: &mut RequestContext<RoleServer>) -> Arc<str> {
    let written = context.extensions.remove::<RawArguments>();
    let parsed = request.arguments.take();
    match (written, parsed) {
        (Some(RawArguments(text)), _) if &*text != "null" => text,
        (_, Some(arguments)) => serde_json::Value::Object(arguments).to_string().into(),
        (_, None) => "{}".into(),
    }
}

/// The id of the call in the dispatcher: that of its request.
fn call_id(context: &RequestContext<RoleServer>) -> ToolCallId {
    ToolCallId::from(context.id.to_string().as_str())
}

/// Which of the two ways of the protocol a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    /// With a handshake: it can be asked in place.
    Legacy,
    /// Without: it is asked by the answer to its call.
    Modern,
}

/// What matters about the client of a call.
struct Client {
    era: Era,
    /// Whether its user can be shown a form.
    can_be_asked: bool,
    observer: Observer,
    /// What the call brings with it.
    context: CallContext,
}

impl Client {
    fn of(session: &Session, context: &RequestContext<RoleServer>) -> Self {
        let era = if is_modern(context) { Era::Modern } else { Era::Legacy };
        let shows_forms = context.client_capabilities().as_ref().is_some_and(shows_forms);
        let (observer, sink) = Observer::of(session, era == Era::Modern, context);
        let mut brings = session
            .shared
            .context
            .clone()
            .session(session.id())
            .call_id(call_id(context))
            .cancellation(context.ct.clone());
        if let Some(sink) = sink {
            brings = brings.with(sink);
        }
        let sealed = session.shared.codec.is_some();
        Self { era, can_be_asked: shows_forms && (era == Era::Legacy || sealed), observer, context: brings }
    }
}

/// Whether a client says that it shows forms: an empty declaration means them.
fn shows_forms(capabilities: &ClientCapabilities) -> bool {
    capabilities.elicitation.as_ref().is_some_and(|asks| asks.form.is_some() || asks.url.is_none())
}
