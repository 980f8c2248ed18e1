//! One tool, called alone.

use std::{fmt, sync::Arc};

use serde::Serialize;

use crate::{
    clock::CountingIds,
    dispatch::{LazyToken, Scope, call_alone},
    error::ToolError,
    event::{EventHub, Subscribers, ToolEvents},
    message::{Message, ToolCallId},
    testing::Answers,
    tool::{ContextSource, States, Tool, ToolContext, ToolName, ToolOutput},
};

/// Everything that a function can ask for, for calling one tool alone or its plain function.
///
/// ```
/// use haft_core::{Question, State, Tool, ToolContext, ToolError, testing::{Answers, TestContext}};
/// use serde_json::json;
///
/// struct Greeting(&'static str);
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let greet = Tool::builder("greet").description("Greets.").run(
///     |greeting: State<Greeting>, context: ToolContext| async move {
///         let name = context.ask(Question::new("Who are you?")).await?;
///         Ok::<_, ToolError>(format!("{} {}", greeting.0, name.as_text().unwrap_or("you")))
///     },
/// )?;
/// let context = TestContext::new().state(Greeting("Hello")).answers(&Answers::new().answer("Who are you?", "Ada"));
/// let output = context.call(&greet, json!({})).await.map_err(|error| error.message().to_owned())?;
/// assert_eq!(output.to_text(), "Hello Ada");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
#[must_use = "a context does nothing until it is built or calls a tool"]
pub struct TestContext {
    call_id: Option<ToolCallId>,
    tool: Option<ToolName>,
    session: Option<Arc<str>>,
    attempt: Option<u32>,
    messages: Vec<Message>,
    extensions: States,
    states: States,
    answers: Option<Answers>,
    token: crate::CancellationToken,
}

impl TestContext {
    /// A context in which nothing stands.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the call; `test` unless set.
    pub fn call_id(mut self, id: impl Into<ToolCallId>) -> Self {
        self.call_id = Some(id.into());
        self
    }

    /// Names the session.
    pub fn session(mut self, id: impl Into<Arc<str>>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// Which attempt it is, from 1.
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.attempt = Some(attempt);
        self
    }

    /// Adds a message that the model had seen.
    pub fn message(mut self, message: Message) -> Self {
        self.messages.push(message);
        self
    }

    /// Brings a value that functions ask for as [`Extension<T>`](crate::Extension).
    pub fn with<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(Arc::new(value));
        self
    }

    /// Brings a value that functions ask for as [`State<T>`](crate::State); only [`call`](Self::call) reads it.
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(Arc::new(value));
        self
    }

    /// Who answers the function's questions; a question without an answer fails with kind `denied`.
    pub fn answers(mut self, answers: &Answers) -> Self {
        self.answers = Some(answers.clone());
        self
    }

    /// The token that tells the function to end.
    pub fn cancellation(mut self, token: crate::CancellationToken) -> Self {
        self.token = token;
        self
    }

    /// The context, for calling a plain function.
    pub fn build(&self) -> ToolContext {
        self.context(None)
    }

    /// The context, and what the function tells while it runs.
    pub fn observed(&self) -> (ToolContext, ToolEvents) {
        let events = ToolEvents::new(1);
        (self.context(Some(&events)), events)
    }

    /// Checks arguments and calls a tool alone: no approval, no limit of time, no dispatcher.
    ///
    /// `arguments` is any value that serializes to what a model would send.
    ///
    /// # Errors
    /// The call's own, or kind `not-run` where state is missing, or kind `execution` where `arguments` do not serialize.
    pub async fn call(&self, tool: &Tool, arguments: impl Serialize) -> Result<ToolOutput, ToolError> {
        let arguments = serde_json::to_string(&arguments).map_err(|error| {
            ToolError::new(format!("the arguments of the test do not serialize: {error}"))
        })?;
        let named = Self { tool: Some(tool.definition().name.clone()), ..self.clone() };
        call_alone(tool, &arguments, named.build(), &self.states).await
    }

    fn context(&self, events: Option<&ToolEvents>) -> ToolContext {
        let hub = EventHub::new(
            self.session.clone(),
            Arc::new(CountingIds::default()),
            None,
            events.map(ToolEvents::queue),
            Arc::new(Subscribers::default()),
        );
        let scope = Scope {
            messages: self.messages.clone().into(),
            extensions: self.extensions.clone(),
            token: LazyToken::below(Some(self.token.clone())),
            answerer: self.answers.clone().map(|answers| Arc::new(answers) as Arc<_>),
            events: hub,
            ..Scope::detached()
        };
        ToolContext::new(ContextSource {
            scope: Arc::new(scope),
            id: self.call_id.clone().unwrap_or_else(|| "test".into()),
            tool: self.tool.clone().unwrap_or_else(ToolName::detached),
            position: 0,
            attempt: self.attempt.unwrap_or(1),
            deadline: None,
            answers: Arc::default(),
            parent: None,
            number: 0,
        })
    }
}

impl fmt::Debug for TestContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TestContext").field("call_id", &self.call_id).finish_non_exhaustive()
    }
}
