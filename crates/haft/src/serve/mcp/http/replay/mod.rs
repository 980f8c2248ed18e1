//! What the streams of a session have sent, for clients that lose one and come back for the rest.
//!
//! Each request of a session is answered by a stream of events of its own. The protocol's library forgets the stream with its
//! last event, whether or not there was a client to read it. So what it sends is read here, to its end also where the
//! client is gone, and kept for a while: a client that names the last event that it had gets those that came after, once.

mod kept;
mod reader;
mod room;
mod said;
#[cfg(test)]
mod tests;

pub(super) use self::{kept::Kept, reader::Reader, room::Room};

use std::{num::ParseIntError, pin::Pin, str::FromStr};

use futures_core::Stream;
use rmcp::transport::streamable_http_server::session::ServerSseMessage;

/// What a stream is read from.
pub(super) type Source = Pin<Box<dyn Stream<Item = ServerSseMessage> + Send>>;

/// The name of an event on the stream of a request: which one of the stream's it is, and of which stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventName {
    index: u64,
    stream: u64,
}

impl EventName {
    /// Of an event of the library's.
    fn of(event: &ServerSseMessage) -> Option<Self> {
        Self::parse(event.event_id.as_deref()?)
    }

    /// As it is written; none where it names no event on the stream of a request.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (index, stream) = name.split_once('/')?;
        let number = |text: &str| -> Result<u64, ParseIntError> { u64::from_str(text) };
        Some(Self { index: number(index).ok()?, stream: number(stream).ok()? })
    }
}
