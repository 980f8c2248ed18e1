//! A turn, as the host sees it: begun, watched, ended.

use std::{fmt, sync::Arc, time::Duration};

use tokio::{runtime::Handle, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    ask::Waiting,
    dispatch::{
        CallContext, Dispatcher, Scope, deadline,
        driver::{self, Recorded, Report, Setting, Start},
        recorder::Recorder,
        sent::SentCalls,
    },
    error::{ErrorCode, ToolError},
    event::ToolEvents,
    journal::JournalError,
    message::{Message, ToolCall, ToolCallId},
    result::ToolResult,
};

/// A turn that can not begin; nothing was accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// 2301: a tool asks for what the caller did not bring.
    #[error("the tool {tool:?} asks for Extension<{type_name}>, and the caller brought none: add `.with(…)`")]
    MissingExtension {
        /// The tool.
        tool: String,
        /// The type, with its path.
        type_name: &'static str,
    },
    /// 2302: a turn is a task of its own, and there is no runtime to run it.
    #[error("a turn needs a tokio runtime: start it inside of one")]
    NoRuntime,
}

impl StartError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::MissingExtension { .. } => 2301,
            Self::NoRuntime => 2302,
        }
    }
}

/// A turn that did not end in the ordinary way; all its results are here.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// 2303: a tool returned an error that aborts the run.
    #[error("the call {id} of {tool:?} aborted the run: {message}")]
    Aborted {
        /// The call that aborted it.
        id: ToolCallId,
        /// Its tool.
        tool: String,
        /// What it said.
        message: String,
        /// One result a call, in the model's order.
        results: Vec<ToolResult>,
    },
    /// 2305: the journal failed; what could not be recorded did not begin.
    #[error("the turn could not be recorded: {error}")]
    Journal {
        /// What the journal said.
        error: JournalError,
        /// One result a call, in the model's order.
        results: Vec<ToolResult>,
    },
    /// 2304: the runtime ended while the turn ran.
    #[error("the runtime ended while the turn ran; what its calls did is not known")]
    Lost {
        /// One result a call, in the model's order: all `interrupted`.
        results: Vec<ToolResult>,
    },
}

impl TurnError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Aborted { .. } => 2303,
            Self::Lost { .. } => 2304,
            Self::Journal { .. } => 2305,
        }
    }

    /// One result a call, in the model's order.
    pub fn results(&self) -> &[ToolResult] {
        match self {
            Self::Aborted { results, .. } | Self::Journal { results, .. } | Self::Lost { results } => results,
        }
    }
}

/// How a turn stands when its task has ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// One result a call, in the model's order.
    Finished(Vec<ToolResult>),
    /// The turn waits for answers.
    Suspended(Waiting),
}

impl TurnOutcome {
    /// The results, if the turn has finished.
    pub fn finished(self) -> Option<Vec<ToolResult>> {
        match self {
            Self::Finished(results) => Some(results),
            Self::Suspended(_) => None,
        }
    }
}

/// Gathers what a turn is begun with.
#[must_use = "a turn does nothing until `start`"]
#[derive(Debug)]
pub struct TurnBuilder {
    dispatcher: Dispatcher,
    calls: Vec<ToolCall>,
    context: CallContext,
    timeout: Option<Duration>,
    suspends: bool,
}

impl TurnBuilder {
    pub(super) fn new(dispatcher: Dispatcher, calls: Vec<ToolCall>) -> Self {
        Self { dispatcher, calls, context: CallContext::new(), timeout: None, suspends: true }
    }

    /// Names the session.
    pub fn session(mut self, id: impl Into<Arc<str>>) -> Self {
        self.context = self.context.session(id);
        self
    }

    /// The messages that the model had seen: no system prompt, not the message with the calls.
    pub fn messages(mut self, messages: impl Into<Arc<[Message]>>) -> Self {
        self.context = self.context.messages(messages);
        self
    }

