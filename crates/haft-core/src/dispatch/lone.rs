//! A call that no turn stands behind: most end at once, the others are waited for.

use std::sync::Arc;

use tokio::runtime::Handle;

use crate::{
    dispatch::{
        abandoned::Abandoned,
        admit,
        builder::Settings,
        execute::{
            Again, Begun, FirstPoll, Known, Running, begin, begin_unread, no_runtime, one, supervised,
        },
        gate::{Gate, Permit},
        hooks,
        lanes::Slots,
        place::Place,
        policy::{self, Verdict},
        seal::{self, Ended},
        validate::{unread, validate_registered},
    },
    registry::{Registered, Snapshot},
    result::ToolResult,
    tool::ToolOutput,
};

/// How far a call came without being waited for.
pub(super) enum Progress<'a> {
    /// To its end.
    Done(ToolResult),
    /// To its end, with an output and nothing more to say; the tool's name stands before.
    Plain(Arc<str>, ToolOutput),
    /// Its function runs.
    Begun(Box<(Known<'a>, Running, Permit<&'a Gate>)>),
    /// It has not begun: somebody else has a say in it, or it needs more than a free slot.
    Nowhere,
}

/// Takes a call through all stages in one go, as far as it can without waiting.
pub(super) fn at_once<'a>(
    place: &Place<'_>,
    settings: &'a Settings,
    found: Option<&'a Arc<Registered>>,
) -> Progress<'a> {
    let Some(registered) = found else { return Progress::Nowhere };
    let alone = registered.is_plain && !settings.has_hooks() && !place.is_cancelled();
    let slot = if alone { Gate::try_pass(&settings.slots) } else { None };
    let Some(slot) = slot else { return Progress::Nowhere };
    if let Some(unread) = unread(registered, place)
        && let Some((known, begun)) = begin_unread(unread, place)
    {
        return match begun {
            Begun::Done(outcome) => seal::at_once(known, outcome, place),
            Begun::Running(running) => Progress::Begun(Box::new((known, running, slot))),
        };
    }
    let authorized = match validate_registered(registered, None, place).and_then(policy::authorize) {
        Ok(Verdict::Allow(authorized)) => authorized,
        Ok(Verdict::Ask(..)) => return Progress::Nowhere,
        Err(error) => {
            return Progress::Done(seal::result(Ended::refused(error, Some(registered)), place));
        }
    };
    match begin(authorized, place, &Again::first(), FirstPoll::Here) {
        (known, Begun::Done(outcome)) => seal::at_once(known, outcome, place),
        (known, Begun::Running(running)) => Progress::Begun(Box::new((known, running, slot))),
    }
}

/// Takes a call on from there to its end.
pub(super) async fn waited_for(progress: Progress<'_>, place: &Place<'_>, tools: &Snapshot) -> ToolResult {
    let mut abandoned = Abandoned::new(place);
    let ended = match progress {
        Progress::Done(result) => {
            abandoned.disarm();
            return result;
        }
        Progress::Plain(name, output) => {
            abandoned.disarm();
            return ToolResult::plain(place.id().clone(), name, output, place.settings.style);
        }
        Progress::Begun(begun) => {
            let (known, running, slot) = *begun;
            abandoned.begun();
            let ended = if Handle::try_current().is_ok() {
                Ended::of(known, supervised(running, Slots::default(), place).await, place)
            } else {
                running.give_up();
                Ended::by_itself(known, Err(no_runtime()))
            };
            drop(slot);
            ended.or_denied()
        }
        Progress::Nowhere => match admit(place, tools).await {
            Ok(Ok(authorized)) => one(authorized, place, &mut abandoned).await.or_denied(),
            Ok(Err(ended)) => ended,
            Err(error) => Ended::refused(error, place.settings.registry.called(tools, place.name())),
        },
    };
    let ended = hooks::after_call(ended, place).await;
    abandoned.disarm();
    seal::result(ended, place)
}
