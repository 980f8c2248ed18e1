//! A line of a client as a message.

use std::borrow::Cow;

use rmcp::{
    RoleServer,
    model::{
        CallToolRequestParams, ClientNotification, ClientRequest, ErrorData, InputResponses, JsonRpcMessage,
        NumberOrString, Request, RequestId, RequestMetaObject,
    },
    service::RxJsonRpcMessage,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::ids;
use crate::{
    batch::Batch,
    lines::Trace,
    serve::mcp::{call::RawArguments, plain::PlainCall},
};

/// What a line is.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A call that is plainly valid.
    Call(RequestId, PlainCall),
    /// Any other message that the protocol knows.
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// A request that can not be read: its answer.
    Refused(RequestId, ErrorData),
    /// Several messages in one, as revision 2025-03-26 has them.
    Batch(Vec<String>),
    /// Nothing that can be answered; why.
    Noise(String),
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

/// The parameters of `tools/call`, whose arguments are kept as they were written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallParams<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta", default)]
    meta: Option<RequestMetaObject>,
    #[serde(default)]
    input_responses: Option<InputResponses>,
    #[serde(default)]
    request_state: Option<String>,
}

/// Reads a line.
pub(super) fn read(line: &[u8]) -> Incoming {
    let Ok(text) = std::str::from_utf8(line) else {
        return unreadable(&Trace::of(line), ErrorData::parse_error("the message is no UTF-8", None));
    };
    if let Some((id, call)) = PlainCall::read(text)
        && let Some(id) = ids::read(id)
    {
        return Incoming::Call(id, call);
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.starts_with('[') {
        return match serde_json::from_str::<Batch<'_>>(text) {
            Ok(Batch(messages)) => {
                Incoming::Batch(messages.into_iter().map(|one| one.get().to_owned()).collect())
            }
            Err(error) => Incoming::Noise(error.to_string()),
        };
    }
    let envelope = match serde_json::from_str::<Envelope<'_>>(text) {
        Ok(envelope) => envelope,
        Err(error) => {
            let why = format!("the message is no JSON of a request or an answer: {error}");
            return unreadable(&Trace::of(line), ErrorData::parse_error(why, None));
        }
    };
    match (envelope.id, envelope.method) {
        (Some(id), Some(method)) => match ids::read(id) {
            Some(id) => request(text, id, &method, envelope.params),
            None => Incoming::Noise("its id is neither text nor a number".to_owned()),
        },
        (None, Some(_)) => match serde_json::from_str::<ClientNotification>(text) {
            Ok(notification) => message(JsonRpcMessage::notification(notification)),
            Err(error) => Incoming::Noise(error.to_string()),
        },
        (Some(_), None) => match serde_json::from_str::<RxJsonRpcMessage<RoleServer>>(text) {
            Ok(answer @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))) => message(answer),
            Ok(_) => Incoming::Noise("it is neither a request nor an answer".to_owned()),
            Err(error) => Incoming::Noise(error.to_string()),
        },
        (None, None) => Incoming::Noise("it has neither a method nor an id".to_owned()),
    }
}

/// A message that can not be read. A request is answered all the same, and an answer is one that says so: whoever asked
/// would wait.
pub(super) fn unreadable(trace: &Trace, error: ErrorData) -> Incoming {
    match trace.id.as_deref().and_then(ids::read) {
        Some(id) if trace.has_method => Incoming::Refused(id, error),
        Some(id) => message(JsonRpcMessage::error(error, Some(id))),
        None => Incoming::Noise(error.message.into_owned()),
    }
}

fn message(message: RxJsonRpcMessage<RoleServer>) -> Incoming {
    Incoming::Message(Box::new(message))
}

fn request(text: &str, id: RequestId, method: &str, params: Option<&RawValue>) -> Incoming {
    let request = match (method, params) {
        ("tools/call", Some(params)) => call(params),
        ("initialize", params) => hello(params),
        _ => serde_json::from_str::<ClientRequest>(text),
    };
    match request {
        Ok(request) => message(JsonRpcMessage::request(request, id)),
        Err(error) => Incoming::Refused(id, wrong_parameters(method, &error)),
    }
}

/// The answer to a request whose parameters can not be read.
pub(super) fn wrong_parameters(method: &str, error: &serde_json::Error) -> ErrorData {
    ErrorData::invalid_params(format!("the request {method} can not be read: {error}"), None)
}

/// Reads a call by its own shape: the general way tries a dozen others first, and loses how numbers were written.
fn call(params: &RawValue) -> Result<ClientRequest, serde_json::Error> {
    let CallParams { name, arguments, meta, input_responses, request_state } =
        serde_json::from_str(params.get())?;
    let mut call = CallToolRequestParams::new(name.into_owned());
    call.input_responses = input_responses;
    call.request_state = request_state;
    let mut request = Request::new(call);
    if let Some(arguments) = arguments {
        request.extensions.insert(RawArguments(arguments.get().into()));
    }
    if let Some(meta) = meta {
        request.extensions.insert(meta);
    }
    Ok(ClientRequest::CallToolRequest(request))
}

