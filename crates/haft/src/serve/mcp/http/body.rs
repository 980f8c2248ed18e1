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

/// The body of an answer: one document, or a stream of events.
pub struct HttpBody(BoxBody<Bytes, Infallible>);

impl HttpBody {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>) -> Self {
        Self(body)
    }

    pub(super) fn text(text: &'static str) -> Self {
        Self(Full::new(Bytes::from_static(text.as_bytes())).boxed())
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.get_mut().0).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
