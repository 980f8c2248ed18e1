//! What a caller brings to a call or a turn.

use std::{any::type_name, fmt, sync::Arc};

use tokio_util::sync::CancellationToken;

use crate::{
    dispatch::{LazyToken, Scope, StartError, builder::Settings},
    event::EventHub,
    event::ToolEvents,
    message::{Message, ToolCallId},
    registry::Registered,
    tool::States,
};

/// What a caller brings to a call: a session, messages, what tools ask for as `Extension`, a cancellation.
///
/// ```
/// use haft_core::CallContext;
///
/// struct Caller(&'static str);
/// let context = CallContext::new().session("s-1").with(Caller("ada"));
/// ```
#[derive(Clone, Default)]
#[must_use = "a context does nothing until a call or turn has it"]
pub struct CallContext {
    session: Option<Arc<str>>,
    call_id: Option<ToolCallId>,
    messages: Option<Arc<[Message]>>,
    extensions: States,
    token: Option<CancellationToken>,
}

impl CallContext {
    /// Brings nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the session.
    pub fn session(mut self, id: impl Into<Arc<str>>) -> Self {
        self.session = Some(id.into());
        self
    }

    /// Names the call; a generated id stands there otherwise. A turn's calls have the model's ids.
    pub fn call_id(mut self, id: impl Into<ToolCallId>) -> Self {
        self.call_id = Some(id.into());
        self
    }

    /// The messages that the model had seen before: no system prompt, not the message with the calls.
    pub fn messages(mut self, messages: impl Into<Arc<[Message]>>) -> Self {
        self.messages = Some(messages.into());
        self
    }

    /// Brings a value that tools ask for as [`Extension<T>`](crate::Extension).
    pub fn with<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.with_shared(Arc::new(value))
    }

    /// Brings a value that the host shares already.
    pub fn with_shared<T: Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        self.extensions.insert(value);
        self
    }

    /// Ends the call when the token is cancelled.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.token = Some(token);
        self
    }

    /// The session, if one was named.
    pub(crate) fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    /// Says whether the caller brought all that a tool asks for.
    pub(super) fn check_extensions(&self, tool: Option<&Arc<Registered>>) -> Result<(), StartError> {
        let Some(tool) = tool else { return Ok(()) };
        match tool.extensions().iter().find(|(id, _)| !self.extensions.contains(*id)) {
            None => Ok(()),
            Some((_, type_name)) => {
                Err(StartError::MissingExtension { tool: tool.tool.name().to_owned(), type_name })
            }
        }
    }

    /// The id of the call, if it has one.
    pub(super) fn take_call_id(&mut self) -> Option<ToolCallId> {
        self.call_id.take()
    }

    pub(super) fn extensions(&self) -> &States {
        &self.extensions
    }

    /// Whether what it stands for can be told to end.
    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.token.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// What the calls share; `turn` is the id of a turn that is resumed.
    pub(super) fn scope(
        &self,
        settings: &Arc<Settings>,
        events: Option<&ToolEvents>,
        turn: Option<&str>,
    ) -> Scope {
        let hub = EventHub::new(
            self.session.clone(),
            Arc::clone(&settings.ids),
            settings.clock.clone(),
            events.map(ToolEvents::queue),
            Arc::clone(&settings.subscribers),
        );
        Scope {
            messages: self.messages.clone().unwrap_or_default(),
            extensions: self.extensions.clone(),
            token: LazyToken::below(self.token.clone()),
            deadline: None,
            events: match turn {
                Some(turn) => hub.resume(turn),
                None => hub,
            },
            answerer: settings.answerer.clone(),
            settings: Some(Arc::clone(settings)),
            tools: None,
            can_suspend: false,
            waits: settings.suspends,
        }
    }
}

impl fmt::Debug for CallContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct(type_name::<Self>()).field("session", &self.session).finish_non_exhaustive()
    }
}
