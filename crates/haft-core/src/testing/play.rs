//! Runs a turn as far as the answers go.

use std::sync::Arc;

use crate::{
    ask::Pending,
    dispatch::{
        AnswerError, CallContext, Dispatcher, ResumeError, StartError, TurnError, TurnHandle, TurnOutcome,
    },
    event::{ToolEvent, ToolEvents},
    message::ToolCall,
    result::ToolResult,
    testing::Answers,
};

/// What a turn is begun or taken up with.
pub(super) enum Begin {
    Turn(Vec<ToolCall>),
    /// The turn of that id.
    Resume(String),
}

/// Where a turn is when the answers are used up.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) turn: String,
    /// One result a call, unless the turn still waits.
    pub(super) results: Vec<ToolResult>,
    pub(super) waits: Vec<Pending>,
    pub(super) events: Vec<Arc<ToolEvent>>,
    /// How often the turn suspended.
    pub(super) suspensions: usize,
    pub(super) error: Option<TurnError>,
}

/// A turn that could not be played.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlayError {
    #[error("the turn could not begin: {0}")]
    Start(#[from] StartError),
    #[error("the turn could not be resumed: {0}")]
    Resume(#[from] ResumeError),
    #[error("an answer of the test is refused: {0}")]
    Answer(#[from] AnswerError),
}

pub(super) async fn play(
    dispatcher: &Dispatcher,
    begin: Begin,
    context: &CallContext,
    answers: &Answers,
) -> Result<Course, PlayError> {
    let mut course = Course::default();
    let (mut handle, mut events) = match begin {
        Begin::Turn(calls) => dispatcher.turn(calls).context(context.clone()).start()?,
        Begin::Resume(turn) => {
            let session = context.session_id().unwrap_or_default().to_owned();
            dispatcher.resume(&session, &turn).await?.context(context.clone()).start()?
        }
    };
    loop {
        course.turn = handle.id().to_owned();
        let outcome = watch(handle, events, &mut course).await;
        let waiting = match outcome {
            Ok(TurnOutcome::Finished(results)) => {
                course.results = results;
                return Ok(course);
            }
            Ok(TurnOutcome::Suspended(waiting)) => waiting,
            Err(error) => {
                course.results = error.results().to_vec();
                course.error = Some(error);
                return Ok(course);
            }
        };
        course.suspensions += 1;
        let replies =
            waiting.pending().iter().filter_map(|pending| Some((&pending.id, answers.reply(pending)?)));
        let replies: Vec<_> = replies.collect();
        if replies.is_empty() {
            course.waits = waiting.pending().to_vec();
            return Ok(course);
        }
        let mut builder = dispatcher.resume(&waiting.session, &waiting.turn).await?.context(context.clone());
        for (id, reply) in replies {
            builder.try_answer(id, reply)?;
        }
        (handle, events) = builder.start()?;
    }
}

async fn watch(
    handle: TurnHandle,
    mut events: ToolEvents,
    course: &mut Course,
) -> Result<TurnOutcome, TurnError> {
    let outcome = handle.finish().await;
    while let Some(event) = events.next().await {
        course.events.push(event);
    }
    outcome
}
