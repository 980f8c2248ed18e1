//! Results to the one content that answers all calls of a Gemini response.

use std::borrow::Cow;

use haft_core::ToolResult;
use serde::Serialize;

use crate::provider::{ProviderMessage, calls::is_generated, message::non_blank};

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    parts: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    function_response: FunctionResponse<'a>,
}

#[derive(Serialize)]
struct FunctionResponse<'a> {
    /// Must be the call's, and absent where the call had none.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// Must be the call's, also where a tool of another name was found for it.
    name: &'a str,
    response: Response<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Response<'a> {
    Output(Cow<'a, str>),
    Error(Cow<'a, str>),
}

/// No content where there is no result.
pub(in crate::provider) fn messages(results: &[ToolResult]) -> Vec<ProviderMessage> {
    if results.is_empty() { Vec::new() } else { vec![content(results)] }
}

/// All results in one content, as many as there were calls and nothing else: others are refused.
pub(super) fn content(results: &[ToolResult]) -> ProviderMessage {
    ProviderMessage::new(&Message { role: "user", parts: results.iter().map(part).collect() })
}

fn part(result: &ToolResult) -> Part<'_> {
    let id = result.id().as_str();
    let text = non_blank(result.text());
    let response = if result.is_error() { Response::Error(text) } else { Response::Output(text) };
    let id = (!is_generated(id)).then_some(id);
    Part { function_response: FunctionResponse { id, name: result.called_name(), response } }
}
