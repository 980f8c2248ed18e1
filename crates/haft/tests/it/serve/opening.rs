//! What comes before the first call is answered without the protocol's library, and nobody can tell.

use haft::{
    Dispatcher, Tool, ToolAnnotations, ToolIcon, ToolPresentation, ToolRegistry, serve::mcp::McpService,
};
use serde_json::{Value, json};

use super::{
    front::{self, service},
    kit::{Client, text, tools},
    library::Library,
};

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#;

/// What clients say of themselves, and whether all of it is ordinary.
const HELLOS: &[(bool, &str)] = &[
    (true, r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#),
    (
        true,
        r#"{"capabilities":{},"clientInfo":{"version":"1","name":"\u0063"},"protocolVersion":"2024-11-05"}"#,
    ),
    (
        true,
        r#"{"protocolVersion":"2025-03-26","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},"clientInfo":{"name":"c","title":"C","version":"1"}}"#,
    ),
    (
        true,
        r#"{"protocolVersion":"2025-06-18","capabilities":{"roots":{},"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"c","version":"1","description":"d","websiteUrl":"https://example.com"}}"#,
    ),
    (
        true,
        r#"{"protocolVersion":"2025-06-18","capabilities":{"roots":null},"clientInfo":{"name":"c","version":"1","title":null}}"#,
    ),
    (false, r#"{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#),
    (false, r#"{"protocolVersion":"2031-01-01","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#),
    (
        true,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":true},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (
        true,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":{}}},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (
        true,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{}}},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (
        true,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"sampling":{"tools":{}}},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (
        false,
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1","icons":[{"src":"https://example.com/i.png"}]}}"#,
    ),
    (
        false,
        r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"},"_meta":{"a":1}}"#,
    ),
    (false, r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c"}}"#),
    (
        false,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"x":7}},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (
        false,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"roots":{}},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (
        false,
        r#"{"protocolVersion":"2025-11-25","capabilities":{"roots":7},"clientInfo":{"name":"c","version":"1"}}"#,
    ),
    (false, r#"{"protocolVersion":"2025-11-25","capabilities":[],"clientInfo":{"name":"c","version":"1"}}"#),
    (false, r#"{"protocolVersion":7,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#),
    (false, r#"["2025-11-25",{},{"name":"c","version":"1"}]"#),
    (false, "{}"),
];

/// Lines after a handshake, each of which is answered, and whether they are ordinary.
const LINES: &[(bool, &str)] = &[
    (true, LIST),
    (true, r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#),
    (true, r#"{"id":-7,"method":"tools/list","jsonrpc":"2.0","params":null}"#),
    (true, r#"{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}"#),
    (true, r#"{"jsonrpc":"2.0","id":"","method":"\u0070ing","params":{}}"#),
    (false, r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#),
    (false, r#"{"jsonrpc":"2.0","id":1.50,"method":"ping","params":{}}"#),
    (false, r#"{"jsonrpc":"2.0","id":"\u0001haft:1","method":"ping","params":{}}"#),
    (false, r#"{"jsonrpc":"2.0","id":"\u0061","method":"ping","params":{}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"after:count"}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"odd"}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"beside":1}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","beside":1}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"progressToken":"p"}}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":1}}"#),
    (false, r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#),
    (false, r#"{"id":3,"method":"ping"}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"no/such/method"}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"prompts/list"}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"server/discover"}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"debug"}}"#),
    (
        false,
        r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    ),
];

/// Requests of the era without a handshake, and whether they are ordinary; `META` stands for what they say of themselves.
const MODERN: &[(bool, &str)] = &[
    (true, r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{META}}}"#),
    (true, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{META}}}"#),
    (
        true,
        r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{META,"progressToken":7,"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}"#,
    ),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{META},"cursor":"odd"}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{META},"beside":1}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"server/discover"}"#),
    (
        false,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2031-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    ),
    (
        false,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    ),
    (
        false,
        r#"{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":7}}}}"#,
    ),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":{META}}}"#),
    (false, r#"{"jsonrpc":"2.0","id":3,"method":"prompts/list","params":{"_meta":{META}}}"#),
    (
        false,
        r#"{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
    ),
];

fn hello(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#)
}

/// The answers to some lines, as they are written; with a line before them that is no message, so that all of it is the
/// library's, where it is to be.
async fn answers(service: &McpService, lines: &[&str], by_library: bool) -> Vec<String> {
    let mut client = Client::connect(service);
    if by_library {
        client.write("nothing that could be read\n").await;
    }
    let mut answers = Vec::new();
    for line in lines {
        client.write(format!("{line}\n")).await;
        if line.contains("\"id\"") {
            answers.push(client.line().await);
        }
    }
    let (served, last) = client.leave().await;
    assert!(last.is_empty(), "{last:?}");
    answers.push(format!("ended well: {}", served.is_ok()));
    answers
}

/// Tools whose definitions say all that ordinary ones say.
fn ordinary() -> McpService {
    let said = Tool::builder("said")
        .display_name("All \"that\" can be said")
        .description("Says\nall.")
        .annotations(ToolAnnotations::new().read_only(true).idempotent(true).open_world(false))
        .run_sync(|| haft::Json(json!({"a": 1})));
    let registry = ToolRegistry::builder().tools(tools()).tool(said.unwrap()).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).name("all \"names\"").version("1.2.3");
    let service = service.title("A title").instructions("Add, then\npay.");
    service.more_instructions(|| Some("More.".to_owned())).build()
}

#[tokio::test]
async fn the_opening_and_the_library_say_the_same_word_for_word() {
    let library = Library::listen();
    for service in [service(), ordinary()] {
        for (is_plain, params) in HELLOS {
            let hello = hello(params);
            let lines: &[&str] = if *is_plain { &[&hello, INITIALIZED, LIST] } else { &[&hello] };
            let front = answers(&service, lines, false).await;
            assert_eq!(library.took(), 0, "{params}");
            let through = answers(&service, lines, true).await;
            assert_eq!(library.took(), usize::from(*is_plain), "{params}");
            assert_eq!(front, through, "{params}");
        }
        for (is_plain, line) in LINES {
            let hello = hello(HELLOS[0].1);
            let lines = [&hello, INITIALIZED, LIST, line, LIST];
            let front = answers(&service, &lines, false).await;
            assert_eq!(library.took() == 0, *is_plain, "{line}");
            let through = answers(&service, &lines, true).await;
            assert_ne!(library.took(), 0, "{line}");
            assert_eq!(front, through, "{line}");
        }
    }
}

#[tokio::test]
async fn the_opening_and_the_library_say_the_same_without_a_handshake() {
    let library = Library::listen();
    let lines: Vec<(bool, String)> =
        MODERN.iter().map(|(is_plain, line)| (*is_plain, line.replace("META", front::MODERN))).collect();
    let [(_, discover), (_, list), ..] = lines.as_slice() else { panic!("two lines") };
    for service in [service(), ordinary()] {
        for (is_plain, line) in &lines {
            for before in [&[][..], &[discover], &[list], &[discover, list]] {
                let mut all: Vec<&str> = before.iter().map(|line| line.as_str()).collect();
                all.extend([line, list.as_str(), line]);
                let front = answers(&service, &all, false).await;
                assert!(!is_plain || library.took() == 0, "{all:?}");
                library.took();
                let through = answers(&service, &all, true).await;
                library.took();
                assert_eq!(front, through, "{all:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_list_without_a_handshake_is_answered_once_whoever_comes_next() {
    let library = Library::listen();
    let mut client = Client::modern(&service(), &json!({}));
    client.ask(1, "server/discover", json!({})).await;
    client.ask(2, "tools/list", json!({})).await;
    assert_eq!(library.took(), 0);
    assert_eq!(text(&client.call(3, "add", json!({"a": 1, "b": 2})).await), r#"{"sum":3}"#);
    client.ask(4, "tools/list", json!({"beside": 1})).await;
    let (served, last) = client.leave().await;
    served.unwrap();
    assert_eq!(last, Vec::<Value>::new());
}

#[tokio::test]
async fn a_handshake_in_doubt_is_the_librarys() {
    let library = Library::listen();
    for (is_plain, params) in HELLOS {
        let hello = hello(params);
        let mut client = Client::connect(&service());
        client.write(format!("{hello}\n")).await;
        let answer = client.message().await;
        if answer.get("result").is_none() {
            assert!(!is_plain, "{params}: {answer}");
            continue;
        }
        client.write(format!("{INITIALIZED}\n{LIST}\n")).await;
        client.message().await;
        assert_eq!(library.took(), usize::from(!is_plain), "{params}");
    }
}

#[tokio::test]
async fn more_tools_than_go_on_a_page_are_the_librarys() {
    let library = Library::listen();
    let registry = ToolRegistry::builder().tools(tools()).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).page_size(3).build();
    let list = Client::legacy(&service, json!({})).await.ask(1, "tools/list", json!({})).await;
    assert!(list["result"]["nextCursor"].is_string(), "{list}");
    assert_eq!(library.took(), 1);
}

#[tokio::test]
async fn tools_that_show_more_than_words_are_the_librarys() {
    let library = Library::listen();
    let shown = Tool::builder("shown").description("Shown.");
    let shown = shown.presentation(ToolPresentation::new().icon(ToolIcon::new("https://example.com/i.png")));
    let registry = ToolRegistry::builder().tool(shown.run_sync(|| "x").unwrap()).build().unwrap();
    let service = McpService::builder(Dispatcher::new(registry)).build();
    let list = Client::legacy(&service, json!({})).await.ask(1, "tools/list", json!({})).await;
    assert!(list["result"]["tools"][0]["icons"].is_array(), "{list}");
    assert_eq!(library.took(), 1);
}

#[tokio::test]
async fn what_is_no_request_of_a_beginning_has_no_answer_and_ends_nothing() {
    let mut client = Client::connect(&service());
    client.write(concat!(r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#, "\n")).await;
    assert_eq!(client.message().await["result"], json!({}));
    client.write(format!("{INITIALIZED}\n")).await;
    client.write(format!("{}\n{INITIALIZED}\n{INITIALIZED}\n", hello(HELLOS[0].1))).await;
    client.message().await;
    assert_eq!(text(&client.call(2, "add", json!({"a": 1, "b": 2})).await), r#"{"sum":3}"#);
}

fn tool(name: &str) -> Tool {
    Tool::simple(name, |input: String| async move { input }).unwrap()
}

fn is_told(message: &Value) -> bool {
    message == &json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
}

/// Changes before, at and after the moment at which the library is begun.
#[tokio::test]
async fn changes_are_told_whoever_answers() {
    for round in 0..50 {
        let registry = ToolRegistry::builder().tool(tool("first")).build().unwrap();
        let service = McpService::builder(Dispatcher::new(registry.clone())).build();
        let add = |name: &str| registry.update(|builder| builder.tool(tool(name))).unwrap();
        let mut client = Client::legacy(&service, json!({})).await;
        client.ask(1, "tools/list", json!({})).await;
        add("second");
        assert!(is_told(&client.message().await), "round {round}");
        let list = client.ask(2, "tools/list", json!({})).await;
        assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 2, "{list}");
        client.request(3, "tools/call", json!({"name": "first", "arguments": {"input": "x"}})).await;
        for _ in 0..round % 10 {
            tokio::task::yield_now().await;
        }
        add("third");
        let mut told = 0;
        let mut answered = 0;
        while told == 0 || answered == 0 {
            match client.message().await {
                message if is_told(&message) => told += 1,
                answer => answered += usize::from(answer["id"] == 3),
            }
        }
        // What was told of it once more comes before this.
        client.request(4, "ping", json!({})).await;
        while client.message().await["id"] != 4 {}
        add("fourth");
        assert!(is_told(&client.message().await), "round {round}");
    }
}

#[tokio::test]
async fn a_shutdown_ends_the_opening() {
    let service = service();
    let mut client = Client::legacy(&service, json!({})).await;
    client.ask(1, "ping", json!({})).await;
    service.shutdown();
    let (served, last) = client.leave().await;
    assert!(served.is_ok() && last.is_empty(), "{served:?} {last:?}");
}
