//! What a function can learn about its call.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    ask::{Answer, Answered, Question, Suspension},
    dispatch::Scope,
    error::{ErrorCode, ToolError},
    event::EventBody,
    message::{Message, ToolCallId},
    result::ToolResult,
    schema::Digest,
    tool::{MakesContext, States, ToolName},
};

/// The identity of one call, as its dispatcher keeps it.
#[derive(Debug, Clone)]
pub(crate) struct ContextSource {
    pub(crate) scope: Arc<Scope>,
    pub(crate) id: ToolCallId,
    pub(crate) tool: ToolName,
    pub(crate) position: usize,
    pub(crate) attempt: u32,
    pub(crate) deadline: Option<Instant>,
    /// Questions that the call asked in an earlier run, with their answers.
    pub(crate) answers: Arc<[(String, Answer)]>,
    /// The call inside of which this one is made.
    pub(crate) parent: Option<ToolContext>,
    /// Its place among the calls of its parent's attempt.
    pub(crate) number: usize,
}

impl ContextSource {
    /// The call's own name among all calls.
    pub(crate) fn key(&self) -> Digest {
        let position = self.position.to_string();
        let (session, turn) = (self.scope.session().unwrap_or_default(), self.scope.turn_id());
        Digest::of("idempotency-key", [session, turn, &position, &self.path()])
    }

    /// The id, but the same in each attempt of the calls around it.
    fn path(&self) -> Cow<'_, str> {
        match &self.parent {
            None => self.id.as_str().into(),
            Some(parent) => format!("{}.{}", parent.source().path(), self.number).into(),
        }
    }
}

/// What a function can learn about its call, and say while it runs. Cheap to clone.
///
/// ```
/// use haft_core::ToolContext;
///
/// let context = ToolContext::detached();
/// assert!(context.messages().is_empty());
/// assert!(!context.cancellation().is_cancelled());
/// ```
#[derive(Clone)]
pub struct ToolContext(Arc<ContextInner>);

struct ContextInner {
    source: ContextSource,
    token: OnceLock<CancellationToken>,
    /// Whether the function has asked for its token.
    held: AtomicBool,
    /// Cancelled when the function itself is told to end: what it calls waits for this.
    told: OnceLock<CancellationToken>,
    /// How many of its parts run on though nobody waits for them.
    left: AtomicUsize,
    /// How long it has waited for people, whose time is not its own.
    waited: Mutex<Waited>,
    key: OnceLock<Digest>,
    asked: AtomicUsize,
    /// What was answered at once, by whoever answers while the turn runs.
    answered: Mutex<Vec<Answered>>,
    /// How many calls the function has made.
    nested: AtomicUsize,
    /// How many of them in this attempt.
    nested_now: AtomicUsize,
    /// Attempts that a layer has made beyond the first.
    again: AtomicU32,
}

impl MakesContext for ToolContext {
    fn context(&self) -> ToolContext {
        self.clone()
    }

    fn extensions(&self) -> &States {
        &self.0.source.scope.extensions
    }
}

impl ToolContext {
    pub(crate) fn new(source: ContextSource) -> Self {
        Self(Arc::new(ContextInner {
            source,
            token: OnceLock::new(),
            held: AtomicBool::new(false),
            told: OnceLock::new(),
            left: AtomicUsize::new(0),
            waited: Mutex::default(),
            key: OnceLock::new(),
            asked: AtomicUsize::new(0),
            answered: Mutex::default(),
            nested: AtomicUsize::new(0),
            nested_now: AtomicUsize::new(0),
            again: AtomicU32::new(0),
        }))
    }

    /// A context with no turn behind it, for tests.
    pub fn detached() -> Self {
        Self::new(ContextSource {
            scope: Arc::new(Scope::detached()),
            id: ToolCallId::from("detached"),
            tool: ToolName::detached(),
            position: 0,
            attempt: 1,
            deadline: None,
            answers: Arc::default(),
            parent: None,
            number: 0,
        })
    }

    /// The model's id for this call; a generated one where no model stands behind the call.
    pub fn tool_call_id(&self) -> &ToolCallId {
        &self.0.source.id
    }

    /// The name of the tool that runs.
    pub fn tool_name(&self) -> &str {
        self.0.source.tool.as_str()
    }

    /// The key that outgoing requests carry, so that a repeated call is known for one: 64 hex digits.
    ///
    /// It is a digest of session, turn, position and call id: the same when the call is tried again, another for
    /// another call even where the model repeats an id.
    pub fn idempotency_key(&self) -> String {
        self.key().to_string()
    }

    pub(crate) fn key(&self) -> Digest {
        *self.0.key.get_or_init(|| self.0.source.key())
    }

