//! Clients over HTTP, on the loopback.

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame};
use tower_service::Service as _;

use haft::{
    CancellationToken, Dispatcher, Tool, ToolContext, ToolRegistry,
    serve::mcp::{BearerToken, HttpOptions, McpService},
};
use reqwest::{Method, Response, header::HeaderMap};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::Notify};

use super::kit::{DEADLINE, modern_meta, service, text, tools};

/// A server, and a client for it.
pub(crate) struct Http {
    client: reqwest::Client,
    address: SocketAddr,
    session: Option<String>,
}

impl Http {
    pub(crate) async fn start(service: &McpService, options: HttpOptions) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = axum::Router::new().route_service("/mcp", service.http(options));
        tokio::spawn(async move { axum::serve(listener, router).await });
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let client = reqwest::Client::builder().no_proxy().tls_backend_preconfigured(tls).build().unwrap();
        Self { client, address, session: None }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn request(&self, body: impl Into<reqwest::Body>) -> reqwest::RequestBuilder {
        let request = self.client.post(format!("http://{}/mcp", self.address));
        let request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .timeout(DEADLINE);
        match &self.session {
            Some(session) => request.header("mcp-session-id", session),
            None => request,
        }
        .body(body)
    }

    /// Another client of the same server, in no session.
    pub(crate) fn another(&self) -> Self {
        Self { client: self.client.clone(), address: self.address, session: None }
    }

    /// A request for a stream of the session.
    pub(crate) fn get(&self) -> reqwest::RequestBuilder {
        let request = self.client.get(format!("http://{}/mcp", self.address));
        request
            .header("accept", "text/event-stream")
            .header("mcp-session-id", self.session.as_deref().unwrap())
    }

    /// A request to end the session.
    pub(crate) fn delete(&self) -> reqwest::RequestBuilder {
        let request = self.client.delete(format!("http://{}/mcp", self.address));
        request.header("mcp-session-id", self.session.as_deref().unwrap())
    }

    pub(crate) async fn post(&self, message: &Value) -> Response {
        self.request(message.to_string()).send().await.unwrap()
    }

    /// A request without a handshake.
    pub(crate) fn modern(
        &self,
        id: u64,
        method: &str,
        mut params: Value,
        capabilities: &Value,
    ) -> reqwest::RequestBuilder {
        let own = params["_meta"].as_object().cloned().unwrap_or_default();
        params["_meta"] = modern_meta(capabilities);
        params["_meta"].as_object_mut().unwrap().extend(own);
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let request = self
            .request(message.to_string())
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        match params["name"].as_str() {
            Some(name) => request.header("mcp-name", name),
            None => request,
        }
    }

    /// Shakes hands.
    pub(crate) async fn shake_hands(&mut self, capabilities: Value) {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": {"name": "t", "version": "0"}});
        let answer =
            self.post(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})).await;
        assert_eq!(answer.status(), 200);
        self.session = Some(answer.headers()["mcp-session-id"].to_str().unwrap().to_owned());
        drop(Events::of(answer).rest().await);
        let ready = self.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        assert_eq!(ready.status(), 202);
    }

    async fn legacy_call(&self, id: u64, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        let answer =
            self.post(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})).await;
        Events::of(answer).rest().await.pop().expect("an answer")
    }
}

/// The messages of an answer, be it one document or a stream of events.
pub(crate) struct Events {
    response: Response,
    read: String,
}

impl Events {
    pub(crate) fn of(response: Response) -> Self {
        Self { response, read: String::new() }
    }

    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some((line, rest)) = self.read.split_once('\n') {
                let (line, rest) = (line.trim().to_owned(), rest.to_owned());
                self.read = rest;
                let data = line.strip_prefix("data:").map_or(&*line, str::trim);
                if data.starts_with('{') {
                    return Some(serde_json::from_str(data).unwrap());
                }
            }
            match tokio::time::timeout(DEADLINE, self.response.chunk()).await.expect("in time").unwrap() {
                Some(chunk) => self.read.push_str(std::str::from_utf8(&chunk).unwrap()),
                None if self.read.is_empty() => return None,
                None => self.read.push('\n'),
            }
        }
    }

    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        all
    }
}

