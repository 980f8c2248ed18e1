//! Clients that do everything wrong: nothing hangs, no other call suffers, memory is bounded.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use haft::{Dispatcher, Progress, Tool, ToolRegistry, serve::mcp::McpService};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use super::kit::{Client, DEADLINE, service, text};

#[tokio::test]
async fn garbage_is_dropped_and_what_stands_between_it_answered() {
    let mut client = Client::legacy(&service(), json!({})).await;
    let garbage: [&[u8]; 14] = [
        b"\n",
        b"   \r\n",
        b"GET / HTTP/1.1\r\n",
        b"\xff\xfe\x00\n",
        b"{\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1\n",
        b"null\n",
        b"\"text\"\n",
        b"[]\n",
        b"[1,2\n",
        b"{\"id\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":7}\n",
        b"{\"a\":1,\"a\":2,\"method\":\"ping\",\"method\":\"ping\"}\n",
    ];
    for (number, line) in garbage.iter().enumerate() {
        client.write(line).await;
        client.ask(number, "ping", json!({})).await;
    }
    let (served, last) = client.leave().await;
    served.unwrap();
    assert_eq!(last, Vec::<Value>::new());
}

#[tokio::test]
async fn garbage_before_the_handshake_is_no_end_either() {
    let mut client = Client::connect(&service());
    client.write("hello?\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
    client.write("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n").await;
    let refused = client.ask(1, "tools/call", json!({"name": "add"})).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let told = |answer: &Value| answer["error"]["message"].as_str().unwrap().to_owned();
    assert!(told(&refused).contains("begin with `initialize`"), "{refused}");
    for (hello, wrong) in [
        (Value::Null, "protocolVersion"),
        (json!({"protocolVersion": "2025-06-18", "capabilities": {}}), "clientInfo"),
        (json!({"protocolVersion": 5, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}), "5"),
    ] {
        let refused = client.ask(1, "initialize", hello).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(told(&refused).contains("initialize can not be read"), "{refused}");
        assert!(told(&refused).contains(wrong), "{refused}");
    }
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    assert!(client.ask(2, "initialize", hello).await["result"].is_object());
}

#[tokio::test]
async fn half_a_message_and_an_early_end() {
    for text in ["", "{", "{\"jsonrpc\":\"2.0\",\"id\":1", "\n\n"] {
        let mut client = Client::connect(&service());
        client.write(text).await;
        let (served, last) = client.leave().await;
        assert!(served.is_ok() && last.is_empty(), "{text:?}: {served:?} {last:?}");
    }
    let mut client = Client::legacy(&service(), json!({})).await;
    client
        .write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"pay\",")
        .await;
    let (served, last) = client.leave().await;
    assert!(served.is_ok() && last.len() == 1, "{served:?} {last:?}");
    assert_eq!((&last[0]["id"], &last[0]["error"]["code"]), (&json!(1), &json!(-32700)), "{last:?}");
}

