//! Calls that are answered here, in front of the protocol's library.

use std::{
    future::{Future, poll_fn},
    sync::Arc,
    task::Poll,
};

use bytes::Bytes;
use haft_core::CancellationToken;
use http::{HeaderValue, Request, Response, StatusCode, header};
use rmcp::{
    RoleServer,
    model::{ErrorData, JsonRpcMessage, RequestId},
    service::TxJsonRpcMessage,
};

use super::{HttpBody, HttpOptions, crowd::Place, head::Head};
use crate::serve::mcp::{
    plain::{By, Handshake, PlainCall},
    service::Shared,
    session::Session,
};

/// Answers calls that are plainly valid, of tools that the registry has, by clients that hear nothing before the answer.
pub(super) struct Front {
    shared: Arc<Shared>,
    /// Whether an answer is one document, whatever the era; it is a stream of one event else.
    stateless: bool,
}

impl Front {
    pub(super) fn new(shared: Arc<Shared>, options: &HttpOptions) -> Self {
        Self { shared, stateless: options.stateless }
    }

    /// The answer to a call; gives the place back where the request is not one to be answered here.
    pub(super) async fn answer(
        &self,
        request: &Request<Bytes>,
        place: Place,
    ) -> Result<Response<HttpBody>, Place> {
        let Some(head) = Head::of(request) else { return Err(place) };
        let Some((id, call)) = called(request.body()) else { return Err(place) };
        if !self.takes(&head, &call) {
            return Err(place);
        }
        let cancelled = self.shared.shutdown.child_token();
        let by = By { peer: None, cancelled: cancelled.clone() };
        let handshake = (head == Head::Legacy).then_some(Handshake { shows_forms: false, level: None });
        let Some(caller) = call.caller(&id, handshake, by) else { return Err(place) };
        let session = Session::new(Arc::clone(&self.shared));
        let (failed, running) = (id.clone(), async move { call.answer(&session, id, caller).await });
        let answer = ended(running, cancelled).await.unwrap_or_else(|| {
            JsonRpcMessage::error(ErrorData::internal_error("the call was given up", None), Some(failed))
        });
        Ok(self.sent(&answer, place))
    }

    fn takes(&self, head: &Head<'_>, call: &PlainCall) -> bool {
        let registry = self.shared.registry();
        let is_ours = match *head {
            Head::Legacy => self.stateless && !call.is_modern(),
            Head::Modern(name) => {
                call.is_modern() && name == call.name && !self.shared.listing.has_headers(registry, name)
            }
        };
        is_ours
            && !call.wants_to_hear()
            && registry.contains(&call.name)
            && !self.shared.shutdown.is_cancelled()
    }

    fn sent(&self, answer: &TxJsonRpcMessage<RoleServer>, place: Place) -> Response<HttpBody> {
        let Ok(document) = serde_json::to_vec(answer) else {
            let mut failed = Response::new(HttpBody::text("the answer has no form\n"));
            *failed.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            return failed;
        };
        if self.stateless {
            let mut response = Response::new(HttpBody::whole(document.into(), place));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            return response;
        }
        let event = [b"data: ".as_slice(), &document, b"\n\n"].concat();
        let mut response = Response::new(HttpBody::whole(event.into(), place));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
        response
    }
}

/// The call that a body is, where nothing about it is in doubt.
fn called(body: &[u8]) -> Option<(RequestId, PlainCall)> {
    let (id, call) = PlainCall::read(std::str::from_utf8(body).ok()?)?;
    let id = match id.get() {
        text if text.starts_with('"') => RequestId::String(serde_json::from_str::<String>(text).ok()?.into()),
        text => RequestId::Number(text.parse().ok().filter(|number: &i64| number.to_string() == text)?),
    };
    Some((id, call))
}

/// Waits for a call; none where it broke. Where its client goes before, it is told to end, and has the time to.
async fn ended<T: Send + 'static>(
    call: impl Future<Output = T> + Send + 'static,
    cancelled: CancellationToken,
) -> Option<T> {
    let mut call = Box::pin(call);
    let at_once = poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;
    if let Poll::Ready(answer) = at_once {
        return Some(answer);
    }
    let _gone = cancelled.drop_guard();
    #[expect(clippy::disallowed_methods, reason = "it is told to end when nobody waits for it any more")]
    let running = tokio::spawn(call);
    running.await.ok()
}
