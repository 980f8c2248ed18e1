//! Bodies of answers, bounded.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use reqwest::Response;

/// Why a body could not be read.
#[derive(Debug)]
pub(super) enum BodyError {
    TooLarge,
    Broken(reqwest::Error),
}

/// Reads a whole body of at most so many bytes.
pub(super) async fn whole(mut response: Response, most: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(BodyError::Broken)? {
        if body.len() + chunk.len() > most {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The beginning of a body, for a message.
pub(super) async fn beginning(mut response: Response, most: usize) -> String {
    let mut body = Vec::new();
    while body.len() < most
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend(chunk.iter().take(most - body.len()));
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// What a stream of events breaks with.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("an event has more than {0} bytes")]
    TooLarge(usize),
    #[error("{0}")]
    Broken(reqwest::Error),
}

/// A stream of bytes that are events: blank lines stand between them, and none is longer than the cap. The last one is ended
/// where its server has forgotten to.
pub(super) struct Limited<S> {
    inner: S,
    cap: usize,
    /// Bytes since the last blank line, and whether the line that is read has any.
    event: usize,
    blank: bool,
    over: bool,
    /// Says that no more bytes come.
    ended: Arc<AtomicBool>,
}

impl<S> Limited<S> {
    pub(super) fn new(inner: S, cap: usize, ended: Arc<AtomicBool>) -> Self {
        Self { inner, cap, event: 0, blank: true, over: false, ended }
    }

    fn count(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            self.event += 1;
            match byte {
                b'\n' if self.blank => self.event = 0,
                b'\n' => self.blank = true,
                b'\r' => {}
                _ => self.blank = false,
            }
            if self.event > self.cap {
                return false;
            }
        }
        true
    }
}

impl<S, B> Stream for Limited<S>
where
    S: Stream<Item = Result<B, reqwest::Error>> + Unpin,
    B: AsRef<[u8]> + From<&'static [u8]>,
{
    type Item = Result<B, StreamError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.over {
            return Poll::Ready(None);
        }
        let chunk = ready!(Pin::new(&mut self.inner).poll_next(context));
        Poll::Ready(match chunk {
            None => {
                self.over = true;
                self.ended.store(true, Ordering::Relaxed);
                (self.event > 0).then(|| Ok(B::from(b"\n\n")))
            }
            Some(Err(error)) => Some(Err(StreamError::Broken(error.without_url()))),
            Some(Ok(chunk)) if self.count(chunk.as_ref()) => Some(Ok(chunk)),
            Some(Ok(_)) => {
                self.over = true;
                Some(Err(StreamError::TooLarge(self.cap)))
            }
        })
    }
}
