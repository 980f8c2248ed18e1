//! What one message of a server is, and in which form the protocol library gets it.
//!
//! The library reads messages into types that know no other fields than their own, and refuses a whole list for one bad
//! tool. So results of calls, lists of tools and what the server asks of this side pass it as the text that they are.

use std::borrow::Cow;

use rmcp::{
    ErrorData,
    model::{
        CustomRequest, CustomResult, ErrorCode, NumberOrString, RequestId, ServerJsonRpcMessage,
        ServerRequest, ServerResult,
    },
};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::awaited::{Awaited, ProgressReport, Wanted};
use crate::{batch::Batch, excerpt::excerpt};

/// The field that carries text past the protocol library; also the prefix of methods that pass it.
pub(in super::super) const RAW: &str = "haft/raw";

/// Methods that a server asks of this side with parameters that the library would thin out.
const PASSED: [&str; 3] = ["elicitation/create", "sampling/createMessage", "roots/list"];

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Progress {
    #[serde(rename = "progressToken")]
    token: Value,
    #[serde(rename = "progress")]
    done: f64,
    #[serde(default)]
    total: Option<f64>,
    #[serde(default)]
    message: Option<String>,
}

/// What a message is.
pub(in super::super) enum Seen<'a> {
    /// The library reads it as it is.
    Plain(&'a str),
    /// The answer to a call, or a page of tools, as it was written.
    Result { id: RequestId, list: bool, result: &'a RawValue },
    /// What the server asks of this side.
    Asked { id: RequestId, method: Cow<'a, str>, params: Option<&'a RawValue> },
    /// The answer to a request, and none that can be read.
    Broken { id: RequestId, error: ErrorData },
    /// An error that does not say what it answers: a message that the server could not read.
    Nameless { text: &'a str, error: &'a RawValue },
    /// Progress, which has been handed on; or an answer that nobody waits for any more.
    Done,
    /// Nothing that concerns this connection.
    Noise(&'static str),
}

impl<'a> Seen<'a> {
    /// Reads a message, or the messages of a batch.
    pub(in super::super) fn all(text: &'a str, awaited: &Awaited) -> Vec<Self> {
        if text.trim_start().starts_with('[')
            && let Ok(Batch(batch)) = serde_json::from_str(text)
        {
            return batch.into_iter().map(|message| Self::read(message.get(), awaited)).collect();
        }
        vec![Self::read(text, awaited)]
    }

    /// The answer to a request can not be read, and why.
    pub(super) fn broken(id: RequestId, why: String) -> Self {
        Self::Broken { id, error: ErrorData::internal_error(why, None) }
    }

    /// The same, where it comes as the answer to a request: then an error without an id is that request's.
    pub(in super::super) fn answering(self, asked: Option<&RequestId>, awaited: &Awaited) -> Self {
        match (self, asked) {
            (Self::Nameless { error, .. }, Some(id)) => {
                awaited.answered(id);
                Self::Broken { id: id.clone(), error: loose(error) }
            }
            (seen, _) => seen,
        }
    }

    /// Why nobody is concerned by it, where nobody is.
    pub(in super::super) fn noise(&self) -> Option<&'static str> {
        match self {
            Self::Noise(why) => Some(why),
            Self::Nameless { .. } => Some("it is an error that does not say which request it answers"),
            _ => None,
        }
    }

    fn read(text: &'a str, awaited: &Awaited) -> Self {
        let Ok(frame) = serde_json::from_str::<Frame<'_>>(text) else {
            return Self::Noise("it is no message of the protocol");
        };
        let id = frame.id.and_then(read_id);
        match (frame.method, id) {
            (Some(method), Some(id)) if PASSED.contains(&method.as_ref()) => {
                Self::Asked { id, method, params: frame.params }
            }
            (Some(method), None) if method == "notifications/progress" => progress(frame.params, awaited),
            (Some(_), _) => Self::Plain(text),
            (None, id) => Self::answer(text, id, frame.result, frame.error, awaited),
        }
    }

    fn answer(
        text: &'a str,
        id: Option<RequestId>,
        result: Option<&'a RawValue>,
        error: Option<&'a RawValue>,
        awaited: &Awaited,
    ) -> Self {
        let Some(id) = id else {
            return match error {
                Some(error) => Self::Nameless { text, error },
                None => Self::Noise("it has neither method nor id"),
            };
        };
        let Some((id, wanted)) = known(&id, awaited) else {
            // A server may answer what was cancelled while it did, or what was not waited for any more.
            let late = awaited.was_sent(&id) || as_number(&id).is_some_and(|id| awaited.was_sent(&id));
            return if late { Self::Done } else { Self::Noise("it answers no request") };
        };
        awaited.answered(&id);
        match (result, error, wanted) {
            (Some(result), None, Wanted::Call) => Self::Result { id, list: false, result },
            (Some(result), None, Wanted::List) => Self::Result { id, list: true, result },
            (None, _, _) | (_, None, _) if serde_json::from_str::<ServerJsonRpcMessage>(text).is_ok() => {
                Self::Plain(text)
            }
            (_, Some(error), _) => Self::Broken { id, error: loose(error) },
            _ => Self::broken(id, "the server's answer has neither a result nor an error".into()),
        }
    }

    /// As the library takes it.
    pub(super) fn into_message(self) -> Option<ServerJsonRpcMessage> {
        match self {
            Self::Plain(text) | Self::Nameless { text, .. } => serde_json::from_str(text).ok(),
            Self::Result { id, result, .. } => {
                let result = CustomResult::new(json!({ RAW: result.get() }));
                Some(ServerJsonRpcMessage::response(ServerResult::CustomResult(result), id))
            }
            Self::Asked { id, method, params } => {
                let params = params.and_then(|params| serde_json::from_str(params.get()).ok());
                let request = CustomRequest::new(format!("{RAW}/{method}"), params);
                Some(ServerJsonRpcMessage::request(ServerRequest::CustomRequest(request), id))
            }
            Self::Broken { id, error } => Some(ServerJsonRpcMessage::error(error, Some(id))),
            Self::Done | Self::Noise(_) => None,
        }
    }

    /// As text that the library reads to the same effect. A list keeps its tools, where they can be read, since the library
    /// takes the headers of calls from them.
    pub(in super::super) fn into_text(self) -> Option<Cow<'a, str>> {
        match self {
            Self::Plain(text) | Self::Nameless { text, .. } => Some(Cow::Borrowed(text)),
            Self::Result { id, list: true, result } => {
                let tools = readable_tools(result);
                let result = json!({ "tools": tools, "_meta": { RAW: result.get() } });
                Some(Cow::Owned(json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()))
            }
            Self::Asked { id, method, params } => {
                let (method, params) = (format!("{RAW}/{method}"), params.map_or("{}", RawValue::get));
                let (id, method) = (json!(id), json!(method));
                Some(Cow::Owned(format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"method":{method},"params":{params}}}"#
                )))
            }
            other => {
                let message = other.into_message()?;
                serde_json::to_string(&message).ok().map(Cow::Owned)
            }
        }
    }
}

