//! Messages as they come from a server, before the protocol library sees them.

mod awaited;
mod frame;
mod noise;
mod pipe;

pub(super) use awaited::{Awaited, Inbox, PeerRequest, ProgressReport};
pub(super) use frame::{RAW, Seen};
pub(super) use noise::Noise;
pub(super) use pipe::{Bounds, Pipe};
