//! What may come before a client has said which era it lives in.

use rmcp::{
    RoleServer,
    model::{ClientRequest, ErrorData, GetMeta as _, JsonRpcMessage, ProtocolVersion},
    service::RxJsonRpcMessage,
};

/// Whether the client has said which era it lives in.
///
/// A notification or an answer that comes before has nothing to be about, and is no reason to hang up.
#[derive(Debug, Default)]
pub(super) struct Lifecycle {
    begun: bool,
}

impl Lifecycle {
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// The client has shaken hands.
    pub(super) fn begin(&mut self) {
        self.begun = true;
    }

    /// What is wrong with a request that comes before, where it does not say for itself which era it lives in.
    pub(super) fn misses(&self, message: &RxJsonRpcMessage<RoleServer>) -> Option<ErrorData> {
        let JsonRpcMessage::Request(request) = message else { return None };
        let speaks = |request: &ClientRequest| request.get_meta().protocol_version().is_some();
        let is_early = match &request.request {
            ClientRequest::InitializeRequest(_) | ClientRequest::PingRequest(_) => false,
            other => !self.begun && !speaks(other),
        };
        is_early.then(|| {
            let told = "the client has to begin with `initialize`, or to send with every request a `_meta` with \
                        io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities";
            ErrorData::invalid_params(told, None)
        })
    }

    /// Whether the message is one for this moment.
    pub(super) fn admits(&mut self, message: &RxJsonRpcMessage<RoleServer>) -> bool {
        if self.begun {
            return true;
        }
        let JsonRpcMessage::Request(request) = message else { return false };
        self.begun = match &request.request {
            ClientRequest::InitializeRequest(_) => true,
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
            other => {
                let meta = other.get_meta();
                let known = |version| ProtocolVersion::KNOWN_VERSIONS.contains(&version);
                meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                    && meta.protocol_version().is_some_and(known)
            }
        };
        true
    }
}
