//! Calls of a server's tools, and what comes back.

use std::time::Duration;

use haft::{CallContext, Content, Dispatcher, EventBody, ToolCall, ToolErrorKind, source::mcp::McpServer};
use serde_json::{Value, json};

use super::wire::{Wire, call, one, pair, ready, ready_as, registry};

/// What a call comes to whose result is `result`.
async fn answered(result: Value) -> haft::ToolResult {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let (outcome, ()) = tokio::join!(call(&registry, "test__act", json!({"a": [1, "x"]})), async {
        let asked = wire.expect("tools/call").await;
        assert_eq!(asked["params"]["name"], "act");
        assert_eq!(asked["params"]["arguments"], json!({"a": [1, "x"]}));
        wire.reply(&asked, result).await;
    });
    outcome
}

#[tokio::test]
async fn text_comes_back() {
    let result = answered(json!({"content": [{"type": "text", "text": "done"}]})).await;
    assert!(!result.is_error());
    assert_eq!(result.text(), "done");
    // What a text says decides nothing.
    let said = "Error: lines found in log: 3";
    let result = answered(json!({"content": [{"type": "text", "text": said}], "isError": false})).await;
    assert!(!result.is_error());
    assert_eq!(result.text(), said);
}

#[tokio::test]
async fn all_kinds_of_content_come_back_without_loss() {
    let content = json!([
        {"type": "text", "text": "a", "annotations": {"audience": ["user"], "priority": 0.5}},
        {"type": "image", "data": "AAEC", "mimeType": "image/png"},
        {"type": "audio", "data": "AAEC", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "file:///a", "name": "a", "size": 3},
        {"type": "resource", "resource": {"uri": "test://r", "mimeType": "text/plain", "text": "r"}},
        {"type": "hologram", "depth": 3},
    ]);
    let result = answered(json!({"content": content, "_meta": {"trace": "t"}})).await;
    let output = result.outcome().unwrap();
    let blocks = output.content();
    assert!(matches!(&blocks[1], Content::Image { mime_type, .. } if mime_type == "image/png"));
    assert!(matches!(&blocks[3], Content::ResourceLink { uri, .. } if uri == "file:///a"));
    assert_eq!(blocks[5], Content::text(r#"{"depth":3,"type":"hologram"}"#));
    // What the blocks have no place for is there for the host.
    let metadata = &output.metadata().unwrap()["mcp"];
    assert_eq!((&metadata["content"], &metadata["_meta"]["trace"]), (&content, &json!("t")));
}

#[tokio::test]
async fn structured_content_comes_back_beside_or_instead_of_text() {
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let structured = json!({"degrees": 21.5});
    for (content, shown) in [
        (json!(null), r#"{"degrees":21.5}"#),
        (json!([]), r#"{"degrees":21.5}"#),
        (text("{ \"degrees\": 21.5 }"), r#"{"degrees":21.5}"#),
        (text("It is warm."), "It is warm."),
    ] {
        let result = answered(json!({"content": content, "structuredContent": structured})).await;
        assert_eq!(result.text(), shown);
        assert_eq!(result.outcome().unwrap().structured(), Some(structured.clone()));
    }
}

#[tokio::test]
async fn numbers_keep_all_their_digits() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let digits = "123456789012345678901234567890.10";
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        let result = format!(r#"{{"structuredContent":{{"n":{digits}}}}}"#);
        wire.send_raw(
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", asked["id"]).as_bytes(),
        )
        .await;
    });
    assert_eq!(result.text(), format!(r#"{{"n":{digits}}}"#));
}

#[tokio::test]
async fn a_tool_that_failed_is_an_error_with_the_servers_words() {
    let result =
        answered(json!({"isError": true, "content": [{"type": "text", "text": "no such file"}]})).await;
    let error = result.error().unwrap();
    assert_eq!((error.kind(), error.message()), (ToolErrorKind::Mcp, "no such file"));
    let result = answered(json!({
        "isError": true,
        "content": [{"type": "image", "data": "AAEC", "mimeType": "image/png"}],
        "structuredContent": {"code": 7},
    }))
    .await;
    let body: Value = serde_json::from_str(&result.text()).unwrap();
    assert_eq!(body["structured"]["code"], 7);
    assert!(!result.text().contains("AAEC"), "no model reads a picture as text: {body}");
    let metadata = &result.error().unwrap().metadata().unwrap()["mcp"];
    assert_eq!(metadata["content"][0]["data"], "AAEC", "the host has it");
    let result = answered(json!({"isError": true})).await;
    assert!(result.error().unwrap().message().contains("did not say why"));
}

#[tokio::test]
async fn a_refused_request_is_an_error_with_the_servers_words() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        wire.refuse(&asked, -32602, "Unknown tool: act").await;
    });
    let error = result.error().unwrap();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(error.message().contains("Unknown tool: act"), "{error}");
}

/// What a call may have done is not thrown away because its server writes the answer otherwise than the protocol has it.
#[tokio::test]
async fn results_that_are_written_loosely_are_read() {
    for (content, shown) in [
        (json!("done"), "done"),
        (json!({"type": "text", "text": "done"}), "done"),
        (json!(["done", "well"]), "done\nwell"),
        (json!(null), ""),
    ] {
        let result = answered(json!({"content": content})).await;
        assert_eq!((result.is_error(), &*result.text()), (false, shown), "{content}");
    }
    for (said, fails) in
        [(json!("true"), true), (json!(1), true), (json!("false"), false), (json!(null), false)]
    {
        let result = answered(json!({"content": "text", "isError": said})).await;
        assert_eq!(result.is_error(), fails, "{said}");
    }
    let error = answered(json!("done")).await;
    assert!(error.error().unwrap().message().contains("may have changed something"), "{}", error.text());
}

#[tokio::test]
async fn errors_that_are_written_loosely_keep_their_words() {
    for (error, told, code) in [
        (json!({"code": "-32000", "message": "no such file"}), "no such file", -32000),
        (json!({"code": -32000.0, "message": "no such file"}), "no such file", -32000),
        (json!({"code": -99_999_999_999_i64, "message": "no such file"}), "no such file", -32603),
        (json!({"message": "no such file"}), "no such file", -32603),
        (json!("no such file"), "no such file", -32603),
        (json!({"code": 7, "reason": "no such file"}), r#"{"code":7,"reason":"no such file"}"#, 7),
    ] {
        for beside in [json!({}), json!({"result": {"content": []}})] {
            let (registry, _servers, mut wire) = ready(&["act"]).await;
            let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
                let asked = wire.expect("tools/call").await;
                let mut answer = json!({"jsonrpc": "2.0", "id": asked["id"], "error": error});
                answer.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
                wire.send(answer).await;
            });
            let failed = result.error().unwrap();
            assert!(failed.message().ends_with(&format!("refused the call: {told}")), "{failed}");
            assert!(result.text().contains(&format!("\"rpcCode\":{code}")), "{}", result.text());
        }
    }
}

#[tokio::test]
async fn structured_results_are_checked_by_the_output_schema() {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(McpServer::given("s"), stream);
    let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let tool = json!({"name": "count", "inputSchema": {"type": "object"}, "outputSchema": output});
    let (_servers, ()) = tokio::join!(servers.connect(&registry), async {
        wire.introduce().await;
        let asked = wire.expect("tools/list").await;
        wire.reply(&asked, json!({"tools": [tool]})).await;
    });
    let content = json!([{"type": "text", "text": "counted"}]);
    for (sent, kind) in [
        (json!({"content": content, "structuredContent": {"n": 1}}), None),
        (json!({"content": content, "structuredContent": {"n": "one"}}), Some(ToolErrorKind::Output)),
        // A promise that is not kept, told with what there is.
        (json!({"content": content}), Some(ToolErrorKind::Mcp)),
        (json!({"content": content, "structuredContent": null, "isError": false}), Some(ToolErrorKind::Mcp)),
        // A failure is a failure, whatever it holds.
        (json!({"content": content, "isError": true}), Some(ToolErrorKind::Mcp)),
        (
            json!({"content": content, "structuredContent": {"no": 1}, "isError": true}),
            Some(ToolErrorKind::Mcp),
        ),
    ] {
        let (result, ()) = tokio::join!(call(&registry, "s__count", json!({})), async {
            let asked = wire.expect("tools/call").await;
            wire.reply(&asked, sent.clone()).await;
        });
        assert_eq!(result.error().map(haft::ToolError::kind), kind, "{sent}");
        if kind == Some(ToolErrorKind::Mcp) {
            assert!(result.text().contains("counted"), "{}", result.text());
        }
    }
}

#[tokio::test]
async fn arguments_are_checked_before_anything_is_sent() {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(McpServer::given("s"), stream);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let (_servers, ()) = tokio::join!(servers.connect(&registry), async {
        wire.introduce().await;
        let asked = wire.expect("tools/list").await;
        wire.reply(&asked, json!({"tools": [{"name": "count", "inputSchema": schema}]})).await;
    });
    let result = call(&registry, "s__count", json!({"n": "many"})).await;
    assert_eq!(result.error().unwrap().kind(), ToolErrorKind::Validation);
    // The next message is that of the next call.
    let (_, asked) = tokio::join!(call(&registry, "s__count", json!({"n": 1})), async {
        let asked = wire.next().await.unwrap();
        wire.answer(&asked, "1").await;
        asked
    });
    assert_eq!(asked["params"]["arguments"], json!({"n": 1}));
}

#[tokio::test]
async fn answers_find_their_calls_in_any_order_and_as_text_or_number() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let one = call(&registry, "test__act", json!({"n": 1}));
    let two = call(&registry, "test__act", json!({"n": 2}));
    let (one, two, ()) = tokio::join!(one, two, async {
        let first = wire.expect("tools/call").await;
        let second = wire.expect("tools/call").await;
        for request in [&second, &first] {
            let text = request["params"]["arguments"]["n"].to_string();
            let mut request = request.clone();
            // An id that no request has is passed over.
            wire.send(json!({"jsonrpc": "2.0", "id": 4711, "result": {}})).await;
            request["id"] = json!(request["id"].to_string());
            wire.answer(&request, &text).await;
        }
    });
    assert_eq!((one.text().as_ref(), two.text().as_ref()), ("1", "2"));
}

