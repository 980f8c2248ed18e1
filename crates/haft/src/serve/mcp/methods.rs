//! The methods that a server of tools answers.

/// Whether a method is one of the protocol's that this server answers, so that a request of it that can not be read has
/// wrong parameters.
pub(super) fn is_known(method: &str, modern: bool) -> bool {
    match method {
        "tools/call" | "tools/list" => true,
        "initialize" | "ping" | "logging/setLevel" => !modern,
        "server/discover" | "subscriptions/listen" => modern,
        _ => false,
    }
}
