//! The host's hooks around the calls of a turn.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use crate::{
    dispatch::{
        execute::Known,
        hooks::{self, Hooked},
        machine::{Event, HookPoint, Position, Stop},
        place::Place,
        seal::Ended,
    },
    registry::Registered,
};

use super::{Driver, slot::Slot};

/// What hooks have left of a call.
pub(super) enum Hooking {
    Before(Hooked),
    After(Ended),
    /// Those before the call did not end when the turn was to.
    Gone(Arc<Registered>),
}

impl Driver {
    pub(super) fn hook_before(&mut self, position: Position) {
        let hooks = Arc::clone(&self.dispatcher.0.hooks);
        let accepted = self.past(position).is_some_and(|past| past.accepted.is_some());
        if hooks.is_empty() || accepted {
            return self.events.push_back(Event::Hooked(position, HookPoint::Before, false));
        }
        let Some(call) = self.calls.get(position).map(Arc::clone) else { return };
        let validated = match self.take(position) {
            Slot::Validated(validated) => validated,
            other => return self.put(position, other),
        };
        let place = Place::in_turn(&call, position, &self.scope, &self.dispatcher.0);
        let (seen, registry) = (hooks::checked(&place, &validated), place.settings.registry.clone());
        let registered = Arc::clone(&validated.registered);
        let (stop, grace) = (self.hooks_stop.clone(), self.dispatcher.0.grace);
        self.hooking.spawn(async move {
            let hooked = bounded(hooks::before(hooks, seen, validated, &registry), stop, grace).await;
            (position, hooked.map_or_else(|| Hooking::Gone(registered), Hooking::Before))
        });
    }

    pub(super) fn hook_after(&mut self, position: Position) {
        let hooks = Arc::clone(&self.dispatcher.0.hooks);
        let Some(call) = self.calls.get(position).map(Arc::clone) else { return };
        let ended = match self.take(position) {
            Slot::Ended(ended) if !hooks.is_empty() => ended,
            other => {
                self.put(position, other);
                return self.events.push_back(Event::Hooked(position, HookPoint::After, false));
            }
        };
        let place = Place::in_turn(&call, position, &self.scope, &self.dispatcher.0);
        let seen = hooks::ended(&place, ended.arguments());
        let (stop, grace) = (self.hooks_stop.clone(), self.dispatcher.0.grace);
        self.hooking.spawn(async move {
            let replaced = bounded(hooks::after(hooks, seen, &ended), stop, grace).await.flatten();
            (position, Hooking::After(ended.replaced(replaced)))
        });
    }

    pub(super) fn hooked(&mut self, hooked: Result<(Position, Hooking), JoinError>) {
        // Only a runtime that shuts down ends these tasks from outside: then this one ends too.
        let Ok((position, hooking)) = hooked else { return };
        let (slot, point, refused) = match hooking {
            Hooking::Before(Hooked::Continue(validated)) => {
                (Slot::Validated(validated), HookPoint::Before, false)
            }
            Hooking::Before(Hooked::Ended(ended)) => (Slot::Ended(ended), HookPoint::Before, true),
            Hooking::After(ended) => (Slot::Ended(ended), HookPoint::After, false),
            Hooking::Gone(registered) => {
                let ended = Ended::not_run(Known::of_tool(registered), Stop::Cancelled);
                (Slot::Ended(ended), HookPoint::Before, true)
            }
        };
        self.put(position, slot);
        self.events.push_back(Event::Hooked(position, point, refused));
    }
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
