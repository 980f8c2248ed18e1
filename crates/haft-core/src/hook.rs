//! Hooks: the host's own code before and after every call.

mod repeated;

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use serde_json::Value;

use crate::{
    dispatch::Scope,
    error::ToolError,
    message::ToolCall,
    tool::{Tool, ToolOutput},
};

pub use repeated::RepeatedCalls;

/// The future of a hook.
pub type HookFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ToolError>> + Send + 'a>>;

/// A call, as a hook sees it.
#[derive(Clone)]
#[non_exhaustive]
pub struct HookCall {
    /// The call, as the model sent it.
    pub call: Arc<ToolCall>,
    /// The tool; none where there is no tool of that name.
    pub tool: Option<Tool>,
    /// The effective arguments; null where the call was refused before there were any.
    pub arguments: Arc<Value>,
    pub(crate) scope: Arc<Scope>,
}

impl HookCall {
    /// The session that the caller named.
    pub fn session(&self) -> Option<&str> {
        self.scope.session()
    }

    /// What the caller brought of type `T`.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.scope.extensions.get::<T>()
    }
}

impl fmt::Debug for HookCall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HookCall").field("call", &self.call.id).finish_non_exhaustive()
    }
}

/// What a hook says before a call.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum BeforeCall {
    /// Go on.
    #[default]
    Continue,
    /// Go on with other arguments, which are checked like the model's own.
    Replace(Value),
    /// Go on, and have somebody asked whether it may run, as if the tool wanted an approval.
    Ask {
        /// Why, for people.
        reason: String,
    },
    /// Do not run it, and tell the model why.
    Deny {
        /// Why.
        reason: String,
    },
}

/// What a hook says after a call.
#[derive(Debug, Default)]
#[non_exhaustive]
pub enum AfterCall {
    /// The result stands.
    #[default]
    Keep,
    /// Another result takes its place; an output is checked by the tool's output schema, where it has one.
    Replace(Result<ToolOutput, ToolError>),
}

/// The host's own code before and after every call; all hooks of a dispatcher run in the order they were added.
///
/// A hook that fails or panics fails the call with kind `execution`; before the call, the function then does not run.
/// After-hooks see every call that failed, whatever failed it.
///
/// ```
/// use haft_core::{BeforeCall, Dispatcher, Hook, HookCall, HookFuture, ToolRegistry};
///
/// #[derive(Debug)]
/// struct OfficeHours;
///
/// impl Hook for OfficeHours {
///     fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
///         Box::pin(async move {
///             let writes = call.tool.as_ref().is_some_and(|tool| tool.definition().annotations.read_only != Some(true));
///             Ok(if writes { BeforeCall::Deny { reason: "we are closed".into() } } else { BeforeCall::Continue })
///         })
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let dispatcher = Dispatcher::builder(ToolRegistry::builder().build()?).hook(OfficeHours).build();
/// # Ok(())
/// # }
/// ```
pub trait Hook: fmt::Debug + Send + Sync {
    /// Before anything is decided on a call whose arguments match.
    fn before<'a>(&'a self, _call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        Box::pin(std::future::ready(Ok(BeforeCall::Continue)))
    }

    /// After a call has ended, before its result is handed out.
    fn after<'a>(
        &'a self,
        _call: &'a HookCall,
        _result: Result<&'a ToolOutput, &'a ToolError>,
    ) -> HookFuture<'a, AfterCall> {
        Box::pin(std::future::ready(Ok(AfterCall::Keep)))
    }
}
