//! What the host's own tools ask of a client: its user, its model, its roots.

#![allow(deprecated, reason = "the suite wants what is on its way out as well")]

use haft::serve::mcp::rmcp::{
    ErrorData, RoleServer,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
        CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, InputRequest,
        InputRequests, InputRequiredResult, InputResponses, ListRootsRequest, SamplingMessage,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};

/// A form of one field.
pub(crate) fn form(message: &str, field: &str, kind: &str) -> Result<InputRequest, ErrorData> {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    let requested_schema =
        serde_json::from_value(schema).map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema,
    };
    Ok(InputRequest::Elicitation(ElicitRequest::new(params)))
}

fn completion(prompt: &str) -> InputRequest {
    let messages = vec![SamplingMessage::user_text(prompt)];
    InputRequest::CreateMessage(CreateMessageRequest::new(CreateMessageRequestParams::new(messages, 100)))
}

fn roots() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

/// The answer of that key, where it has the shape of one.
pub(crate) fn answer<'a>(responses: Option<&'a InputResponses>, key: &str) -> Option<&'a Map<String, Value>> {
    responses?.get(key)?.as_object()
}

pub(crate) fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text.into())]).into()
}

pub(crate) fn ask(requests: impl IntoIterator<Item = (&'static str, InputRequest)>) -> InputRequiredResult {
    let requests: InputRequests =
        requests.into_iter().map(|(key, request)| (key.to_owned(), request)).collect();
    InputRequiredResult::from_input_requests(requests)
}

/// The tools by the end of their name, and none of another.
pub(crate) fn call(
    name: &str,
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let responses = request.input_responses.as_ref();
    Ok(Some(match name {
        "sampling" => match answer(responses, "capital_question") {
            Some(answer) => {
                let said =
                    answer.get("content").and_then(|content| content.get("text")).and_then(Value::as_str);
                text(format!("Sampling response: {}", said.unwrap_or("(nothing)")))
            }
            None => ask([("capital_question", completion("What is the capital of France?"))]).into(),
        },
        "list_roots" => match answer(responses, "client_roots") {
            Some(answer) => {
                let roots = answer.get("roots").and_then(Value::as_array).into_iter().flatten();
                let roots: Vec<&str> =
                    roots.filter_map(|root| root.get("uri").and_then(Value::as_str)).collect();
                text(format!("Client roots: [{}]", roots.join(", ")))
            }
            None => ask([("client_roots", roots())]).into(),
        },
        "multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if all.iter().all(|key| answer(responses, key).is_some()) {
                text("All inputs received")
            } else {
                let mut asked = ask([
                    ("user_name", form("What is your name?", "name", "string")?),
                    ("greeting", completion("Generate a greeting")),
                    ("client_roots", roots()),
                ]);
                asked.request_state = Some("gathering".to_owned());
                asked.into()
            }
        }
        "capabilities" if responses.is_none() => {
            let declared = context.meta.client_capabilities().unwrap_or_default();
            match declared_only(&declared)? {
                requests if requests.is_empty() => text("The client can be asked nothing"),
                requests => ask(requests).into(),
            }
        }
        "capabilities" => text("Capability-aware flow complete"),
        _ => return Ok(None),
    }))
}

/// Of all questions those that a client has declared itself able to answer.
fn declared_only(declared: &ClientCapabilities) -> Result<Vec<(&'static str, InputRequest)>, ErrorData> {
    let mut requests = Vec::new();
    if declared.elicitation.is_some() {
        requests.push(("user_name", form("What is your name?", "name", "string")?));
    }
    if declared.sampling.is_some() {
        requests.push(("greeting", completion("Generate a greeting")));
    }
    if declared.roots.is_some() {
        requests.push(("client_roots", roots()));
    }
    Ok(requests)
}