async fn only_document(response: Response) -> Value {
    assert_eq!(response.headers()["content-type"], "application/json");
    serde_json::from_str(&response.text().await.unwrap()).unwrap()
}

pub(crate) async fn only(response: reqwest::RequestBuilder) -> Value {
    let mut messages = Events::of(response.send().await.unwrap()).rest().await;
    assert_eq!(messages.len(), 1, "{messages:?}");
    messages.remove(0)
}

#[tokio::test]
async fn a_client_without_handshake_needs_no_session() {
    let http = Http::start(&service(), HttpOptions::new()).await;
    let list = only(http.modern(1, "tools/list", json!({}), &json!({}))).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), tools().len());
    assert_eq!((&list["result"]["cacheScope"], &list["result"]["ttlMs"]), (&json!("private"), &json!(5000)));
    let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let sum = only(http.modern(2, "tools/call", call, &json!({}))).await;
    assert_eq!(sum["result"]["structuredContent"], json!({"sum": 3}));
    let unknown =
        only(http.modern(3, "tools/call", json!({"name": "no", "arguments": {}}), &json!({}))).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[tokio::test]
async fn a_session_asks_on_the_stream_of_its_call() {
    let mut http = Http::start(&service(), HttpOptions::new()).await;
    http.shake_hands(json!({"elicitation": {}})).await;
    let params = json!({"name": "pay", "arguments": {"amount": 5}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let mut events = Events::of(http.post(&call).await);
    let question = events.next().await.expect("a question");
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let yes = json!({"action": "accept", "content": {"decision": "approve"}});
    let answered = http.post(&json!({"jsonrpc": "2.0", "id": question["id"], "result": yes})).await;
    assert_eq!(answered.status(), 202);
    let paid = events.rest().await.pop().expect("an answer");
    assert_eq!(text(&paid), "paid 5");

    let url = format!("http://{}/mcp", http.address);
    let session = http.session.clone().unwrap();
    let gone = http.client.delete(url).header("mcp-session-id", session).send().await.unwrap();
    assert!(gone.status().is_success(), "{}", gone.status());
    assert_eq!(http.post(&call).await.status(), 404);
}

#[tokio::test]
async fn without_a_session_the_answer_comes_with_the_next_request() {
    let http = Http::start(&service(), HttpOptions::new()).await;
    let forms = json!({"elicitation": {}});
    let pay = json!({"name": "pay", "arguments": {"amount": 5}});
    let asked = only(http.modern(1, "tools/call", pay.clone(), &forms)).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let mut again = pay;
    again["requestState"] = asked["result"]["requestState"].clone();
    again["inputResponses"] = json!({"approval": {"action": "accept", "content": {"decision": "approve"}}});
    assert_eq!(text(&only(http.modern(2, "tools/call", again, &forms)).await), "paid 5");
}

#[tokio::test]
async fn every_session_of_a_client_is_one_of_the_dispatcher() {
    let who = Tool::builder("who")
        .description("Names the session.")
        .read_only(true)
        .run(|context: ToolContext| async move { context.session_id().unwrap_or("none").to_owned() });
    let registry = ToolRegistry::builder().tool(who.unwrap()).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).build();
    let mut one = Http::start(&service, HttpOptions::new()).await;
    let mut other = Http { client: one.client.clone(), address: one.address, session: None };
    one.shake_hands(json!({})).await;
    other.shake_hands(json!({})).await;
    let mut seen = Vec::new();
    for (id, http) in [(1, &one), (2, &one), (1, &other)] {
        seen.push(text(&http.legacy_call(id, "who", json!({})).await).to_owned());
    }
    let call = json!({"name": "who", "arguments": {}});
    for id in [1, 2] {
        let bare = Http { client: one.client.clone(), address: one.address, session: None };
        seen.push(text(&only(bare.modern(id, "tools/call", call.clone(), &json!({}))).await).to_owned());
    }
    assert_eq!(seen[0], seen[1]);
    seen.remove(0);
    let mut names = seen.clone();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "{seen:?}");
}

