//! Servers that misbehave: what they do costs no more than it has to.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use haft::{
    ToolErrorKind, ToolRegistry,
    source::mcp::{McpEra, McpServer, McpServerChange, McpServerState, McpServers},
};
use serde_json::{Value, json};
use tokio::{io::split, sync::mpsc};

use super::{
    told::Told,
    wire::{Wire, call, names, one, pair, ready, ready_as, registry},
};

#[tokio::test]
async fn noise_on_the_line_is_skipped() {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(McpServer::given("s"), stream);
    let (_servers, ()) = tokio::join!(servers.connect(&registry), async {
        wire.send_raw(b"Weather server ready\n\n{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n").await;
        wire.send_raw(b"\xff\xfe\n{\"unfinished\": \n[1, 2]\nnull\n\"text\"\n").await;
        wire.ready(&["act"]).await;
    });
    let (result, ()) = tokio::join!(call(&registry, "s__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        wire.send_raw(
            b"DEBUG calling\n\x80\x81\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}\n",
        )
        .await;
        wire.send(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": "x"}}))
            .await;
        wire.answer(&asked, "done").await;
    });
    assert_eq!(result.text(), "done");
}

/// Some servers answer notifications with an error that has no id: no call is failed for it, and it is told.
#[tokio::test]
async fn an_error_without_an_id_on_the_line_is_told_and_ends_no_call() {
    let told = Told::listen();
    let (registry, _servers, mut wire) = ready_as(McpServer::given("test"), &["act"]).await;
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        wire.send(
            json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no such thing"}}),
        )
        .await;
        wire.answer(&asked, "done").await;
    });
    assert_eq!(result.text(), "done");
    let warnings = told.warnings();
    assert!(warnings.iter().any(|told| told.contains("no such thing")), "{warnings:#?}");
}

#[tokio::test]
async fn a_server_that_writes_its_log_to_the_line_is_told_of_ten_times() {
    let told = Told::listen();
    let server = McpServer::given("test").largest_message(1 << 16);
    let (registry, _servers, mut wire) = ready_as(server, &["act"]).await;
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        let long = format!("{{\"log\": \"{}\"}}\n", "x".repeat(1 << 16));
        for _ in 0..8 {
            wire.send_raw(b"caf\xe9 is open\n").await;
            wire.send_raw(long.as_bytes()).await;
            wire.send_raw(b"DEBUG calling\n").await;
        }
        wire.answer(&asked, "done").await;
    });
    assert_eq!(result.text(), "done");
    let warnings = told.warnings();
    assert_eq!(warnings.len(), 10, "{warnings:#?}");
    let (last, before) = warnings.split_last().unwrap();
    assert!(last.contains("others like it are not told of"), "{last}");
    assert!(
        before.iter().all(|told| !told.contains("the answer") && !told.contains("others")),
        "{before:#?}"
    );
    for part in ["it is no UTF-8", "is open", "65536 are read at most", "DEBUG calling"] {
        assert!(before.iter().any(|told| told.contains(part)), "{part}: {before:#?}");
    }
}

/// The numbers of its requests are its own.
#[tokio::test]
async fn a_request_of_the_server_that_can_not_be_read_answers_no_call() {
    let server = McpServer::given("test").largest_message(100_000);
    let (registry, _servers, mut wire) = ready_as(server, &["act"]).await;
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        let params = json!({"text": "x".repeat(300_000)});
        let request = json!({"jsonrpc": "2.0", "id": asked["id"], "method": "sampling/createMessage", "params": params});
        wire.send(request).await;
        wire.answer(&asked, "done").await;
    });
    assert_eq!(result.text(), "done");
}

