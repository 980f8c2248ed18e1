//! A turn from a script, and what became of it.

use std::{fmt, sync::Arc};

use serde::Serialize;

use crate::{
    ask::Pending,
    dispatch::{CallContext, Dispatcher, TurnError},
    event::ToolEvent,
    journal::Entry,
    message::ToolCall,
    result::ToolResult,
    testing::{
        Answers, Mismatch, lines,
        play::{Begin, Course, PlayError, play},
    },
};

/// The calls of one turn, and the answers to what it will ask.
///
/// ```
/// use haft_core::{Dispatcher, MemoryJournal, Tool, ToolRegistry, testing::{Answers, Script}};
/// use serde_json::json;
/// use std::sync::Arc;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let wipe = Tool::builder("wipe").description("Wipes the disk.").needs_approval(true).run_sync(|| "wiped");
/// let registry = ToolRegistry::builder().tool(wipe).build()?;
/// let dispatcher = Dispatcher::builder(registry).journal(Arc::new(MemoryJournal::new())).build();
///
/// let played = Script::new()
///     .call("a", "wipe", json!({}))
///     .call("b", "wype", json!({}))
///     .answers(Answers::new().approve("wipe"))
///     .run(&dispatcher)
///     .await?;
/// played.expect_results(&["a wipe: wiped", "b wype: [not-found] there is no tool \"wype\"; did you mean \"wipe\"?"])?;
/// assert_eq!(played.suspensions(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a script does nothing until it is run"]
pub struct Script {
    calls: Vec<ToolCall>,
    context: CallContext,
    answers: Answers,
}

impl Script {
    /// A turn without calls.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a call; `arguments` is any value that serializes to what the model would send.
    pub fn call(mut self, id: &str, name: &str, arguments: impl Serialize) -> Self {
        // What does not serialize becomes text that no tool accepts, and the result says so.
        let arguments =
            serde_json::to_string(&arguments).unwrap_or_else(|error| format!("not serialized: {error}"));
        self.calls.push(ToolCall::new(id, name, arguments));
        self
    }

    /// Adds calls as a model sent them.
    pub fn calls(mut self, calls: impl IntoIterator<Item = ToolCall>) -> Self {
        self.calls.extend(calls);
        self
    }

    /// What the caller brings: session, messages, extensions, cancellation.
    pub fn context(mut self, context: CallContext) -> Self {
        self.context = context;
        self
    }

    /// The answers, given each time the turn has suspended. What they do not cover, the turn goes on waiting for.
    pub fn answers(mut self, answers: Answers) -> Self {
        self.answers = answers;
        self
    }

    /// Runs the turn as far as the answers go.
    ///
    /// # Errors
    /// When the turn can not begin or be resumed, or an answer is refused. How the calls fare is in what is played.
    pub async fn run(self, dispatcher: &Dispatcher) -> Result<Played, ScriptError> {
        let course = play(dispatcher, Begin::Turn(self.calls), &self.context, &self.answers).await;
        let course = course.map_err(ScriptError)?;
        let session = self.context.session_id().unwrap_or_default();
        let journal = match dispatcher.journal() {
            Some(journal) => journal.read(session, &course.turn).await,
            None => Ok(Vec::new()),
        };
        let journal = journal.map_err(|error| ScriptError(PlayError::Resume(error.into())))?;
        Ok(Played { course, journal })
    }
}

/// What became of a turn.
#[derive(Debug)]
pub struct Played {
    course: Course,
    journal: Vec<Entry>,
}

impl Played {
    /// The id of the turn.
    pub fn turn(&self) -> &str {
        &self.course.turn
    }

    /// One result a call, in the model's order; none while the turn waits.
    pub fn results(&self) -> &[ToolResult] {
        &self.course.results
    }

    /// What the turn still waits for.
    pub fn waits_for(&self) -> &[Pending] {
        &self.course.waits
    }

    /// How often the turn has suspended.
    pub fn suspensions(&self) -> usize {
        self.course.suspensions
    }

    /// The events, in order.
    pub fn events(&self) -> &[Arc<ToolEvent>] {
        &self.course.events
    }

    /// The entries of the journal, in order; none where the dispatcher has no journal.
    pub fn journal(&self) -> &[Entry] {
        &self.journal
    }

    /// Why the run did not end in the ordinary way.
    pub fn error(&self) -> Option<&TurnError> {
        self.course.error.as_ref()
    }

    /// Compares results, one line each: `ID TOOL: TEXT`, or `ID TOOL: [KIND] MESSAGE` where the call failed. While the
    /// turn waits the lines are what it waits for: `ID TOOL: waits for WHAT`.
    ///
    /// # Errors
    /// The difference.
    pub fn expect_results(&self, expected: &[&str]) -> Result<&Self, Mismatch> {
        let waits = self.course.waits.iter().map(lines::pending);
        let found = self.course.results.iter().map(lines::result).chain(waits);
        Mismatch::check("results", expected, found.collect()).map(|()| self)
    }

    /// Compares events, one line each: `TYPE ID`.
    ///
    /// # Errors
    /// The difference.
    pub fn expect_events(&self, expected: &[&str]) -> Result<&Self, Mismatch> {
        let found = self.course.events.iter().map(|event| lines::event(event)).collect();
        Mismatch::check("events", expected, found).map(|()| self)
    }

    /// Compares the types of the events of one call, for turns whose calls run at once.
    ///
    /// # Errors
    /// The difference.
    pub fn expect_events_of(&self, id: &str, expected: &[&str]) -> Result<&Self, Mismatch> {
        let of_call = |event: &&Arc<ToolEvent>| {
            serde_json::to_value(&***event).is_ok_and(|event| lines::about(&event) == Some(id))
        };
        let events = self.course.events.iter().filter(of_call);
        let found = events.map(|event| event.body.name().to_owned()).collect();
        Mismatch::check("events of the call", expected, found).map(|()| self)
    }

    /// Compares the journal, one line an entry: `TYPE ID WHAT`, such as `call_started a attempt 1`.
    ///
    /// # Errors
    /// The difference.
    pub fn expect_journal(&self, expected: &[&str]) -> Result<&Self, Mismatch> {
        Mismatch::check("entries of the journal", expected, lines::journal(&self.journal)).map(|()| self)
    }
}

/// A script that could not be run: the turn did not begin, or an answer was refused.
#[derive(thiserror::Error)]
#[error("{0}")]
pub struct ScriptError(PlayError);

impl ScriptError {
    /// The number of what went wrong.
    pub fn code(&self) -> u16 {
        match &self.0 {
            PlayError::Start(error) => error.code(),
            PlayError::Resume(error) => error.code(),
            PlayError::Answer(error) => error.code(),
        }
    }
}

impl fmt::Debug for ScriptError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