#[tokio::test]
async fn who_may_not_ask_gets_no_answer() {
    let token = BearerToken::new("0123456789abcdef").unwrap();
    let options = HttpOptions::new().token(token).body_limit(1_000).origin("https://app.example");
    let http = Http::start(&service(), options).await;
    let status = |headers: Vec<(&'static str, &'static str)>, body: usize| {
        let mut sent = HeaderMap::new();
        for (name, value) in headers {
            sent.insert(name, value.parse().unwrap());
        }
        let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}, "padding": "x".repeat(body)});
        let request = http.modern(1, "tools/call", call, &json!({})).headers(sent);
        async move { request.send().await.unwrap().status().as_u16() }
    };
    let bearer = ("authorization", "Bearer 0123456789abcdef");
    assert_eq!(status(vec![bearer], 0).await, 200);
    assert_eq!(status(vec![bearer, ("origin", "https://app.example")], 0).await, 200);
    assert_eq!(status(vec![bearer, ("origin", "https://evil.example")], 0).await, 403);
    assert_eq!(status(vec![bearer, ("host", "evil.example")], 0).await, 403);
    assert_eq!(status(vec![bearer], 2_000).await, 413);
    assert_eq!(status(vec![], 0).await, 401);
    assert_eq!(status(vec![("authorization", "Bearer 0123456789abcdeF")], 0).await, 401);
}

/// A browser asks by itself whether a page may ask, and shows the page no answer that does not say so.
#[tokio::test]
async fn a_browser_is_told_that_pages_of_a_named_origin_may_ask() {
    let token = BearerToken::new("0123456789abcdef").unwrap();
    let http = Http::start(&service(), HttpOptions::new().token(token).origin("https://app.example")).await;
    let asks = async |origin: &str| {
        let request = http.client.request(Method::OPTIONS, format!("http://{}/mcp", http.address));
        let request = request.header("origin", origin).header("access-control-request-method", "POST");
        let request = request.header("access-control-request-headers", "authorization,mcp-param-city");
        request.send().await.unwrap()
    };
    let told = asks("https://app.example").await;
    let header = |answer: &Response, name: &str| {
        answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(told.status(), 204);
    assert_eq!(header(&told, "access-control-allow-origin").as_deref(), Some("https://app.example"));
    assert_eq!(header(&told, "access-control-allow-methods").as_deref(), Some("GET, POST, DELETE"));
    let allowed = header(&told, "access-control-allow-headers");
    assert_eq!(allowed.as_deref(), Some("authorization,mcp-param-city"));
    // Any program of this machine may serve a page: it may ask, and a browser is not told to show it the answer.
    for (origin, status) in [("https://evil.example", 403), ("http://localhost:5173", 401)] {
        let told = asks(origin).await;
        assert_eq!(told.status(), status, "{origin}");
        assert!(header(&told, "access-control-allow-origin").is_none(), "{origin}");
    }
    let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    for (shown, status) in [("Bearer 0123456789abcdef", 200), ("Bearer 0123456789abcdeF", 401)] {
        let request = http.modern(1, "tools/call", call.clone(), &json!({})).header("authorization", shown);
        let answer = request.header("origin", "https://app.example").send().await.unwrap();
        assert_eq!(answer.status(), status);
        assert_eq!(header(&answer, "access-control-allow-origin").as_deref(), Some("https://app.example"));
        let exposed = header(&answer, "access-control-expose-headers").unwrap();
        assert!(exposed.contains("mcp-session-id"), "{exposed}");
    }
}

#[tokio::test]
async fn garbage_is_refused_and_the_next_request_answered() {
    let http = Http::start(&service(), HttpOptions::new()).await;
    let nan =
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"add","arguments":{"a":NaN}}}"#;
    for (body, code, id) in [
        ("", -32700, Value::Null),
        ("{", -32700, Value::Null),
        ("garbage", -32700, Value::Null),
        ("\u{0}", -32700, Value::Null),
        (nan, -32700, json!("a")),
        ("[]", -32600, Value::Null),
        ("7", -32600, Value::Null),
        ("{\"jsonrpc\":\"2.0\"}", -32600, Value::Null),
        ("{\"id\":7}", -32600, Value::Null),
    ] {
        let refused = http.request(body).send().await.unwrap();
        assert_eq!(refused.status(), 400, "{body:?}");
        let refused = only_document(refused).await;
        assert_eq!((&refused["error"]["code"], &refused["id"]), (&json!(code), &id), "{body:?}: {refused}");
    }
    let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let sum = only(http.modern(2, "tools/call", call, &json!({}))).await;
    assert_eq!(sum["result"]["structuredContent"], json!({"sum": 3}));
    let ping = format!(
        "\u{feff}{}",
        json!({"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
        }})
    );
    assert_eq!(http.request(ping).send().await.unwrap().status(), 200);
}

