//! What may come before a client has said which era it lives in.

use rmcp::{
    RoleServer,
    model::{ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion},
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
