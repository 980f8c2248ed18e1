//! What waits to be written to the client.
//!
//! Whoever answers never waits for the client to read: the answer is kept here, and it is the reader that stops while too
//! much is kept. What can be left out, such as progress, waits instead until there is room.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use haft_core::CancellationToken;
use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::Notify,
};

/// How many bytes may wait before no more requests are read.
pub(super) const FULL: usize = 16 * 1024 * 1024;
/// How many bytes may wait before notifications do.
pub(super) const BUSY: usize = 256 * 1024;
/// How long a client that does not read is waited for at the end.
const FAREWELL: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// How many bytes are being written.
    writing: usize,
    closed: bool,
}

/// What waits to be written, and who waits for room.
#[derive(Debug, Default)]
pub(in crate::serve::mcp) struct Outbox {
    waiting: Mutex<Waiting>,
    filled: Notify,
    emptied: Notify,
    /// Cancelled when nothing can be written any more.
    broken: CancellationToken,
}

impl Outbox {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a line for the client.
    pub(super) fn push(&self, line: &[u8]) -> io::Result<()> {
        let mut waiting = self.lock();
        if waiting.closed || self.broken.is_cancelled() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        waiting.bytes.extend_from_slice(line);
        drop(waiting);
        self.filled.notify_one();
        Ok(())
    }

    /// Waits until no more than so many bytes wait, or none can be written.
    pub(super) async fn room(&self, bytes: usize) {
        loop {
            let emptied = self.emptied.notified();
            let waiting = {
                let waiting = self.lock();
                waiting.bytes.len() + waiting.writing
            };
            if waiting <= bytes || self.broken.is_cancelled() {
                return;
            }
            tokio::select! {
                () = emptied => {}
                () = self.broken.cancelled() => return,
            }
        }
    }

    /// Whether nothing can be written any more.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.is_cancelled()
    }

    /// Waits until nothing can be written any more.
    pub(super) async fn broken(&self) {
        self.broken.cancelled().await;
    }

    /// Takes no more; what waits is still written.
    pub(in crate::serve::mcp) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_one();
    }

    /// Writes what comes until the outbox is closed and empty, or the client is gone.
    pub(in crate::serve::mcp) async fn write_to<W: AsyncWrite + Unpin>(
        self: Arc<Self>,
        mut writer: W,
    ) -> io::Result<()> {
        let written = self.write_all(&mut writer).await;
        self.broken.cancel();
        written
    }

    async fn write_all<W: AsyncWrite + Unpin>(&self, writer: &mut W) -> io::Result<()> {
        let mut batch = Vec::new();
        loop {
            let filled = self.filled.notified();
            let closed = {
                let mut waiting = self.lock();
                batch.clear();
                std::mem::swap(&mut batch, &mut waiting.bytes);
                waiting.writing = batch.len();
                waiting.closed
            };
            if batch.is_empty() {
                if closed {
                    return writer.shutdown().await;
                }
                filled.await;
                continue;
            }
            let write = async {
                writer.write_all(&batch).await?;
                writer.flush().await
            };
            self.bounded(closed, write).await?;
            self.lock().writing = 0;
            self.emptied.notify_waiters();
            // A burst is over: its memory is not kept.
            if batch.capacity() > BUSY {
                batch = Vec::new();
            }
        }
    }

    /// Once the outbox is closed, a client that does not read is not waited for any longer than `FAREWELL`.
    async fn bounded(&self, closed: bool, write: impl Future<Output = io::Result<()>>) -> io::Result<()> {
        let deadline = async {
            if !closed {
                loop {
                    let filled = self.filled.notified();
                    if self.lock().closed {
                        break;
                    }
                    filled.await;
                }
            }
            tokio::time::sleep(FAREWELL).await;
        };
        tokio::select! {
            written = write => written,
            () = deadline => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_waits_is_written_before_the_end() {
        let outbox = Arc::new(Outbox::default());
        outbox.push(b"one\n").expect("open");
        outbox.push(b"two\n").expect("open");
        outbox.close();
        assert!(outbox.push(b"three\n").is_err());
        let mut written = Vec::new();
        Arc::clone(&outbox).write_to(&mut written).await.expect("a vector takes all");
        assert_eq!(written, b"one\ntwo\n");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_is_not_waited_for() {
        let (near, _far) = tokio::io::duplex(2);
        let outbox = Arc::new(Outbox::default());
        outbox.push(b"more than fits\n").expect("open");
        let closing = Arc::clone(&outbox);
        let (written, ()) = tokio::join!(Arc::clone(&outbox).write_to(near), async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            closing.close();
        });
        assert_eq!(written.expect_err("nobody reads").kind(), io::ErrorKind::TimedOut);
        outbox.room(0).await;
    }
}
