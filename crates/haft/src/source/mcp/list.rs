//! The tools that a server lists: all pages, and each tool for itself.

use std::collections::HashSet;

use rmcp::{
    Peer, RoleClient,
    model::{ClientRequest, ListToolsRequest, NumberOrString, PaginatedRequestParams, ServerResult},
    service::PeerRequestOptions,
};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{
    error::{McpError, McpProblem, told_of_request},
    wire::{Awaited, RAW},
};

/// No server has so many pages of tools.
const PAGES: usize = 1000;
/// Nor so many tools.
const TOOLS: usize = 20_000;
/// Nor so much text, in bytes.
const TEXT: usize = 64 << 20;
/// Nor so many pages in a row without a new tool.
const BARREN: usize = 3;

/// A tool, as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    /// The name that the server gives it.
    pub(super) name: String,
    /// The whole description, with whatever fields it has.
    pub(super) raw: Map<String, Value>,
}

/// What a server lists.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) tools: Vec<Listed>,
    pub(super) problems: Vec<McpProblem>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    // An empty list of Go is null.
    #[serde(deserialize_with = "none_as_null")]
    tools: Vec<Value>,
    #[serde(default)]
    next_cursor: Option<String>,
}

fn none_as_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Reads the whole list.
pub(super) async fn list(peer: &Peer<RoleClient>, awaited: &Awaited) -> Result<Listing, McpError> {
    let (mut listing, mut names) = (Listing::default(), HashSet::new());
    let (mut cursor, mut cursors): (Option<String>, HashSet<String>) = (None, HashSet::new());
    let (mut barren, mut bytes) = (0, 0);
    for pages in 1.. {
        let (page, refused, length) = page(peer, awaited, cursor).await?;
        bytes += length;
        let before = listing.tools.len();
        for tool in page.tools {
            take(tool, &refused, &mut names, &mut listing);
        }
        let Some(next) = page.next_cursor else { break };
        barren = if listing.tools.len() == before { barren + 1 } else { 0 };
        if next.is_empty() && barren > 0 {
            // It may be a cursor like any other; some servers mean the end by it.
            break;
        }
        // Some servers send a cursor for ever: with each page the same one, or with the same page.
        let why = if !cursors.insert(next.clone()) {
            "the server gave the same cursor again"
        } else if barren >= BARREN {
            "the last pages had no new tool, and there was said to be another"
        } else if pages >= PAGES || listing.tools.len() >= TOOLS || bytes >= TEXT {
            "that is more than any list has"
        } else {
            cursor = Some(next);
            continue;
        };
        listing.problems.push(McpProblem::Endless { pages, why: why.to_owned() });
        break;
    }
    Ok(listing)
}

/// One page, the tools of it that the transport can not call, and how long it was.
async fn page(
    peer: &Peer<RoleClient>,
    awaited: &Awaited,
    cursor: Option<String>,
) -> Result<(Page, Refused, usize), McpError> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ListToolsRequest { params, ..ListToolsRequest::default() };
    let failed = |why: String| McpError::List { why };
    let sent = peer
        .send_request_with_option(ClientRequest::ListToolsRequest(request), PeerRequestOptions::no_options());
    let handle = sent.await.map_err(|error| failed(told_of_request(&error)))?;
    let _forget = Forget(awaited, handle.id.clone());
    let result = handle.await_response().await.map_err(|error| failed(told_of_request(&error)))?;
    let (text, refused) = match result {
        ServerResult::CustomResult(result) => (raw(result.0.get(RAW)), Refused(None)),
        ServerResult::ListToolsResult(mut page) => {
            let kept = page.tools.iter().map(|tool| tool.name.to_string()).collect();
            let text = page.meta.as_mut().and_then(|meta| raw(meta.0.get(RAW)));
            (text, Refused(Some(kept)))
        }
        _ => (None, Refused(None)),
    };
    let text = text.ok_or_else(|| failed("its answer is no list of tools".to_owned()))?;
    let page = serde_json::from_str(&text)
        .map_err(|error| failed(format!("its answer is no list of tools: {error}")))?;
    Ok((page, refused, text.len()))
}

fn raw(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

/// Where a transport looks at tools itself: the names of those that it accepts.
struct Refused(Option<HashSet<String>>);

/// A list that nobody waits for any more is not awaited either.
struct Forget<'a>(&'a Awaited, NumberOrString);

impl Drop for Forget<'_> {
    fn drop(&mut self) {
        self.0.answered(&self.1);
    }
}

/// Takes a tool over, or says why not: it costs no other.
fn take(tool: Value, refused: &Refused, names: &mut HashSet<String>, listing: &mut Listing) {
    let left_out = |name: &str, why: &str| McpProblem::LeftOut { name: name.to_owned(), why: why.to_owned() };
    let Value::Object(raw) = tool else {
        listing.problems.push(left_out("", "it is no object"));
        return;
    };
    let name = raw.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if name.is_empty() {
        listing.problems.push(left_out("", "it has no name"));
        return;
    }
    if !names.insert(name.clone()) {
        return;
    }
    if !raw.get("inputSchema").is_some_and(Value::is_object) {
        listing.problems.push(left_out(&name, "it has no input schema"));
        return;
    }
    let readable = || serde_json::from_value::<rmcp::model::Tool>(Value::Object(raw.clone())).is_ok();
    if refused.0.as_ref().is_some_and(|kept| !kept.contains(&name)) && readable() {
        listing.problems.push(left_out(&name, "an `x-mcp-header` of its input schema is not valid"));
        return;
    }
    listing.tools.push(Listed { name, raw });
}
