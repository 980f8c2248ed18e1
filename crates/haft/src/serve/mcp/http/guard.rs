//! Which requests come through at all.

use http::{
    HeaderMap, Request, Response, StatusCode, Uri,
    header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderName, ORIGIN, RETRY_AFTER, WWW_AUTHENTICATE},
    uri::Authority,
};

use super::{
    HttpBody, HttpOptions,
    cors::{Page, preflight},
};

/// Knows which requests come through.
#[derive(Debug)]
pub(super) struct Guard {
    options: HttpOptions,
}

impl Guard {
    pub(super) fn new(options: HttpOptions) -> Self {
        Self { options }
    }

    /// The page that asks, where its origin was named.
    pub(super) fn page<B>(&self, request: &Request<B>) -> Option<Page> {
        Page::of(request.headers(), &self.options.origins)
    }

    /// Whether a request comes through; else its answer.
    pub(super) fn admit<B>(
        &self,
        request: &Request<B>,
        page: Option<&Page>,
    ) -> Result<(), Box<Response<HttpBody>>> {
        if !self.is_for_us(request) {
            return Err(Box::new(answer(StatusCode::FORBIDDEN, "this server is not reached by that Host\n")));
        }
        if !self.comes_from_us(request.headers()) {
            return Err(Box::new(answer(StatusCode::FORBIDDEN, "pages of that Origin may not ask here\n")));
        }
        if let Some(answer) = page.and_then(|_| preflight(request)) {
            return Err(Box::new(answer));
        }
        if !self.shows_token(request.headers()) {
            let mut refused = answer(StatusCode::UNAUTHORIZED, "a bearer token is needed\n");
            refused.headers_mut().insert(WWW_AUTHENTICATE, http::HeaderValue::from_static("Bearer"));
            return Err(Box::new(refused));
        }
        Ok(())
    }

    fn is_for_us<B>(&self, request: &Request<B>) -> bool {
        let Some(hosts) = &self.options.hosts else { return true };
        let named = match only(request.headers(), &HOST) {
            Given::Once(host) => host.parse::<Authority>().ok(),
            Given::Unclear => None,
            Given::Not => request.uri().authority().cloned(),
        };
        named.is_some_and(|named| is_local(named.host()) || hosts.iter().any(|host| is_named(host, &named)))
    }

    fn comes_from_us(&self, headers: &HeaderMap) -> bool {
        let origin = match only(headers, &ORIGIN) {
            Given::Not => return true,
            Given::Unclear => return false,
            Given::Once(origin) => origin,
        };
        if self.options.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let Ok(origin) = origin.parse::<Uri>() else { return false };
        matches!(origin.scheme_str(), Some("http" | "https")) && origin.host().is_some_and(is_local)
    }

    fn shows_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.options.token else { return true };
        let mut shown = headers.get_all(AUTHORIZATION).iter();
        match (shown.next(), shown.next()) {
            (Some(one), None) => token.is_shown_by(one.as_bytes()),
            _ => false,
        }
    }
}

/// How a header is given.
enum Given<'h> {
    Not,
    Once(&'h str),
    /// Several times, or as what is no text.
    Unclear,
}

fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Given<'h> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Given::Not,
        (Some(one), None) => one.to_str().map_or(Given::Unclear, Given::Once),
        (Some(_), Some(_)) => Given::Unclear,
    }
}

/// Whether a name is one of this machine for itself.
fn is_local(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether an allowed name, with or without a port, is the one that was asked for.
fn is_named(allowed: &str, named: &Authority) -> bool {
    allowed.eq_ignore_ascii_case(named.as_str()) || allowed.eq_ignore_ascii_case(named.host())
}

/// The answer to a request that is one too many.
pub(super) fn too_many() -> Response<HttpBody> {
    let mut refused = answer(StatusCode::SERVICE_UNAVAILABLE, "too many clients are served now; try again\n");
    refused.headers_mut().insert(RETRY_AFTER, http::HeaderValue::from_static("1"));
    refused
}

fn answer(status: StatusCode, text: &'static str) -> Response<HttpBody> {
    let mut answer = Response::new(HttpBody::text(text));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("text/plain"));
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::mcp::BearerToken;

    fn status(options: &HttpOptions, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().uri("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(()).expect("a request");
        match Guard::new(options.clone()).admit(&request, None) {
            Ok(()) => 200,
            Err(refused) => refused.status().as_u16(),
        }
    }

    #[test]
    fn only_this_machine_comes_through_unless_set() {
        let options = HttpOptions::new();
        for host in ["localhost", "LOCALHOST:8848", "127.0.0.1:8848", "127.8.8.8", "[::1]", "[::1]:8848"] {
            assert_eq!(status(&options, &[("host", host)]), 200, "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1:8848", "", "a b"]
        {
            assert_eq!(status(&options, &[("host", host)]), 403, "{host}");
        }
        assert_eq!(status(&options, &[]), 403);
        assert_eq!(status(&options, &[("host", "localhost"), ("host", "evil.example")]), 403);
    }

    #[test]
    fn pages_of_other_origins_do_not_come_through() {
        let options = HttpOptions::new().origin("https://app.example/");
        let origin = |origin| status(&options, &[("host", "localhost"), ("origin", origin)]);
        for allowed in [
            "http://localhost:8848",
            "https://localhost",
            "http://127.0.0.1:1",
            "http://[::1]:2",
            "https://app.example",
        ] {
            assert_eq!(origin(allowed), 200, "{allowed}");
        }
        for foreign in [
            "null",
            "https://evil.example",
            "https://app.example:444",
            "http://app.example",
            "ftp://localhost",
            "",
        ] {
            assert_eq!(origin(foreign), 403, "{foreign}");
        }
    }

    #[test]
    fn a_token_is_demanded_where_there_is_one() {
        let token = BearerToken::new("0123456789abcdef").expect("a token");
        let options = HttpOptions::new().host("tools.example").token(token);
        let shown = |token| status(&options, &[("host", "tools.example:80"), ("authorization", token)]);
        assert_eq!(shown("Bearer 0123456789abcdef"), 200);
        assert_eq!(shown("Bearer 0123456789abcdee"), 401);
        assert_eq!(status(&options, &[("host", "tools.example")]), 401);
        assert_eq!(
            status(&options, &[("host", "evil.example"), ("authorization", "Bearer 0123456789abcdef")]),
            403
        );
        assert_eq!(status(&options.clone().any_host(), &[("authorization", "Bearer 0123456789abcdef")]), 200);
    }
}
