//! A client that reads a stream, or that did.

use std::{
    future::poll_fn,
    mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use rmcp::{model::ServerJsonRpcMessage, transport::streamable_http_server::session::ServerSseMessage};

use super::{
    EventName, Source,
    kept::{Kept, Place},
};

/// A stream as one client reads it. Where the client goes before its end, the rest is read all the same, and kept.
pub(in super::super) struct Reader {
    kept: Arc<Kept>,
    state: State,
}

enum State {
    /// Nothing has been read.
    Fresh(Mutex<Source>),
    At(Place),
    /// There is this one event, and nothing to come back for.
    Alone(Box<ServerSseMessage>),
    Over,
}

impl Reader {
    /// Reads a new stream.
    pub(in super::super) fn new(
        kept: Arc<Kept>,
        source: impl Stream<Item = ServerSseMessage> + Send + 'static,
    ) -> Self {
        Self { kept, state: State::Fresh(Mutex::new(Box::pin(source))) }
    }

    /// Reads this message, and no other.
    pub(in super::super) fn alone(kept: Arc<Kept>, message: ServerJsonRpcMessage) -> Self {
        Self { kept, state: State::Alone(Box::new(ServerSseMessage::from_message(message))) }
    }

    /// Reads on behind an event; none where there is no such event, or its stream is not kept any more.
    pub(in super::super) fn after(kept: Arc<Kept>, name: EventName) -> Option<Self> {
        let place = kept.after(name)?;
        Some(Self { kept, state: State::At(place) })
    }

    fn poll_first(&mut self, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let State::Fresh(source) = &mut self.state else { return Poll::Ready(None) };
        let source = source.get_mut().unwrap_or_else(PoisonError::into_inner);
        let event = ready!(source.as_mut().poll_next(context));
        let Some((name, event)) = event.as_ref().and_then(|event| Some((EventName::of(event)?, event)))
        else {
            // Without a name there is nothing to come back for.
            return Poll::Ready(event);
        };
        if let State::Fresh(source) = mem::replace(&mut self.state, State::Over) {
            let source = source.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.state = State::At(self.kept.begin(name, event, source));
        }
        Poll::Ready(Some(event.clone()))
    }
}

impl Stream for Reader {
    type Item = ServerSseMessage;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<ServerSseMessage>> {
        let reader = self.get_mut();
        let event = match &mut reader.state {
            State::Fresh(_) => ready!(reader.poll_first(context)),
            State::At(place) => ready!(reader.kept.poll_next(place, context)),
            State::Alone(event) => {
                let event = mem::take(&mut **event);
                reader.state = State::Over;
                return Poll::Ready(Some(event));
            }
            State::Over => None,
        };
        if event.is_none() {
            reader.state = State::Over;
        }
        Poll::Ready(event)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let State::At(mut place) = mem::replace(&mut self.state, State::Over) else { return };
        if !self.kept.leave(&mut place) {
            return;
        }
        // Without a runtime nothing more is sent either.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let kept = Arc::clone(&self.kept);
        drop(runtime.spawn(async move {
            while poll_fn(|context| kept.poll_next(&mut place, context)).await.is_some() {}
        }));
    }
}
