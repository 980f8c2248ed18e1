//! A guard against a model that sends the same call again and again.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use crate::{
    event::EventBody,
    hook::{BeforeCall, Hook, HookCall, HookFuture},
    schema::{Digest, canonical},
};

/// How many sessions are remembered at least, the latest ones.
const SESSIONS: usize = 1_000;

/// Stops calls of the same tool with the same arguments that come in a row, in one session.
///
/// As many as allowed run. Each further one in the row raises the event `tool.repeated` and is denied, or asked about,
/// or let go: as chosen. Any other call of the session ends the row. Without a session the calls of each turn stand for
/// themselves. It remembers a digest for each of the latest sessions, 1,000 at least and 2,000 at most.
///
/// ```
/// use haft_core::{Dispatcher, RepeatedCalls, ToolRegistry};
///
/// # fn main() -> Result<(), haft_core::BuildError> {
/// let guard = RepeatedCalls::allow(3).except(|tool| tool == "job_status");
/// let dispatcher = Dispatcher::builder(ToolRegistry::builder().build()?).hook(guard).build();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RepeatedCalls {
    most: u32,
    then: Then,
    except: Except,
    rows: Mutex<Rows>,
}

/// What becomes of a call that is one too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Deny,
    Ask,
    Tell,
}

/// Which tools may repeat.
struct Except(Box<dyn Fn(&str) -> bool + Send + Sync>);

impl std::fmt::Debug for Except {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Except")
    }
}

/// The latest row of each session: those touched lately, and those before them.
#[derive(Debug, Default)]
struct Rows {
    lately: HashMap<String, Row>,
    before: HashMap<String, Row>,
}

#[derive(Debug)]
struct Row {
    call: Digest,
    count: u32,
}

impl RepeatedCalls {
    /// Allows as many identical calls in a row, at least one, and denies those that follow.
    pub fn allow(calls: u32) -> Self {
        let (most, except) = (calls.max(1), Except(Box::new(|_| false)));
        Self { most, then: Then::Deny, except, rows: Mutex::default() }
    }

    /// Has somebody asked about those that follow, instead of denying them.
    #[must_use]
    pub fn ask(mut self) -> Self {
        self.then = Then::Ask;
        self
    }

    /// Lets those that follow run: there is only the event.
    #[must_use]
    pub fn tell(mut self) -> Self {
        self.then = Then::Tell;
        self
    }

    /// Leaves out tools that are meant to be called again, such as one that looks how far a job is.
    #[must_use]
    pub fn except(mut self, tools: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        self.except = Except(Box::new(tools));
        self
    }

    /// The place of the call in its row, from 1.
    fn count(&self, session: &str, call: Digest) -> u32 {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = rows.lately.remove(session).or_else(|| rows.before.remove(session));
        let count = row.filter(|row| row.call == call).map_or(1, |row| row.count.saturating_add(1));
        if rows.lately.len() >= SESSIONS {
            rows.before = std::mem::take(&mut rows.lately);
        }
        rows.lately.insert(session.to_owned(), Row { call, count });
        count
    }

    fn judge(&self, call: &HookCall) -> BeforeCall {
        let Some(tool) = call.tool.as_ref().map(|tool| tool.name().to_owned()) else {
            return BeforeCall::Continue;
        };
        let digest = Digest::of("repeated", [tool.as_str(), &canonical(&call.arguments)]);
        let count = match call.session() {
            Some(session) => self.count(&format!("s{session}"), digest),
            None => self.count(&format!("t{}", call.scope.turn_id()), digest),
        };
        if count <= self.most || (self.except.0)(&tool) {
            return BeforeCall::Continue;
        }
        let tool_call_id = call.call.id.clone();
        call.scope.events.emit(|| EventBody::Repeated { tool_call_id, count });
        let reason =
            format!("it is the {} call in a row of the same tool with the same arguments", ordinal(count));
        match self.then {
            Then::Deny => BeforeCall::Deny {
                reason: format!(
                    "{reason}; go on with the results there are, or call it with other arguments"
                ),
            },
            Then::Ask => BeforeCall::Ask { reason },
            Then::Tell => BeforeCall::Continue,
        }
    }
}

impl Hook for RepeatedCalls {
    fn before<'a>(&'a self, call: &'a HookCall) -> HookFuture<'a, BeforeCall> {
        Box::pin(std::future::ready(Ok(self.judge(call))))
    }
}

/// `4th`.
fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (1, last) if last != 11 => "st",
        (2, last) if last != 12 => "nd",
        (3, last) if last != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_the_latest_sessions_are_kept() {
        let guard = RepeatedCalls::allow(1);
        let call = || Digest::of("repeated", ["a"]);
        for session in 0..10 * SESSIONS {
            assert_eq!(guard.count(&session.to_string(), call()), 1);
            assert_eq!(guard.count("busy", call()), u32::try_from(session).unwrap_or(0) + 1);
        }
        let rows = guard.rows.lock().expect("a lock");
        assert!(rows.lately.len() + rows.before.len() <= 2 * SESSIONS);
        drop(rows);
        assert_eq!(guard.count(&(10 * SESSIONS - 1).to_string(), call()), 2);
        assert_eq!(guard.count("0", call()), 1, "the first one is forgotten");
    }

    #[test]
    fn numbers_are_told_in_words_for_people() {
        let told: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 102, 113].into_iter().map(ordinal).collect();
        assert_eq!(told, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "113th"]);
    }
}
