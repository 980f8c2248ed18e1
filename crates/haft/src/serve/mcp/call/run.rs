//! A call in the dispatcher: begun, taken up again, given up.

use std::pin::pin;

use haft_core::{
    AnswerError, CallContext, CancellationToken, Reply, ResumeError, StartError, ToolCall, ToolCallId,
    ToolErrorKind, ToolEvents, ToolResult, TurnHandle, TurnOutcome, Waiting,
};
use rmcp::{ErrorData, model::CallToolResult};
use serde::{Deserialize, Serialize};

use super::{Client, answers::NotAnswered, ask::Ask, outcome};
use crate::serve::mcp::session::Session;

/// How far a call is.
pub(super) enum Stage {
    /// It has its result.
    Ended(CallToolResult),
    /// It waits for answers.
    Waits(Waits),
}

/// A turn that waits, and what for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Waits {
    pub(super) session: String,
    pub(super) turn: String,
    pub(super) asks: Vec<Ask>,
}

/// A call of a client.
pub(super) struct Run<'a> {
    pub(super) session: &'a Session,
    pub(super) client: &'a Client,
    pub(super) name: &'a str,
    pub(super) arguments: &'a str,
}

impl Run<'_> {
    /// Begins the call.
    pub(super) async fn begin(&self) -> Result<Stage, ErrorData> {
        let (dispatcher, client) = (&self.session.shared.dispatcher, self.client);
        if !client.can_be_asked && !client.observer.wants_progress() {
            // Pinned where it is made: each move would make room for one more.
            let call = pin!(dispatcher.call(self.name, self.arguments, self.context()));
            let result = client.observer.watch(call, None).await;
            let result = result.map_err(|error| can_not_start(&error))?;
            return self.ended(&result).await.map(Stage::Ended);
        }
        // Boxed, so that the calls which need no turn are small.
        Box::pin(self.in_a_turn()).await
    }

    async fn in_a_turn(&self) -> Result<Stage, ErrorData> {
        let (dispatcher, client) = (&self.session.shared.dispatcher, self.client);
        let call = ToolCall::new(self.id(), self.name, self.arguments);
        let turn = dispatcher.turn(vec![call]).context(self.context());
        let (turn, events) =
            turn.suspends(client.can_be_asked).start().map_err(|error| can_not_start(&error))?;
        self.finish(turn, events).await
    }

    /// Goes on with answers.
    pub(super) async fn resume(
        &self,
        waits: Waits,
        replies: Vec<(String, Reply)>,
    ) -> Result<Stage, ErrorData> {
        let mut turn = self.take_up(&waits).await?;
        for (id, reply) in replies {
            turn.try_answer(&id, reply).map_err(|error| refused(&error))?;
        }
        let (turn, events) = turn.start().map_err(|error| can_not_start(&error))?;
        self.finish(turn, events).await
    }

    /// Gives up a call that waits: nothing of it runs any more.
    pub(super) async fn end(&self, waits: Waits, why: NotAnswered) -> Result<CallToolResult, ErrorData> {
        let ended = CancellationToken::new();
        ended.cancel();
        let turn = self.take_up(&waits).await?.cancellation(ended);
        let turn = turn.start_unobserved().map_err(|error| can_not_start(&error))?;
        // It was told to end; the reason is what the client is told.
        let _ = turn.finish().await;
        Ok(outcome::of(&ToolResult::failed(self.id(), self.name, why.0)))
    }

    async fn take_up(&self, waits: &Waits) -> Result<haft_core::ResumeBuilder, ErrorData> {
        let dispatcher = &self.session.shared.dispatcher;
        let turn = dispatcher.resume(&waits.session, &waits.turn).await.map_err(|error| gone(&error))?;
        Ok(turn.context(self.context()))
    }

    fn id(&self) -> ToolCallId {
        self.client.caller().id.clone()
    }

    fn context(&self) -> CallContext {
        self.client.context(self.session)
    }

    async fn finish(&self, turn: TurnHandle, events: ToolEvents) -> Result<Stage, ErrorData> {
        let results = match self.client.observer.watch(turn.finish(), Some(events)).await {
            Ok(TurnOutcome::Finished(results)) => results,
            Ok(TurnOutcome::Suspended(waiting)) => return self.waits(waiting).await,
            Err(error) => error.results().to_vec(),
            Ok(_) => Vec::new(),
        };
        match results.first() {
            Some(result) => self.ended(result).await.map(Stage::Ended),
            None => Err(ErrorData::internal_error("the call has no result", None)),
        }
    }

    /// What the call waits for, where its client can answer all of it.
    async fn waits(&self, waiting: Waiting) -> Result<Stage, ErrorData> {
        let asks: Option<Vec<Ask>> = waiting.pending().iter().map(Ask::of).collect();
        let waits = Waits {
            session: waiting.session.clone(),
            turn: waiting.turn.clone(),
            asks: asks.clone().unwrap_or_default(),
        };
        if asks.is_some_and(|asks| !asks.is_empty()) {
            return Ok(Stage::Waits(waits));
        }
        let why = NotAnswered::no_answer("what it waits for can not be asked over this protocol");
        self.end(waits, why).await.map(Stage::Ended)
    }

    /// A name that no tool has is a fault of the request; everything else is for the model.
    async fn ended(&self, result: &ToolResult) -> Result<CallToolResult, ErrorData> {
        self.client.observer.note(result).await;
        match result.error() {
            Some(error) if error.kind() == ToolErrorKind::NotFound && !self.exists() => {
                Err(ErrorData::invalid_params(error.message().to_owned(), None))
            }
            _ => Ok(outcome::of(result)),
        }
    }

    fn exists(&self) -> bool {
        self.session.shared.registry().contains(self.name)
    }
}

fn can_not_start(error: &StartError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn refused(error: &AnswerError) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

fn gone(error: &ResumeError) -> ErrorData {
    match error {
        ResumeError::Journal(_) | ResumeError::Version { .. } => {
            ErrorData::internal_error(error.to_string(), None)
        }
        _ => ErrorData::invalid_params(format!("the call does not wait for this answer: {error}"), None),
    }
}
