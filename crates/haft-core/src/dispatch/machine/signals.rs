//! What the machine and its driver say to each other.

/// A call, by its position in the model's message.
pub(in crate::dispatch) type Position = usize;

/// What is written down, and when: before its effect can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum Record {
    TurnOpened,
    Accepted(Position),
    Decided(Position),
    Started(Position),
    Suspended(Position),
    Finished(Position),
    TurnClosed,
}

/// Where a hook stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum HookPoint {
    Before,
    After,
}

/// What was decided on a checked call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum Decision {
    /// It may run.
    Allow,
    /// It has its result already: it was denied, rejected, or answered by a client.
    Settle,
    /// Somebody is asked.
    Ask,
}

/// How a call stands to the others of its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum Order {
    Serial,
    Parallel,
    /// In order with the calls of one key, which the driver numbers from 0.
    Chunked(usize),
}

/// Why a call ends before its time, or never begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum Stop {
    Cancelled,
    /// Its own time is over.
    Timeout,
    /// The turn's time is over.
    TurnTimeout,
    /// Another call aborted the run.
    Aborted,
    /// The journal failed.
    Journal,
}

impl Stop {
    /// Whether functions that run are told to end; else they come to their end.
    pub(super) fn ends_running(self) -> bool {
        !matches!(self, Self::Aborted | Self::Journal)
    }
}

/// What the driver tells the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum Event {
    Opened,
    /// A record is durable.
    Appended(Record),
    /// A call was checked; without an order it was refused and has its result.
    Checked(Position, Option<Order>),
    /// A hook is done; before the call it may have refused it.
    Hooked(Position, HookPoint, bool),
    Decided(Position, Decision),
    /// The question about a call was answered.
    Answered(Position, Decision),
    /// A call has the slots that it needs.
    Admitted(Position),
    /// A call's function has ended and its result is known; `true` aborts the run.
    Ended(Position, bool),
    /// A call's function waits for an answer that is not there.
    Suspended(Position),
    /// The turn is to end early.
    Stopped(Stop),
}

/// What the machine wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::dispatch) enum Action {
    Append(Record),
    Check(Position),
    Hook(Position, HookPoint),
    Decide(Position),
    Ask(Position),
    /// Get the slots that a call needs.
    Admit(Position),
    Start(Position),
    /// End a running function early; it answers with `Ended`.
    Stop(Position, Stop),
    /// Give a call that does not run its result.
    Forgo(Position, Stop),
    /// All that is left waits for answers.
    Suspend,
    Close,
}