/// Reads a handshake by its own shape: the general way takes what it can not read for a method that it does not know.
fn hello(params: Option<&RawValue>) -> Result<ClientRequest, serde_json::Error> {
    let params = serde_json::from_str(params.map_or("{}", RawValue::get))?;
    Ok(ClientRequest::InitializeRequest(Request::new(params)))
}

/// The id that an answer names, for those that come from `read`.
pub(super) fn answered(message: &RxJsonRpcMessage<RoleServer>) -> Option<&NumberOrString> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Incoming {
        super::read(line.as_bytes())
    }

    #[test]
    fn a_call_keeps_its_arguments_as_they_were_written() {
        let line = r#"{"jsonrpc":"2.0","id":0,"method":"tools/call","params":{"name":"add","arguments":{"b": 1e2, "a":18446744073709551616},"_meta":{"progressToken":"p"}}}"#;
        let Incoming::Call(id, call) = read(line) else { panic!("a plain call") };
        assert_eq!(id, RequestId::Number(0));
        let plain = call.into_request().expect("a request");
        let Incoming::Message(message) = read(&line.replace("\"name\"", "\"more\":1,\"name\"")) else {
            panic!("a message")
        };
        let JsonRpcMessage::Request(request) = *message else { panic!("a request") };
        for request in [plain, request.request] {
            let ClientRequest::CallToolRequest(call) = request else { panic!("a call") };
            let raw = call.extensions.get::<RawArguments>().expect("arguments");
            assert_eq!(&*raw.0, r#"{"b": 1e2, "a":18446744073709551616}"#);
            let meta = call.extensions.get::<RequestMetaObject>().expect("what it says of itself");
            assert!(meta.get_progress_token().is_some());
        }
    }

    #[test]
    fn what_can_not_be_read_is_answered_where_it_has_an_id() {
        let refused = |line| matches!(read(line), Incoming::Refused(..));
        let noise = |line| matches!(read(line), Incoming::Noise(_));
        assert!(refused(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"arguments":{}}}"#));
        assert!(refused(r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":[1]}"#));
        // As some languages write numbers that JSON has not.
        let no_json =
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":NaN}}}"#;
        assert!(refused(no_json));
        assert!(matches!(
            super::read(b"{\"id\":7,\"method\":\"\xff\"}"),
            Incoming::Refused(RequestId::Number(7), _)
        ));
        let Incoming::Message(answer) = read(r#"{"jsonrpc":"2.0","id":7,"result":{"a":NaN}}"#) else {
            panic!("an answer")
        };
        assert!(matches!(*answer, JsonRpcMessage::Error(error) if error.id == Some(RequestId::Number(7))));
        for line in [
            "",
            "garbage",
            "{",
            "{\"jsonrpc\":",
            "7",
            "null",
            "{}",
            r#"{"id":1}"#,
            r#"{"id":{},"method":"ping"}"#,
            r#"{"method":"notifications/progress","params":{"progress":NaN}}"#,
        ] {
            assert!(noise(line), "{line}");
        }
        assert!(matches!(super::read(b"\xff\xfe"), Incoming::Noise(_)));
        assert!(matches!(read(r#"[{"a":1},2]"#), Incoming::Batch(messages) if messages.len() == 2));
        assert!(noise(&format!("[{}1]", "1,".repeat(1_000))));
    }

    /// Whatever the bytes are, they are read as something, and nothing panics.
    #[test]
    fn lines_that_are_off_by_a_few_bytes_are_read_as_something() {
        let lines = [
            r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"tools/call","params":{"name":"add","arguments":{"a":[1,{"b":null}]},"_meta":{"progressToken":"p"}}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
            r#"[{"jsonrpc":"2.0","id":"a","result":{"action":"accept","content":{"x":1}}}]"#,
        ];
        let mut random = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = |below: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(random >> 33).expect("31 bits") % below
        };
        let mut kinds = [0_usize; 5];
        for round in 0..30_000 {
            let mut line = lines[round % lines.len()].as_bytes().to_vec();
            for _ in 0..=next(3) {
                let at = next(line.len());
                match next(3) {
                    0 => drop(line.remove(at)),
                    1 => line.insert(at, b"{}[],:\"0\\\xff"[next(10)]),
                    _ => line[at] = u8::try_from(next(256)).expect("a byte"),
                }
            }
            kinds[match super::read(&line) {
                Incoming::Message(_) => 0,
                Incoming::Refused(..) => 1,
                Incoming::Batch(_) => 2,
                Incoming::Noise(_) => 3,
                Incoming::Call(..) => 4,
            }] += 1;
        }
        assert!(kinds.iter().all(|seen| *seen > 0), "{kinds:?}");
    }
}
