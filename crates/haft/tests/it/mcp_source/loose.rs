//! Answers over HTTP that are written otherwise than the protocol has them: what is meant is plain, and it is taken.

use std::time::Duration;

use axum::{Router, body::Bytes};
use haft::{
    ToolErrorKind,
    source::mcp::{McpServer, McpServers},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    web::{Answer, Asked, Server, events, json_of, result, status, text},
    wire::{call, names, registry},
};

/// What a call comes to that is answered so: its output, or its error's message.
async fn told(answer: impl Fn(&Asked) -> Answer + Send + 'static) -> Result<String, String> {
    let server = Server::start().await;
    server.then(answer);
    // A call that waits for an answer that has come already is one too many.
    let (registry, _servers) = server.connected(|server| server.timeout(Duration::from_secs(20))).await;
    let result = call(&registry, "s__act", json!({})).await;
    match result.error() {
        None => Ok(result.text().into_owned()),
        Some(error) => {
            assert_eq!(error.kind(), ToolErrorKind::Mcp, "{error}");
            Err(error.message().to_owned())
        }
    }
}

fn message(asked: &Asked) -> String {
    json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": text("done")}).to_string()
}

#[tokio::test]
async fn the_last_event_counts_though_nothing_ends_it() {
    for end in ["", "\n", "\r\n", "\r", "\n\n"] {
        let told = told(move |asked| events(format!("id: 7\ndata: {}{end}", message(asked)))).await;
        assert_eq!(told.as_deref(), Ok("done"), "{end:?}");
    }
    // What was cut off is no answer, and what came of the call is not known.
    let told = told(|asked| {
        let mut message = message(asked);
        message.truncate(message.len() - 3);
        events(format!("data: {message}"))
    });
    let told = told.await.unwrap_err();
    assert!(told.contains("it may have changed something"), "{told}");
}

#[tokio::test]
async fn an_event_may_have_a_name() {
    for name in ["message", "response", "result", ""] {
        let told = told(move |asked| events(format!("event: {name}\ndata: {}\n\n", message(asked)))).await;
        assert_eq!(told.as_deref(), Ok("done"), "{name:?}");
    }
    // A name makes no answer of what is none.
    let told = told(|asked| events(format!("event: ping\ndata: {{}}\n\ndata: {}\n\n", message(asked)))).await;
    assert_eq!(told.as_deref(), Ok("done"));
}

#[tokio::test]
async fn an_error_without_an_id_answers_the_request_that_it_came_for() {
    let nameless =
        json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "not like that"}});
    let no_id = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "not like that"}});
    for error in [nameless, no_id] {
        for how in [200, 400, 500] {
            let error = error.clone();
            let told = told(move |_| json_of(how, &error)).await.unwrap_err();
            assert!(told.contains("refused the call: not like that"), "HTTP {how}: {told}");
        }
        let told = told(move |_| events(format!("data: {error}\n\n"))).await.unwrap_err();
        assert!(told.contains("refused the call: not like that"), "{told}");
    }
}

#[tokio::test]
async fn a_call_that_is_worked_on_as_a_task_has_no_output_yet() {
    let task = json!({"task": {"taskId": "t-1", "status": "working"}});
    let told = told(move |asked| result(asked, &task)).await.unwrap_err();
    assert!(told.contains("as a task"), "{told}");
}

/// A server without sessions that lists its tools so, and answers calls so.
async fn without_sessions(tools: Value, code: u16) -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = Router::new().fallback(move |body: Bytes| {
        let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
        let result = match asked["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": tools}),
            Some("server/discover") => Value::Null,
            _ => return std::future::ready(status(code)),
        };
        let answer = match &result {
            Value::Null => json!({"error": {"code": -32601, "message": "no such method"}}),
            result => json!({"result": result}),
        };
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = asked["id"].clone();
        std::future::ready(json_of(200, &answer))
    });
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, tasks)
}

#[tokio::test]
async fn a_request_that_is_only_accepted_is_waited_for_no_longer() {
    for code in [202, 204] {
        let tools = json!([{"name": "act", "inputSchema": {"type": "object"}}]);
        let (url, _tasks) = without_sessions(tools, code).await;
        let registry = registry();
        let server = McpServer::http("s", &url).timeout(Duration::from_secs(60));
        let _servers = McpServers::builder().server(server).connect(&registry).await;
        let answered = tokio::time::timeout(Duration::from_secs(30), call(&registry, "s__act", json!({})));
        let result = answered.await.expect("no answer can come any more");
        let told = result.error().unwrap().message().to_owned();
        assert!(told.contains(&format!("HTTP {code}")) && told.contains("may have changed"), "{told}");
    }
}

#[tokio::test]
async fn null_is_an_empty_list_of_tools() {
    let (url, _tasks) = without_sessions(Value::Null, 202).await;
    let registry = registry();
    let servers = McpServers::builder().server(McpServer::http("s", &url)).connect(&registry).await;
    assert_eq!(names(&registry), [""; 0]);
    let status = &servers.status()[0];
    assert!(status.error.is_none() && status.problems.is_empty(), "{status:?}");
}

/// Many configurations have headers that each request says of itself.
#[tokio::test]
async fn headers_of_a_configuration_are_no_second_ones() {
    let server = Server::start().await;
    let own = [
        ("Content-Type", "application/json"),
        ("accept", "application/json"),
        ("Content-Length", "3"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "close"),
        ("Accept-Encoding", "gzip"),
        ("Mcp-Session-Id", "mine"),
        ("MCP-Protocol-Version", "2024-11-05"),
        ("X-Key", "value"),
    ];
    let configure =
        |server: McpServer| own.into_iter().fold(server, |server, (name, value)| server.header(name, value));
    let (registry, _servers) = server.connected(configure).await;
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    let asked = &server.requests("tools/call")[0].headers;
    let given =
        |name| asked.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(given("content-type"), ["application/json"]);
    assert_eq!(given("accept"), ["application/json, text/event-stream"]);
    assert_eq!(given("accept-encoding"), ["identity"]);
    assert_eq!(given("mcp-protocol-version"), ["2025-11-25"]);
    assert_eq!((given("transfer-encoding").len(), given("connection").len()), (0, 0));
    assert_eq!(given("x-key"), ["value"]);
    let session = given("mcp-session-id");
    assert!(session.len() == 1 && session[0].starts_with("session-"), "{session:?}");
}
