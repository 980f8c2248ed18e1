//! One call of a server's tool.

use std::{future::Future, pin::Pin, sync::Arc, time::Duration};

use haft_core::{Effects, ErrorCode, ToolContext, ToolError, ToolOutput};
use rmcp::{
    ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, InputResponses, RequestId, RequestMetaObject,
        ServerResult,
    },
    service::PeerRequestOptions,
};
use serde_json::{Map, Value};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep, sleep_until},
};

use crate::{people::People, trace::Trace};

use super::{
    asking::{OfCall, Unanswered},
    error::{told_of_request, wait_before_retry, was_not_taken},
    output::{CallResult, refused},
    remote::Remote,
    session::Session,
    wire::{Inbox, PeerRequest, ProgressReport, RAW},
};

/// As often a server may ask for more input before a call has its result.
const ROUNDS: usize = 10;

/// A call of a server's tool.
pub(super) struct Call<'a> {
    pub(super) remote: &'a Remote,
    /// The tool, by the name that the server gives it.
    pub(super) tool: &'a str,
    /// Whether the tool declares structured output.
    pub(super) declares_output: bool,
    pub(super) context: &'a ToolContext,
    pub(super) people: &'a People,
    pub(super) trace: Option<&'a Trace>,
    /// Whether the server has taken the call up before, and wanted more input for it.
    pub(super) resumed: bool,
}

/// When a call has to have its result at the latest.
struct Ceiling {
    at: Instant,
    /// How much of people's time it has been put off by.
    put_off: Duration,
}

impl Ceiling {
    fn new(limit: Duration, context: &ToolContext) -> Self {
        Self { at: Instant::now() + limit, put_off: context.waited_for_people() }
    }

    /// Puts it off by the time that the call has waited for people; whether there was some.
    fn is_put_off(&mut self, context: &ToolContext) -> bool {
        let waited = context.waited_for_people();
        let more = waited.saturating_sub(self.put_off);
        self.put_off = waited;
        self.at += more;
        !more.is_zero()
    }
}

/// What a server wants before it goes on.
#[derive(Default)]
struct More {
    responses: Option<InputResponses>,
    state: Option<String>,
}