#[tokio::test]
async fn a_last_line_without_an_end_is_answered() {
    let mut client = Client::legacy(&service(), json!({})).await;
    client.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").await;
    let (served, last) = client.leave().await;
    served.unwrap();
    assert_eq!(last, [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
}

#[tokio::test]
async fn a_line_that_is_too_long_costs_only_itself() {
    let mut client = Client::connect_with(&service(), 1 << 20);
    let chunk = vec![b'x'; 1 << 20];
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"").await;
    for _ in 0..40 {
        client.write(&chunk).await;
    }
    client.write(b"\"}\n").await;
    client.write("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n").await;
    let refused = client.message().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(1), &json!(-32600)));
    let bytes = 40 * (1 << 20) + 36;
    let told = format!("the message has {bytes} bytes; 16777216 are read at most");
    assert_eq!(refused["error"]["message"], json!(told));
    assert_eq!(client.message().await["id"], 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_at_once_are_all_answered() {
    const CALLS: usize = 10_000;
    let service = service();
    let mut client = Client::legacy(&service, json!({})).await;
    let mut lines = String::new();
    for id in 0..CALLS {
        let arguments = if id % 10 == 3 { json!({"a": "x"}) } else { json!({"a": id, "b": 1}) };
        let params = json!({"name": "add", "arguments": arguments});
        lines.push_str(
            &json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string(),
        );
        lines.push('\n');
    }
    // All is written before anything is read, as by a client that has not thought about it.
    client.write(&lines).await;
    let mut sums = vec![None; CALLS];
    for _ in 0..CALLS {
        let answer = client.message().await;
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        let sum = answer["result"]["structuredContent"]["sum"].as_u64();
        assert_eq!(answer["result"]["isError"] == json!(true), sum.is_none(), "{answer}");
        assert!(sums[id].replace(sum).is_none(), "{id} is answered once");
    }
    for (id, sum) in sums.into_iter().enumerate() {
        assert_eq!(sum.expect("an answer"), (id % 10 != 3).then_some(id as u64 + 1));
    }
}

/// Calls that each give 64 KiB back, and how many have run.
fn large() -> (Arc<AtomicUsize>, McpService) {
    let ran = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&ran);
    let tool = Tool::builder("large").description("Much.").read_only(true).run_sync(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        "x".repeat(64 * 1024)
    });
    let registry = ToolRegistry::builder().tool(tool.unwrap()).build().unwrap();
    (ran, McpService::builder(Dispatcher::new(registry)).build())
}

#[tokio::test]
async fn a_client_that_never_reads_is_not_worked_for_endlessly() {
    let (ran, service) = large();
    let mut client = Client::legacy(&service, json!({})).await;
    let call = json!({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "large"}});
    let mut written = 0_usize;
    loop {
        let line = call.to_string().replacen("\"id\":0", &format!("\"id\":{written}"), 1) + "\n";
        let mut rest = line.as_bytes();
        // The server takes no more once the pipe stays full while no call runs any more.
        while !rest.is_empty() {
            let before = ran.load(Ordering::SeqCst);
            match tokio::time::timeout(Duration::from_millis(500), client.writer.write(rest)).await {
                Ok(taken) => rest = &rest[taken.unwrap()..],
                Err(_) if ran.load(Ordering::SeqCst) == before => break,
                Err(_) => {}
            }
        }
        if !rest.is_empty() {
            break;
        }
        written += 1;
        assert!(written < 20_000, "everything is read, though nothing of the answers is");
    }
    // 16 MiB of answers, what was taken up by then, and not one more.
    let done = ran.load(Ordering::SeqCst);
    assert!((256..=256 + 1_024 + 64).contains(&done), "{done} of {written} calls have run");
    tokio::time::timeout(DEADLINE, client.vanish()).await.expect("the server ends").ok();
}

#[tokio::test]
async fn a_client_that_does_not_read_holds_up_no_other() {
    let (_, service) = large();
    let mut deaf = Client::legacy(&service, json!({})).await;
    for id in 0..64 {
        deaf.request(id, "tools/call", json!({"name": "large", "_meta": {"progressToken": id}})).await;
    }
    let mut other = Client::legacy(&service, json!({})).await;
    assert_eq!(text(&other.call(1, "large", json!({})).await).len(), 64 * 1024);
    drop(deaf);
}

