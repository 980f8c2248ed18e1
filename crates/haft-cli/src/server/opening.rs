//! The first bytes of a connection, which say what is spoken on it.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use super::HEAD;

/// By so many bytes it is clear what is spoken; the head of no request is shorter.
const CLEAR: usize = 24;

/// A connection on which the first bytes have to come in time: the server waits for them without a limit of its own.
pub(super) struct Opening<S> {
    stream: S,
    /// Until when, and how many bytes are still to come; none once they are there.
    awaited: Option<(Pin<Box<Sleep>>, usize)>,
}

impl<S> Opening<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, awaited: Some((Box::pin(sleep(HEAD)), CLEAR)) }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Opening<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(context, buffer);
        let Some((late, left)) = &mut this.awaited else { return read };
        if read.is_pending() {
            ready!(late.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        *left = left.saturating_sub(buffer.filled().len() - before);
        if *left == 0 {
            this.awaited = None;
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Opening<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::{TcpListener, TcpStream},
        time::timeout,
    };

    use super::{super::Connections, HEAD};

    /// However much of a head comes, the connection ends in time: a client that never finishes it holds no place for ever.
    #[tokio::test(start_paused = true)]
    async fn half_a_head_is_not_waited_for_endlessly() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Connections::default();
        let all = "POST /mcp HTTP/1.1\r\nhost: localhost\r\nx: ";
        let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        let mut clients = Vec::new();
        for half in ["", "P", "POST /mcp HTTP/1.1\r\n", all, "PRI * HT", preface] {
            let mut client = TcpStream::connect(address).await.unwrap();
            client.write_all(half.as_bytes()).await.unwrap();
            connections.serve(listener.accept().await.unwrap().0, axum::Router::new());
            clients.push((half, client));
        }
        for (half, mut client) in clients {
            let mut answer = Vec::new();
            // How it ends is the system's: it may be a reset.
            let ended = timeout(HEAD * 4, client.read_to_end(&mut answer)).await;
            assert!(ended.is_ok(), "{half:?}");
            assert!(!answer.starts_with(b"HTTP/1.1 2"), "{half:?}: {answer:?}");
        }
    }
}
