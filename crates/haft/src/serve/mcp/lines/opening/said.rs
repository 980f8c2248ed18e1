//! What a client says of itself, where it says nothing out of the ordinary.

use std::borrow::Cow;

use rmcp::model::{ClientCapabilities, ProtocolVersion};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::serve::mcp::{lines::ids, plain};

/// A message that says nothing out of the ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) method: Cow<'a, str>,
    #[serde(borrow, default)]
    pub(super) params: Option<&'a RawValue>,
}

/// The parameters of a request that has none of its own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bare<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: &'a RawValue,
}

/// A handshake that says nothing out of the ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Hello<'a> {
    #[serde(borrow)]
    pub(super) protocol_version: Cow<'a, str>,
    #[serde(borrow)]
    capabilities: &'a RawValue,
    #[serde(borrow)]
    client_info: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[expect(dead_code, reason = "only that they are there, and in their form, counts")]
struct ClientInfo<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    version: Cow<'a, str>,
    #[serde(borrow, default)]
    title: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    description: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    website_url: Option<Cow<'a, str>>,
}

fn is_object(value: &RawValue) -> bool {
    value.get().starts_with('{')
}

impl<'a> Message<'a> {
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        let message: Self = serde_json::from_str(std::str::from_utf8(line).ok()?).ok()?;
        // An id that the library would write in another way is in doubt.
        let is_plain = |id: &RawValue| {
            !id.get().contains('\\') && ids::read(id).is_some_and(|id| ids::restore(&id).is_none())
        };
        (message.jsonrpc == "2.0" && message.id.is_none_or(is_plain)).then_some(message)
    }

    /// Whether there are no parameters.
    pub(super) fn is_bare(&self) -> bool {
        self.params.is_none_or(|params| params.get() == "{}")
    }

    /// Whether the only parameter says of the request that it is of the era without a handshake.
    pub(super) fn is_modern(&self) -> bool {
        let Some(params) = self.params.filter(|params| is_object(params)) else { return false };
        serde_json::from_str::<Bare<'_>>(params.get())
            .is_ok_and(|Bare { meta }| is_object(meta) && plain::is_modern(meta))
    }
}

impl<'a> Hello<'a> {
    /// Reads what a client says of itself; none where anything about it is in doubt.
    pub(super) fn read(params: &'a RawValue) -> Option<Self> {
        if !is_object(params) {
            return None;
        }
        let hello: Self = serde_json::from_str(params.get()).ok()?;
        let is_known = |known: &ProtocolVersion| {
            known.as_str() == hello.protocol_version && *known < ProtocolVersion::V_2026_07_28
        };
        let is_plain = ProtocolVersion::KNOWN_VERSIONS.iter().any(is_known)
            && is_object(hello.capabilities)
            && is_object(hello.client_info)
            && (hello.capabilities.get() == "{}"
                || serde_json::from_str::<ClientCapabilities>(hello.capabilities.get()).is_ok())
            && serde_json::from_str::<ClientInfo<'_>>(hello.client_info.get()).is_ok();
        is_plain.then_some(hello)
    }
}
