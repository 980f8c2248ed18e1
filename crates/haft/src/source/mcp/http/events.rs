//! Events of a server, in the form in which the protocol library gets them.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use futures_core::{Stream, stream::BoxStream};
use reqwest::Response;
use rmcp::{
    ErrorData,
    model::{RequestId, ServerJsonRpcMessage},
    transport::streamable_http_client::SseError,
};
use sse_stream::{Sse, SseStream};

use super::{
    super::wire::{Awaited, Noise, Seen},
    body::Limited,
};

pub(super) type EventStream = BoxStream<'static, Result<Sse, SseError>>;

/// The events of an answer. `asked` is the request that it answers, if it is the answer to one.
pub(super) fn events(
    response: Response,
    cap: usize,
    (awaited, noise): (Arc<Awaited>, Arc<Noise>),
    asked: Option<RequestId>,
) -> EventStream {
    let ended = Arc::new(AtomicBool::new(false));
    let bytes = Limited::new(Box::pin(response.bytes_stream()), cap, Arc::clone(&ended));
    let inner = Box::pin(SseStream::from_bytes_stream(bytes));
    Box::pin(Events { inner, awaited, noise, asked, ready: VecDeque::new(), over: false, ended })
}

struct Events {
    inner: EventStream,
    awaited: Arc<Awaited>,
    noise: Arc<Noise>,
    asked: Option<RequestId>,
    ready: VecDeque<Sse>,
    over: bool,
    /// Whether the bytes are over: an event that comes even so was never ended.
    ended: Arc<AtomicBool>,
}

impl Events {
    /// Takes an event apart; what it says is ready then.
    fn arrived(&mut self, event: Sse) {
        let whole = !self.ended.load(Ordering::Relaxed);
        let Some(data) = event.data.as_deref().filter(|data| !data.trim().is_empty()) else {
            self.ready.extend(Some(event).filter(|_| whole));
            return;
        };
        let before = self.ready.len();
        for seen in Seen::all(data, &self.awaited) {
            let seen = seen.answering(self.asked.as_ref(), &self.awaited);
            if let Some(why) = seen.noise() {
                self.noise.skipped("an event", data, why);
            }
            if let Some(text) = seen.into_text() {
                // The library knows no events that have a name, but some servers give them one.
                self.ready.push_back(Sse { data: Some(text.into_owned()), event: None, ..event.clone() });
            }
        }
        if self.ready.len() == before && whole {
            // Its id counts even so: the stream may have to be taken up behind it.
            self.ready.push_back(Sse { data: None, ..event });
        }
    }

    /// The stream can not be read on: whoever waits for its answer is told.
    fn broken(&mut self, error: &SseError) -> Option<Sse> {
        self.over = true;
        let id = self.asked.take()?;
        self.awaited.answered(&id);
        let why = format!("the answer can not be read: {}", super::super::error::with_causes(error));
        let message = ServerJsonRpcMessage::error(ErrorData::internal_error(why, None), Some(id));
        Some(Sse::default().data(serde_json::to_string(&message).ok()?))
    }
}

impl Stream for Events {
    type Item = Result<Sse, SseError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if self.over {
                return Poll::Ready(None);
            }
            match ready!(self.inner.as_mut().poll_next(context)) {
                None => return Poll::Ready(None),
                Some(Ok(event)) => self.arrived(event),
                Some(Err(error)) if is_too_large(&error) => {
                    if let Some(event) = self.broken(&error) {
                        return Poll::Ready(Some(Ok(event)));
                    }
                    return Poll::Ready(Some(Err(error)));
                }
                // The library takes up a stream that broke where it can.
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

fn is_too_large(error: &SseError) -> bool {
    let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.any(|error| matches!(error.downcast_ref(), Some(super::body::StreamError::TooLarge(_))))
}
