//! The main path: what a call goes through, from the model's text to the one result.

mod abandoned;
mod alone;
mod blocking;
mod builder;
mod context;
mod deadline;
mod driver;
mod execute;
mod gate;
mod guard;
mod hooks;
mod keys;
mod lanes;
mod lone;
mod machine;
mod mailbox;
mod nested;
mod past;
mod place;
mod policy;
mod presence;
mod recorder;
mod resume;
mod scope;
mod seal;
mod sent;
mod supervisor;
mod threads;
mod token;
mod turn;
mod validate;

use std::{fmt, sync::Arc};

use crate::{
    error::ToolError,
    event::ToolEvents,
    message::ToolCall,
    registry::{Snapshot, ToolRegistry},
    result::ToolResult,
};

pub(crate) use alone::call_alone;
pub(crate) use gate::Gate;
pub(crate) use guard::guarded_job;
pub(crate) use nested::call_nested;
pub(crate) use scope::Scope;
pub(crate) use threads::on_a_thread_within;
pub(crate) use token::LazyToken;
pub(crate) use validate::{CheckedArguments, check_arguments, check_effective, completed};

pub use builder::DispatcherBuilder;
pub use context::CallContext;
pub use presence::DispatcherStatus;
pub use resume::{AnswerError, Reply, ResumeBuilder, ResumeError};
pub use turn::{StartError, TurnBuilder, TurnError, TurnHandle, TurnOutcome};

/// The one way to run calls: it checks them, decides on them, runs them, and seals each with one result.
///
/// Cheap to clone; a clone is the same dispatcher, with the same caps.
///
/// ```
/// use haft_core::{CallContext, Dispatcher, Tool, ToolRegistry};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = ToolRegistry::builder()
///     .tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() }))
///     .build()?;
/// let dispatcher = Dispatcher::new(registry);
///
/// let result = dispatcher.call("shout", r#"{"input":"hey"}"#, CallContext::new()).await?;
/// assert_eq!(result.text(), "HEY");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Dispatcher(Arc<builder::Settings>);

impl Dispatcher {
    /// A dispatcher with the defaults of [`builder`](Self::builder).
    pub fn new(registry: ToolRegistry) -> Self {
        Self::builder(registry).build()
    }

    /// Begins a dispatcher.
    pub fn builder(registry: ToolRegistry) -> DispatcherBuilder {
        DispatcherBuilder::new(registry)
    }

    /// Checks and runs one call. `arguments` is JSON text, as a model sends it.
    ///
    /// Dropping the future ends the call.
    ///
    /// # Errors
    /// When the call can not begin: the caller did not bring what the tool asks for. How the call itself fares is in
    /// the result.
    pub async fn call(
        &self,
        name: &str,
        arguments: &str,
        context: CallContext,
    ) -> Result<ToolResult, StartError> {
        let tools = self.0.registry.load();
        let found = tools.get(name);
        if tools.asks_caller() {
            context.check_extensions(found.or_else(|| self.0.registry.called(&tools, name)))?;
        }
        let alone = place::LoneCall::new(name, arguments, context, &self.0);
        let place = place::Place::alone(&alone, &self.0);
        place.started();
        let progress = lone::at_once(&place, &self.0, found);
        let (name, output) = match progress {
            lone::Progress::Plain(name, output) if !place.is_observed() => (name, output),
            progress => {
                // Boxed, so that the calls which end at once are small.
                let result = Box::pin(lone::waited_for(progress, &place, &tools)).await;
                seal::announce(&result, &place);
                return Ok(result);
            }
        };
        Ok(ToolResult::plain(alone.into_id(), name, output, self.0.style))
    }

    /// Begins a turn: all calls of one message of a model.
    ///
    /// ```
    /// use haft_core::{Dispatcher, Tool, ToolCall, ToolRegistry, TurnOutcome};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = ToolRegistry::builder()
    ///     .tool(Tool::simple("shout", |input: String| async move { input.to_uppercase() }))
    ///     .build()?;
    /// let calls = vec![
    ///     ToolCall::new("c1", "shout", r#"{"input":"hey"}"#),
    ///     ToolCall::new("c2", "whisper", "{}"),
    /// ];
    /// let turn = Dispatcher::new(registry).turn(calls).session("s-1").start_unobserved()?;
    /// let TurnOutcome::Finished(results) = turn.finish().await? else { unreachable!("nothing asks") };
    /// assert_eq!(results[0].text(), "HEY");
    /// assert_eq!(results[1].error().unwrap().kind().as_str(), "not-found");
    /// # Ok(())
    /// # }
    /// ```
    pub fn turn(&self, calls: Vec<ToolCall>) -> TurnBuilder {
        TurnBuilder::new(self.clone(), calls)
    }

    /// Takes up a turn that waits, or that was interrupted.
    ///
    /// # Errors
    /// When there is no such turn, it has ended, it runs now, or the journal can not be read.
    pub async fn resume(&self, session: &str, turn: &str) -> Result<ResumeBuilder, ResumeError> {
        ResumeBuilder::open(self.clone(), session, turn).await
    }

    /// The events of all turns and calls that begin from now on.
    pub fn subscribe(&self) -> ToolEvents {
        self.0.subscribers.subscribe()
    }

    /// What runs now.
    pub fn status(&self) -> DispatcherStatus {
        self.0.presence.status()
    }

    /// Where its turns are recorded.
    pub(crate) fn journal(&self) -> Option<&Arc<dyn crate::journal::Journal>> {
        self.0.journal.as_ref()
    }

    /// The tools that it runs.
    pub fn registry(&self) -> &ToolRegistry {
        &self.0.registry
    }
}

/// The stages before a call may run; each takes what only the one before it can make.
async fn admit<'t>(
    place: &place::Place<'_>,
    tools: &'t Snapshot,
) -> Result<Result<policy::AuthorizedCall<'t>, seal::Ended>, ToolError> {
    let validated = validate::validate(place, tools)?;
    let validated = match hooks::before_call(validated, place).await {
        hooks::Hooked::Continue(validated) => validated,
        hooks::Hooked::Ended(ended) => return Ok(Err(ended)),
    };
    match policy::authorize(validated)? {
        policy::Verdict::Allow(authorized) => Ok(Ok(authorized)),
        policy::Verdict::Ask(validated, reason) => policy::ask_now(validated, &reason, place).await.map(Ok),
    }
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Dispatcher").field("registry", &self.0.registry).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::Dispatcher;

    /// A call can be awaited on any thread, even where only its function sees the arguments.
    #[test]
    fn the_future_of_a_call_is_send() {
        fn send<T: Send>(_: impl FnOnce(Dispatcher) -> T) {}
        send(|dispatcher: Dispatcher| async move {
            drop(dispatcher.call("any", "{}", crate::CallContext::new()).await);
        });
    }
}
