//! A chat completion to calls.

use crate::provider::{
    Calls, Note, Provider, ProviderError,
    calls::Draft,
    detect::{Document, parts},
    openai_chat::FUNCTION_CALL_ID,
    raw::{Object, Raw},
};

const EXPECTED: &str = "a chat completion whose `choices` hold a `message`, not the chunk of a stream; or a message of role `assistant`";

/// Whether an object has keys that only this form has.
pub(in crate::provider) fn recognises(object: &Object<'_>) -> bool {
    let is_named = object.string("object").is_some_and(|name| name.starts_with("chat.completion"));
    is_named
        || object.has("choices")
        || object.has("tool_calls")
        || object.has("tool_call_id")
        || object.object("function_call").is_some()
        || object.object("message").is_some()
}

pub(super) fn calls(text: &str) -> Result<Calls, ProviderError> {
    let document = Document::open(text, Provider::OpenaiChat)?;
    let mut notes = Vec::new();
    let (message, later) = document
        .latest(&mut notes)
        .and_then(|(object, later)| Some((message(object, &mut notes)?, later)))
        .ok_or_else(|| document.without_message(EXPECTED))?;
    let mut drafts = drafts(&message, &mut notes);
    let answered = later.iter().filter_map(answered).collect();
    Draft::drop_answered(&mut drafts, &answered, &mut notes);
    Ok(Calls::assemble(drafts, notes))
}

/// The id of the call that a message answers.
fn answered(message: &Object<'_>) -> Option<String> {
    match message.string("role")?.as_ref() {
        "tool" => message.string("tool_call_id").map(String::from),
        "function" => Some(FUNCTION_CALL_ID.to_owned()),
        _ => None,
    }
}

/// The message of a response; of several choices the first with calls, for some servers put text and calls in two.
fn message<'a>(object: Object<'a>, notes: &mut Vec<Note>) -> Option<Object<'a>> {
    let Some(choices) = object.array("choices") else {
        // Some servers answer with one message in the place of choices.
        let is_message = match object.string("role") {
            Some(role) => role == "assistant",
            None => has_calls(&object),
        };
        return object.object("message").or_else(|| is_message.then_some(object));
    };
    let choices: Vec<Object<'_>> = choices.into_iter().filter_map(Raw::object).collect();
    let called = |choice: &Object<'_>| choice.object("message").is_some_and(|message| has_calls(&message));
    let used = choices.iter().position(called).unwrap_or(0);
    if choices.len() > 1 {
        notes.push(Note::SeveralChoices { used, count: choices.len() });
    }
    let choice = choices.get(used)?;
    let message = choice.object("message")?;
    if choice.string("finish_reason").as_deref() == Some("length") && has_calls(&message) {
        notes.push(Note::CutOff { reason: "length".to_owned() });
    }
    Some(message)
}

fn has_calls(message: &Object<'_>) -> bool {
    !parts(message.get("tool_calls")).is_empty() || message.has("function_call")
}

pub(super) fn drafts(message: &Object<'_>, notes: &mut Vec<Note>) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = parts(message.get("tool_calls")).into_iter().map(draft).collect();
    // A server that writes both forms writes the same call twice.
    if let (true, Some(call)) = (drafts.is_empty(), message.get("function_call")) {
        let body = call.object();
        let (name, arguments) = body.as_ref().map_or_else(Default::default, function);
        notes.push(Note::FunctionCall);
        drafts.push(Draft { id: Some(FUNCTION_CALL_ID.to_owned()), name, arguments });
    }
    drafts
}

fn draft(call: Raw<'_>) -> Draft {
    let Some(call) = call.object() else { return Draft::unreadable(call.text()) };
    let id = Draft::id(&call, "id");
    let (name, arguments) = match call.object("custom") {
        Some(body) => (Draft::name(&body), Draft::custom_arguments(&body)),
        None => function(&call.object("function").unwrap_or(call)),
    };
    Draft { id, name, arguments }
}

fn function(body: &Object<'_>) -> (String, String) {
    (Draft::name(body), Draft::quoted_arguments(body))
}
