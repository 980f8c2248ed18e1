//! Where a call stands for the driver.

use crate::{
    ask::{ApprovalRequest, Suspension},
    dispatch::{
        execute::Known, lanes::Slots, machine::Position, policy::AuthorizedCall, seal::Ended,
        validate::ValidatedCall,
    },
    result::ToolResult,
};

use super::Driver;

pub(super) enum Slot {
    New,
    Validated(ValidatedCall),
    /// Somebody is asked; `true` where an interrupted call is asked about.
    Asked(ValidatedCall, Box<ApprovalRequest>, bool),
    Authorized(AuthorizedCall),
    Admitted(AuthorizedCall, Slots),
    Running(Known),
    /// Its function waits for an answer.
    Suspended(Known, Suspension),
    Ended(Ended),
    Sealed(ToolResult),
    /// Between two of the others.
    Moving,
}

impl Driver {
    pub(super) fn take(&mut self, position: Position) -> Slot {
        self.slots.get_mut(position).map_or(Slot::Moving, |slot| std::mem::replace(slot, Slot::Moving))
    }

    pub(super) fn put(&mut self, position: Position, slot: Slot) {
        if let Some(place) = self.slots.get_mut(position) {
            *place = slot;
        }
    }
}
