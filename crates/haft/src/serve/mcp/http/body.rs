//! The body of an answer.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{Full, combinators::BoxBody};

use super::crowd::Place;

/// The body of an answer: one document, or a stream of events.
pub struct HttpBody {
    body: Form,
    /// Held until the answer is over.
    _place: Option<Place>,
}

enum Form {
    Whole(Full<Bytes>),
    Stream(BoxBody<Bytes, Infallible>),
}

impl HttpBody {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>, place: Place) -> Self {
        Self { body: Form::Stream(body), _place: Some(place) }
    }

    pub(super) fn whole(bytes: Bytes, place: Place) -> Self {
        Self { body: Form::Whole(Full::new(bytes)), _place: Some(place) }
    }

    pub(super) fn text(text: &'static str) -> Self {
        Self::bytes(Bytes::from_static(text.as_bytes()))
    }

    pub(super) fn bytes(bytes: Bytes) -> Self {
        Self { body: Form::Whole(Full::new(bytes)), _place: None }
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.get_mut().body {
            Form::Whole(body) => Pin::new(body).poll_frame(context),
            Form::Stream(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.body {
            Form::Whole(body) => body.is_end_stream(),
            Form::Stream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.body {
            Form::Whole(body) => body.size_hint(),
            Form::Stream(body) => body.size_hint(),
        }
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpBody").finish_non_exhaustive()
    }
}
