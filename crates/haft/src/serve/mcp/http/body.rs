//! The body of an answer.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt as _, Full, combinators::BoxBody};

use super::crowd::Place;

/// The body of an answer: one document, or a stream of events.
pub struct HttpBody {
    body: BoxBody<Bytes, Infallible>,
    /// Held until the answer is over.
    _place: Option<Place>,
}

impl HttpBody {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>, place: Place) -> Self {
        Self { body, _place: Some(place) }
    }

    pub(super) fn text(text: &'static str) -> Self {
        Self::bytes(Bytes::from_static(text.as_bytes()))
    }

    pub(super) fn bytes(bytes: Bytes) -> Self {
        Self { body: Full::new(bytes).boxed(), _place: None }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