/// What clients read before 2025-11-25 is a message in every event.
#[tokio::test]
async fn an_older_client_gets_no_event_without_data() {
    let mut http = Http::start(&service(), HttpOptions::new()).await;
    http.shake_hands(json!({})).await;
    let call = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    for (version, primed) in [(None, false), (Some("2025-06-18"), false), (Some("2025-11-25"), true)] {
        let request = http.request(call.to_string());
        let request = version
            .into_iter()
            .fold(request, |request, version| request.header("mcp-protocol-version", version));
        let text = request.send().await.unwrap().text().await.unwrap();
        assert_eq!(text.starts_with("data: \n"), primed, "{version:?}: {text}");
        assert!(text.contains("\"sum\":3"), "{version:?}: {text}");
    }
}

#[tokio::test]
async fn a_client_that_takes_anything_is_answered() {
    let http = Http::start(&service(), HttpOptions::new()).await;
    for (accept, status) in
        [("*/*", 200), ("text/html, */*;q=0.8", 200), ("application/json", 406), ("text/html", 406)]
    {
        let request = http.modern(1, "tools/list", json!({}), &json!({})).build().unwrap();
        let mut request = request;
        request.headers_mut().insert("accept", accept.parse().unwrap());
        assert_eq!(http.client.execute(request).await.unwrap().status(), status, "{accept}");
    }
}

/// A body of which a part comes, and the rest never.
struct Half(Option<Bytes>);

impl Body for Half {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.take().map_or(Poll::Pending, |part| Poll::Ready(Some(Ok(Frame::data(part)))))
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_not_waited_for_endlessly() {
    let options = HttpOptions::new().requests(1).body_time(Duration::from_secs(7));
    let mut service = service().http(options);
    let began = tokio::time::Instant::now();
    for _ in 0..2 {
        let half = Half(Some(Bytes::from_static(b"{\"jsonrpc\":\"2.0\",")));
        let request = http::Request::post("http://localhost/mcp").header("host", "localhost");
        let answer = service.call(request.body(half).unwrap()).await.unwrap();
        assert_eq!(answer.status(), 408);
    }
    assert_eq!(began.elapsed(), Duration::from_secs(14));
}

/// A tool that says when it has begun, and when it is told to end.
fn endless() -> (Arc<Notify>, Arc<Notify>, Dispatcher) {
    let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (begins, ends) = (Arc::clone(&begun), Arc::clone(&ended));
    let tool = Tool::builder("endless").description("Never ends.").read_only(true).run(
        move |token: CancellationToken| {
            let ends = Arc::clone(&ends);
            begins.notify_one();
            async move {
                token.cancelled().await;
                ends.notify_one();
                "told to end"
            }
        },
    );
    let registry = ToolRegistry::builder().tool(tool.unwrap()).build().unwrap();
    (begun, ended, Dispatcher::new(registry))
}

#[tokio::test]
async fn a_client_that_hangs_up_ends_its_call() {
    let (begun, ended, dispatcher) = endless();
    let http = Http::start(&McpService::builder(dispatcher).build(), HttpOptions::new()).await;
    let request = http.modern(1, "tools/call", json!({"name": "endless", "arguments": {}}), &json!({}));
    let call = tokio::spawn(request.send());
    begun.notified().await;
    call.abort();
    tokio::time::timeout(DEADLINE, ended.notified()).await.expect("the function is told");
}

#[tokio::test]
async fn a_shutdown_ends_sessions_and_what_they_run() {
    let (begun, ended, dispatcher) = endless();
    let service = McpService::builder(dispatcher).build();
    let mut http = Http::start(&service, HttpOptions::new()).await;
    http.shake_hands(json!({})).await;
    let call = async {
        http.post(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "endless"}}))
            .await
    };
    let (response, ()) = tokio::join!(call, async {
        begun.notified().await;
        service.shutdown();
        tokio::time::timeout(DEADLINE, ended.notified()).await.expect("the function is told");
    });
    // The stream ends, whatever was still said on it.
    tokio::time::timeout(DEADLINE, Events::of(response).rest()).await.expect("an end");
}

