//! `tools/call`: a call of a client, from its request to its answer.

mod answers;
mod ask;
mod caller;
mod caught;
mod observe;
mod outcome;
mod run;
mod state;

use std::sync::Arc;

use haft_core::CallContext;
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, InputResponses},
    service::RequestContext,
};

pub(super) use self::caller::{Caller, Era, call_id, shows_forms};
use self::{
    answers::Answered,
    caught::caught,
    observe::Observer,
    run::{Run, Stage},
};
use super::session::Session;

/// The arguments of a call as the client wrote them.
#[derive(Debug, Clone)]
pub(super) struct RawArguments(pub(super) Arc<str>);

/// What is called, and what the client sent along with it.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    /// JSON text.
    pub(super) arguments: &'a str,
    pub(super) responses: InputResponses,
    pub(super) sealed: Option<String>,
}

/// How often a client that is asked in place may give an answer that does not fit.
const TRIES: usize = 3;

/// Answers a call that came through the protocol's library.
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
        return caught(host.call(request, context)).await;
    }
    let call = Call {
        name: &request.name,
        arguments: &arguments,
        responses: request.input_responses.take().unwrap_or_default(),
        sealed: request.request_state.take(),
    };
    answer(session, Caller::of(session, context), call).await
}

/// Answers a call, whichever way it came, and whatever breaks on the way.
pub(super) async fn answer(
    session: &Session,
    caller: Caller,
    call: Call<'_>,
) -> Result<CallToolResponse, ErrorData> {
    caught(answered(session, caller, call)).await
}

async fn answered(session: &Session, caller: Caller, call: Call<'_>) -> Result<CallToolResponse, ErrorData> {
    let Call { name, arguments, responses, sealed } = call;
    let client = Client::of(session, caller);
    let run = Run { session, client: &client, name, arguments };
    // Who answers before it is asked can answer a tool's question, which it knows by name; an approval it has to see first.
    let seen = sealed.is_some();
    let stage = match sealed {
        None => run.begin().await?,
        Some(sealed) => state::open(session, &run, &sealed)?,
    };
    match stage {
        Stage::Ended(result) => Ok(result.into()),
        // Few calls come here; those that do not stay small.
        waits @ Stage::Waits(_) => Box::pin(waited_for(&run, waits, responses, seen)).await,
    }
}

/// Asks for what a call waits for, in the way of its client.
async fn waited_for(
    run: &Run<'_>,
    stage: Stage,
    responses: InputResponses,
    seen: bool,
) -> Result<CallToolResponse, ErrorData> {
    match run.client.era() {
        Era::Modern => in_rounds(run, stage, responses, seen).await,
        Era::Legacy => in_place(run, stage).await,
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
async fn in_place(run: &Run<'_>, mut stage: Stage) -> Result<CallToolResponse, ErrorData> {
    let mut tries = TRIES;
    loop {
        let waits = match stage {
            Stage::Ended(result) => return Ok(result.into()),
            Stage::Waits(waits) => waits,
        };
        match answers::asked(&waits, run.client.caller(), run.session.ended()).await {
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

/// What matters about the client of a call.
struct Client {
    /// Whether its user can be asked.
    can_be_asked: bool,
    observer: Observer,
}

impl Client {
    fn of(session: &Session, caller: Caller) -> Self {
        let sealed = session.shared.codec.is_some();
        let can_be_asked = caller.shows_forms && (caller.era == Era::Legacy || sealed);
        Self { can_be_asked, observer: Observer::of(caller) }
    }

    /// What the call brings with it.
    fn context(&self, session: &Session) -> CallContext {
        let caller = self.caller();
        let context = session.shared.context.clone().session(session.id());
        let context = context.call_id(caller.id.clone()).cancellation(caller.cancelled.clone());
        // A server whose tool it is may ask in the middle of its work, which it would have to do again.
        #[cfg(feature = "mcp")]
        let context =
            match self.is_asked_in_place().then(|| answers::in_passing(caller, session.ended())).flatten() {
                Some(asks) => context.with_shared(Arc::new(asks)),
                None => context,
            };
        #[cfg(feature = "mcp")]
        let context = match &caller.trace {
            Some(trace) => context.with_shared(Arc::clone(trace)),
            None => context,
        };
        match self.observer.log() {
            Some(log) => context.with_shared(Arc::clone(log)),
            None => context,
        }
    }

    /// Whether its user is asked while it waits for the answer.
    #[cfg(feature = "mcp")]
    fn is_asked_in_place(&self) -> bool {
        self.can_be_asked && self.era() == Era::Legacy
    }

    fn caller(&self) -> &Caller {
        self.observer.caller()
    }

    fn era(&self) -> Era {
        self.caller().era
    }
}
