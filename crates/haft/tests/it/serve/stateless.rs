//! Serving over HTTP without sessions: each request is answered by itself, with one document.

use haft::serve::mcp::{HttpOptions, McpHttpService};
use http::{Request, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower_service::Service as _;

use super::kit::{modern_meta, service, text};

const MODERN: &str = "2026-07-28";

/// Posts a request without a session; its answer, which is one JSON document of known length.
async fn post(service: &mut McpHttpService, method: &str, mut params: Value, version: &str) -> Value {
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if method != "initialize" {
        request = request.header("mcp-protocol-version", version);
    }
    if version == MODERN {
        params["_meta"] = modern_meta(&json!({}));
        request = request.header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let answer = service.call(request.body(body).unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert!(answer.headers().get("mcp-session-id").is_none());
    let length = answer.body().size_hint().exact();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    assert_eq!(length, u64::try_from(body.len()).ok(), "{method} {version}");
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn each_request_is_answered_by_itself_in_both_eras() {
    let mut http = service().http(HttpOptions::new().stateless());
    for version in ["2025-03-26", "2025-06-18", "2025-11-25", MODERN] {
        if version != MODERN {
            let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
            let hello = post(&mut http, "initialize", params, version).await;
            assert_eq!(hello["result"]["protocolVersion"], version, "{hello}");
        }
        let listed = post(&mut http, "tools/list", json!({}), version).await;
        assert_eq!(listed["result"]["tools"][0]["name"], "add", "{listed}");
        let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
        let added = post(&mut http, "tools/call", params, version).await;
        assert_ne!(added["result"]["isError"], true, "{added}");
        let params = json!({"name": "add", "arguments": {"a": "one"}});
        let refused = post(&mut http, "tools/call", params, version).await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        assert!(text(&refused).contains("ToolArgumentsValidationError"), "{refused}");
    }
}