#[tokio::test]
async fn progress_that_nobody_reads_is_bounded() {
    let talks = Tool::builder("talks").description("Reports much.").read_only(true).run(
        |progress: Progress| async move {
            for step in 0..200_000_u32 {
                progress.report(f64::from(step), 200_000.0);
                if step % 1_000 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            "done"
        },
    );
    let registry = ToolRegistry::builder().tool(talks.unwrap()).build().unwrap();
    let dispatcher = Dispatcher::new(registry);
    let service = McpService::builder(dispatcher.clone()).build();
    let mut client = Client::legacy(&service, json!({})).await;
    client.request("c", "tools/call", json!({"name": "talks", "_meta": {"progressToken": "p"}})).await;
    let idle = async {
        while dispatcher.status().running != 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, idle).await.expect("the call ends though nobody reads");
    // The client reads at last: its answer comes, behind what was kept of the progress.
    let mut reports = 0;
    let answer = loop {
        let message = client.message().await;
        if message["id"] == "c" {
            break message;
        }
        reports += 1;
    };
    assert_eq!(text(&answer), "done");
    assert!(reports < 20_000, "{reports} reports were kept");
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused_and_its_first_request_answered() {
    let registry = ToolRegistry::builder();
    let gate = Arc::new(tokio::sync::Notify::new());
    let opens = Arc::clone(&gate);
    let waits = Tool::builder("waits").description("Waits.").read_only(true).run(move || {
        let gate = Arc::clone(&opens);
        async move {
            gate.notified().await;
            "first"
        }
    });
    let registry = registry.tool(waits.unwrap()).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).build();
    let mut client = Client::legacy(&service, json!({})).await;
    client.request(1, "tools/call", json!({"name": "waits"})).await;
    let refused = client.ask(1, "ping", json!({})).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    gate.notify_one();
    assert_eq!(text(&client.message().await), "first");
}

#[tokio::test]
async fn a_client_that_vanishes_ends_its_session() {
    let mut client = Client::legacy(&service(), json!({})).await;
    client.request(1, "tools/call", json!({"name": "count", "_meta": {"progressToken": 1}})).await;
    client.vanish().await.ok();
    let client = Client::connect(&service());
    client.vanish().await.ok();
}

/// A tool that never ends, unless it is told to.
fn endless() -> McpService {
    let endless = Tool::builder("endless").description("Never ends.").read_only(true);
    let endless = endless.run(std::future::pending::<String>).unwrap();
    let registry = ToolRegistry::builder().tool(endless).build().unwrap();
    McpService::builder(Dispatcher::builder(registry).concurrency(2).grace(Duration::ZERO).build()).build()
}

async fn hang(client: &mut Client, calls: usize) {
    for id in 0..calls {
        client.request(id, "tools/call", json!({"name": "endless"})).await;
    }
}

#[tokio::test]
async fn behind_more_calls_than_are_worked_on_a_cancellation_is_still_heard() {
    let mut client = Client::legacy(&endless(), json!({})).await;
    hang(&mut client, 1_030).await;
    client.request("ping", "ping", json!({})).await;
    // One that waits to be taken up, and as many that run as it takes for the rest to have their turn.
    for id in [1_029].into_iter().chain(0..6) {
        let cancelled = json!({"requestId": id});
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}))
            .await;
    }
    assert_eq!(client.message().await["id"], "ping");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_more_calls_than_are_worked_on_is_let_go() {
    let mut client = Client::legacy(&endless(), json!({})).await;
    hang(&mut client, 3_000).await;
    let (served, last) = client.leave().await;
    served.unwrap();
    // Each has its answer all the same: what ran was told to end, what waited never began.
    let ids: std::collections::BTreeSet<u64> =
        last.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!((last.len(), ids.len()), (3_000, 3_000));
    let cancelled =
        |answer: &&Value| answer["result"]["isError"] == true && text(answer).contains("cancelled");
    assert!(last.iter().any(|answer| cancelled(&answer)), "{:?}", last.first());
}

#[tokio::test(start_paused = true)]
async fn what_was_called_before_the_end_is_answered_however_long_it_takes_together() {
    let slow =
        Tool::builder("slow").description("Takes two seconds.").batching(haft::BatchingStrategy::Parallel);
    let slow = slow.run(|| async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        "done"
    });
    let registry = ToolRegistry::builder().tool(slow.unwrap()).build().unwrap();
    let service = McpService::builder(Dispatcher::builder(registry).concurrency(1).build()).build();
    let mut client = Client::legacy(&service, json!({})).await;
    for id in 0..60 {
        client.request(id, "tools/call", json!({"name": "slow"})).await;
    }
    let (served, last) = client.leave().await;
    served.unwrap();
    assert_eq!(last.iter().filter(|answer| text(answer) == "done").count(), 60);
}
