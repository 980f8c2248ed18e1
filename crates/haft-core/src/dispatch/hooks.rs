//! Runs the host's hooks around a call.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    dispatch::{
        execute::Known,
        guard::caught,
        machine::Stop,
        place::Place,
        seal::{self, Ended},
        validate::ValidatedCall,
    },
    error::{ErrorCode, ToolError},
    hook::{AfterCall, BeforeCall, Hook, HookCall},
    registry::ToolRegistry,
    tool::{Outcome, Tool},
};

pub(super) type Hooks = Arc<[Arc<dyn Hook>]>;

/// What the hooks said before a call.
pub(super) enum Hooked<'t> {
    Continue(ValidatedCall<'t>),
    Ended(Ended),
}

/// What a hook sees of a call whose arguments match.
pub(super) fn checked(place: &Place<'_>, validated: &ValidatedCall<'_>) -> HookCall {
    HookCall {
        call: place.call(),
        tool: Some(validated.registered.tool.clone()),
        arguments: Arc::new(validated.arguments.value().cloned().unwrap_or_default()),
        scope: Arc::clone(place.scope()),
    }
}

/// What a hook sees of a call that has ended.
pub(super) fn ended(place: &Place<'_>, arguments: Option<Arc<Value>>) -> HookCall {
    let registry = &place.settings.registry;
    let tool = registry.called(&place.tools(), place.name()).map(|registered| registered.tool.clone());
    HookCall {
        call: place.call(),
        tool,
        arguments: arguments.unwrap_or_default(),
        scope: Arc::clone(place.scope()),
    }
}

/// The hooks before a call that stands alone.
pub(super) async fn before_call<'t>(validated: ValidatedCall<'t>, place: &Place<'_>) -> Hooked<'t> {
    if !place.settings.has_hooks() {
        return Hooked::Continue(validated);
    }
    let (hooks, registered) = (Arc::clone(&place.settings.hooks), validated.registered);
    tokio::select! {
        biased;
        () = place.cancelled() => Hooked::Ended(Ended::not_run(Known::of_tool(registered), Stop::Cancelled)),
        hooked = before(hooks, checked(place, &validated), validated, &place.settings.registry) => hooked,
    }
}

/// The hooks after a call that stands alone.
pub(super) async fn after_call(ended: Ended, place: &Place<'_>) -> Ended {
    if !place.settings.has_hooks() {
        return ended;
    }
    let seen = self::ended(place, ended.arguments());
    let replaced = after(Arc::clone(&place.settings.hooks), seen, &ended).await;
    ended.replaced(replaced)
}

/// Every hook, in order; each sees what the one before it put in place.
pub(super) async fn before<'t>(
    hooks: Hooks,
    mut seen: HookCall,
    mut validated: ValidatedCall<'t>,
    registry: &ToolRegistry,
) -> Hooked<'t> {
    for hook in hooks.iter() {
        let registered = validated.registered;
        let replaced = match caught(|| hook.before(&seen)).await.and_then(|said| said) {
            Ok(BeforeCall::Continue) => continue,
            Ok(BeforeCall::Ask { reason }) => {
                validated.asks.get_or_insert(reason);
                continue;
            }
            Ok(BeforeCall::Replace(arguments)) => validated.edited(&arguments.to_string(), registry),
            Ok(BeforeCall::Deny { reason }) => Err(denied(registered.tool.name(), &reason)),
            Err(error) => Err(failed(&error)),
        };
        match replaced {
            Ok(replaced) => {
                seen.arguments = Arc::new(replaced.arguments.value().cloned().unwrap_or_default());
                validated = replaced;
            }
            Err(error) => return Hooked::Ended(Ended::of_error(Known::of_tool(registered), error)),
        }
    }
    Hooked::Continue(validated)
}

/// Every hook, in order; each sees the result that the one before it left. The outcome that they put in place.
pub(super) async fn after(hooks: Hooks, seen: HookCall, ended: &Ended) -> Option<Outcome> {
    let mut replaced: Option<Outcome> = None;
    for hook in hooks.iter() {
        let outcome = replaced.as_ref().map_or_else(|| ended.outcome(), Result::as_ref);
        match caught(|| hook.after(&seen, outcome)).await.and_then(|said| said) {
            Ok(AfterCall::Keep) => {}
            Ok(AfterCall::Replace(outcome)) => replaced = Some(outcome),
            Err(error) => replaced = Some(Err(failed(&error))),
        }
    }
    replaced.map(|outcome| checked_output(outcome, seen.tool.as_ref()))
}

/// What was put in place is held to what the tool has declared of its output, like the function's own.
fn checked_output(outcome: Outcome, tool: Option<&Tool>) -> Outcome {
    let output = outcome?;
    match tool.and_then(|tool| seal::check_output(tool, false, &output)) {
        Some(error) => Err(error),
        None => Ok(output),
    }
}

fn failed(error: &ToolError) -> ToolError {
    ToolError::new(format!("a hook of the host failed: {}", error.message()))
        .with_name(error.name().to_owned())
}

fn denied(tool: &str, reason: &str) -> ToolError {
    ToolError::of(ErrorCode::Denied, format!("the call of {tool} was denied: {reason}"))
        .detail(|details| details.reason = Some(reason.to_owned().into()))
}
