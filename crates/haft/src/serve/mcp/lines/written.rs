//! A message to the client as a line.

use std::io;

use rmcp::{
    RoleServer,
    model::{JsonRpcMessage, RequestId},
    service::TxJsonRpcMessage,
};

use super::ids;

/// How long most answers are.
const USUAL: usize = 512;

/// The message as a line.
pub(super) fn written(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    let mut line = match answers(message).and_then(ids::restore) {
        None => {
            let mut line = Vec::with_capacity(USUAL);
            serde_json::to_writer(&mut line, message)?;
            line
        }
        Some(id) => {
            let mut message = serde_json::to_value(message)?;
            if let Some(message) = message.as_object_mut() {
                message.remove("id");
            }
            let rest = message.to_string();
            format!("{{\"id\":{id},{}", rest.strip_prefix('{').unwrap_or_default()).into_bytes()
        }
    };
    line.push(b'\n');
    Ok(line)
}

/// The request that a message answers.
pub(super) fn answers(message: &TxJsonRpcMessage<RoleServer>) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}
