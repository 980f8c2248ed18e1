//! Servers that answer HTTP requests, well and badly.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, Method, Response},
};
use haft::{
    ToolErrorKind, ToolRegistry,
    source::mcp::{Authorizer, McpServer, McpServerState, McpServerStatus, McpServers, TokenFuture},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

use super::{
    told::Told,
    wire::{call, names, registry},
};

/// A request as the server sees it.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    method: Method,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

pub(super) type Answer = Response<Body>;
/// Answers calls, one after the other; the last one answers all that follow.
type Calls = Arc<Mutex<VecDeque<Box<dyn Fn(&Asked) -> Answer + Send>>>>;

/// A server with one tool, `act`, on a port of its own.
pub(super) struct Server {
    url: String,
    calls: Calls,
    asked: Arc<Mutex<Vec<Asked>>>,
    _tasks: JoinSet<()>,
}

impl Server {
    pub(super) async fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    fn on(listener: TcpListener) -> Self {
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let (calls, asked) = (Calls::default(), Arc::<Mutex<Vec<Asked>>>::default());
        let (answers, seen) = (Arc::clone(&calls), Arc::clone(&asked));
        let router = Router::new().fallback(move |method: Method, headers: HeaderMap, body: Bytes| {
            let asked = Asked { method, headers, body: serde_json::from_slice(&body).unwrap_or_default() };
            seen.lock().unwrap().push(asked.clone());
            std::future::ready(answer(&asked, &answers))
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, calls, asked, _tasks: tasks }
    }

    pub(super) fn then(&self, answer: impl Fn(&Asked) -> Answer + Send + 'static) {
        self.calls.lock().unwrap().push_back(Box::new(answer));
    }

    pub(super) async fn connected(
        &self,
        configure: impl FnOnce(McpServer) -> McpServer,
    ) -> (ToolRegistry, McpServers) {
        let registry = registry();
        let server = configure(McpServer::http("s", &self.url));
        let servers = McpServers::builder().server(server).connect(&registry).await;
        (registry, servers)
    }

    /// The requests of one method of the protocol.
    pub(super) fn requests(&self, method: &str) -> Vec<Asked> {
        self.asked.lock().unwrap().iter().filter(|asked| asked.body["method"] == method).cloned().collect()
    }
}

/// As many sessions there were; none has the name of another.
static SESSIONS: AtomicUsize = AtomicUsize::new(0);

fn answer(asked: &Asked, calls: &Calls) -> Answer {
    if asked.method != Method::POST {
        return status(405);
    }
    match asked.body["method"].as_str() {
        Some("server/discover") => json_of(
            400,
            &json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no session"}}),
        ),
        Some("initialize") => {
            let introduction = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"},
            });
            let mut response = result(asked, &introduction);
            let session = format!("session-{}", SESSIONS.fetch_add(1, Ordering::Relaxed));
            response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
            response
        }
        Some("tools/list") => {
            let schema = json!({"type": "object", "additionalProperties": true});
            result(asked, &json!({"tools": [{"name": "act", "inputSchema": schema}, {"name": "broken"}]}))
        }
        Some("tools/call") => {
            let mut calls = calls.lock().unwrap();
            let last = calls.len() == 1;
            let next = if last { None } else { calls.pop_front() };
            match (next, calls.front()) {
                (Some(answer), _) => answer(asked),
                (None, Some(answer)) => answer(asked),
                (None, None) => done(asked),
            }
        }
        _ => status(202),
    }
}

pub(super) fn status(code: u16) -> Answer {
    Response::builder().status(code).body(Body::empty()).unwrap()
}

pub(super) fn json_of(code: u16, value: &Value) -> Answer {
    let response = Response::builder().status(code).header("content-type", "application/json");
    response.body(Body::from(value.to_string())).unwrap()
}

pub(super) fn result(asked: &Asked, result: &Value) -> Answer {
    json_of(200, &json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result}))
}

fn done(asked: &Asked) -> Answer {
    result(asked, &text("done"))
}

pub(super) fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

