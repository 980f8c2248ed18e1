//! Where a call stands for the driver.

use crate::{
    ask::{ApprovalRequest, Suspension},
    dispatch::{
        execute::Known, lanes::Slots, machine::Position, policy::AuthorizedCall, seal::Ended,
        validate::ValidatedCall,
    },
    result::ToolResult,
};

use super::Work;

pub(super) enum Slot<'t> {
    New,
    Validated(ValidatedCall<'t>),
    /// Somebody is asked; `true` where an interrupted call is asked about.
    Asked(ValidatedCall<'t>, Box<ApprovalRequest>, bool),
    /// It may run; with its slots, once it has them.
    Authorized(AuthorizedCall<'t>, Slots<'t>),
    Running(Known<'t>),
    /// Its function waits for an answer.
    Suspended(Known<'t>, Box<Suspension>),
    Ended(Ended),
    Sealed(ToolResult),
    /// Between two of the others.
    Moving,
}

impl<'t> Work<'t> {
    pub(super) fn take(&mut self, position: Position) -> Slot<'t> {
        self.slots.get_mut(position).map_or(Slot::Moving, |slot| std::mem::replace(slot, Slot::Moving))
    }

    pub(super) fn put(&mut self, position: Position, slot: Slot<'t>) {
        if let Some(place) = self.slots.get_mut(position) {
            *place = slot;
        }
    }
}
