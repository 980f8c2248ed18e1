//! What a function is started with: its arguments, and a context where it asks for one.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::tool::{Effective, States, ToolContext, Unread};

/// Knows what a context is made of; none is made unless a parameter asks for it.
pub(crate) trait MakesContext: Sync {
    fn context(&self) -> ToolContext;
    fn extensions(&self) -> &States;
}

/// What extractors read while the function's parameters are put together.
///
/// The context is made only when a parameter asks for it.
pub struct CallRequest<'a> {
    arguments: &'a mut Effective,
    unread: Option<&'a Unread<'a>>,
    source: &'a dyn MakesContext,
    context: &'a mut Option<ToolContext>,
}

/// The request as its stage keeps it.
pub(crate) struct CallInput<'s> {
    arguments: Effective,
    unread: Option<Unread<'s>>,
    source: &'s dyn MakesContext,
    context: Option<ToolContext>,
}

impl<'s> CallInput<'s> {
    pub(crate) fn new(arguments: Effective, source: &'s dyn MakesContext) -> Self {
        Self { arguments, unread: None, source, context: None }
    }

    /// A request whose arguments the function reads itself.
    pub(crate) fn unread(unread: Unread<'s>, source: &'s dyn MakesContext) -> Self {
        Self { arguments: Effective::Value(Value::Null), unread: Some(unread), source, context: None }
    }

    /// Whether the function could not plainly read its arguments; it has not run then.
    pub(crate) fn is_undecided(&self) -> bool {
        self.unread.as_ref().is_some_and(Unread::is_undecided)
    }

    /// The arguments, where others than the function may look at them.
    pub(crate) fn value(&self) -> Option<&Value> {
        self.arguments.value()
    }

    pub(crate) fn request(&mut self) -> CallRequest<'_> {
        CallRequest {
            arguments: &mut self.arguments,
            unread: self.unread.as_ref(),
            source: self.source,
            context: &mut self.context,
        }
    }

    /// The context, if the function asked for it.
    pub(crate) fn into_context(self) -> Option<ToolContext> {
        self.context
    }
}

impl CallRequest<'_> {
    /// The text of the arguments, where the function reads it itself.
    pub(crate) fn unread(&self) -> Option<&Unread<'_>> {
        self.unread
    }

    /// The effective arguments, taken out: a second taker finds `null`.
    pub(crate) fn take_arguments(&mut self) -> Effective {
        std::mem::replace(self.arguments, Effective::Value(Value::Null))
    }

    /// The context of the call.
    pub fn context(&mut self) -> ToolContext {
        self.context.get_or_insert_with(|| self.source.context()).clone()
    }

    /// What the caller brought of type `T`.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.source.extensions().get::<T>()
    }
}

impl fmt::Debug for CallRequest<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CallRequest").finish_non_exhaustive()
    }
}
