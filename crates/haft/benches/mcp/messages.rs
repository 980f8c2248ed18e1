//! What the load client sends, and how it knows a good answer.

use serde_json::{Value, json};

/// Which lifecycle the messages follow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// 2025-11-25: a handshake first.
    Legacy,
    /// 2026-07-28: each request says all that is needed.
    Modern,
}

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
/// The name of the tool; a server that is measured as a whole command offers others, and is only asked for its list.
pub(crate) const TOOL: &str = "echo";
const TEXT: &str = "hello from the load client";

pub(crate) fn initialize() -> String {
    let client = json!({"name": "load", "version": "1"});
    let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}).to_string()
}

pub(crate) fn list(era: Era) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": with_meta(json!({}), era)})
        .to_string()
}

/// The calls of a run: all alike but for the id.
pub(crate) struct Calls {
    before: String,
    after: String,
}

impl Calls {
    pub(crate) fn new(era: Era) -> Self {
        let params = with_meta(json!({"name": TOOL, "arguments": {"text": TEXT}}), era);
        let before = r#"{"jsonrpc":"2.0","method":"tools/call","params":"#;
        Self { before: format!("{before}{params},\"id\":"), after: "}".to_owned() }
    }

    pub(crate) fn write(&self, id: usize, out: &mut String) {
        out.push_str(&self.before);
        out.push_str(&id.to_string());
        out.push_str(&self.after);
    }
}

fn with_meta(mut params: Value, era: Era) -> Value {
    if era == Era::Modern {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    params
}

/// Panics over an answer that is not the text that was sent.
#[track_caller]
pub(crate) fn check(answer: &str) {
    assert!(answer.contains(TEXT) && !answer.contains("\"isError\":true"), "a wrong answer: {answer}");
}
