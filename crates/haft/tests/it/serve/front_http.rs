//! Over HTTP too a plainly valid call is answered without the protocol's library, and nobody can tell.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use haft::{
    CancellationToken, Dispatcher, Tool, ToolRegistry,
    serve::mcp::{HttpBody, HttpOptions, McpHttpService, McpService},
};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower_service::Service as _;

use super::{
    front::{By, CALLS, LEGACY, MODERN, in_doubt, params, service},
    kit::DEADLINE,
    library::Library,
};

type Headers = Vec<(&'static str, &'static str)>;

/// The head of a call of the tool `add`, in the era of what it says of itself.
fn head(era: &str) -> Headers {
    let mut headers = vec![
        ("host", "localhost"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
    ];
    match era {
        LEGACY => headers.push(("mcp-protocol-version", "2025-11-25")),
        _ => headers.extend([
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "add"),
        ]),
    }
    headers
}

fn request(headers: &Headers, body: &str) -> Request<String> {
    let mut request = Request::post("/mcp");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(body.to_owned()).unwrap()
}

/// All that is answered: the status, the headers and the body, without where in a text something was found.
async fn told(answer: Response<HttpBody>) -> String {
    let (parts, body) = answer.into_parts();
    let mut headers: Vec<String> =
        parts.headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
    headers.sort();
    let body = body.collect().await.unwrap().to_bytes();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let body = body.split(" at line 1 column").next().unwrap_or_default().to_owned();
    format!("{} {headers:?} {body}", parts.status)
}

async fn post(http: &mut McpHttpService, headers: &Headers, body: &str) -> String {
    told(http.call(request(headers, body)).await.unwrap()).await
}

fn message(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{params}}}"#)
}

/// The name that is called, for the header that has to say it.
fn name(params: &str) -> Option<&'static str> {
    let params: Value = serde_json::from_str(params).ok()?;
    match params["name"].as_str()? {
        "" => None,
        name => Some(String::leak(name.to_owned())),
    }
}

#[tokio::test]
async fn the_front_and_the_library_answer_the_same() {
    let library = Library::listen();
    for (era, options, has_front) in [
        (LEGACY, HttpOptions::new().stateless(), true),
        (MODERN, HttpOptions::new().stateless(), true),
        (MODERN, HttpOptions::new(), true),
        // Calls of a session are the library's.
        (LEGACY, HttpOptions::new(), false),
    ] {
        let mut http = service().http(options);
        for (by, written) in CALLS {
            let params = params(written, era);
            let mut headers = head(era);
            if let (MODERN, Some(name)) = (era, name(&params)) {
                headers.pop();
                headers.push(("mcp-name", name));
            }
            library.took();
            let front = post(&mut http, &headers, &message(&params)).await;
            let took = library.took();
            let through = post(&mut http, &headers, &message(&in_doubt(&params))).await;
            assert_eq!(front, through, "{params}");
            // Who wants to hear something before the answer gets a stream.
            let hears = ["\"p\"}", "Token\":7", "\"debug\""].iter().any(|wish| written.contains(wish));
            let by_the_front = has_front && *by == By::Front && !hears;
            let is_answered = took == 0 && front.starts_with("200");
            assert_eq!(is_answered, by_the_front, "{params}: {front}");
        }
    }
}

#[tokio::test]
async fn a_head_that_is_odd_is_the_librarys() {
    let library = Library::listen();
    let mut http = service().http(HttpOptions::new().any_host().stateless());
    let sound = r#"{"name":"add","arguments":{"a":1,"b":2}META}"#;
    for era in [LEGACY, MODERN] {
        let body = message(&params(sound, era));
        let doubted = message(&in_doubt(&params(sound, era)));
        library.took();
        post(&mut http, &head(era), &body).await;
        assert_eq!(library.took(), 0);
        for (name, value) in [
            ("accept", Some("application/json;q=0.5, text/event-stream")),
            ("accept", Some("application/json")),
            ("content-type", Some("application/json; charset=utf-8")),
            ("content-type", Some("text/plain")),
            ("host", Some("a b")),
            ("host", None),
            ("mcp-protocol-version", None),
            ("mcp-protocol-version", Some("2031-01-01")),
            ("mcp-protocol-version", Some(if era == LEGACY { "2026-07-28" } else { "2025-11-25" })),
            ("mcp-method", Some("tools/list")),
            ("mcp-name", Some("greet")),
            ("mcp-name", Some("=?base64?YWRk?=")),
            ("mcp-session-id", Some("1")),
            ("mcp-param-city", Some("Paris")),
        ] {
            let mut headers: Headers = head(era).into_iter().filter(|(other, _)| *other != name).collect();
            headers.extend(value.map(|value| (name, value)));
            let front = post(&mut http, &headers, &body).await;
            let took = library.took();
            assert_eq!(front, post(&mut http, &headers, &doubted).await, "{name}: {value:?}");
            // No version means one with a handshake.
            let is_plain = era == LEGACY && (name, value) == ("mcp-protocol-version", None);
            assert!(took == 1 || !front.starts_with("200") || is_plain, "{name}: {value:?}: {front}");
            library.took();
        }
    }
}