/// An error that is written otherwise than the protocol has it: what the server says shall not be lost.
fn loose(error: &RawValue) -> ErrorData {
    let said: Value = serde_json::from_str(error.get()).unwrap_or_default();
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a number without a fraction, or one that is no code"
    )]
    let code = match said.get("code") {
        Some(Value::Number(number)) => {
            number.as_i64().or_else(|| number.as_f64().map(|number| number as i64))
        }
        Some(Value::String(text)) => text.trim().parse().ok(),
        _ => None,
    };
    let code = code.and_then(|code| i32::try_from(code).ok()).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    let message = said.get("message").and_then(Value::as_str).or(said.as_str());
    let message = message.map_or_else(|| excerpt(error.get(), 1_000), str::to_owned);
    ErrorData::new(code, message, said.get("data").filter(|data| !data.is_null()).cloned())
}

fn readable_tools(result: &RawValue) -> Vec<Value> {
    #[derive(Deserialize)]
    struct Page {
        #[serde(default)]
        tools: Vec<Value>,
    }
    let page = serde_json::from_str(result.get()).unwrap_or(Page { tools: Vec::new() });
    let readable = |tool: &Value| serde_json::from_value::<rmcp::model::Tool>(tool.clone()).is_ok();
    page.tools.into_iter().filter(readable).collect()
}

fn read_id(id: &RawValue) -> Option<RequestId> {
    serde_json::from_str(id.get()).ok()
}

/// The request that an id means. Some servers answer a number as text.
fn known(id: &RequestId, awaited: &Awaited) -> Option<(RequestId, Wanted)> {
    if let Some(wanted) = awaited.wanted(id) {
        return Some((id.clone(), wanted));
    }
    let id = as_number(id)?;
    let wanted = awaited.wanted(&id)?;
    Some((id, wanted))
}

/// A number that is written as text.
fn as_number(id: &RequestId) -> Option<RequestId> {
    let NumberOrString::String(text) = id else { return None };
    Some(NumberOrString::Number(text.parse().ok()?))
}

fn progress<'a>(params: Option<&RawValue>, awaited: &Awaited) -> Seen<'a> {
    let Some(Ok(progress)) = params.map(|params| serde_json::from_str::<Progress>(params.get())) else {
        return Seen::Noise("it is progress that can not be read");
    };
    let report = ProgressReport { done: progress.done, total: progress.total, message: progress.message };
    let token = serde_json::from_value::<NumberOrString>(progress.token);
    match token {
        Ok(token) if awaited.progressed(&token, report) => Seen::Done,
        _ => Seen::Noise("it is the progress of no call"),
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};

    use super::{Awaited, Seen};

    #[test]
    fn a_batch_of_very_many_is_one_noise() {
        let seen = |messages: usize| {
            Seen::all(&format!("[{}0]", "0,".repeat(messages - 1)), &Awaited::default()).len()
        };
        assert_eq!((seen(1), seen(1_000), seen(1_000_000)), (1, 1_000, 1));
    }

    #[test]
    fn an_answer_that_comes_late_is_no_noise() {
        let awaited = Awaited::default();
        for id in [0, 1] {
            let ping = ClientRequest::PingRequest(rmcp::model::PingRequest::default());
            awaited.sent(&ClientJsonRpcMessage::request(ping, RequestId::Number(id)));
        }
        awaited.answered(&RequestId::Number(0));
        let is_noise = |id: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
            matches!(*Seen::all(&text, &awaited), [Seen::Noise(_)])
        };
        assert_eq!(["0", "\"0\"", "1", "1"].map(is_noise), [false; 4]);
        assert_eq!(["2", "-1", "4711", "\"x\""].map(is_noise), [true; 4]);
    }
}