    /// Asks the user.
    ///
    /// An answer of an earlier run is returned at once, when the question is the same. Else whoever answers while the
    /// turn runs is asked. Where nobody does, the error suspends the call: hand it out with `?`. When the turn is
    /// resumed with the answer, the function runs again from its top, and this returns the answer.
    ///
    /// # Errors
    /// The suspension; or kind `execution`, when an earlier run asked another question at this place; or kind
    /// `denied`, when nobody can be asked at all.
    pub async fn ask(&self, question: Question) -> Result<Answer, ToolError> {
        let _waiting = self.wait_for_people();
        if let Some(parent) = &self.0.source.parent {
            // The parent is what runs again when the turn is resumed.
            return Box::pin(parent.ask(question)).await;
        }
        let source = &self.0.source;
        let number = self.0.asked.fetch_add(1, Ordering::Relaxed);
        let suspension = Suspension::question(&self.key(), number, question.clone());
        if let Some(answer) = self.known(&suspension.id) {
            return Ok(answer);
        }
        if number < source.answers.len() {
            return Err(ToolError::new(format!(
                "the question {:?} is another than the one that was answered at this place; the function has to ask \
                 the same questions each time it runs",
                question.prompt
            )));
        }
        if let Some(answerer) = &source.scope.answerer
            && let Some(answer) = answerer.answer(&question).await
        {
            if let Some(problem) = question.problem(&answer) {
                let message = format!("the answer to {:?} does not fit: {problem}", question.prompt);
                return Err(ToolError::new(message));
            }
            self.said().push(Answered { id: suspension.id, question, answer: answer.clone() });
            return Ok(answer);
        }
        if source.scope.can_suspend && source.scope.waits {
            return Err(ToolError::suspend(Suspension { answered: self.answered(), ..suspension }));
        }
        let denied =
            ToolError::of(ErrorCode::Denied, format!("nobody can be asked here: {}", question.prompt));
        Err(denied.with_reason("nobody can be asked"))
    }

    /// The answer to a question that was asked before, in an earlier run or in this one.
    fn known(&self, id: &str) -> Option<Answer> {
        let earlier = self.0.source.answers.iter().find(|(answered, _)| answered == id);
        earlier
            .map(|(_, answer)| answer.clone())
            .or_else(|| self.said().iter().find(|said| said.id == id).map(|said| said.answer.clone()))
    }

    fn said(&self) -> MutexGuard<'_, Vec<Answered>> {
        self.0.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The questions of this run that were answered at once.
    pub(crate) fn answered(&self) -> Vec<Answered> {
        self.said().clone()
    }

    /// The session that the caller named.
    pub fn session_id(&self) -> Option<&str> {
        self.0.source.scope.session()
    }

    /// The messages that the model had seen before this turn: no system prompt, not the turn itself.
    pub fn messages(&self) -> &[Message] {
        &self.0.source.scope.messages
    }