#[tokio::test]
async fn an_answer_that_is_no_text_fails_its_call_alone() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let broken = call(&registry, "test__act", json!({"n": 1}));
    let whole = call(&registry, "test__act", json!({"n": 2}));
    let (broken, whole, ()) = tokio::join!(broken, whole, async {
        let first = wire.expect("tools/call").await;
        let second = wire.expect("tools/call").await;
        let mut line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{\"content\":[\"", first["id"]).into_bytes();
        line.extend(b"\xe4\"]}}\n");
        wire.send_raw(&line).await;
        wire.answer(&second, "done").await;
    });
    assert_eq!(broken.error().unwrap().kind(), ToolErrorKind::Mcp);
    assert!(broken.error().unwrap().message().contains("UTF-8"), "{}", broken.text());
    assert_eq!(whole.text(), "done");
}

#[tokio::test]
async fn a_large_answer_comes_whole() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let text = "x".repeat(300_000);
    let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
        let asked = wire.expect("tools/call").await;
        wire.answer(&asked, &text).await;
    });
    assert_eq!(result.text().len(), text.len());
}

#[tokio::test]
async fn an_answer_beyond_the_cap_fails_its_call_alone() {
    let server = McpServer::given("test").largest_message(100_000);
    let (registry, servers, mut wire) = ready_as(server, &["act"]).await;
    let long = call(&registry, "test__act", json!({"n": 1}));
    let short = call(&registry, "test__act", json!({"n": 2}));
    let (long, short, ()) = tokio::join!(long, short, async {
        let first = wire.expect("tools/call").await;
        let second = wire.expect("tools/call").await;
        wire.answer(&first, &"x".repeat(300_000)).await;
        wire.answer(&second, "done").await;
    });
    let error = long.error().unwrap();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(error.message().contains("100000 are read at most"), "{error}");
    assert_eq!((short.text().as_ref(), servers.status()[0].state), ("done", McpServerState::Ready));
}

#[tokio::test(start_paused = true)]
async fn a_line_that_never_ends_costs_its_call_and_what_came_before_it_is_there() {
    let server = McpServer::given("test").largest_message(1 << 16).timeout(Duration::from_secs(5));
    let (registry, _servers, mut wire) = ready_as(server, &["act"]).await;
    let one = call(&registry, "test__act", json!({"n": 1}));
    let two = call(&registry, "test__act", json!({"n": 2}));
    let (one, two, ()) = tokio::join!(one, two, async {
        let first = wire.expect("tools/call").await;
        wire.expect("tools/call").await;
        wire.answer(&first, "before").await;
        let endless = vec![b'y'; 1 << 16];
        for _ in 0..200 {
            wire.send_raw(&endless).await;
        }
    });
    assert_eq!(one.text(), "before");
    assert_eq!(two.error().unwrap().kind(), ToolErrorKind::Timeout);
}