#[tokio::test]
async fn a_hundred_clients_at_once_are_all_answered() {
    let http = Arc::new(Http::start(&service(), HttpOptions::new()).await);
    let mut calls = tokio::task::JoinSet::new();
    for id in 0..100_u64 {
        let http = Arc::clone(&http);
        calls.spawn(async move {
            let call = json!({"name": "add", "arguments": {"a": id, "b": 1}});
            only(http.modern(7, "tools/call", call, &json!({}))).await["result"]["structuredContent"]["sum"]
                .clone()
        });
    }
    let mut sums = Vec::new();
    while let Some(sum) = tokio::time::timeout(DEADLINE, calls.join_next()).await.expect("in time") {
        sums.push(sum.unwrap().as_u64().unwrap());
    }
    sums.sort_unstable();
    assert_eq!(sums, (1..=100).collect::<Vec<u64>>());
    // A connection that says nothing takes nobody's turn.
    let silent = tokio::net::TcpStream::connect(http.address).await.unwrap();
    let list =
        only(http.modern(8, "tools/list", json!({}), &json!({})).timeout(Duration::from_secs(30))).await;
    assert!(list["result"]["tools"].is_array());
    drop(silent);
}

#[tokio::test]
async fn one_request_too_many_is_told_to_come_again() {
    let (begun, ended, dispatcher) = endless();
    let service = McpService::builder(dispatcher).build();
    let http = Http::start(&service, HttpOptions::new().requests(1)).await;
    let endless = || http.modern(1, "tools/call", json!({"name": "endless", "arguments": {}}), &json!({}));
    let list = || http.modern(2, "tools/list", json!({}), &json!({}));
    let call = tokio::spawn(endless().send());
    begun.notified().await;
    let refused = list().send().await.unwrap();
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    call.abort();
    ended.notified().await;
    // The place is free once the connection is known to be gone.
    let free = async { while list().send().await.unwrap().status() != 200 {} };
    tokio::time::timeout(DEADLINE, free).await.expect("a free place");
}

#[tokio::test]
async fn one_session_too_many_is_told_to_come_again() {
    let mut http = Http::start(&service(), HttpOptions::new().sessions(1)).await;
    http.shake_hands(json!({})).await;
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"},
    }});
    let other = Http { client: http.client.clone(), address: http.address, session: None };
    assert_eq!(other.post(&hello).await.status(), 503);
    // The session that there is goes on, and who needs none is served.
    assert_eq!(http.legacy_call(1, "add", json!({"a": 1, "b": 2})).await["result"]["isError"], false);
    assert!(only(other.modern(2, "tools/list", json!({}), &json!({}))).await["result"].is_object());
    let url = format!("http://{}/mcp", http.address);
    let session = http.session.clone().unwrap();
    assert!(
        http.client.delete(url).header("mcp-session-id", session).send().await.unwrap().status().is_success()
    );
    assert_eq!(other.post(&hello).await.status(), 200);
}
