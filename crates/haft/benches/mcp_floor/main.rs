//! The floor that serving is held against: the smallest loop by hand that lists and calls one tool, `echo`.
//!
//! It reads types straight from the text and knows nothing but what the load client sends.

#![allow(clippy::disallowed_methods, clippy::expect_used, clippy::print_stdout)]

use std::borrow::Cow;

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt as _;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// Bytes that are read at once.
const BUFFER: usize = 64 * 1024;
const TOOLS: &str = r#"{"resultType":"complete","tools":[{"name":"echo","description":"Gives back the text.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}],"ttlMs":0,"cacheScope":"private"}"#;
const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"1"}}"#;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: &'a str,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    name: &'a str,
    #[serde(borrow)]
    arguments: Arguments<'a>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct Reply<'a, T> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: T,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Called<'a> {
    result_type: &'static str,
    content: [Text<'a>; 1],
    is_error: bool,
}

#[derive(Serialize)]
struct Text<'a> {
    r#type: &'static str,
    text: &'a str,
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    if std::env::args().nth(1).as_deref() == Some("stdio") {
        lines().await;
    } else {
        http().await;
    }
}

/// Writes the answer to a message, if it has one; whether it has.
fn answer(message: &[u8], out: &mut Vec<u8>) -> bool {
    let Ok(Request { id: Some(id), method, params }) = serde_json::from_slice(message) else { return false };
    match method {
        "tools/call" => {
            let params = params.expect("a call has parameters").get();
            let call: Call<'_> = serde_json::from_str(params).expect("the load client calls rightly");
            assert_eq!(call.name, "echo");
            let content = [Text { r#type: "text", text: &call.arguments.text }];
            write(out, id, Called { result_type: "complete", content, is_error: false });
        }
        "tools/list" => write(out, id, raw(TOOLS)),
        _ => write(out, id, raw(INITIALIZED)),
    }
    true
}

fn write(out: &mut Vec<u8>, id: &RawValue, result: impl Serialize) {
    serde_json::to_writer(out, &Reply { jsonrpc: "2.0", id, result })
        .expect("writing to memory does not fail");
}

fn raw(text: &'static str) -> &'static RawValue {
    serde_json::from_str(text).expect("the text is JSON")
}

/// One answer a line; what came together is answered by one write.
async fn lines() {
    let mut reader = BufReader::with_capacity(BUFFER, tokio::io::stdin());
    let mut writer = tokio::io::stdout();
    let (mut line, mut out) = (Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line).await.expect("standard input is readable") > 0 {
        if answer(&line, &mut out) {
            out.push(b'\n');
        }
        line.clear();
        if !reader.buffer().contains(&b'\n') {
            writer.write_all(&out).await.expect("standard output is writable");
            writer.flush().await.expect("standard output is writable");
            out.clear();
        }
    }
}

async fn http() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    println!("http://{}/mcp", listener.local_addr().expect("it is bound"));
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    let router = axum::Router::new().route("/mcp", axum::routing::post(post));
    axum::serve(listener, router).await.expect("serving goes on");
}

async fn post(body: Bytes) -> Response {
    let mut out = Vec::with_capacity(256);
    if answer(&body, &mut out) {
        ([("content-type", "application/json")], out).into_response()
    } else {
        StatusCode::ACCEPTED.into_response()
    }
}
