//! How much is kept for clients that may come back.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use rmcp::transport::streamable_http_server::session::ServerSseMessage;

/// How long a stream is kept after its end.
pub(super) const AGE: Duration = Duration::from_secs(5 * 60);
/// How many events of one stream are kept, and how many streams of one session.
pub(super) const EVENTS: usize = 256;
pub(super) const STREAMS: usize = 256;
/// How much of one session is kept, in bytes, and how much of all.
pub(super) const OF_SESSION: usize = 4 << 20;
const OF_ALL: usize = 64 << 20;

/// What is kept of all sessions, in bytes.
#[derive(Debug, Default)]
pub(in super::super) struct Room(AtomicUsize);

impl Room {
    /// Takes so many bytes; whether there are so many.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let taken = |now: usize| now.checked_add(bytes).filter(|sum| *sum <= OF_ALL);
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, taken).is_ok()
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.0.fetch_sub(bytes, Ordering::AcqRel);
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }
}

/// How long an event is as it is written, about; more than there is ever room for, where it is that much.
pub(super) fn size(event: &ServerSseMessage) -> usize {
    /// More than what an event has beside its message.
    const FRAME: usize = 128;
    let mut counted = Counted(0);
    let written = event.message.as_ref().map(|message| serde_json::to_writer(&mut counted, message));
    // What can not be written is not sent either, and what is too long need not be counted to its end.
    if matches!(written, Some(Err(_))) { usize::MAX } else { counted.0.saturating_add(FRAME) }
}

struct Counted(usize);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(bytes.len());
        if self.0 > OF_SESSION { Err(io::ErrorKind::WriteZero.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