#[tokio::test]
async fn an_answer_that_is_none_fails_its_call() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    for (answer, told) in [
        (json!({"error": "no object"}), "refused the call: no object"),
        (json!({}), "neither a result nor an error"),
        (json!({"result": 7}), "no result of a call"),
        (json!({"result": {"content": 7}}), "no result of a call"),
        (json!({"result": {"resultType": "task", "task": {"taskId": "t"}}}), "not offered here"),
    ] {
        let (result, ()) = tokio::join!(call(&registry, "test__act", json!({})), async {
            let asked = wire.expect("tools/call").await;
            let mut message = answer.clone();
            message["jsonrpc"] = json!("2.0");
            message["id"] = asked["id"].clone();
            wire.send(message).await;
        });
        let error = result.error().unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(error.kind(), ToolErrorKind::Mcp);
        assert!(error.message().contains(told), "{answer}: {error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_fails_alone_and_in_time() {
    let (silent, _kept) = pair();
    let (stream, mut wire) = pair();
    let registry = registry();
    let (reader, writer) = split(silent);
    let servers = one(McpServer::given("good"), stream).connection(
        McpServer::given("silent").connect_timeout(Duration::from_secs(30)),
        reader,
        writer,
    );
    let before = tokio::time::Instant::now();
    let (servers, ()) = tokio::join!(servers.connect(&registry), wire.ready(&["read"]));
    assert_eq!(before.elapsed().as_secs(), 30);
    let status = servers.status();
    assert_eq!((status[0].state, status[1].code), (McpServerState::Ready, Some(2707)));
    assert_eq!(names(&registry), ["good__read"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ignores_unknown_requests_costs_the_probe_and_no_more() {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(McpServer::given("old").probe_timeout(Duration::from_secs(5)), stream);
    let before = tokio::time::Instant::now();
    let (servers, ()) = tokio::join!(servers.connect(&registry), async {
        wire.expect("server/discover").await;
        let initialize = wire.expect("initialize").await;
        let server = json!({"name": "old", "version": "1"});
        let result =
            json!({"protocolVersion": "2025-03-26", "capabilities": {"tools": {}}, "serverInfo": server});
        wire.reply(&initialize, result).await;
        wire.list(&["read"]).await;
    });
    assert_eq!(before.elapsed().as_secs(), 5);
    assert_eq!(servers.status()[0].protocol.as_deref(), Some("2025-03-26"));
}

/// A server that can be connected again: each connection comes out of the channel.
fn again(server: McpServer) -> (haft::source::mcp::McpServersBuilder, mpsc::UnboundedReceiver<Wire>) {
    let (sender, connections) = mpsc::unbounded_channel();
    let servers = McpServers::builder().connector(server, move || {
        let (stream, wire) = pair();
        let sent = sender.send(wire);
        async move {
            sent.map_err(|_| std::io::Error::other("nobody is there"))?;
            Ok(split(stream))
        }
    });
    (servers, connections)
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_ends_its_calls_and_is_made_again() {
    let (servers, mut connections) = again(McpServer::given("s"));
    let registry = registry();
    let mut events = servers.subscribe();
    let (servers, mut wire) = tokio::join!(servers.connect(&registry), async {
        let mut wire = connections.recv().await.unwrap();
        wire.ready(&["act"]).await;
        wire
    });
    let (lost, ()) = tokio::join!(call(&registry, "s__act", json!({})), async {
        wire.expect("tools/call").await;
        drop(wire);
    });
    let error = lost.error().unwrap();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(error.message().contains("the connection was lost"), "{error}");
    // The tools stay, and the next call works on the next connection.
    assert_eq!(names(&registry), ["s__act"]);
    let (result, _wire) = tokio::join!(call(&registry, "s__act", json!({})), async {
        let mut wire = connections.recv().await.unwrap();
        wire.ready(&["act"]).await;
        let asked = wire.expect("tools/call").await;
        wire.answer(&asked, "again").await;
        wire
    });
    assert_eq!(result.text(), "again");
    drop(servers);
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        told.push(match event.what {
            McpServerChange::Connecting { attempt } => format!("connecting {attempt}"),
            McpServerChange::Ready { tools, era: McpEra::Legacy, .. } => format!("ready {tools}"),
            McpServerChange::Failed { error, retry_in } => format!("{} {}", error.code(), retry_in.is_some()),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(told, ["connecting 1", "ready 1", "2710 true", "connecting 2", "ready 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_ends_at_the_newest_protocol_is_spoken_to_in_the_older_one() {
    let (servers, mut connections) = again(McpServer::given("s"));
    let registry = registry();
    let (servers, _wire) = tokio::join!(servers.connect(&registry), async {
        let mut wire = connections.recv().await.unwrap();
        wire.expect("server/discover").await;
        drop(wire);
        let mut wire = connections.recv().await.unwrap();
        let initialize = wire.next().await.unwrap();
        assert_eq!(initialize["method"], "initialize");
        let server = json!({"name": "old", "version": "1"});
        let result =
            json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": server});
        wire.reply(&initialize, result).await;
        wire.list(&["read"]).await;
        wire
    });
    assert_eq!(
        (names(&registry), servers.status()[0].era),
        (vec!["s__read".to_owned()], Some(McpEra::Legacy))
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_too_late_for_the_newest_protocol_and_knows_no_other_is_asked_again() {
    let (servers, mut connections) = again(McpServer::given("s"));
    let registry = registry();
    let (servers, _wire) = tokio::join!(servers.connect(&registry), async {
        let mut wire = connections.recv().await.unwrap();
        wire.expect("server/discover").await;
        let initialize = wire.expect("initialize").await;
        wire.refuse(&initialize, -32601, "Method not found").await;
        let mut wire = connections.recv().await.unwrap();
        let discover = wire.expect("server/discover").await;
        tokio::time::sleep(Duration::from_secs(20)).await;
        wire.discovered(&discover).await;
        wire.list(&["read"]).await;
        wire
    });
    assert_eq!(
        (names(&registry), servers.status()[0].era),
        (vec!["s__read".to_owned()], Some(McpEra::Modern))
    );
}

/// Some servers do not name another version, but refuse the one that is asked for.
#[tokio::test]
async fn a_server_that_refuses_every_version_is_told_of_in_its_own_words() {
    let (servers, mut connections) = again(McpServer::given("s"));
    let registry = registry();
    let (servers, ()) = tokio::join!(servers.connect(&registry), async {
        for _ in 0..2 {
            let mut wire = connections.recv().await.unwrap();
            let discover = wire.expect("server/discover").await;
            wire.refuse(&discover, -32601, "Method not found").await;
            if let Some(initialize) = wire.next().await {
                wire.refuse(&initialize, -32602, "only 2024-11-05 is spoken here").await;
            }
        }
    });
    let error = servers.status()[0].error.clone().unwrap();
    assert!(error.contains("only 2024-11-05 is spoken here"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_with_each_list_that_it_has_changed_is_not_asked_without_pause() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let before = tokio::time::Instant::now();
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    wire.send(notification.clone()).await;
    for _ in 0..10 {
        wire.list(&["act"]).await;
        wire.send(notification.clone()).await;
    }
    assert!(before.elapsed() >= Duration::from_secs(9), "{:?}", before.elapsed());
    assert_eq!(names(&registry), ["test__act"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_can_not_be_written_to_any_more_is_connected_again() {
    let (sender, mut connections) = mpsc::unbounded_channel();
    let servers = McpServers::builder().connector(McpServer::given("s"), move || {
        let (input, output) = (tokio::io::duplex(1 << 16), tokio::io::duplex(1 << 16));
        let sent = sender.send((input.1, output.1));
        async move {
            sent.map_err(|_| std::io::Error::other("nobody is there"))?;
            Ok((output.0, input.0))
        }
    });
    let registry = registry();
    let (_servers, output) = tokio::join!(servers.connect(&registry), async {
        let (input, output) = connections.recv().await.unwrap();
        let mut wire = Wire::of(input, output);
        wire.ready(&["act"]).await;
        wire.into_writer()
    });
    // It still could write.
    let lost = call(&registry, "s__act", json!({})).await;
    assert_eq!(lost.error().unwrap().kind(), ToolErrorKind::Mcp);
    let (result, ()) = tokio::join!(call(&registry, "s__act", json!({})), async {
        let (input, output) = connections.recv().await.unwrap();
        let mut wire = Wire::of(input, output);
        wire.ready(&["act"]).await;
        let asked = wire.expect("tools/call").await;
        wire.answer(&asked, "again").await;
    });
    assert_eq!(result.text(), "again");
    drop(output);
}

#[tokio::test(start_paused = true)]
async fn attempts_come_later_each_time_and_a_call_wants_one_now() {
    let times = Arc::new(Mutex::new(Vec::new()));
    let begun = tokio::time::Instant::now();
    let noted = Arc::clone(&times);
    let servers = McpServers::builder().connector(McpServer::given("s"), move || {
        noted.lock().unwrap().push(begun.elapsed());
        async { Err::<(tokio::io::Empty, tokio::io::Empty), _>(std::io::Error::other("refused")) }
    });
    let registry = registry();
    let servers = servers.connect(&registry).await;
    assert_eq!((servers.status()[0].state, servers.status()[0].code), (McpServerState::Failed, Some(2705)));
    tokio::time::sleep(Duration::from_secs(200)).await;
    let passed: Vec<u128> = times.lock().unwrap().iter().map(Duration::as_millis).collect();
    assert_eq!(passed, [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500, 63_500, 123_500, 183_500]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_tried_once_servers_are_closed() {
    let refused =
        || async { Err::<(tokio::io::Empty, tokio::io::Empty), _>(std::io::Error::other("refused")) };
    let servers = McpServers::builder().connector(McpServer::given("s"), refused);
    let mut events = servers.subscribe();
    servers.connect(&registry()).await.close().await;
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        told.push(match event.what {
            McpServerChange::Connecting { attempt } => format!("connecting {attempt}"),
            McpServerChange::Failed { error, .. } => error.code().to_string(),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(told, ["connecting 1", "2705", "Stopped"]);
}

#[tokio::test]
async fn a_connection_that_is_not_made_again_takes_its_tools_along() {
    let (registry, servers, wire) = ready(&["act"]).await;
    let mut changes = registry.changes();
    drop(wire);
    changes.changed().await;
    assert!(names(&registry).is_empty());
    assert_eq!((servers.status()[0].state, servers.status()[0].code), (McpServerState::Stopped, Some(2710)));
}

#[tokio::test]
async fn closing_takes_the_tools_away_and_calls_say_so() {
    let (registry, servers, _wire) = ready(&["act"]).await;
    let tool = registry.get("test__act").unwrap();
    servers.close().await;
    assert!(names(&registry).is_empty());
    let error = tool.call("{}", haft::ToolContext::detached()).await.unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::Mcp);
    assert!(error.message().contains("closed by the host"), "{error}");
}

/// Waits until the registry has other tools.
async fn changed(registry: &ToolRegistry, changes: &mut haft::ToolChanges) -> Vec<String> {
    changes.changed().await;
    names(registry)
}

#[tokio::test(start_paused = true)]
async fn changed_tools_are_followed_and_what_stays_is_the_same() {
    let (registry, _servers, mut wire) = ready(&["a", "b"]).await;
    let kept = registry.get("test__b").unwrap();
    let mut changes = registry.changes();
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    wire.send(notification.clone()).await;
    wire.list(&["b", "c"]).await;
    assert_eq!(changed(&registry, &mut changes).await, ["test__b", "test__c"]);
    assert!(registry.get("test__b").unwrap().is(&kept));
    // A refresh that fails keeps what there was, and the next one counts.
    wire.send(notification.clone()).await;
    let asked = wire.expect("tools/list").await;
    wire.refuse(&asked, -32603, "not now").await;
    wire.send(notification.clone()).await;
    let asked = wire.expect("tools/list").await;
    assert_eq!(names(&registry), ["test__b", "test__c"]);
    wire.reply(&asked, json!({"tools": "none"})).await;
    wire.send(notification).await;
    wire.list(&["d"]).await;
    assert_eq!(changed(&registry, &mut changes).await, ["test__d"]);
}

#[tokio::test]
async fn a_modern_server_is_listened_to() {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(McpServer::given("s"), stream);
    let (_servers, ()) = tokio::join!(servers.connect(&registry), async {
        let discover = wire.expect("server/discover").await;
        let result = json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0, "cacheScope": "private",
            "capabilities": {"tools": {"listChanged": true}},
        });
        wire.reply(&discover, result).await;
        wire.list(&["a"]).await;
    });
    let mut changes = registry.changes();
    let listen = wire.expect("subscriptions/listen").await;
    let notify = |method: &str, more: Value| {
        let mut params = json!({"_meta": {"io.modelcontextprotocol/subscriptionId": listen["id"]}});
        params.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
        json!({"jsonrpc": "2.0", "method": method, "params": params})
    };
    let filter = json!({"notifications": listen["params"]["notifications"]});
    wire.send(notify("notifications/subscriptions/acknowledged", filter)).await;
    // What changed before it listened is looked for.
    wire.list(&["a", "b"]).await;
    assert_eq!(changed(&registry, &mut changes).await, ["s__a", "s__b"]);
    wire.send(notify("notifications/tools/list_changed", json!({}))).await;
    wire.list(&["c"]).await;
    assert_eq!(changed(&registry, &mut changes).await, ["s__c"]);
}

#[tokio::test]
async fn a_name_of_the_hosts_own_costs_that_tool_alone() {
    let (stream, mut wire) = pair();
    let own = haft::Tool::simple("s__act", |input: String| async move { input });
    let registry = ToolRegistry::builder().tool(own).build().unwrap();
    let servers = one(McpServer::given("s"), stream);
    let (servers, ()) = tokio::join!(servers.connect(&registry), wire.ready(&["act", "other"]));
    assert_eq!(names(&registry), ["s__act", "s__other"]);
    let problems = &servers.status()[0].problems;
    assert!(matches!(problems.as_slice(), [problem] if problem.code() == 2722), "{problems:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_reading_holds_up_no_sibling() {
    // A pipe so narrow that the second call does not fit.
    let (client, server) = tokio::io::duplex(2048);
    let mut stuck = Wire::new(server);
    let (stream, mut wire) = pair();
    let registry = registry();
    let (reader, writer) = split(client);
    let limit = Duration::from_secs(10);
    let server = McpServer::given("stuck").timeout(limit);
    let servers = one(McpServer::given("good"), stream).connection(server, reader, writer);
    let (servers, (), ()) =
        tokio::join!(servers.connect(&registry), wire.ready(&["act"]), stuck.ready(&["act"]));
    let big = json!({"text": "x".repeat(100_000)});
    let (one, two, good, ()) = tokio::join!(
        call(&registry, "stuck__act", big.clone()),
        call(&registry, "stuck__act", big),
        call(&registry, "good__act", json!({})),
        async {
            let asked = wire.expect("tools/call").await;
            wire.answer(&asked, "done").await;
        }
    );
    let kinds = [&one, &two].map(|result| result.error().unwrap().kind());
    assert_eq!((kinds, good.text().as_ref()), ([ToolErrorKind::Timeout; 2], "done"));
    servers.close().await;
}

#[tokio::test]
async fn a_batch_is_taken_apart() {
    let (registry, _servers, mut wire) = ready(&["act"]).await;
    let one = call(&registry, "test__act", json!({"n": 1}));
    let two = call(&registry, "test__act", json!({"n": 2}));
    let (one, two, ()) = tokio::join!(one, two, async {
        let first = wire.expect("tools/call").await;
        let second = wire.expect("tools/call").await;
        let answer = |request: &Value| {
            let text = request["params"]["arguments"]["n"].to_string();
            json!({"jsonrpc": "2.0", "id": request["id"], "result": {"content": [{"type": "text", "text": text}]}})
        };
        wire.send(json!([answer(&second), answer(&first)])).await;
    });
    assert_eq!((one.text().as_ref(), two.text().as_ref()), ("1", "2"));
}

#[test]
fn no_secret_is_shown() {
    let server = McpServer::http("s", "https://example.com/mcp").header("authorization", "Bearer hunter2");
    let program = McpServer::stdio("p", "npx").variable("TOKEN", "hunter2").arguments(["--key", "hunter2"]);
    let shown = format!(
        "{server:?} {program:?} {:?}",
        McpServers::builder().server(server.clone()).server(program.clone())
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}
