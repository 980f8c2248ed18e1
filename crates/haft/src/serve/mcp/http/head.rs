//! The head of a request that calls a tool, where nothing about it is in doubt.

use http::{HeaderValue, Method, Request, uri::Authority};
use rmcp::model::ProtocolVersion;

/// What the head of a request says, where nothing about it is in doubt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head<'r> {
    /// Of the era with a handshake, and of no session.
    Legacy,
    /// Of the era without: the name of the tool.
    Modern(&'r str),
}

/// The headers that matter, each at most once.
#[derive(Default)]
struct Headers<'r> {
    accept: Option<&'r HeaderValue>,
    content_type: Option<&'r HeaderValue>,
    host: Option<&'r HeaderValue>,
    version: Option<&'r HeaderValue>,
    method: Option<&'r HeaderValue>,
    name: Option<&'r HeaderValue>,
}

impl<'r> Head<'r> {
    pub(super) fn of<B>(request: &'r Request<B>) -> Option<Self> {
        if request.method() != Method::POST {
            return None;
        }
        let headers = Headers::of(request)?;
        let takes_both = headers.accept.and_then(text).is_some_and(takes_both);
        let is_json = headers.content_type.and_then(text) == Some("application/json");
        if !takes_both || !is_json || !headers.is_of_a_host(request) {
            return None;
        }
        let version = match headers.version {
            None => ProtocolVersion::V_2025_03_26.as_str(),
            Some(version) => text(version)?,
        };
        let called = (headers.method, headers.name);
        if version == ProtocolVersion::V_2026_07_28.as_str() {
            let (method, name) = (called.0.and_then(text)?, called.1.and_then(text)?);
            // A name that a header can not carry stands there in another form.
            return (method == "tools/call" && !name.starts_with("=?")).then_some(Self::Modern(name));
        }
        let is_known = ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version);
        let is_legacy = is_known && version < ProtocolVersion::V_2026_07_28.as_str();
        (is_legacy && called == (None, None)).then_some(Self::Legacy)
    }
}

impl<'r> Headers<'r> {
    /// The headers; none where one stands there twice, or another says something of the call.
    fn of<B>(request: &'r Request<B>) -> Option<Self> {
        let mut headers = Self::default();
        for (name, value) in request.headers() {
            let header = match name.as_str() {
                "accept" => &mut headers.accept,
                "content-type" => &mut headers.content_type,
                "host" => &mut headers.host,
                "mcp-protocol-version" => &mut headers.version,
                "mcp-method" => &mut headers.method,
                "mcp-name" => &mut headers.name,
                other if other.starts_with("mcp-") => return None,
                _ => continue,
            };
            if header.replace(value).is_some() {
                return None;
            }
        }
        Some(headers)
    }

    fn is_of_a_host<B>(&self, request: &Request<B>) -> bool {
        match self.host {
            Some(host) => text(host).is_some_and(|host| host.parse::<Authority>().is_ok()),
            None => request.uri().authority().is_some(),
        }
    }
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok()
}

/// Whether both forms of an answer are taken, without any weight.
fn takes_both(accept: &str) -> bool {
    let takes = |form: &str| accept.split(',').any(|one| one.trim().eq_ignore_ascii_case(form));
    !accept.contains([';', '"']) && takes("application/json") && takes("text/event-stream")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [(&str, &str); 4] = [
        ("host", "localhost:1"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
        ("user-agent", "test"),
    ];
    const MODERN: [(&str, &str); 3] =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "add")];

    fn head(headers: &[(&str, &str)]) -> String {
        let mut request = Request::post("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        format!("{:?}", Head::of(&request.body(()).expect("a request")))
    }

    /// The head with one header in another form, or not at all.
    fn other(headers: &[(&str, &str)], name: &str, value: Option<&str>) -> String {
        let others = headers.iter().copied().filter(|(other, _)| *other != name);
        head(&others.chain(value.map(|value| (name, value))).collect::<Vec<_>>())
    }

    #[test]
    fn a_plain_head_is_of_an_era() {
        assert_eq!(head(&PLAIN), "Some(Legacy)");
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            assert_eq!(other(&PLAIN, "mcp-protocol-version", Some(version)), "Some(Legacy)", "{version}");
        }
        assert_eq!(other(&PLAIN, "accept", Some("text/event-stream,Application/JSON , */*")), "Some(Legacy)");
        assert_eq!(head(&[PLAIN.as_slice(), MODERN.as_slice()].concat()), "Some(Modern(\"add\"))");
    }

    #[test]
    fn what_is_odd_is_in_doubt() {
        let modern = [PLAIN.as_slice(), MODERN.as_slice()].concat();
        for (name, value) in [
            ("accept", None),
            ("accept", Some("application/json")),
            ("accept", Some("application/json;q=1, text/event-stream")),
            ("content-type", None),
            ("content-type", Some("application/json; charset=utf-8")),
            ("content-type", Some("text/plain")),
            ("host", None),
            ("host", Some("a b")),
            ("mcp-protocol-version", None),
            ("mcp-protocol-version", Some("2025-11-25")),
            ("mcp-protocol-version", Some("2031-01-01")),
            ("mcp-method", None),
            ("mcp-method", Some("tools/list")),
            ("mcp-name", None),
            ("mcp-name", Some("=?base64?YWRk?=")),
            ("mcp-session-id", Some("1")),
            ("mcp-param-city", Some("Paris")),
        ] {
            assert_eq!(other(&modern, name, value), "None", "{name}: {value:?}");
        }
        for (name, value) in modern.iter().filter(|(name, _)| *name != "user-agent") {
            assert_eq!(head(&[modern.as_slice(), &[(*name, *value)]].concat()), "None", "{name} twice");
        }
        let get = Request::get("/mcp").body(()).expect("a request");
        assert_eq!(Head::of(&get), None);
    }
}
