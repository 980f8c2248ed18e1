//! A plainly valid call is answered without the protocol's library, and nobody can tell.

use std::{sync::atomic::Ordering, time::Duration};

use haft::{Content, Dispatcher, Json, Tool, ToolOutput, ToolRegistry, serve::mcp::McpService};
use serde_json::{Value, json};

use super::{
    endless::{endless, has_ended},
    kit::{Client, text, tools},
    library::Library,
};

/// Who is to answer a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum By {
    /// The front, as long as nothing about the request is odd.
    Front,
    /// The library, whatever stands beside.
    Library,
    /// Neither: it can not be read.
    Reader,
}

/// All tools, and some whose results have every form.
pub(crate) fn service() -> McpService {
    let names = Tool::builder("names").description("An array.").read_only(true);
    let blocks = Tool::builder("blocks").description("Two blocks.").read_only(true).run_sync(|| {
        let image = Content::Image { data: "AAAA".into(), mime_type: "image/png".into() };
        ToolOutput::blocks(vec![Content::text("one"), image])
    });
    let more = [
        names.run_sync(|| Json(json!(["a", "b"]))).unwrap(),
        blocks.unwrap(),
        Tool::builder("nothing_said").description("Says nothing.").run_sync(ToolOutput::empty).unwrap(),
        Tool::builder("breaks").description("Breaks.").run_sync(|| -> String { panic!("broken") }).unwrap(),
    ];
    let registry = ToolRegistry::builder().tools(tools()).tools(more).build().unwrap();
    McpService::builder(Dispatcher::new(registry)).name("test").build()
}

