//! Streams of events for clients of older revisions, which take every event for a message.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, Response, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt as _, combinators::BoxBody};
use rmcp::model::ProtocolVersion;

/// Whether a client knows that an event may have no data: since 2025-11-25 a stream begins with one. Others say that what
/// they get is no JSON, and some leave.
pub(super) fn is_known(headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2025_11_25.as_str())
}

/// The answer, where it is a stream, without events that have no data. A document stays what it is, and its length is known.
pub(super) fn without(answer: Response<BoxBody<Bytes, Infallible>>) -> Response<BoxBody<Bytes, Infallible>> {
    let kind = answer.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        return answer.map(|body| Unprimed(body).boxed());
    }
    answer
}

struct Unprimed(BoxBody<Bytes, Infallible>);

impl Body for Unprimed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.0).poll_frame(context));
            // The library writes each event as one frame.
            let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
            if !data.is_some_and(|data| is_without_data(data)) {
                return Poll::Ready(frame);
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// Whether an event has a line of data, and nothing in it.
fn is_without_data(event: &[u8]) -> bool {
    let lines = event.split(|byte| *byte == b'\n');
    let mut data = lines.filter_map(|line| line.strip_prefix(b"data:")).peekable();
    data.peek().is_some() && data.all(|data| data.trim_ascii().is_empty())
}

#[cfg(test)]
mod tests {
    use super::is_without_data;

    #[test]
    fn what_has_data_or_is_a_comment_stays() {
        for event in ["data: \nid: 0\nretry: 3000\n\n", "data:\n\n", "id: 7\ndata: \n\n"] {
            assert!(is_without_data(event.as_bytes()), "{event}");
        }
        for event in
            ["", ":\n\n", ": data:\n\n", "retry: 5\n\n", "data: {}\nid: 1\n\n", "data:\ndata: {}\n\n"]
        {
            assert!(!is_without_data(event.as_bytes()), "{event}");
        }
    }
}
