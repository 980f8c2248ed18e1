//! Servers that answer HTTP requests.

mod authorizer;
mod body;
mod client;
mod events;
mod failure;
mod reply;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::{
    StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
};

use self::client::HttpClient;
pub(super) use self::{
    client::HttpError,
    failure::{Failure, is_failing, is_foreign, told, wait_before_retry, was_refused},
};
use super::{McpError, remote::Remote, wire::Awaited};

pub use authorizer::{Authorizer, TokenFuture};

/// The transport of a server that answers HTTP requests.
pub(super) type Transport = StreamableHttpClientTransport<HttpClient>;

/// As many requests are on their way at once.
const REQUESTS: usize = 256;

/// Makes the transport; nothing is sent yet.
pub(super) fn transport(
    remote: &Remote,
    url: &str,
    headers: &BTreeMap<String, String>,
    awaited: &Arc<Awaited>,
) -> Result<Transport, McpError> {
    let server = &remote.server;
    let parsed = reqwest::Url::parse(url);
    let parsed = parsed.map_err(|error| address("the URL", error.to_string()))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(address("the URL", format!("{}: is neither http: nor https:", parsed.scheme())));
    }
    let headers =
        headers.iter().filter(|(name, _)| !is_of_the_request(name)).map(|(name, value)| header(name, value));
    let headers = headers.collect::<Result<HashMap<_, _>, _>>()?;
    let client =
        crate::net::configured(&parsed).map_err(|why| address("the system's store of certificates", why))?;
    let client = HttpClient::new(client, Arc::clone(awaited), server, remote.secrets.clone());
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config = config.max_concurrent_requests(REQUESTS);
    config.custom_headers = headers;
    config.max_sse_event_size = server.largest_message;
    config.max_json_response_size = server.largest_message;
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// What each request says of itself. Copied configurations give some of it as well, which a server would then have twice,
/// or in the place of what is so.
fn is_of_the_request(name: &str) -> bool {
    const OWN: [&str; 10] = [
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "last-event-id",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
    ];
    OWN.iter().any(|own| own.eq_ignore_ascii_case(name))
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), McpError> {
    let what = format!("the header {name:?}");
    let parsed: HeaderName =
        name.parse().map_err(|_| address(&what, "its name has characters that none has".into()))?;
    let mut value: HeaderValue =
        value.parse().map_err(|_| address(&what, "its value has characters that none has".into()))?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

fn address(what: &str, why: String) -> McpError {
    McpError::Address { what: what.to_owned(), why }
}
