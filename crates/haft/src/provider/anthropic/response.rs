//! An Anthropic message to calls.

use crate::provider::{
    Calls, Note, Provider, ProviderError,
    calls::Draft,
    detect::{Document, parts},
    raw::{Kind, Object, Raw},
};

const EXPECTED: &str = "a response of type `message`, or a message of role `assistant`, with `content`";

/// Why a message can end in the middle of a call.
const CUTS_OFF: [&str; 2] = ["max_tokens", "model_context_window_exceeded"];

/// What a block is to haft.
enum Role {
    Call,
    /// A call that the provider runs.
    ProviderRun,
    /// Nothing to act on: text, thinking, results of what the provider ran.
    Said,
    Unknown,
}

fn role_of(kind: &str) -> Role {
    match kind {
        "tool_use" => Role::Call,
        "text" | "thinking" | "redacted_thinking" | "image" | "document" | "container_upload"
        | "compaction" => Role::Said,
        kind if kind.ends_with("_tool_use") => Role::ProviderRun,
        kind if kind.ends_with("_tool_result") => Role::Said,
        _ => Role::Unknown,
    }
}

/// Whether an object has keys or blocks that only this form has.
pub(in crate::provider) fn recognises(object: &Object<'_>) -> bool {
    let is_sign = |block: &Raw<'_>| {
        block.object().and_then(|block| block.string("type")).is_some_and(|kind| {
            matches!(kind.as_ref(), "tool_use" | "tool_result" | "thinking" | "redacted_thinking")
                || kind.ends_with("_tool_use")
                || kind.ends_with("_tool_result")
        })
    };
    let blocks = object.array("content");
    (blocks.is_some() && object.string("type").as_deref() == Some("message"))
        || object.has("stop_reason")
        || blocks.is_some_and(|blocks| blocks.iter().any(is_sign))
}

pub(super) fn calls(text: &str) -> Result<Calls, ProviderError> {
    let document = Document::open(text, Provider::Anthropic)?;
    let mut notes = Vec::new();
    let (message, later) = document
        .latest(&mut notes)
        .filter(|(message, _)| message.has("content") && is_models(message))
        .ok_or_else(|| document.without_message(EXPECTED))?;
    let mut drafts = drafts(&message, &mut notes);
    // What was written of the input is closed by the provider, often as `{}`: nothing tells it from a whole one.
    let stopped = message.string("stop_reason").filter(|reason| CUTS_OFF.contains(&reason.as_ref()));
    if let Some(last) = drafts.last_mut().filter(|_| stopped.is_some() && ends_with_call(&message)) {
        last.cut_off();
    }
    let answered = later.iter().flat_map(answered).collect();
    Draft::drop_answered(&mut drafts, &answered, &mut notes);
    if let Some(reason) = stopped.filter(|_| !drafts.is_empty()) {
        notes.push(Note::CutOff { reason: reason.into_owned() });
    }
    Ok(Calls::assemble(drafts, notes))
}

/// Whether a call is the last thing that the model wrote.
fn ends_with_call(message: &Object<'_>) -> bool {
    let last = parts(message.get("content")).into_iter().next_back().and_then(Raw::object);
    last.and_then(|block| block.string("type").map(|kind| matches!(role_of(&kind), Role::Call)))
        .unwrap_or(false)
}

/// The ids of the calls that a message answers.
fn answered(message: &Object<'_>) -> Vec<String> {
    let blocks = parts(message.get("content")).into_iter().filter_map(Raw::object);
    blocks.filter_map(|block| Draft::id(&block, "tool_use_id")).collect()
}

fn is_models(message: &Object<'_>) -> bool {
    message.string("role").is_none_or(|role| role == "assistant")
}

pub(super) fn drafts(message: &Object<'_>, notes: &mut Vec<Note>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for part in parts(message.get("content")) {
        if part.kind() == Kind::String {
            continue;
        }
        let block = part.object();
        let kind = block.as_ref().and_then(|block| block.string("type"));
        let (Some(block), Some(kind)) = (block, kind) else {
            notes.push(Note::UnknownBlock { kind: String::new() });
            continue;
        };
        match role_of(&kind) {
            Role::Call => drafts.push(draft(&block)),
            Role::ProviderRun => notes.push(Note::ProviderRun {
                kind: kind.into_owned(),
                name: block.string("name").map(String::from),
            }),
            Role::Said => {}
            Role::Unknown => notes.push(Note::UnknownBlock { kind: kind.into_owned() }),
        }
    }
    drafts
}

fn draft(block: &Object<'_>) -> Draft {
    Draft {
        id: Draft::id(block, "id"),
        name: Draft::name(block),
        arguments: Draft::plain_arguments(block, "input"),
    }
}