/// The parameters of calls, as they are written, and who answers them; `META` stands for what a request of an era says of itself.
pub(crate) const CALLS: &[(By, &str)] = &[
    (By::Front, r#"{"name":"add","arguments":{"a":1,"b":2}META}"#),
    (By::Front, r#"{"name":"add","arguments":{"b": 2e0, "a":1}META}"#),
    (By::Front, r#"{"name":"\u0061dd","arguments":{"a":1,"b":2}META}"#),
    (By::Front, r#"{"arguments":{"a":1,"b":2},"name":"add"META}"#),
    (By::Front, r#"{"name":"add","arguments":{"a":"1","b":2}META}"#),
    (By::Front, r#"{"name":"add","arguments":{"a":"one"}META}"#),
    (By::Front, r#"{"name":"add","arguments":{"a":1,"b":2,"c":3}META}"#),
    (By::Front, r#"{"name":"add","arguments":{}META}"#),
    (By::Front, r#"{"name":"add","arguments":null META}"#),
    (By::Front, r#"{"name":"add"META}"#),
    (By::Front, r#"{"name":"fail"META}"#),
    (By::Front, r#"{"name":"breaks"META}"#),
    (By::Front, r#"{"name":"names"META}"#),
    (By::Front, r#"{"name":"blocks"META}"#),
    (By::Front, r#"{"name":"nothing_said"META}"#),
    (By::Front, r#"{"name":"pay","arguments":{"amount":5}META}"#),
    (By::Front, r#"{"name":"greet"META}"#),
    (By::Front, r#"{"name":"count"META}"#),
    (By::Front, r#"{"name":"count"META+"progressToken":"p"}"#),
    (By::Front, r#"{"name":"count"META+"progressToken":7}"#),
    (By::Front, r#"{"name":"count"META+"progressToken":null}"#),
    (By::Front, r#"{"name":"count"META+"io.modelcontextprotocol/logLevel":"debug"}"#),
    (By::Front, r#"{"name":"count"META+"example.com/trace":{"a":[1]}}"#),
    (By::Front, r#"{"name":"pay","arguments":{"amount":5}META+"progressToken":"p"}"#),
    (By::Library, r#"{"name":"count"META+"progressToken":{}}"#),
    (By::Library, r#"{"name":"count"META+"progressToken":1.5}"#),
    (By::Library, r#"{"name":"count"META+"io.modelcontextprotocol/logLevel":"loud"}"#),
    (By::Library, r#"{"name":"none"META}"#),
    (By::Library, r#"{"name":""META}"#),
    (By::Library, r#"{"name":"add","arguments":[1,2]META}"#),
    (By::Library, r#"{"name":"add","arguments":7 META}"#),
    (By::Library, r#"{"name":"add","inputResponses":{}META}"#),
    (By::Library, r#"{"name":"add","requestState":"forged"META}"#),
    (By::Library, r#"{"name":"add","task":{}META}"#),
    (By::Library, r#"{"name":"add","_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01"}}"#),
    (By::Library, r#"{"name":"add","_meta":{"io.modelcontextprotocol/protocolVersion":"2025-06-18"}}"#),
    (By::Library, r#"{"name":"add","_meta":{"io.modelcontextprotocol/protocolVersion":7}}"#),
    (By::Library, r#"{"name":"add","_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}"#),
    (By::Reader, r#"{"name":7 META}"#),
    (By::Reader, r#"{"arguments":{}META}"#),
    (By::Reader, r#"{"name":"add","name":"add"META}"#),
    (By::Reader, r#"{"name":"add","_meta":7}"#),
    (By::Reader, "[1]"),
];

pub(crate) const LEGACY: &str = "";
pub(crate) const MODERN: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// The parameters with what a request of an era says of itself.
pub(crate) fn params(written: &str, era: &str) -> String {
    match written.split_once("META+") {
        Some((before, after)) if era.is_empty() => format!("{before},\"_meta\":{{{after}}}"),
        Some((before, after)) => format!("{before},\"_meta\":{{{era},{after}}}"),
        None if era.is_empty() => written.replace("META", ""),
        None => written.replace("META", &format!(",\"_meta\":{{{era}}}")),
    }
}

/// The same with a member that no call has, which is in doubt and harmless.
pub(crate) fn in_doubt(params: &str) -> String {
    match params.strip_suffix('}') {
        Some(params) => format!("{params},\"beside\":1}}"),
        None => params.to_owned(),
    }
}

pub(crate) async fn started(service: &McpService, era: &str, capabilities: Value) -> Client {
    let mut client = match era {
        LEGACY => Client::legacy(service, capabilities).await,
        _ => Client::modern(service, &capabilities),
    };
    // Once a request that is no part of the opening has passed through, the client is known.
    client.ask("first", "tools/list", json!({"beside": 1})).await;
    client
}

/// All that is said until the answer to a request, word for word, without where in a text something was found.
async fn said(client: &mut Client, id: &str, params: &str) -> Vec<String> {
    let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#);
    client.write(line + "\n").await;
    let mut said = Vec::new();
    loop {
        let line = client.line().await;
        let is_last = line.contains(&format!("\"id\":{id}")) && !line.contains("\"method\"");
        said.push(line.split(" at line 1 column").next().unwrap_or_default().to_owned());
        if is_last {
            return said;
        }
    }
}

#[tokio::test]
async fn the_front_and_the_library_say_the_same_word_for_word() {
    let library = Library::listen();
    let service = service();
    for era in [LEGACY, MODERN] {
        let mut client = started(&service, era, json!({})).await;
        let mut answered = 0;
        for (by, written) in CALLS {
            let params = params(written, era);
            library.took();
            let front = said(&mut client, "1", &params).await;
            let took = library.took();
            let through = said(&mut client, "1", &in_doubt(&params)).await;
            assert_eq!(front, through, "{params}");
            assert_eq!(took, usize::from(*by == By::Library), "{by:?}: {params}: {front:?}");
            assert_eq!(library.took(), usize::from(*by != By::Reader), "{params}");
            answered += usize::from(*by == By::Front);
        }
        assert!(answered > 20);
    }
}

#[tokio::test]
async fn an_id_comes_back_as_it_was_written_from_the_front_too() {
    let library = Library::listen();
    let mut client = started(&service(), LEGACY, json!({})).await;
    library.took();
    for id in
        ["0", "-7", r#""""#, r#""0""#, "9007199254740993", "18446744073709551615", "1.5", r#""\u0001haft:1""#]
    {
        let answer = said(&mut client, id, r#"{"name":"add","arguments":{"a":1,"b":2}}"#).await;
        assert!(answer[0].contains(&format!("\"id\":{id}")), "{id}: {answer:?}");
    }
    assert_eq!(library.took(), 0);
}

#[tokio::test]
async fn a_version_of_json_rpc_that_is_not_plain_is_in_doubt() {
    let library = Library::listen();
    let mut client = started(&service(), LEGACY, json!({})).await;
    library.took();
    for version in ["", r#""jsonrpc":"1.0","#, r#""jsonrpc":null,"#] {
        let call = r#""id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}"#;
        client.write(format!("{{{version}{call}\n")).await;
        assert_eq!(client.message().await["result"]["structuredContent"], json!({"sum": 3}));
        assert_eq!(library.took(), 1, "{version}");
    }
}

/// Calls through the front, and the same in doubt, with what a person answers; all that is said.
async fn dialogue(library: &Library, in_doubt: bool) -> Vec<Value> {
    let mut client = started(&service(), LEGACY, json!({"elicitation": {}})).await;
    library.took();
    let mut all = Vec::new();
    let yes = json!({"decision": "approve"});
    for (name, answers) in
        [("greet", vec![json!({"answer": 7}), json!({"answer": "Ada"})]), ("pay", vec![yes])]
    {
        let mut params =
            json!({"name": name, "arguments": if name == "pay" { json!({"amount": 5}) } else { json!({}) }});
        if in_doubt {
            params["beside"] = 1.into();
        }
        client.request(name, "tools/call", params).await;
        for content in answers {
            let question = client.message().await;
            assert_eq!(question["method"], "elicitation/create", "{question}");
            let accepted = json!({"action": "accept", "content": content});
            client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": accepted})).await;
            all.push(question);
        }
        all.push(client.message().await);
    }
    assert_eq!(library.took(), if in_doubt { 2 } else { 0 });
    all
}

#[tokio::test]
async fn a_call_that_asks_does_so_from_the_front_too() {
    let library = Library::listen();
    let front = dialogue(&library, false).await;
    assert_eq!((text(&front[2]), text(&front[4])), ("Hello, Ada!", "paid 5"));
    assert_eq!(front, dialogue(&library, true).await);
}

#[tokio::test]
async fn without_a_session_a_call_that_asks_does_so_by_its_answer() {
    let library = Library::listen();
    let mut client = started(&service(), MODERN, json!({"elicitation": {}})).await;
    library.took();
    let pay = json!({"name": "pay", "arguments": {"amount": 5}});
    let mut asked = client.ask(1, "tools/call", pay.clone()).await;
    assert_eq!(library.took(), 0);
    let mut doubted = pay.clone();
    doubted["beside"] = 1.into();
    let mut through = client.ask(1, "tools/call", doubted).await;
    let state = asked["result"]["requestState"].take();
    through["result"]["requestState"].take();
    assert_eq!(asked, through);
    library.took();
    let mut again = pay;
    again["requestState"] = state;
    again["inputResponses"] = json!({"approval": {"action": "accept", "content": {"decision": "approve"}}});
    assert_eq!(text(&client.ask(2, "tools/call", again).await), "paid 5");
    assert_eq!(library.took(), 1);
}

#[tokio::test]
async fn a_call_of_the_front_that_is_cancelled_ends_without_an_answer() {
    let library = Library::listen();
    for era in [LEGACY, MODERN] {
        let (begun, dropped, dispatcher) = endless(Duration::ZERO);
        let service = McpService::builder(dispatcher.clone()).build();
        let mut client = started(&service, era, json!({})).await;
        library.took();
        client.request(7, "tools/call", json!({"name": "endless"})).await;
        begun.notified().await;
        assert_eq!(library.took(), 0);
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        client.send(&cancelled).await;
        has_ended(&dropped, &dispatcher).await;
        // The id is free again, and its new call has the only answer.
        client.request(7, "tools/call", json!({"name": "none"})).await;
        assert_eq!(client.message().await["error"]["code"], -32602);
        let (served, last) = client.leave().await;
        served.unwrap();
        assert_eq!(last, Vec::<Value>::new());
    }
}

#[tokio::test]
async fn a_shutdown_ends_a_call_of_the_front_which_has_an_answer() {
    let library = Library::listen();
    let (begun, dropped, dispatcher) = endless(Duration::ZERO);
    let service = McpService::builder(dispatcher).build();
    let mut client = started(&service, LEGACY, json!({})).await;
    library.took();
    client.request(1, "tools/call", json!({"name": "endless"})).await;
    begun.notified().await;
    assert_eq!(library.took(), 0);
    service.shutdown();
    let answer = client.message().await;
    assert!(text(&answer).contains(r#""kind":"cancelled""#), "{answer}");
    assert!(client.next().await.is_none(), "the server hangs up");
    assert!(dropped.load(Ordering::SeqCst));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_has_the_answers_of_the_front() {
    let library = Library::listen();
    let slow = Tool::builder("slow").description("Takes a second.").read_only(true).run(|| async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        "done"
    });
    let registry = ToolRegistry::builder().tool(slow.unwrap()).build().unwrap();
    let service = McpService::builder(Dispatcher::builder(registry).concurrency(1).build()).build();
    let mut client = started(&service, LEGACY, json!({})).await;
    library.took();
    for id in 0..20 {
        client.request(id, "tools/call", json!({"name": "slow"})).await;
    }
    let (served, last) = client.leave().await;
    served.unwrap();
    assert_eq!(last.iter().filter(|answer| text(answer) == "done").count(), 20);
    assert_eq!(library.took(), 0);
}

#[tokio::test]
async fn progress_of_a_call_of_the_front_comes_before_its_answer() {
    let library = Library::listen();
    for era in [LEGACY, MODERN] {
        let mut client = started(&service(), era, json!({})).await;
        library.took();
        client.request(1, "tools/call", json!({"name": "count", "_meta": {"progressToken": "p"}})).await;
        let mut steps = Vec::new();
        let answer = loop {
            let message = client.message().await;
            match message["method"].as_str() {
                Some("notifications/progress") => steps.push(message["params"]["progress"].clone()),
                Some(_) => {}
                None => break message,
            }
        };
        assert_eq!((steps, text(&answer)), (vec![json!(1.0), json!(2.0), json!(3.0)], "three"));
        assert_eq!(library.took(), 0);
    }
}