#[tokio::test]
async fn a_body_that_is_odd_is_the_librarys() {
    let library = Library::listen();
    let mut http = service().http(HttpOptions::new().stateless());
    let call = r#""params":{"name":"add","arguments":{"a":1,"b":2}}"#;
    let method = r#""method":"tools/call""#;
    for (start, by_the_front) in [
        (r#""jsonrpc":"2.0","id":1"#, true),
        (r#""jsonrpc":"2.0","id":-7"#, true),
        (r#""jsonrpc":"2.0","id":"\u0061""#, true),
        (r#""jsonrpc":"1.0","id":1"#, false),
        (r#""id":1"#, false),
        (r#""jsonrpc":"2.0""#, false),
        (r#""jsonrpc":"2.0","id":null"#, false),
        (r#""jsonrpc":"2.0","id":1.5"#, false),
        (r#""jsonrpc":"2.0","id":-0"#, false),
        (r#""jsonrpc":"2.0","id":18446744073709551615"#, false),
        (r#""jsonrpc":"2.0","id":1,"id":1"#, false),
        (r#""jsonrpc":"2.0","id":1,"result":{}"#, false),
    ] {
        library.took();
        let answer = post(&mut http, &head(LEGACY), &format!("{{{start},{method},{call}}}")).await;
        let is_answered = library.took() == 0 && answer.starts_with("200");
        assert_eq!(is_answered, by_the_front, "{start}: {answer}");
    }
}

/// A tool some of whose arguments are headers too is called by who says the same in both.
#[tokio::test]
async fn a_tool_with_headers_is_the_librarys() {
    let library = Library::listen();
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string", "x-mcp-header": "City"}}});
    let tool = Tool::builder("add").description("Says done.").schema(schema).run_sync(|| "done");
    let registry = ToolRegistry::builder().tool(tool.unwrap()).build().unwrap();
    let mut http =
        McpService::builder(Dispatcher::new(registry)).build().http(HttpOptions::new().stateless());
    let body = message(&params(r#"{"name":"add","arguments":{"city":"Paris"}META}"#, MODERN));
    let refused = post(&mut http, &head(MODERN), &body).await;
    assert!(refused.starts_with("400") && refused.contains("-32020"), "{refused}");
    let mut headers = head(MODERN);
    headers.push(("mcp-param-city", "Paris"));
    library.took();
    let answer = post(&mut http, &headers, &body).await;
    assert!(answer.starts_with("200") && answer.contains("done"), "{answer}");
    assert_eq!(library.took(), 1);
}

#[tokio::test]
async fn a_call_that_asks_does_so_by_its_answer() {
    let library = Library::listen();
    let mut http = service().http(HttpOptions::new().stateless());
    let forms = MODERN.replace("{}", r#"{"elicitation":{}}"#);
    let mut headers = head(MODERN);
    headers.pop();
    headers.push(("mcp-name", "pay"));
    let body = message(&params(r#"{"name":"pay","arguments":{"amount":5}META}"#, &forms));
    let asked = post(&mut http, &headers, &body).await;
    assert!(asked.contains("\"input_required\""), "{asked}");
    assert_eq!(library.took(), 0);
    let answer: Value = serde_json::from_str(asked.split("] ").last().unwrap()).unwrap();
    let mut again: Value = serde_json::from_str(&body).unwrap();
    again["params"]["requestState"] = answer["result"]["requestState"].clone();
    again["params"]["inputResponses"] =
        json!({"approval": {"action": "accept", "content": {"decision": "approve"}}});
    let paid = post(&mut http, &headers, &again.to_string()).await;
    assert!(paid.contains("paid 5"), "{paid}");
    assert_eq!(library.took(), 1);
}

/// A tool that says when it has begun, and ends a while after it was told to.
fn endless() -> (Arc<Notify>, Arc<Notify>, Arc<AtomicBool>, Dispatcher) {
    let (begun, told, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::default());
    let (begins, hears, ends) = (Arc::clone(&begun), Arc::clone(&told), Arc::clone(&ended));
    let tool = Tool::builder("add").description("Never ends.").read_only(true).run(
        move |token: CancellationToken| {
            let (hears, ends): (_, Arc<AtomicBool>) = (Arc::clone(&hears), Arc::clone(&ends));
            begins.notify_one();
            async move {
                token.cancelled().await;
                tokio::task::yield_now().await;
                ends.store(true, Ordering::SeqCst);
                hears.notify_one();
                "told to end"
            }
        },
    );
    let registry = ToolRegistry::builder().tool(tool.unwrap()).build().unwrap();
    (begun, told, ended, Dispatcher::new(registry))
}

#[tokio::test]
async fn a_client_that_hangs_up_has_its_call_told_to_end_and_given_the_time() {
    let library = Library::listen();
    for era in [LEGACY, MODERN] {
        let (begun, told, ended, dispatcher) = endless();
        let mut http = McpService::builder(dispatcher).build().http(HttpOptions::new().stateless());
        let body = message(&params(r#"{"name":"add"META}"#, era));
        let call = http.call(request(&head(era), &body));
        tokio::select! {
            _ = call => panic!("it never ends by itself"),
            () = begun.notified() => {}
        }
        assert!(!ended.load(Ordering::SeqCst));
        tokio::time::timeout(DEADLINE, told.notified()).await.expect("the function is told");
        assert!(ended.load(Ordering::SeqCst));
    }
    assert_eq!(library.took(), 0);
}

#[tokio::test]
async fn a_shutdown_ends_the_call_which_has_an_answer() {
    let library = Library::listen();
    let (begun, _, _, dispatcher) = endless();
    let service = McpService::builder(dispatcher).build();
    let mut http = service.http(HttpOptions::new().stateless());
    let body = message(&params(r#"{"name":"add"META}"#, LEGACY));
    let call = http.call(request(&head(LEGACY), &body));
    let (answer, ()) = tokio::join!(call, async {
        begun.notified().await;
        service.shutdown();
    });
    let answer = told(answer.unwrap()).await;
    assert!(answer.starts_with("200") && answer.contains("told to end"), "{answer}");
    assert_eq!(library.took(), 0);
}
