//! Serving over HTTP without sessions: each request is answered by itself, with one document.

use haft::serve::mcp::{HttpOptions, McpHttpService};
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower_service::Service as _;

use super::kit::{modern_meta, service, text};

/// Posts a request without a session; its answer, which is one JSON document.
async fn post(service: &mut McpHttpService, method: &str, mut params: Value, is_modern: bool) -> Value {
    let mut request = Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    if is_modern {
        params["_meta"] = modern_meta(&json!({}));
        request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        if let Some(name) = params["name"].as_str() {
            request = request.header("mcp-name", name);
        }
    } else {
        request = request.header("mcp-protocol-version", "2025-11-25");
    }
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let answer = service.call(request.body(body).unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert!(answer.headers().get("mcp-session-id").is_none());
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

#[tokio::test]
async fn each_request_is_answered_by_itself_in_both_eras() {
    let mut http = service().http(HttpOptions::new().stateless());
    for is_modern in [false, true] {
        let listed = post(&mut http, "tools/list", json!({}), is_modern).await;
        assert_eq!(listed["result"]["tools"][0]["name"], "add", "{listed}");
        let params = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
        let added = post(&mut http, "tools/call", params, is_modern).await;
        assert_ne!(added["result"]["isError"], true, "{added}");
        let params = json!({"name": "add", "arguments": {"a": "one"}});
        let refused = post(&mut http, "tools/call", params, is_modern).await;
        assert_eq!(refused["result"]["isError"], true, "{refused}");
        assert!(text(&refused).contains("ToolArgumentsValidationError"), "{refused}");
    }
}