impl Call<'_> {
    /// Runs the call to its end.
    pub(super) async fn run(mut self, arguments: Map<String, Value>) -> Result<ToolOutput, ToolError> {
        let mut ceiling = Ceiling::new(self.remote.server.ceiling, self.context);
        let session = self.remote.session().await?;
        let mut more = More::default();
        for _ in 0..ROUNDS {
            let mut params =
                CallToolRequestParams::new(self.tool.to_owned()).with_arguments(arguments.clone());
            params.input_responses = more.responses.take();
            params.request_state = more.state.take();
            let text = self.exchange(&session, params, &mut ceiling).await?;
            let result: CallResult<'_> = serde_json::from_str(&text)
                .map_err(|error| {
                    self.failed(&format!(
                        "answered what is no result of a call: {error}; it may have changed something: check before you call it again"
                    ))
                })?;
            match result.result_type.as_deref() {
                None | Some("complete") if result.is_task_alone() => {
                    return Err(self.failed(
                        "works on the call as a task, which is not followed here; it may still change something",
                    ));
                }
                None | Some("complete") => return result.into_outcome(self.declares_output),
                Some("input_required") => more = self.input(result).await?,
                Some(other) => {
                    return Err(self.failed(&format!("answered with a {other:?}, which is not offered here")));
                }
            }
            self.resumed = true;
        }
        Err(self.failed(&format!("asked for more input {ROUNDS} times without coming to a result")))
    }

    /// Answers all that the server asks for.
    async fn input(&self, result: CallResult<'_>) -> Result<More, ToolError> {
        let mut responses = InputResponses::new();
        for (key, request) in result.input_requests.unwrap_or_default() {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = request.get("params").cloned().unwrap_or_default();
            let server = &self.remote.server.name;
            let answer = self.remote.answering.answer(server, method, &params, Some(self.of_call())).await;
            let answer = answer.map_err(|error| match error {
                Unanswered::Refused(error) => {
                    self.failed(&format!("asked for {method:?}: {}", error.message))
                }
                Unanswered::Suspended(error) => error,
            })?;
            responses.insert(key, answer);
        }
        Ok(More { responses: (!responses.is_empty()).then_some(responses), state: result.request_state })
    }

    /// The call, as who is asked in the middle of it knows it.
    fn of_call(&self) -> OfCall<'_> {
        OfCall { context: self.context, people: self.people }
    }

    /// Sends one request and waits for what comes of it: the result as it was written.
    async fn exchange(
        &self,
        session: &Arc<Session>,
        params: CallToolRequestParams,
        ceiling: &mut Ceiling,
    ) -> Result<String, ToolError> {
        let (inbox, mut reports, mut asked) = Inbox::new();
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(inbox);
        let request = ClientRequest::CallToolRequest(request);
        let mut options = PeerRequestOptions::no_options();
        options.meta = self.trace.map(traced);
        let sent = session.peer.send_request_with_option(request, options).await;
        let mut handle = sent.map_err(|error| self.lost(&error))?;
        let mut guard =
            Guard { session, id: Some(handle.id.clone()), reason: "nobody waits for the call any more" };
        let quiet = self.remote.server.timeout;
        let mut idle = std::pin::pin!(sleep(quiet));
        let mut latest = std::pin::pin!(sleep_until(ceiling.at));
        let mut asking: Option<Asking<'_>> = None;
        loop {
            tokio::select! {
                // What was said before the result is handed on before it.
                biased;
                // Nobody is hurried who is asked.
                () = &mut latest, if asking.is_none() => {
                    if ceiling.is_put_off(self.context) {
                        latest.as_mut().reset(ceiling.at);
                        continue;
                    }
                    guard.reason = "the call takes too long";
                    return Err(self.timed_out(self.remote.server.ceiling, ""));
                }
                Some(report) = reports.recv() => {
                    self.report(&report);
                    idle.as_mut().reset(Instant::now() + quiet);
                }
                response = &mut handle.rx => {
                    guard.id = None;
                    session.awaited.answered(&handle.id);
                    return self.result(response.unwrap_or(Err(ServiceError::TransportClosed)));
                }
                outcome = answered(&mut asking), if asking.is_some() => {
                    asking = None;
                    outcome?;
                    idle.as_mut().reset(Instant::now() + quiet);
                }
                Some(request) = next(&mut asked), if asking.is_none() => asking = Some(self.ask(request)),
                () = &mut idle, if asking.is_none() => {
                    guard.reason = "the server gave no sign of progress";
                    return Err(self.timed_out(quiet, " without a sign of progress"));
                }
            }
        }
    }

    fn report(&self, report: &ProgressReport) {
        self.context.progress(report.done, report.total, report.message.as_deref());
    }

    /// Answers what the server asks while the call runs; fails where the call has to end for it.
    fn ask(&self, request: PeerRequest) -> Asking<'_> {
        Box::pin(async move {
            let PeerRequest { method, params, reply } = request;
            let server = &self.remote.server.name;
            let answer = self.remote.answering.answer(server, &method, &params, Some(self.of_call())).await;
            let answer = match answer {
                Ok(answer) => Ok(answer),
                Err(Unanswered::Refused(error)) => Err(error),
                Err(Unanswered::Suspended(error)) => return Err(error),
            };
            // The server may have stopped waiting.
            drop(oneshot::Sender::send(reply, answer));
            Ok(())
        })
    }

    fn result(&self, response: Result<ServerResult, ServiceError>) -> Result<String, ToolError> {
        match response {
            Ok(ServerResult::CustomResult(result)) => match result.0.get(RAW) {
                Some(Value::String(text)) => Ok(text.clone()),
                _ => Err(self.failed("answered what is no result of a call")),
            },
            Ok(_) => Err(self.failed("answered what is no result of a call")),
            Err(ServiceError::McpError(error)) => Err(refused(&self.remote.server.name, &error)),
            Err(error) => Err(self.lost(&error)),
        }
    }

    fn failed(&self, what: &str) -> ToolError {
        ToolError::of(ErrorCode::Mcp, format!("the MCP server {:?} {what}", self.remote.server.name))
    }

    /// The connection failed while the call ran.
    fn lost(&self, error: &ServiceError) -> ToolError {
        let told = self.remote.secrets.redact(&told_of_request(error));
        let taken = if was_not_taken(error) { "take" } else { "answer" };
        let nothing_changed = was_not_taken(error) && !self.resumed;
        let effects = if nothing_changed {
            "nothing was changed"
        } else {
            "it may have changed something: check before you call it again"
        };
        let failed = self.failed(&format!("did not {taken} the call: {told}; {effects}"));
        let failed = wait_before_retry(error).into_iter().fold(failed, ToolError::retry_after);
        // How long to wait is told of either; that another try does no harm, of the one alone.
        failed.retryable(nothing_changed)
    }

    fn timed_out(&self, limit: Duration, how: &str) -> ToolError {
        let (tool, server) = (self.tool, &self.remote.server.name);
        let read_only = self.remote.is_read_only(tool);
        let effects = if read_only { Effects::None } else { Effects::Unknown };
        let told = if read_only {
            "nothing was changed"
        } else {
            "it may have changed something: check before you call it again"
        };
        let message = format!("{tool} of the MCP server {server:?} took longer than {limit:?}{how}; {told}");
        ToolError::of(ErrorCode::Timeout, message).with_effects(effects)
    }
}

/// What says that a request belongs to a trace.
fn traced(trace: &Trace) -> RequestMetaObject {
    let mut meta = RequestMetaObject::new();
    meta.set_traceparent(&trace.parent);
    if let Some(state) = &trace.state {
        meta.set_tracestate(state);
    }
    meta
}

type Asking<'a> = Pin<Box<dyn Future<Output = Result<(), ToolError>> + Send + 'a>>;

async fn answered(asking: &mut Option<Asking<'_>>) -> Result<(), ToolError> {
    match asking {
        Some(asking) => asking.await,
        None => std::future::pending().await,
    }
}

async fn next(asked: &mut mpsc::Receiver<PeerRequest>) -> Option<PeerRequest> {
    asked.recv().await
}

/// Tells the server when nobody waits for a call any more, for whatever reason.
struct Guard<'a> {
    session: &'a Session,
    id: Option<RequestId>,
    reason: &'static str,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take() {
            self.session.abandon(id, self.reason);
        }
    }
}
