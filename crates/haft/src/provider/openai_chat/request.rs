//! Results to the messages that answer a chat completion's calls.

use std::borrow::Cow;

use haft_core::ToolResult;
use serde::Serialize;

use crate::provider::{ProviderMessage, message::non_blank, openai_chat::FUNCTION_CALL_ID};

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    Tool { tool_call_id: &'a str, content: Cow<'a, str> },
    Function { name: &'a str, content: Cow<'a, str> },
}

/// One message a result: the content is always one text, which every server takes.
pub(in crate::provider) fn messages(results: &[ToolResult]) -> Vec<ProviderMessage> {
    results.iter().map(|result| ProviderMessage::new(&message(result))).collect()
}

fn message(result: &ToolResult) -> Message<'_> {
    let content = non_blank(result.text());
    match result.id().as_str() {
        FUNCTION_CALL_ID => Message::Function { name: result.called_name(), content },
        tool_call_id => Message::Tool { tool_call_id, content },
    }
}
