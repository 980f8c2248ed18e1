//! Anthropic's messages to messages that belong to no provider.

use haft_core::{Message, Role};

use crate::provider::{
    Calls,
    anthropic::response::drafts,
    calls::Draft,
    detect::parts,
    raw::{Object, Raw},
    transcript::{answer, said, text_of},
};

pub(super) fn read(message: &Object<'_>, messages: &mut Vec<Message>) {
    let content = message.get("content");
    match message.string("role").unwrap_or_default().as_ref() {
        "assistant" => {
            let calls = Calls::assemble(drafts(message, &mut Vec::new()), Vec::new());
            said(Role::Assistant, text_of(content), calls.into_vec(), messages);
        }
        "user" => {
            for block in parts(content).into_iter().filter_map(Raw::object) {
                if let Some(id) = Draft::id(&block, "tool_use_id") {
                    let is_error = block.get("is_error").is_some_and(|is_error| is_error.text() == "true");
                    answer(id, text_of(block.get("content")), is_error, messages);
                }
            }
            said(Role::User, text_of(content), Vec::new(), messages);
        }
        _ => {}
    }
}
