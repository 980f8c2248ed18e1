//! What browsers want to be told before a page may ask.

use http::{
    HeaderMap, HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
        ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
        ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
    },
};

use super::HttpBody;

/// A page of an origin that was named: its browser is told that it may ask, and read what is answered.
///
/// Pages of this machine are not: any program may serve one, and a browser asks for it whatever else it shows.
#[derive(Debug, Clone)]
pub(super) struct Page {
    origin: HeaderValue,
}

impl Page {
    /// The page that asks, where its origin was named.
    pub(super) fn of(headers: &HeaderMap, named: &[String]) -> Option<Self> {
        let mut origins = headers.get_all(ORIGIN).iter();
        let (Some(origin), None) = (origins.next(), origins.next()) else { return None };
        let text = origin.to_str().ok()?;
        let is_named = named.iter().any(|named| named.eq_ignore_ascii_case(text));
        is_named.then(|| Self { origin: origin.clone() })
    }

    /// Lets the page read an answer.
    pub(super) fn shown<B>(&self, mut answer: Response<B>) -> Response<B> {
        let told = answer.headers_mut();
        told.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.origin.clone());
        told.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("mcp-session-id, www-authenticate, retry-after"),
        );
        told.append(VARY, HeaderValue::from_static("origin"));
        answer
    }
}

/// The answer to a browser that asks whether its page may: it can show no token yet. None for any other request.
pub(super) fn preflight<B>(request: &Request<B>) -> Option<Response<HttpBody>> {
    let headers = request.headers();
    if request.method() != Method::OPTIONS || !headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        return None;
    }
    let mut answer = Response::new(HttpBody::text(""));
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let told = answer.headers_mut();
    told.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST, DELETE"));
    told.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    // Parameters of tools can be headers too, so that there is no list of all.
    if let Some(wanted) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
        told.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    Some(answer)
}
