//! What observers of a turn are told while it runs.

mod body;
mod hub;
mod queue;

pub use body::{EventBody, ToolEvent};
pub(crate) use hub::{EventHub, Subscribers};
pub use queue::ToolEvents;