/// Waits for the notification that a call is not waited for any more.
async fn cancelled(wire: &mut Wire, call: &Value) {
    let cancelled = wire.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_without_progress_ends_and_the_server_is_told() {
    let server = McpServer::given("test").timeout(Duration::from_secs(60));
    let (registry, _servers, mut wire) = ready_as(server, &["act"]).await;
    let before = tokio::time::Instant::now();
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        cancelled(&mut wire, &asked).await;
    });
    assert_eq!(result.error().unwrap().kind(), ToolErrorKind::Timeout);
    assert!(result.text().contains(r#""effects":"unknown""#), "{}", result.text());
    assert_eq!(before.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn progress_keeps_a_call_alive_and_is_handed_on() {
    let server = McpServer::given("test").timeout(Duration::from_secs(60));
    let (registry, _servers, mut wire) = ready_as(server, &["act"]).await;
    let dispatcher = Dispatcher::new(registry);
    let (turn, mut events) = dispatcher.turn(vec![ToolCall::new("c1", "test__act", "{}")]).start().unwrap();
    let (outcome, ()) = tokio::join!(turn.finish(), async {
        let asked = wire.expect("tools/call").await;
        let token = asked["params"]["_meta"]["progressToken"].clone();
        assert!(!token.is_null(), "every call can report progress");
        for step in 1..=20 {
            tokio::time::sleep(Duration::from_secs(15)).await;
            let params =
                json!({"progressToken": token, "progress": step, "total": 20, "message": "going on"});
            wire.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        }
        wire.answer(&asked, "done").await;
    });
    assert_eq!(outcome.unwrap().finished().unwrap()[0].text(), "done");
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        if let EventBody::Progress { progress, total, message, .. } = &event.body {
            told.push((*progress, *total, message.clone()));
        }
    }
    let expected: Vec<_> =
        (1..=20).map(|step| (f64::from(step), Some(20.0), Some("going on".to_owned()))).collect();
    assert_eq!(told, expected);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_only_ever_reports_progress_meets_the_ceiling() {
    let server = McpServer::given("test").timeout(Duration::from_secs(60)).ceiling(Duration::from_secs(300));
    let (registry, _servers, mut wire) = ready_as(server, &["act"]).await;
    let before = tokio::time::Instant::now();
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        let token = asked["params"]["_meta"]["progressToken"].clone();
        let cancelled = loop {
            tokio::select! {
                message = wire.next() => break message.unwrap(),
                () = tokio::time::sleep(Duration::from_secs(15)) => {}
            }
            let params = json!({"progressToken": token, "progress": before.elapsed().as_secs()});
            wire.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})).await;
        };
        assert_eq!(cancelled["params"]["requestId"], asked["id"]);
    });
    assert_eq!(result.error().unwrap().kind(), ToolErrorKind::Timeout);
    assert_eq!(before.elapsed().as_secs(), 300);
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_at_the_server_too() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let dispatcher = Dispatcher::new(registry.clone());
    let (turn, _events) = dispatcher.turn(vec![ToolCall::new("c1", "test__act", "{}")]).start().unwrap();
    let asked = wire.expect("tools/call").await;
    turn.cancel();
    let (outcome, ()) = tokio::join!(turn.finish(), cancelled(&mut wire, &asked));
    let results = outcome.unwrap().finished().unwrap();
    assert_eq!(results[0].error().unwrap().kind(), ToolErrorKind::Cancelled);
    // An answer that comes too late disturbs nobody.
    wire.answer(&asked, "late").await;
    let again = dispatcher.call("test__act", "{}", CallContext::new());
    let (again, ()) = tokio::join!(again, async {
        let asked = wire.expect("tools/call").await;
        wire.answer(&asked, "in time").await;
    });
    assert_eq!(again.unwrap().text(), "in time");
}
