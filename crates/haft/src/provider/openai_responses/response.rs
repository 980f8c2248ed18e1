//! The items of an `OpenAI` response to calls.

use crate::provider::{
    Calls, Note, Provider, ProviderError,
    calls::Draft,
    detect::Document,
    openai_responses::CUSTOM,
    raw::{Object, Raw},
};

const EXPECTED: &str = "a finished response with `output`, or a list of its items";

/// What an item is to haft.
enum Role {
    Call,
    CustomCall,
    /// A call that the provider runs.
    ProviderRun,
    /// What the host answers in its own way.
    ForHost,
    /// Nothing to act on.
    Said,
    Unknown,
}

fn role_of(kind: &str) -> Role {
    match kind {
        "function_call" => Role::Call,
        "custom_tool_call" => Role::CustomCall,
        "web_search_call"
        | "file_search_call"
        | "code_interpreter_call"
        | "image_generation_call"
        | "mcp_call" => Role::ProviderRun,
        "computer_call" | "local_shell_call" | "shell_call" | "apply_patch_call" | "mcp_approval_request" => {
            Role::ForHost
        }
        "message"
        | "reasoning"
        | "mcp_list_tools"
        | "compaction"
        | "item_reference"
        | "mcp_approval_response" => Role::Said,
        kind if kind.ends_with("_output") => Role::Said,
        _ => Role::Unknown,
    }
}

/// Whether an object is a response of this form, or an item that only this form has.
pub(in crate::provider) fn recognises(object: &Object<'_>) -> bool {
    let is_part = |block: &Raw<'_>| {
        block.object().and_then(|block| block.string("type")).is_some_and(|kind| {
            matches!(kind.as_ref(), "output_text" | "input_text" | "input_image" | "input_file")
        })
    };
    object.string("object").as_deref() == Some("response")
        || object.array("output").is_some_and(|items| items.iter().any(|item| item.object().is_some()))
        || object.string("type").is_some_and(|kind| match role_of(&kind) {
            Role::Unknown => false,
            Role::Said => kind != "message",
            _ => true,
        })
        || object.array("content").is_some_and(|blocks| blocks.iter().any(is_part))
}

pub(super) fn calls(text: &str) -> Result<Calls, ProviderError> {
    let document = Document::open(text, Provider::OpenaiResponses)?;
    let mut notes = Vec::new();
    let items = items(&document).ok_or_else(|| document.without_message(EXPECTED))?;
    let answered = items.iter().filter_map(answered).collect();
    let mut drafts: Vec<Draft> = items.iter().filter_map(|item| draft(item, &mut notes)).collect();
    Draft::drop_answered(&mut drafts, &answered, &mut notes);
    if !drafts.is_empty() && is_cut_off(&document) {
        notes.push(Note::CutOff { reason: "max_output_tokens".to_owned() });
    }
    Ok(Calls::assemble(drafts, notes))
}

/// The items to read: those of a response, of a list, or one alone.
fn items<'a>(document: &Document<'a>) -> Option<Vec<Object<'a>>> {
    match document {
        Document::List(items) => {
            let items: Vec<Object<'_>> = items.iter().filter_map(|item| item.object()).collect();
            items.iter().any(is_models).then_some(items)
        }
        Document::Object(object) => match object.array("output") {
            Some(items) if is_finished(object) => Some(items.into_iter().filter_map(Raw::object).collect()),
            Some(_) => None,
            None => is_models(object).then(|| vec![object.clone()]),
        },
    }
}

/// Whether the model, or a tool that the provider runs, wrote the item; the host writes outputs, and answers to approvals.
fn is_models(item: &Object<'_>) -> bool {
    match (item.string("role"), item.string("type")) {
        (Some(role), _) => role == "assistant",
        (None, Some(kind)) => !kind.ends_with("_output") && kind != "mcp_approval_response",
        (None, None) => false,
    }
}

/// Whether a response that is made in the background has come to its end.
fn is_finished(response: &Object<'_>) -> bool {
    !matches!(response.string("status").as_deref(), Some("queued" | "in_progress"))
}

fn is_cut_off(document: &Document<'_>) -> bool {
    let Document::Object(response) = document else { return false };
    let reason = response.object("incomplete_details").and_then(|details| details.string("reason"));
    reason.as_deref() == Some("max_output_tokens")
}

/// The id of the call that an item answers.
pub(super) fn answered(item: &Object<'_>) -> Option<String> {
    let id = Draft::id(item, "call_id")?;
    match item.string("type")?.as_ref() {
        "function_call_output" => Some(id),
        "custom_tool_call_output" => Some(custom_id(&id)),
        _ => None,
    }
}

fn custom_id(call_id: &str) -> String {
    format!("{CUSTOM}{call_id}")
}

pub(super) fn draft(item: &Object<'_>, notes: &mut Vec<Note>) -> Option<Draft> {
    let kind = item.string("type").unwrap_or_default();
    let (id, name) = (Draft::id(item, "call_id"), Draft::name(item));
    match role_of(&kind) {
        Role::Call => return Some(Draft { id, name, arguments: Draft::quoted_arguments(item) }),
        Role::CustomCall => {
            let id = id.map(|id| custom_id(&id));
            return Some(Draft { id, name, arguments: Draft::custom_arguments(item) });
        }
        Role::ProviderRun => {
            let name = (!name.is_empty()).then_some(name);
            notes.push(Note::ProviderRun { kind: kind.into_owned(), name });
        }
        Role::ForHost => notes.push(Note::ForHost { kind: kind.into_owned() }),
        // A message may stand without its type.
        Role::Unknown if !item.has("role") => notes.push(Note::UnknownBlock { kind: kind.into_owned() }),
        Role::Said | Role::Unknown => {}
    }
    None
}
