//! The host's hooks around the calls of a turn.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use crate::{
    dispatch::{
        execute::Known,
        hooks::{self, Hooked},
        machine::{Event, HookPoint, Position, Stop},
        seal::Ended,
        validate::DetachedCall,
    },
    registry::Registered,
};

use super::{Work, slot::Slot};

/// What hooks have left of a call.
pub(super) enum Hooking {
    Continue(Position, DetachedCall),
    /// It was refused before it began, or has ended.
    Ended(Position, HookPoint, Ended),
    /// Those before the call did not end when the turn was to.
    Gone(Position, Arc<Registered>),
}

impl Work<'_> {
    /// Whether there is nothing to wait for.
    pub(super) fn hook_before(&mut self, position: Position) -> bool {
        !self.turn.dispatcher.0.has_hooks()
            || self.past(position).is_some_and(|past| past.accepted.is_some())
            || self.hooks_before(position)
    }

    // Apart, so that turns without hooks stay short.
    #[inline(never)]
    fn hooks_before(&mut self, position: Position) -> bool {
        let settings = &self.turn.dispatcher.0;
        let Some(place) = self.place(position) else { return false };
        let validated = match self.take(position) {
            Slot::Validated(validated) => validated,
            other => {
                self.put(position, other);
                return false;
            }
        };
        let (hooks, registry) = (Arc::clone(&settings.hooks), settings.registry.clone());
        let (seen, validated) = (hooks::checked(&place, &validated), validated.detached());
        let (stop, grace) = (self.hooks_stop(), settings.grace);
        self.hooking.get_or_insert_default().spawn(async move {
            let registered = Arc::clone(validated.registered());
            let Some(validated) = validated.of(&registered) else {
                return Hooking::Gone(position, registered);
            };
            let hooked = bounded(hooks::before(hooks, seen, validated, &registry), stop, grace).await;
            match hooked {
                Some(Hooked::Continue(validated)) => Hooking::Continue(position, validated.detached()),
                Some(Hooked::Ended(ended)) => Hooking::Ended(position, HookPoint::Before, ended),
                None => Hooking::Gone(position, registered),
            }
        });
        false
    }

    /// Whether there is nothing to wait for.
    pub(super) fn hook_after(&mut self, position: Position) -> bool {
        !self.turn.dispatcher.0.has_hooks() || self.hooks_after(position)
    }

    #[inline(never)]
    fn hooks_after(&mut self, position: Position) -> bool {
        let settings = &self.turn.dispatcher.0;
        let Some(place) = self.place(position) else { return false };
        let ended = match self.take(position) {
            Slot::Ended(ended) => ended,
            // An earlier run has its result.
            other => {
                self.put(position, other);
                return true;
            }
        };
        let (hooks, seen) = (Arc::clone(&settings.hooks), hooks::ended(&place, ended.arguments()));
        let (stop, grace) = (self.hooks_stop(), settings.grace);
        self.hooking.get_or_insert_default().spawn(async move {
            let replaced = bounded(hooks::after(hooks, seen, &ended), stop, grace).await.flatten();
            Hooking::Ended(position, HookPoint::After, ended.replaced(replaced))
        });
        false
    }

    /// Tells hooks that the turn is to end, or is to end already.
    fn hooks_stop(&mut self) -> CancellationToken {
        let stop = self.hooks_stop.get_or_insert_with(CancellationToken::new);
        if self.stopped {
            stop.cancel();
        }
        stop.clone()
    }

    pub(super) fn hooked(&mut self, hooked: Result<Hooking, JoinError>) {
        // Only a runtime that shuts down ends these tasks from outside: then this one ends too.
        let Ok(hooking) = hooked else { return };
        let (position, slot, point, refused) = match hooking {
            Hooking::Continue(position, validated) => {
                let registered = Arc::clone(validated.registered());
                let held = self.turn.tools.get(registered.tool.name());
                match held.and_then(|held| validated.of(held)) {
                    Some(validated) => (position, Slot::Validated(validated), HookPoint::Before, false),
                    None => (position, given_up(&registered), HookPoint::Before, true),
                }
            }
            Hooking::Ended(position, point, ended) => {
                (position, Slot::Ended(ended), point, point == HookPoint::Before)
            }
            Hooking::Gone(position, registered) => (position, given_up(&registered), HookPoint::Before, true),
        };
        self.put(position, slot);
        self.events.push_back(Event::Hooked(position, point, refused));
    }
}

fn given_up<'t>(registered: &Arc<Registered>) -> Slot<'t> {
    Slot::Ended(Ended::not_run(Known::of_tool(registered), Stop::Cancelled))
}

/// The future's value; none when it does not end within the grace period after the turn was told to.
async fn bounded<T>(future: impl Future<Output = T>, stop: CancellationToken, grace: Duration) -> Option<T> {
    let over = async {
        stop.cancelled().await;
        tokio::time::sleep(grace).await;
    };
    tokio::select! {
        biased;
        value = future => Some(value),
        () = over => None,
    }
}
