//! Code of the host that panics beside a tool: the call has an answer, and the client is served on.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use haft::{
    Clock, Dispatcher, ToolRegistry,
    serve::mcp::{HttpOptions, McpService},
};
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tower_service::Service as _;

use super::{
    front::{LEGACY, MODERN, in_doubt, params, started},
    kit::{text, tools},
    library::Library,
};

/// A clock that breaks once whenever it is told to.
#[derive(Clone, Debug, Default)]
struct Broken(Arc<AtomicBool>);

impl Clock for Broken {
    fn now_millis(&self) -> u64 {
        assert!(!self.0.swap(false, Ordering::SeqCst), "a secret of the clock");
        0
    }
}

/// A service whose events ask the clock, each of which is observed.
fn service(clock: &Broken) -> (McpService, haft::ToolEvents) {
    let registry = ToolRegistry::builder().tools(tools()).build().unwrap();
    let dispatcher = Dispatcher::builder(registry).clock(clock.clone()).build();
    let events = dispatcher.subscribe();
    (McpService::builder(dispatcher).build(), events)
}

const SUM: &str = r#"{"name":"add","arguments":{"a":1,"b":2}META}"#;

fn message(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
}

#[track_caller]
fn is_broken(answer: &Value) {
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32603)), "{answer}");
    assert!(!answer.to_string().contains("secret"), "{answer}");
}

#[tokio::test]
async fn a_panic_beside_a_tool_is_answered_on_every_road() {
    let library = Library::listen();
    for era in [LEGACY, MODERN] {
        let clock = Broken::default();
        let (service, _events) = service(&clock);
        let mut client = started(&service, era, json!({})).await;
        let sound = params(SUM, era);
        for (params, took) in [(sound.clone(), 0), (in_doubt(&sound), 1)] {
            library.took();
            clock.0.store(true, Ordering::SeqCst);
            client.write(message(&params) + "\n").await;
            is_broken(&client.message().await);
            assert!(!clock.0.load(Ordering::SeqCst));
            // The same id is free again.
            client.write(message(&params) + "\n").await;
            assert_eq!(text(&client.message().await), r#"{"sum":3}"#);
            assert_eq!(library.took(), took * 2);
        }
        client.leave().await.0.unwrap();
    }
}

#[tokio::test]
async fn a_panic_beside_a_tool_is_answered_over_http_too() {
    let library = Library::listen();
    for (era, version) in [(LEGACY, "2025-11-25"), (MODERN, "2026-07-28")] {
        let clock = Broken::default();
        let (service, _events) = service(&clock);
        let mut http = service.http(HttpOptions::new().stateless());
        let sound = params(SUM, era);
        for (params, took) in [(sound.clone(), 0), (in_doubt(&sound), 1)] {
            library.took();
            clock.0.store(true, Ordering::SeqCst);
            let mut request = Request::post("/mcp")
                .header("host", "localhost")
                .header("content-type", "application/json")
                .header("accept", "application/json, text/event-stream")
                .header("mcp-protocol-version", version);
            if era == MODERN {
                request = request.header("mcp-method", "tools/call").header("mcp-name", "add");
            }
            let answer = http.call(request.body(message(&params)).unwrap()).await.unwrap();
            assert_ne!(answer.status(), StatusCode::ACCEPTED);
            let body = answer.into_body().collect().await.unwrap().to_bytes();
            is_broken(&serde_json::from_slice(&body).unwrap());
            assert_eq!(library.took(), took);
        }
    }
}
