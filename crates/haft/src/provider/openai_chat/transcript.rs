//! The messages of chat completions to messages that belong to no provider.

use haft_core::{Message, Role};

use crate::provider::{
    Calls,
    calls::Draft,
    openai_chat::{FUNCTION_CALL_ID, response::drafts},
    raw::Object,
    transcript::{answer, said, text_of},
};

pub(super) fn read(message: &Object<'_>, messages: &mut Vec<Message>) {
    let text = text_of(message.get("content"));
    match message.string("role").unwrap_or_default().as_ref() {
        "user" => said(Role::User, text, Vec::new(), messages),
        "assistant" => {
            let calls = Calls::assemble(drafts(message, &mut Vec::new()), Vec::new());
            said(Role::Assistant, text, calls.into_vec(), messages);
        }
        "tool" => answer(Draft::id(message, "tool_call_id").unwrap_or_default(), text, false, messages),
        "function" => answer(FUNCTION_CALL_ID.to_owned(), text, false, messages),
        _ => {}
    }
}
