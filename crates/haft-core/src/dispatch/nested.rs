//! Calls that a function makes from inside of its own.

use std::{future::Future, pin::Pin};

use crate::{
    dispatch::{
        abandoned::Abandoned,
        admit, execute, hooks,
        lanes::Slots,
        place::Place,
        policy::AuthorizedCall,
        seal::{self, Ended},
        sent::SentCalls,
    },
    error::{ErrorCode, ToolError},
    message::ToolCall,
    result::ToolResult,
    tool::ToolContext,
};

/// How deep calls can be nested.
const DEPTH: usize = 8;
/// How many calls one function can make.
const CALLS: usize = 256;

/// Checks and runs one call inside of another: the `number`-th that it makes, and the one after `now` of its attempt.
pub(crate) fn call_nested<'a>(
    parent: &'a ToolContext,
    (number, now): (usize, usize),
    name: &'a str,
    arguments: &'a str,
) -> Pin<Box<dyn Future<Output = Result<ToolResult, ToolError>> + Send + 'a>> {
    // Boxed, since a nested call is made by what it is part of.
    Box::pin(async move {
        let source = parent.source();
        let Some(settings) = &source.scope.settings else {
            return Err(ToolError::of(
                ErrorCode::NotRun,
                "the function runs outside of a dispatcher; it can call no tool",
            ));
        };
        let mut call = ToolCall::new(format!("{}.{number}", source.id), name, arguments);
        call.parent = Some(source.id.clone());
        let calls = SentCalls::new(vec![call]);
        let Some(call) = calls.sent(0) else { return Err(ToolError::new("there is no such call")) };
        let place = Place::in_turn(call, source.position, &source.scope, settings).within(parent, now);
        place.started();
        let tools = place.tools();
        let mut abandoned = Abandoned::new(&place);
        let admitted = match limits(parent, number, &place) {
            Ok(()) => admit(&place, &tools).await,
            Err(error) => Err(error),
        };
        let ended = match admitted {
            Ok(Ok(authorized)) => match run(authorized, &place, &mut abandoned).await {
                Ok(ended) => ended,
                Err(suspended) => {
                    abandoned.disarm();
                    return Err(suspended);
                }
            },
            Ok(Err(ended)) => ended,
            Err(error) => Ended::refused(error, settings.registry.called(&tools, name)),
        };
        let ended = hooks::after_call(ended, &place).await;
        abandoned.disarm();
        let result = seal::result(ended, &place);
        seal::announce(&result, &place);
        Ok(result)
    })
}

/// Runs it in its parent's slot; what it waits for inside carries out as an error.
async fn run(
    authorized: AuthorizedCall<'_>,
    place: &Place<'_>,
    abandoned: &mut Abandoned<'_>,
) -> Result<Ended, ToolError> {
    let validated = authorized.validated();
    let key = place.settings.keys.gate(validated);
    let Some(slots) = Slots::at_once(key, validated.registered.permits.as_ref()) else {
        let name = validated.registered.tool.name();
        let message =
            format!("{name} is at its limit, and a call inside of another does not wait; try again later");
        return Ok(Ended::refused(
            ToolError::of(ErrorCode::NotRun, message).retryable(true),
            Some(validated.registered),
        ));
    };
    let ended = execute::with_slots(authorized, slots, place, abandoned).await;
    match ended.outcome() {
        Err(error) if error.suspension().is_some() => Err(ToolError::suspend_like(error)),
        _ => Ok(ended),
    }
}

fn limits(parent: &ToolContext, number: usize, place: &Place<'_>) -> Result<(), ToolError> {
    let (what, limit) = match (parent.depth() + 1, number) {
        (depth, _) if depth >= DEPTH => ("deep", DEPTH),
        (_, number) if number >= CALLS => ("times by one function", CALLS),
        _ => return Ok(()),
    };
    let name = place.name();
    let message = format!("{name} was not run: tools can be called {limit} {what} and no more");
    Err(ToolError::of(ErrorCode::NotRun, message))
}
