//! The body of a request, read whole and in time, and the answer to one that is no message.

use std::{fmt, pin::pin, time::Duration};

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::BodyExt as _;
use rmcp::model::{ClientJsonRpcMessage, ErrorData};
use serde::Serialize;
use serde_json::value::RawValue;

use super::HttpBody;
use crate::lines::Trace;

/// What some editors and languages begin a text with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// What the protocol has clients accept.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// How long a body may be, and how long it may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) bytes: usize,
    pub(super) time: Duration,
}

/// The request with the whole of its body; else its answer.
pub(super) async fn whole<B>(
    request: Request<B>,
    limits: Limits,
) -> Result<Request<Bytes>, Response<HttpBody>>
where
    B: Body,
    B::Error: fmt::Display,
{
    let (mut parts, body) = request.into_parts();
    accepts_any(&mut parts.headers);
    if parts.method != Method::POST {
        return Ok(Request::from_parts(parts, Bytes::new()));
    }
    match tokio::time::timeout(limits.time, read(body, limits.bytes)).await {
        Ok(Ok(mut body)) => {
            if body.starts_with(BYTE_ORDER_MARK) {
                body.advance(BYTE_ORDER_MARK.len());
            }
            Ok(Request::from_parts(parts, body))
        }
        Ok(Err(refused)) => Err(refused),
        Err(_) => {
            let why = format!("the body of the request did not arrive within {:?}", limits.time);
            Err(refused(StatusCode::REQUEST_TIMEOUT, ErrorData::invalid_request(why, None), None))
        }
    }
}

async fn read<B>(body: B, most: usize) -> Result<Bytes, Response<HttpBody>>
where
    B: Body,
    B::Error: fmt::Display,
{
    let mut body = pin!(body);
    let mut kept = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            let why = format!("the body of the request broke off: {error}");
            refused(StatusCode::BAD_REQUEST, ErrorData::invalid_request(why, None), None)
        })?;
        let Ok(mut data) = frame.into_data() else { continue };
        if data.remaining() > most - kept.len() {
            let why = format!("the body of the request has more than {most} bytes");
            return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(why, None), None));
        }
        if kept.is_empty() && body.is_end_stream() {
            return Ok(data.copy_to_bytes(data.remaining()));
        }
        kept.put(data);
    }
    Ok(kept.freeze())
}

/// A client that says that it takes anything, or says nothing, takes both forms of an answer.
fn accepts_any(headers: &mut HeaderMap) {
    let mut accepted = headers.get_all(header::ACCEPT).iter().peekable();
    let any = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains("*/*"));
    if accepted.peek().is_none() || accepted.any(any) {
        headers.insert(header::ACCEPT, BOTH);
    }
}

/// What is wrong with a body that the protocol's library does not take; none where it is a message.
pub(super) fn unreadable(body: &[u8]) -> Option<Response<HttpBody>> {
    let error = serde_json::from_slice::<ClientJsonRpcMessage>(body).err()?;
    let Trace { id, has_method } = Trace::of(body);
    let error = if body.trim_ascii_start().starts_with(b"[") {
        ErrorData::invalid_request("a batch is not taken over HTTP: send each message by itself", None)
    } else if error.is_data() {
        ErrorData::invalid_request("the body is no message of the protocol", None)
    } else {
        ErrorData::parse_error(format!("the body is no JSON: {error}"), None)
    };
    Some(refused(StatusCode::BAD_REQUEST, error, id.filter(|_| has_method)))
}

#[derive(Serialize)]
struct Refusal {
    jsonrpc: &'static str,
    /// `null` where it is not known.
    id: Option<Box<RawValue>>,
    error: ErrorData,
}

fn refused(status: StatusCode, error: ErrorData, id: Option<Box<RawValue>>) -> Response<HttpBody> {
    let refusal = Refusal { jsonrpc: "2.0", id, error };
    let mut answer = Response::new(HttpBody::bytes(serde_json::to_vec(&refusal).unwrap_or_default().into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
