//! A Gemini response to calls.

use crate::provider::{
    Calls, Note, Provider, ProviderError,
    calls::Draft,
    detect::{Document, parts},
    error::excerpt,
    raw::{Object, Raw},
};

const EXPECTED: &str =
    "a response whose `candidates` hold a `content`, or a content of role `model` with `parts`";

/// Whether an object has keys that only this form has.
pub(in crate::provider) fn recognises(object: &Object<'_>) -> bool {
    object.array("candidates").is_some() || object.has("promptFeedback") || object.array("parts").is_some()
}

pub(super) fn calls(text: &str) -> Result<Calls, ProviderError> {
    let document = Document::open(text, Provider::Gemini)?;
    let mut notes = Vec::new();
    let (object, later) = document.latest(&mut notes).ok_or_else(|| document.without_message(EXPECTED))?;
    let content = match object.array("candidates") {
        Some(candidates) => {
            let candidates: Vec<Object<'_>> = candidates.into_iter().filter_map(Raw::object).collect();
            of_candidates(&candidates, &mut notes)?
        }
        None => Some(object).filter(|object| is_models(object) && object.array("parts").is_some()),
    };
    let content = content.ok_or_else(|| document.without_message(EXPECTED))?;
    let mut drafts = drafts(&content, &mut notes);
    // The calls of a content are answered all at once.
    if !drafts.is_empty()
        && later.iter().any(|content| parts_of(content).any(|part| answer_of(&part).is_some()))
    {
        notes.push(Note::Answered { count: drafts.len() });
        drafts.clear();
    }
    Ok(Calls::assemble(drafts, notes).without_id_notes())
}

/// The content of the first candidate with calls, or of the first.
fn of_candidates<'a>(
    candidates: &[Object<'a>],
    notes: &mut Vec<Note>,
) -> Result<Option<Object<'a>>, ProviderError> {
    let called = |candidate: &Object<'_>| {
        candidate
            .object("content")
            .is_some_and(|content| parts_of(&content).any(|part| call_of(&part).is_some()))
    };
    let used = candidates.iter().position(called).unwrap_or(0);
    if candidates.len() > 1 {
        notes.push(Note::SeveralChoices { used, count: candidates.len() });
    }
    let Some(candidate) = candidates.get(used) else { return Ok(None) };
    let reason = candidate.string("finishReason").unwrap_or_else(|| "STOP".into());
    let content = candidate.object("content");
    let is_silent = content.as_ref().is_none_or(|content| parts_of(content).next().is_none());
    if is_silent && reason != "STOP" {
        let found = format!("a candidate without parts, finished with the reason `{}`", excerpt(&reason));
        return Err(ProviderError::NoMessage { expected: EXPECTED, found });
    }
    if reason == "MAX_TOKENS" && called(candidate) {
        notes.push(Note::CutOff { reason: reason.into_owned() });
    }
    Ok(content)
}

fn is_models(content: &Object<'_>) -> bool {
    content.string("role").is_none_or(|role| role == "model")
}

pub(super) fn parts_of<'a>(content: &Object<'a>) -> impl Iterator<Item = Object<'a>> + use<'a> {
    parts(content.get("parts")).into_iter().filter_map(Raw::object)
}

/// The call in a part; the second spelling is that of client libraries.
fn call_of<'a>(part: &Object<'a>) -> Option<Raw<'a>> {
    part.get("functionCall").or_else(|| part.get("function_call"))
}

/// The answer to a call in a part.
pub(super) fn answer_of<'a>(part: &Object<'a>) -> Option<Object<'a>> {
    part.object("functionResponse").or_else(|| part.object("function_response"))
}

pub(super) fn drafts(content: &Object<'_>, notes: &mut Vec<Note>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for part in parts_of(content) {
        match call_of(&part) {
            Some(call) => drafts.push(draft(call)),
            None => notes.extend(provider_run(&part)),
        }
    }
    drafts
}

fn draft(call: Raw<'_>) -> Draft {
    let Some(call) = call.object() else { return Draft::unreadable(call.text()) };
    Draft {
        id: Draft::id(&call, "id"),
        name: Draft::name(&call),
        arguments: Draft::plain_arguments(&call, "args"),
    }
}

/// Code, or a tool of the provider's, that it runs itself.
fn provider_run(part: &Object<'_>) -> Option<Note> {
    let kind = ["executableCode", "executable_code", "toolCall", "tool_call"]
        .into_iter()
        .find(|key| part.has(key))?;
    Some(Note::ProviderRun { kind: kind.to_owned(), name: None })
}
