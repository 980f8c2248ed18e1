//! Gemini's contents to messages that belong to no provider.

use haft_core::{Message, Role};

use crate::provider::{
    Calls,
    calls::Draft,
    gemini::response::{answer_of, drafts, parts_of},
    raw::Object,
    transcript::{answer, said},
};

pub(super) fn read(content: &Object<'_>, messages: &mut Vec<Message>) {
    match content.string("role").unwrap_or_default().as_ref() {
        "model" => {
            let calls = Calls::assemble(drafts(content, &mut Vec::new()), Vec::new());
            said(Role::Assistant, text(content), calls.into_vec(), messages);
        }
        "user" | "function" => {
            answers(content, messages);
            said(Role::User, text(content), Vec::new(), messages);
        }
        _ => {}
    }
}

/// The text without the model's thoughts.
fn text(content: &Object<'_>) -> String {
    let texts =
        parts_of(content).filter(|part| part.get("thought").is_none_or(|thought| thought.text() != "true"));
    texts.filter_map(|part| part.string("text").map(String::from)).collect::<Vec<_>>().join("\n")
}

/// Answers without an id belong to the calls before them, in order.
fn answers(content: &Object<'_>, messages: &mut Vec<Message>) {
    let ids: Vec<_> = match messages.iter().rfind(|message| message.role == Role::Assistant) {
        Some(message) => message.tool_calls.iter().map(|call| call.id.clone()).collect(),
        None => Vec::new(),
    };
    for (position, part) in parts_of(content).filter_map(|part| answer_of(&part)).enumerate() {
        let ordered = || ids.get(position).map(ToString::to_string).unwrap_or_default();
        let id = Draft::id(&part, "id").unwrap_or_else(ordered);
        let response = part.object("response");
        let of = |key: &str| response.as_ref().and_then(|response| response.get(key));
        let whole = || part.get("response").map(|response| response.text().to_owned()).unwrap_or_default();
        let text =
            of("error").or_else(|| of("output")).map_or_else(whole, |text| text.content().into_owned());
        answer(id, text, of("error").is_some(), messages);
    }
}
