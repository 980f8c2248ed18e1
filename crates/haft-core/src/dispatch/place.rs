//! What stands around a call; of a call that no turn stands behind, only what somebody asks for comes into being.

use std::{
    future::pending,
    sync::{Arc, OnceLock},
};

use crate::{
    dispatch::{CallContext, Scope, builder::Settings, sent::SentCall},
    event::EventBody,
    message::{ToolCall, ToolCallId},
    registry::Snapshot,
    tool::{States, ToolContext},
};

/// What stands around a call that is about to run.
pub(super) struct Place<'a> {
    pub(super) position: usize,
    pub(super) settings: &'a Arc<Settings>,
    /// The call inside of which this one is made, and its place among those that it makes.
    pub(super) parent: Option<(&'a ToolContext, usize)>,
    origin: Origin<'a>,
}

#[derive(Clone, Copy)]
enum Origin<'a> {
    Turn(SentCall<'a>, &'a Arc<Scope>),
    Alone(&'a LoneCall<'a>),
}

/// A call that no turn stands behind.
pub(super) struct LoneCall<'a> {
    id: ToolCallId,
    name: &'a str,
    arguments: &'a str,
    context: CallContext,
    call: OnceLock<Arc<ToolCall>>,
    scope: OnceLock<Arc<Scope>>,
}

impl<'a> LoneCall<'a> {
    pub(super) fn new(
        name: &'a str,
        arguments: &'a str,
        mut context: CallContext,
        settings: &Settings,
    ) -> Self {
        let id = context.take_call_id().unwrap_or_else(|| settings.ids.next_call_id());
        Self { id, name, arguments, context, call: OnceLock::new(), scope: OnceLock::new() }
    }
}

impl LoneCall<'_> {
    /// The id, when the call is over.
    pub(super) fn into_id(self) -> ToolCallId {
        self.id
    }
}

impl<'a> Place<'a> {
    pub(super) fn in_turn(
        call: SentCall<'a>,
        position: usize,
        scope: &'a Arc<Scope>,
        settings: &'a Arc<Settings>,
    ) -> Self {
        Self { position, settings, parent: None, origin: Origin::Turn(call, scope) }
    }

    pub(super) fn alone(call: &'a LoneCall<'a>, settings: &'a Arc<Settings>) -> Self {
        Self { position: 0, settings, parent: None, origin: Origin::Alone(call) }
    }

    /// The place of a call that the function of another one makes.
    pub(super) fn within(self, parent: &'a ToolContext, number: usize) -> Self {
        Self { parent: Some((parent, number)), ..self }
    }

    pub(super) fn id(&self) -> &'a ToolCallId {
        match self.origin {
            Origin::Turn(sent, _) => &sent.call().id,
            Origin::Alone(alone) => &alone.id,
        }
    }

    /// The name that was called.
    pub(super) fn name(&self) -> &'a str {
        match self.origin {
            Origin::Turn(sent, _) => &sent.call().name,
            Origin::Alone(alone) => alone.name,
        }
    }

    /// The arguments as they were sent.
    pub(super) fn arguments(&self) -> &'a str {
        match self.origin {
            Origin::Turn(sent, _) => &sent.call().arguments,
            Origin::Alone(alone) => alone.arguments,
        }
    }

    pub(super) fn call(&self) -> Arc<ToolCall> {
        match self.origin {
            Origin::Turn(sent, _) => sent.shared(),
            Origin::Alone(alone) => Arc::clone(
                alone
                    .call
                    .get_or_init(|| Arc::new(ToolCall::new(alone.id.clone(), alone.name, alone.arguments))),
            ),
        }
    }

    pub(super) fn scope(&self) -> &'a Arc<Scope> {
        match self.origin {
            Origin::Turn(_, scope) => scope,
            Origin::Alone(alone) => {
                alone.scope.get_or_init(|| Arc::new(alone.context.scope(self.settings, None, None)))
            }
        }
    }

    /// What the caller brought, by its type.
    pub(super) fn extensions(&self) -> &'a States {
        match self.origin {
            Origin::Turn(_, scope) => &scope.extensions,
            Origin::Alone(alone) => alone.context.extensions(),
        }
    }

    /// The tools that the turn began with; of a call alone, those that there are now.
    pub(super) fn tools(&self) -> Arc<Snapshot> {
        let begun = match self.origin {
            Origin::Turn(_, scope) => scope.tools.clone(),
            Origin::Alone(_) => None,
        };
        begun.unwrap_or_else(|| self.settings.registry.snapshot())
    }

    /// When the turn's time is over.
    pub(super) fn deadline(&self) -> Option<tokio::time::Instant> {
        match self.origin {
            Origin::Turn(_, scope) => scope.deadline,
            Origin::Alone(_) => None,
        }
    }

    /// Whether the call can be told to end from outside.
    pub(super) fn can_be_cancelled(&self) -> bool {
        match self.origin {
            Origin::Turn(..) => true,
            Origin::Alone(alone) => alone.context.has_token(),
        }
    }

    /// Whether the call was told to end from outside.
    pub(super) fn is_cancelled(&self) -> bool {
        match self.origin {
            Origin::Turn(_, scope) => scope.token.is_cancelled(),
            Origin::Alone(alone) => alone.context.is_cancelled(),
        }
    }

    /// Done when the call is told to end from outside.
    pub(super) async fn cancelled(&self) {
        if let Some((parent, _)) = self.parent {
            parent.told().cancelled().await;
        } else if self.can_be_cancelled() {
            self.scope().token.get().cancelled().await;
        } else {
            pending::<()>().await;
        }
    }

    /// Whether anybody may observe.
    pub(super) fn is_observed(&self) -> bool {
        !matches!(self.origin, Origin::Alone(_)) || !self.settings.subscribers.is_empty()
    }

    /// Makes an event, if anybody observes.
    pub(super) fn emit(&self, body: impl FnOnce() -> EventBody) {
        if self.is_observed() {
            self.scope().events.emit(body);
        }
    }

    /// Says that the call is known.
    pub(super) fn started(&self) {
        self.emit(|| EventBody::Started { call: self.call() });
    }

    /// The name that the model called, where it is not the tool's.
    pub(super) fn called(&self, tool_name: &str) -> Option<Arc<str>> {
        (self.name() != tool_name).then(|| self.name().into())
    }
}