    /// Brings a value that tools ask for as [`Extension<T>`](crate::Extension).
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.context = self.context.with(value);
        self
    }

    /// Brings all of a context at once.
    pub fn context(mut self, context: CallContext) -> Self {
        self.context = context;
        self
    }

    /// Ends the turn when the token is cancelled.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.context = self.context.cancellation(token);
        self
    }

    /// How long the whole turn may take; unbounded unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Whether this turn may wait beyond its run for an answer; it may unless set, where its dispatcher's turns may.
    ///
    /// With `false` it finishes: what nobody answers while it runs is denied. For callers who can be asked nothing.
    pub fn suspends(mut self, suspends: bool) -> Self {
        self.suspends = suspends;
        self
    }

    /// Begins the turn as a task of its own; the handle only watches.
    ///
    /// # Errors
    /// When the caller did not bring what a called tool asks for, or outside a tokio runtime. No call was accepted.
    pub fn start(self) -> Result<(TurnHandle, ToolEvents), StartError> {
        let events = ToolEvents::new(self.calls.len());
        Ok((self.begin(Some(&events))?, events))
    }

    /// As [`start`](Self::start), for a caller who does not follow the turn's events: none are made, unless others
    /// [observe the dispatcher](Dispatcher::subscribe).
    ///
    /// ```
    /// # use haft_core::{Dispatcher, Tool, ToolCall, ToolRegistry};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let tool = Tool::simple("shout", |input: String| async move { input.to_uppercase() });
    /// # let dispatcher = Dispatcher::new(ToolRegistry::builder().tool(tool).build()?);
    /// let turn = dispatcher.turn(vec![ToolCall::new("c1", "shout", r#"{"input":"hey"}"#)]).start_unobserved()?;
    /// let results = turn.finish().await?.finished().unwrap_or_default();
    /// assert_eq!(results[0].text(), "HEY");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_unobserved(self) -> Result<TurnHandle, StartError> {
        self.begin(None)
    }

    fn begin(self, events: Option<&ToolEvents>) -> Result<TurnHandle, StartError> {
        let runtime = Handle::try_current().map_err(|_| StartError::NoRuntime)?;
        let tools = self.dispatcher.0.registry.snapshot();
        if tools.asks_caller() {
            for call in &self.calls {
                self.context.check_extensions(self.dispatcher.0.registry.called(&tools, &call.name))?;
            }
        }
        let settings = &self.dispatcher.0;
        let mut scope = self.context.scope(settings, events, None);
        scope.can_suspend = true;
        scope.deadline = self.timeout.and_then(deadline::after);
        scope.waits &= self.suspends;
        scope.tools = Some(Arc::clone(&tools));
        let scope = Arc::new(scope);
        let recorder =
            settings.journal.clone().map(|journal| Recorder::new(journal, settings.clock.clone(), &scope));
        // A recorded turn could be resumed while it runs.
        let presence = match &recorder {
            Some(_) => settings.presence.resumed(scope.session().unwrap_or_default(), scope.turn_id()),
            None => None,
        };
        let presence = presence.unwrap_or_else(|| settings.presence.turn());
        let calls = Arc::new(SentCalls::new(self.calls));
        let start = Start {
            setting: Setting { dispatcher: self.dispatcher, tools, calls, scope },
            presence,
            recorded: recorder
                .map(|recorder| Box::new(Recorded { recorder, past: None, preface: Vec::new() })),
        };
        Ok(TurnHandle::spawn(&runtime, start))
    }
}

/// Watches a turn. Dropping it cancels the turn, whose task still gives every call its result.
#[must_use = "dropping the handle cancels the turn"]
pub struct TurnHandle {
    calls: Arc<SentCalls>,
    task: JoinHandle<Report>,
    guard: CancelOnDrop,
}

impl TurnHandle {
    pub(super) fn spawn(runtime: &Handle, start: Start) -> Self {
        let (guard, calls) =
            (CancelOnDrop(Arc::clone(&start.setting.scope)), Arc::clone(&start.setting.calls));
        let task = runtime.spawn(driver::run(start));
        Self { calls, task, guard }
    }

    /// The turn's id.
    pub fn id(&self) -> &str {
        self.guard.0.turn_id()
    }

    /// Ends the turn early: calls that run are told to end, others never begin. [`finish`](Self::finish) has all
    /// results.
    pub fn cancel(&self) {
        self.guard.0.token.cancel();
    }

    /// Waits for the end: one result a call, in the model's order, or what the turn waits for.
    ///
    /// # Errors
    /// When a call aborted the run or the runtime ended; the error has all results.
    pub async fn finish(self) -> Result<TurnOutcome, TurnError> {
        let Self { calls, task, guard: _guard } = self;
        // The guard is dropped when the task has ended, or with this future.
        let joined = task.await;
        let lost = |_| TurnError::Lost { results: calls.iter().map(interrupted).collect() };
        let (results, journal) = match joined.map_err(lost)? {
            Report::Suspended(waiting) => return Ok(TurnOutcome::Suspended(waiting)),
            Report::Finished(results, journal) => (results, journal),
        };
        if let Some(error) = journal {
            return Err(TurnError::Journal { error, results });
        }
        let aborting = results
            .iter()
            .find_map(|result| Some((result, result.error().filter(|error| error.propagates())?)));
        match aborting {
            None => Ok(TurnOutcome::Finished(results)),
            Some((result, error)) => Err(TurnError::Aborted {
                id: result.id().clone(),
                tool: result.tool_name().to_owned(),
                message: error.message().to_owned(),
                results: results.clone(),
            }),
        }
    }
}

/// Ends the turn early when it is dropped; of one that has ended nothing is left to end.
struct CancelOnDrop(Arc<Scope>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.token.cancel();
    }
}

impl fmt::Debug for TurnHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TurnHandle").field("calls", &self.calls.len()).finish_non_exhaustive()
    }
}

fn interrupted(call: &ToolCall) -> ToolResult {
    let error = ToolError::of(
        ErrorCode::Interrupted,
        "the runtime ended while the call ran; what it did is not known",
    )
    .detail(|details| details.effects = Some(crate::Effects::Unknown));
    ToolResult::failed(call.id.clone(), &call.name, error)
}