pub(super) fn events(body: impl Into<Body>) -> Answer {
    Response::builder().header("content-type", "text/event-stream").body(body.into()).unwrap()
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

fn progress(asked: &Asked, done: u32) -> Value {
    let token = &asked.body["params"]["_meta"]["progressToken"];
    json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": done}})
}

#[tokio::test]
async fn a_call_goes_over_http_and_its_headers_along() {
    let server = Server::start().await;
    let (registry, servers) = server.connected(|server| server.header("x-key", "hunter2")).await;
    assert_eq!(names(&registry), ["s__act"], "{:?}", servers.status());
    assert_eq!(servers.status()[0].problems.len(), 1, "a malformed tool costs only itself here too");
    assert_eq!(call(&registry, "s__act", json!({"a": 1})).await.text(), "done");
    let asked = &server.requests("tools/call")[0];
    assert_eq!(
        (asked.header("x-key"), &asked.body["params"]["arguments"]),
        (Some("hunter2"), &json!({"a": 1}))
    );
    assert_eq!(asked.header("mcp-protocol-version"), Some("2025-11-25"));
    servers.close().await;
}

#[tokio::test]
async fn the_stream_for_what_a_server_asks_is_opened_before_the_first_call() {
    let server = Server::start().await;
    let (registry, _servers) = server.connected(|server| server).await;
    call(&registry, "s__act", json!({})).await;
    let asked = server.asked.lock().unwrap().clone();
    let opened = asked.iter().position(|asked| asked.method == Method::GET);
    let called = asked.iter().position(|asked| asked.body["method"] == "tools/call");
    assert!(opened.unwrap() < called.unwrap(), "{asked:?}");
    assert!(asked[called.unwrap()].header("mcp-session-id").is_some_and(|id| id.starts_with("session-")));
}

#[tokio::test]
async fn an_answer_comes_as_events_with_progress_and_noise() {
    let server = Server::start().await;
    server.then(|asked| {
        let noise = "event: message\ndata: no JSON\n\n: a comment\n\ndata:\n\n";
        let unknown = json!({"jsonrpc": "2.0", "id": 4711, "result": {}});
        let digits = r#"{"n":123456789012345678901234567890}"#;
        let id = &asked.body["id"];
        let last = format!(
            "data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"structuredContent\":{digits}}}}}\n\n"
        );
        events([noise.to_owned(), event(&progress(asked, 1)), event(&unknown), last].concat())
    });
    let (registry, _servers) = server.connected(|server| server).await;
    let result = call(&registry, "s__act", json!({})).await;
    assert_eq!(result.text(), r#"{"n":123456789012345678901234567890}"#);
}

#[tokio::test]
async fn events_that_are_none_are_told_of_ten_times() {
    let told = Told::listen();
    let server = Server::start().await;
    server.then(|asked| {
        let message = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": text("done")});
        events(["data: with hunter2-key\n\n".repeat(7), event(&message)].concat())
    });
    let (registry, _servers) = server.connected(|server| server.header("x-key", "hunter2-key")).await;
    for _ in 0..2 {
        assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    }
    let warnings = told.warnings();
    let told: Vec<&String> = warnings.iter().filter(|told| told.contains("an event")).collect();
    assert_eq!(told.len(), 10, "{warnings:#?}");
    assert!(told.iter().all(|told| told.contains("with ***")), "{told:#?}");
    assert!(told[9].contains("others like it are not told of"), "{told:#?}");
}

#[tokio::test]
async fn answers_beyond_the_cap_fail_their_call_alone() {
    let server = Server::start().await;
    server.then(|asked| result(asked, &text(&"x".repeat(300_000))));
    server.then(|asked| {
        let message = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": text(&"x".repeat(300_000))});
        events(event(&message))
    });
    server.then(done);
    let (registry, _servers) = server.connected(|server| server.largest_message(100_000)).await;
    for how in ["a document", "an event"] {
        let outcome = call(&registry, "s__act", json!({})).await;
        let error = outcome.error().unwrap_or_else(|| panic!("{how}"));
        assert_eq!(error.kind(), ToolErrorKind::Mcp, "{how}: {error}");
        assert!(error.message().contains("100000"), "{how}: {error}");
    }
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
}

#[tokio::test]
async fn answers_that_are_none_fail_their_call_alone() {
    let server = Server::start().await;
    server.then(|_| status(500));
    server.then(|_| json_of(200, &json!({"jsonrpc": "2.0", "id": 4711, "result": text("another's")})));
    server.then(|_| {
        Response::builder().header("content-type", "text/html").body(Body::from("<html>")).unwrap()
    });
    server.then(|asked| {
        json_of(400, &json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": {"code": -32602, "message": "not so"}}))
    });
    server.then(|_| events("data: {\"half\": \n\n"));
    server.then(done);
    let (registry, servers) = server.connected(|server| server.timeout(Duration::from_secs(5))).await;
    for told in ["500", "does not answer the request", "text/html", "not so", ""] {
        let outcome = call(&registry, "s__act", json!({})).await;
        let error = outcome.error().unwrap_or_else(|| panic!("{told}"));
        assert!(matches!(error.kind(), ToolErrorKind::Mcp | ToolErrorKind::Timeout), "{told}: {error}");
        assert!(error.message().contains(told), "{told}: {error}");
    }
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    assert_eq!(servers.status()[0].state, McpServerState::Ready);
}

#[tokio::test]
async fn a_server_that_is_gone_fails_calls_and_is_used_again_when_it_is_back() {
    let first = Server::start().await;
    let (registry, _servers) = first.connected(|server| server.timeout(Duration::from_secs(20))).await;
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    let address = first.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    drop(first);
    // The connection may be lost with the request on its way; after that there is none.
    let outcome = call(&registry, "s__act", json!({})).await;
    assert_eq!(outcome.error().unwrap().kind(), ToolErrorKind::Mcp);
    let outcome = call(&registry, "s__act", json!({})).await;
    let error = outcome.error().unwrap();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(
        error.message().contains("refused") && error.message().contains("nothing was changed"),
        "{error}"
    );
    assert!(error.is_retryable(), "{error}");
    assert_eq!(names(&registry), ["s__act"]);
    let listener = loop {
        match TcpListener::bind(&address).await {
            Ok(listener) => break listener,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    let _second = Server::on(listener);
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
}

#[tokio::test]
async fn a_server_that_never_was_there_fails_alone() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = format!("http://{}/mcp?key=hunter2", listener.local_addr().unwrap());
    drop(listener);
    let server = Server::start().await;
    let registry = registry();
    let servers = McpServers::builder()
        .server(McpServer::http("nobody", nobody))
        .server(McpServer::http("no-url", "file:///etc/passwd"))
        .server(McpServer::http("bad-header", &server.url).header("x y", "hunter2"))
        .server(McpServer::http("good", &server.url))
        .connect(&registry)
        .await;
    let status = servers.status();
    let codes: Vec<Option<u16>> = status.iter().map(|status| status.code).collect();
    assert_eq!(codes, [Some(2705), Some(2704), Some(2704), None], "{status:?}");
    assert!(!format!("{status:?}").contains("hunter2"), "{status:?}");
}

/// Has a new token for each challenge.
#[derive(Debug, Default)]
struct Counting(Mutex<Vec<String>>);

impl Authorizer for Counting {
    fn token<'a>(&'a self, challenge: Option<&'a str>) -> TokenFuture<'a> {
        let mut challenges = self.0.lock().unwrap();
        challenges.extend(challenge.map(str::to_owned));
        let number = challenges.len();
        Box::pin(std::future::ready(Ok((number > 0).then(|| format!("token {number}")))))
    }
}

fn refused(code: u16) -> Answer {
    Response::builder()
        .status(code)
        .header("www-authenticate", "Bearer scope=\"more\"")
        .body(Body::empty())
        .unwrap()
}

#[tokio::test]
async fn a_challenge_is_answered_with_a_token_and_the_request_repeated() {
    let server = Server::start().await;
    server.then(|_| refused(401));
    server.then(|_| refused(403));
    server.then(done);
    let (registry, _servers) = server.connected(|server| server.authorizer(Counting::default())).await;
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    let tokens: Vec<Option<String>> = server
        .requests("tools/call")
        .iter()
        .map(|asked| asked.header("authorization").map(str::to_owned))
        .collect();
    assert_eq!(tokens, [None, Some("Bearer token 1".into()), Some("Bearer token 2".into())]);
}

#[tokio::test]
async fn a_token_that_was_given_out_is_not_told() {
    let server = Server::start().await;
    server.then(|_| refused(401));
    server.then(|_| page(400, "text/plain", "no entry for token 1"));
    server.then(|_| page(200, "text/html", "token 1 is over"));
    let (registry, _servers) = server.connected(|server| server.authorizer(Counting::default())).await;
    for told in ["no entry for ***", "*** is over"] {
        let outcome = call(&registry, "s__act", json!({})).await;
        let error = outcome.error().unwrap();
        assert!(error.message().contains(told) && !error.message().contains("token 1"), "{error}");
    }
}

#[tokio::test]
async fn a_challenge_that_nothing_answers_is_told() {
    let server = Server::start().await;
    server.then(|_| refused(401));
    let (registry, _servers) = server.connected(|server| server.authorizer(Counting::default())).await;
    let outcome = call(&registry, "s__act", json!({})).await;
    assert!(outcome.error().unwrap().message().contains("authorization required"), "{}", outcome.text());
    assert_eq!(server.requests("tools/call").len(), 3, "it is not asked for ever");
    let (registry, _servers) = server.connected(|server| server).await;
    assert!(call(&registry, "s__act", json!({})).await.is_error());
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    let other = Server::start().await;
    let server = Server::start().await;
    let target = other.url.clone();
    server.then(move |_| {
        Response::builder().status(307).header("location", &target).body(Body::empty()).unwrap()
    });
    let (registry, _servers) = server.connected(|server| server.header("x-key", "hunter2")).await;
    let outcome = call(&registry, "s__act", json!({})).await;
    assert!(outcome.error().unwrap().message().contains("307"), "{}", outcome.text());
    assert!(other.asked.lock().unwrap().is_empty());
}

/// What servers say of a session that they do not know: the specification wants 404, and many say something else.
fn no_session(how: usize, asked: &Asked) -> Answer {
    let error = |code, message: &str| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    match how {
        0 => status(404),
        1 => json_of(404, &error(-32001, "Session not found")),
        2 => json_of(400, &error(-32000, "Bad Request: No valid session ID provided")),
        3 => Response::builder().status(400).body(Body::from("Invalid or missing session ID")).unwrap(),
        4 => json_of(400, &error(-32600, "Mcp-Session-Id header is required")),
        5 => page(400, "text/plain", "no valid session for this request"),
        _ => json_of(410, &json!({"error": "session expired", "id": asked.body["id"]})),
    }
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_begun_again_and_the_call_goes_on() {
    for how in 0..7 {
        let server = Server::start().await;
        server.then(move |asked| no_session(how, asked));
        server.then(done);
        let (registry, servers) = server.connected(|server| server).await;
        let outcome = call(&registry, "s__act", json!({"a": how})).await;
        assert_eq!(outcome.text(), "done", "{how}");
        let (begun, called) = (server.requests("initialize"), server.requests("tools/call"));
        assert_eq!((begun.len(), called.len()), (2, 2), "{how}");
        assert!(begun.iter().all(|asked| asked.header("mcp-session-id").is_none()), "{how}");
        assert_eq!(called[0].body["params"], called[1].body["params"], "{how}");
        assert_ne!(called[0].header("mcp-session-id"), called[1].header("mcp-session-id"), "{how}");
        // The one after that is in the new session, and the server is ready all the time.
        assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done", "{how}");
        assert_eq!(server.requests("initialize").len(), 2, "{how}");
        assert_eq!(servers.status()[0].state, McpServerState::Ready, "{how}");
    }
}

#[tokio::test]
async fn a_server_that_forgets_every_session_fails_the_call_and_says_so() {
    for how in 0..7 {
        let server = Server::start().await;
        server.then(move |asked| no_session(how, asked));
        let (registry, _servers) = server.connected(|server| server.timeout(Duration::from_secs(5))).await;
        let outcome = call(&registry, "s__act", json!({})).await;
        let error = outcome.error().unwrap_or_else(|| panic!("{how}"));
        assert_eq!(error.kind(), ToolErrorKind::Mcp, "{how}: {error}");
        assert!(error.message().contains("does not know the session"), "{how}: {error}");
        assert!(error.message().contains("nothing was changed"), "{how}: {error}");
        assert!(server.requests("tools/call").len() <= 3, "{how}: it is not asked for ever");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_no_lost_session() {
    let error = |code, message: &str| json!({"jsonrpc": "2.0", "id": null, "error": {"code": code, "message": message}});
    let long = format!("<title>Bad Request</title>{}no session", "<p>try again".repeat(40));
    for (code, wrong) in [
        (400, error(-32602, "no such session of the user")),
        (400, error(-32000, "the browser session was closed")),
        (400, json!({"message": "your login session has expired"})),
        (410, json!("<p>Session expired: sign in again")),
        (410, json!("the session of the training is full")),
        (400, json!(long)),
    ] {
        let server = Server::start().await;
        let answer = wrong.clone();
        server.then(move |_| json_of(code, &answer));
        let (registry, _servers) = server.connected(|server| server).await;
        let outcome = call(&registry, "s__act", json!({})).await;
        assert!(!outcome.error().unwrap().message().contains("know the session"), "{}", outcome.text());
        assert_eq!(server.requests("tools/call").len(), 1, "the call is not sent again: {wrong}");
        assert_eq!(server.requests("initialize").len(), 1, "{wrong}");
    }
}

#[tokio::test]
async fn a_server_that_is_busy_says_when_to_come_again() {
    let server = Server::start().await;
    let busy =
        |code: u16| Response::builder().status(code).header("retry-after", "7").body(Body::empty()).unwrap();
    server.then(move |_| busy(429));
    server.then(move |_| busy(503));
    let (registry, _servers) = server.connected(|server| server).await;
    for told in ["nothing was changed", "may have changed something"] {
        let outcome = call(&registry, "s__act", json!({})).await;
        let error = outcome.error().unwrap();
        assert_eq!(error.wait_before_retry(), Some(Duration::from_secs(7)), "{error}");
        assert!(error.message().contains(told), "{error}");
        assert_eq!(error.is_retryable(), told == "nothing was changed", "{error}");
    }
}

#[tokio::test]
async fn a_call_that_the_server_took_up_before_may_have_changed_something() {
    let server = Server::start().await;
    server.then(|asked| result(asked, &json!({"resultType": "input_required", "requestState": "half"})));
    server.then(|_| status(429));
    let (registry, _servers) = server.connected(|server| server).await;
    for (told, is_retryable) in [("may have changed something", false), ("nothing was changed", true)] {
        let outcome = call(&registry, "s__act", json!({})).await;
        let error = outcome.error().unwrap();
        assert!(error.message().contains("did not take the call: HTTP 429"), "{error}");
        assert!(error.message().contains(told), "{error}");
        assert_eq!(error.is_retryable(), is_retryable, "{error}");
    }
    assert_eq!(server.requests("tools/call").len(), 3);
}

/// A server of which every request has the same answer.
async fn connected_to(answer: impl Fn() -> Answer + Clone + Send + Sync + 'static) -> McpServerStatus {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp?key=hunter2", listener.local_addr().unwrap());
    let router = Router::new().fallback(move || std::future::ready(answer()));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    let server = McpServer::http("s", url).header("authorization", "Bearer hunter2-token");
    McpServers::builder().server(server).connect(&registry()).await.status().remove(0)
}

/// What is answered; the number of the error, and what it says.
type Case = (fn() -> Answer, u16, &'static str);

fn page(code: u16, media: &str, body: &'static str) -> Answer {
    let response = Response::builder().status(code).header("content-type", media);
    response.body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn what_answers_and_is_no_server_of_tools_is_told() {
    let moved = |to: &'static str| {
        Response::builder().status(302).header("location", to).body(Body::empty()).unwrap()
    };
    let refusal = || {
        let error = json!({"code": -32001, "message": "no entry for hunter2-token"});
        json_of(400, &json!({"jsonrpc": "2.0", "id": null, "error": error}))
    };
    let cases: [Case; 15] = [
        (refusal, 2706, "no entry for *** (-32001)"),
        (|| refused(401), 2708, "HTTP 401: authorization required (Bearer scope=\"more\")"),
        (|| status(401), 2708, "HTTP 401: authorization required"),
        (
            || page(403, "text/plain", "no entry for hunter2-token"),
            2706,
            "HTTP 403 Forbidden: no entry for ***",
        ),
        (|| page(404, "text/html", "<p>Not here"), 2706, "HTTP 404 Not Found: <p>Not here"),
        (|| status(405), 2706, "HTTP 405 Method Not Allowed"),
        (
            || page(200, "text/html", "<h1>Log in"),
            2706,
            "an answer of the type \"text/html\", which is no JSON: <h1>Log in",
        ),
        (|| page(200, "application/json", ""), 2706, "an empty document"),
        (
            || page(500, "text/plain", "no entry for hunter2-token"),
            2713,
            "HTTP 500 Internal Server Error: no entry for ***",
        ),
        (|| page(501, "text/html", "<p>What?"), 2706, "HTTP 501 Not Implemented: <p>What?"),
        (|| page(502, "text/html", "<p>Bad"), 2713, "HTTP 502 Bad Gateway: <p>Bad"),
        (|| status(504), 2713, "HTTP 504 Gateway Timeout"),
        (|| status(503), 2713, "HTTP 503"),
        (|| status(429), 2713, "HTTP 429"),
        (|| status(307), 2706, "HTTP 307 Temporary Redirect"),
    ];
    for (answer, code, told) in cases {
        let status = connected_to(answer).await;
        let error = status.error.clone().unwrap();
        assert_eq!(status.code, Some(code), "{error}");
        assert!(error.contains(told), "{told}: {error}");
        // It was reached: that nobody is there is said of others.
        assert!(!error.contains("reached"), "{error}");
        assert!(!error.contains("rmcp") && !error.contains("hunter2"), "{error}");
    }
    let status = connected_to(move || moved("https://other.example/login?next=hunter2")).await;
    let told = status.error.unwrap();
    assert!(
        told.contains("to https://other.example/login, which is not followed: give that address"),
        "{told}"
    );
}

#[tokio::test]
async fn an_answer_that_does_not_say_that_it_is_json_is_read_even_so() {
    let server = Server::start().await;
    for media in [
        "text/plain",
        "application/octet-stream",
        "application/vnd.api+json",
        "application/json; charset=utf-8",
    ] {
        server.then(move |asked| {
            let mut answer = done(asked);
            answer.headers_mut().insert("content-type", media.parse().unwrap());
            answer
        });
    }
    server.then(|asked| {
        let mut answer = done(asked);
        answer.headers_mut().remove("content-type");
        answer.headers_mut().insert("content-encoding", "identity".parse().unwrap());
        answer
    });
    server.then(|asked| {
        let text = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": text("done")});
        let answer = Response::builder().header("content-type", "application/json");
        answer.body(Body::from(format!("\u{feff}{text}"))).unwrap()
    });
    let (registry, _servers) = server.connected(|server| server).await;
    for _ in 0..6 {
        assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    }
    assert_eq!(server.requests("tools/call")[0].header("accept-encoding"), Some("identity"));
    server.then(|asked| {
        let mut answer = done(asked);
        answer.headers_mut().insert("content-encoding", "gzip".parse().unwrap());
        answer
    });
    call(&registry, "s__act", json!({})).await;
    let outcome = call(&registry, "s__act", json!({})).await;
    assert!(outcome.error().unwrap().message().contains("packed as \"gzip\""), "{}", outcome.text());
}