    /// The token that is cancelled when the call is to end early.
    ///
    /// A function that holds it gets the dispatcher's grace period to end by itself; any other is dropped at once.
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.held.store(true, Ordering::Relaxed);
        self.token()
    }

    fn token(&self) -> &CancellationToken {
        self.0.token.get_or_init(|| match &self.0.source.parent {
            Some(parent) => parent.token().child_token(),
            None => self.0.source.scope.token.get().child_token(),
        })
    }

    /// Whether the function holds its token, so that it can notice that it is to end.
    pub(crate) fn is_held(&self) -> bool {
        self.0.held.load(Ordering::Relaxed)
    }

    /// Tells the function to end, and what it calls.
    pub(crate) fn cancel(&self) {
        self.token().cancel();
        self.told().cancel();
    }

    /// Unlike its own token, this one is not cancelled with the turn's, but only by whoever waits for the function: one
    /// that can not notice is dropped first, and what it calls does not come back to it.
    pub(crate) fn told(&self) -> &CancellationToken {
        self.0.told.get_or_init(CancellationToken::new)
    }

    /// A part of the function runs on though nobody waits for it; `true` for the first one.
    pub(crate) fn leave_behind(&self) -> bool {
        self.0.left.fetch_add(1, Ordering::Relaxed) == 0
    }

    /// A part that was left behind has ended; with the last one observers are told.
    pub(crate) fn end_behind(&self, is_error: bool) {
        if self.0.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            let tool_call_id = self.0.source.id.clone();
            self.0.source.scope.events.emit(|| EventBody::Late { tool_call_id, is_error });
        }
    }

    /// Until the guard is dropped, time is not the function's own, nor that of the calls around it: they are given it back
    /// when their own is over.
    ///
    /// [`ask`](Self::ask) does so by itself; this is for functions that reach people by other ways.
    ///
    /// ```
    /// use haft_core::ToolContext;
    ///
    /// async fn sign(context: ToolContext) -> String {
    ///     let waiting = context.wait_for_people();
    ///     let signed = at_the_desk().await;
    ///     drop(waiting);
    ///     signed
    /// }
    /// # async fn at_the_desk() -> String { String::new() }
    /// # let _ = sign(ToolContext::detached());
    /// ```
    pub fn wait_for_people(&self) -> WaitingForPeople {
        self.and_around().for_each(|context| context.waited().begin());
        WaitingForPeople(self.clone())
    }

    /// The call, and those around it.
    fn and_around(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |context| context.0.source.parent.as_ref())
    }

    /// How long the function has waited for people until now: for limits of its own, which that time is no part of.
    ///
    /// ```
    /// use std::time::Duration;
    /// use haft_core::ToolContext;
    ///
    /// assert_eq!(ToolContext::detached().waited_for_people(), Duration::ZERO);
    /// ```
    pub fn waited_for_people(&self) -> Duration {
        self.waited_until_now().0
    }

    /// How long the function has waited for people, and whether it does now.
    pub(crate) fn waited_until_now(&self) -> (Duration, bool) {
        self.waited().until_now()
    }

    fn waited(&self) -> MutexGuard<'_, Waited> {
        self.0.waited.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which attempt at the call this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.0.source.attempt + self.0.again.load(Ordering::Relaxed)
    }

    /// When the call will be ended, if it is bounded in time.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.source.deadline
    }

    /// Calls another tool from inside of this one: it is checked, decided on and sealed like any call.
    ///
    /// It runs in the slot of this call, and ends with it. A tool or a key that is at its limit fails the call with
    /// kind `not-run` at once, since waiting inside of a call can lock two calls against each other for ever. Calls can
    /// be nested 8 deep, and one function can make 256 of them.
    ///
    /// # Errors
    /// When the other tool waits for an answer: hand the error out with `?`, and the turn suspends. How the call itself
    /// fares is in the result.
    ///
    /// ```
    /// use haft_core::{CallContext, Dispatcher, Tool, ToolContext, ToolError, ToolRegistry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let greet = Tool::builder("greet").description("Greets loudly.").run(|context: ToolContext| async move {
    ///     let result = context.call("shout", r#"{"input":"hello"}"#).await?;
    ///     Ok::<_, ToolError>(result.text().into_owned())
    /// })?;
    /// let shout = Tool::simple("shout", |input: String| async move { input.to_uppercase() })?;
    /// let dispatcher = Dispatcher::new(ToolRegistry::builder().tools([greet, shout]).build()?);
    /// assert_eq!(dispatcher.call("greet", "{}", CallContext::new()).await?.text(), "HELLO");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn call(&self, name: &str, arguments: &str) -> Result<ToolResult, ToolError> {
        let number = self.0.nested.fetch_add(1, Ordering::Relaxed);
        let now = self.0.nested_now.fetch_add(1, Ordering::Relaxed);
        crate::dispatch::call_nested(self, (number, now), name, arguments).await
    }

    /// A layer tries the function again: it asks its questions from the first one, and observers are told.
    pub(crate) fn begin_attempt(&self) {
        self.0.again.fetch_add(1, Ordering::Relaxed);
        self.0.asked.store(0, Ordering::Relaxed);
        self.0.nested_now.store(0, Ordering::Relaxed);
        self.0
            .source
            .scope
            .events
            .emit(|| EventBody::Retrying { tool_call_id: self.0.source.id.clone(), attempt: self.attempt() });
    }

    /// How many calls stand around this one.
    pub(crate) fn depth(&self) -> usize {
        self.and_around().count() - 1
    }

    pub(crate) fn source(&self) -> &ContextSource {
        &self.0.source
    }

    /// Says how far the call is; `total` is left out where it is not known.
    ///
    /// Whoever observes the turn gets an event; where nobody does, this costs nothing.
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.0.source.scope.events.emit(|| EventBody::Progress {
            tool_call_id: self.0.source.id.clone(),
            progress: done,
            total,
            message: message.map(str::to_owned),
        });
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ToolContext")
            .field("tool_call_id", self.tool_call_id())
            .finish_non_exhaustive()
    }
}

/// The time in which a function waits for people; waits that overlap count once.
#[derive(Debug, Default)]
struct Waited {
    open: usize,
    since: Option<Instant>,
    before: Duration,
}

impl Waited {
    fn begin(&mut self) {
        self.open += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    fn end(&mut self) {
        self.open -= 1;
        if self.open == 0 {
            self.before += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        }
    }

    fn until_now(&self) -> (Duration, bool) {
        let now = self.since.map(|since| since.elapsed());
        (self.before + now.unwrap_or_default(), now.is_some())
    }
}

/// Ends a wait for people, of a call and of those around it, when it is dropped: see [`ToolContext::wait_for_people`].
///
/// ```
/// let context = haft_core::ToolContext::detached();
/// let waiting: haft_core::WaitingForPeople = context.wait_for_people();
/// drop(waiting);
/// ```
#[derive(Debug)]
#[must_use = "the wait is over when this is dropped"]
pub struct WaitingForPeople(ToolContext);

impl Drop for WaitingForPeople {
    fn drop(&mut self) {
        self.0.and_around().for_each(|context| context.waited().end());
    }
}

/// Says how far a call is.
#[derive(Debug, Clone)]
pub struct Progress(pub(crate) ToolContext);

impl Progress {
    /// Progress that nobody observes, for calling a tool's function as the plain function it is, in a test.
    pub fn detached() -> Self {
        Self(ToolContext::detached())
    }

    /// `done` of `total`, in any unit.
    pub fn report(&self, done: f64, total: f64) {
        self.0.progress(done, Some(total), None);
    }

    /// `done`, where the total is not known, with a message for people.
    pub fn message(&self, done: f64, message: &str) {
        self.0.progress(done, None, Some(message));
    }
}
