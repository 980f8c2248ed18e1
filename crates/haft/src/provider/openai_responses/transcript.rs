//! The items of `OpenAI` responses to messages that belong to no provider.

use haft_core::{Message, Role};

use crate::provider::{
    Calls,
    openai_responses::response::{answered, draft},
    raw::Object,
    transcript::{answer, said, text_of},
};

pub(super) fn read(item: &Object<'_>, messages: &mut Vec<Message>) {
    if let Some(id) = answered(item) {
        return answer(id, text_of(item.get("output")), false, messages);
    }
    if let Some(draft) = draft(item, &mut Vec::new()) {
        let calls = Calls::assemble(vec![draft], Vec::new()).into_vec();
        // Text and calls of one message are items of their own here.
        return match messages.last_mut().filter(|last| last.role == Role::Assistant) {
            Some(last) => last.tool_calls.extend(calls),
            None => said(Role::Assistant, String::new(), calls, messages),
        };
    }
    let role = match item.string("role").unwrap_or_default().as_ref() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        _ => return,
    };
    said(role, text_of(item.get("content")), Vec::new(), messages);
}
