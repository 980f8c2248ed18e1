//! What of a server's list becomes a tool.

use haft::{
    Tool, ToolAnnotations, ToolRegistry,
    source::mcp::{McpEra, McpProblem, McpServer, McpServerChange, McpServerState, McpServers},
};
use serde_json::{Value, json};

use super::wire::{Wire, names, one, pair, ready, ready_as, registry, tool};

/// What comes of a server whose list of tools is the work of `answer`.
async fn listed<F>(server: McpServer, answer: F) -> (haft::ToolRegistry, haft::source::mcp::McpServers, Wire)
where
    F: AsyncFnOnce(&mut Wire),
{
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(server, stream);
    let (servers, ()) = tokio::join!(servers.connect(&registry), async {
        wire.introduce().await;
        answer(&mut wire).await;
    });
    (registry, servers, wire)
}

async fn pages(wire: &mut Wire, pages: Vec<Value>) {
    for page in pages {
        let asked = wire.expect("tools/list").await;
        wire.reply(&asked, page).await;
    }
}

#[tokio::test]
async fn tools_are_named_after_their_server_and_found_by_their_own_name() {
    let (registry, servers, _wire) = ready(&["read", "get user", "get_user"]).await;
    let names = names(&registry);
    assert_eq!((names[0].as_str(), names[2].as_str()), ("test__read", "test__get_user"));
    assert!(names[1].starts_with("test__get_user_"), "{names:?}");
    assert_eq!(registry.get("get user").unwrap().name(), names[1]);
    let status = &servers.status()[0];
    assert_eq!(
        (status.state, status.era, status.tools.len()),
        (McpServerState::Ready, Some(McpEra::Legacy), 3)
    );
    assert_eq!(status.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(status.software.as_deref(), Some("test 1.0"));
}

#[tokio::test]
async fn all_pages_are_read_whatever_the_cursor() {
    let (registry, _servers, _wire) = listed(McpServer::given("s"), async |wire: &mut Wire| {
        let asked = wire.expect("tools/list").await;
        assert!(asked["params"].get("cursor").is_none());
        wire.reply(&asked, json!({"tools": [tool("a")], "nextCursor": ""})).await;
        let asked = wire.expect("tools/list").await;
        assert_eq!(asked["params"]["cursor"], "");
        wire.reply(&asked, json!({"tools": [tool("b")]})).await;
    })
    .await;
    assert_eq!(names(&registry), ["s__a", "s__b"]);
}

/// An empty cursor is one like any other; there are servers that mean the end by it, and then send the first page again.
#[tokio::test]
async fn an_empty_cursor_that_leads_nowhere_is_an_end() {
    let page = || json!({"tools": [tool("a")], "nextCursor": ""});
    let (registry, servers, _wire) =
        listed(McpServer::given("s"), async |wire: &mut Wire| pages(wire, vec![page(), page()]).await).await;
    assert_eq!(names(&registry), ["s__a"]);
    assert_eq!(servers.status()[0].problems, []);
}

#[tokio::test]
async fn a_cursor_that_never_moves_ends_the_list() {
    let page = || json!({"tools": [tool("a")], "nextCursor": "x"});
    let (registry, servers, _wire) =
        listed(McpServer::given("s"), async |wire: &mut Wire| pages(wire, vec![page(), page()]).await).await;
    assert_eq!(names(&registry), ["s__a"]);
    let problems = &servers.status()[0].problems;
    assert!(matches!(problems.as_slice(), [McpProblem::Endless { pages: 2, .. }]), "{problems:?}");
}

#[tokio::test]
async fn new_cursors_without_new_tools_end_the_list() {
    let page = |number: usize| json!({"tools": [tool("a")], "nextCursor": format!("page {number}")});
    let (registry, servers, _wire) = listed(McpServer::given("s"), async |wire: &mut Wire| {
        pages(wire, (0..4).map(page).collect()).await;
    })
    .await;
    assert_eq!(names(&registry), ["s__a"]);
    assert!(matches!(servers.status()[0].problems.as_slice(), [McpProblem::Endless { pages: 4, .. }]));
}

#[tokio::test]
async fn a_malformed_tool_costs_only_itself() {
    let (registry, servers, _wire) = listed(McpServer::given("s"), async |wire: &mut Wire| {
        let odd = json!({"name": "odd", "inputSchema": {"type": "object", "properties": {"x": true}}, "execution": {"taskSupport": "optional"}});
        let tools = json!([
            tool("first"),
            {"name": "bare", "description": "No schema."},
            {"name": "null", "description": "No schema.", "inputSchema": null},
            {"description": "No name.", "inputSchema": {"type": "object"}},
            {"name": "broken", "description": "A bad one.", "inputSchema": {"type": "no such type"}},
            {"name": "loose", "description": "Bad output.", "inputSchema": {"type": "object"}, "outputSchema": {"type": 7}},
            "text",
            tool("first"),
            odd,
        ]);
        pages(wire, vec![json!({"tools": tools})]).await;
    })
    .await;
    assert_eq!(names(&registry), ["s__first", "s__loose", "s__odd"]);
    let problems: Vec<(u16, String)> =
        servers.status()[0].problems.iter().map(|problem| (problem.code(), problem.to_string())).collect();
    let left_out = problems.iter().filter(|(code, _)| *code == 2722).count();
    assert_eq!((problems.len(), left_out), (6, 5), "{problems:?}");
    assert!(problems.iter().any(|(code, text)| *code == 2723 && text.contains("loose")), "{problems:?}");
    // What the protocol library does not know is there all the same.
    assert_eq!(servers.listed("s")[2]["execution"]["taskSupport"], "optional");
}

#[tokio::test]
async fn schemas_pass_unharmed_and_titles_and_hints_are_told() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {"$anchor": "address", "type": "object", "properties": {"street": {"type": "string"}}}},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
        "if": {"required": ["address"]},
        "then": {"required": ["name"]},
        "else": {},
        "additionalProperties": false,
        "x-vendor": {"kept": true},
    });
    let listing = json!({
        "name": "move", "title": "Move it", "description": "Moves.", "inputSchema": schema,
        "annotations": {"title": "Not this", "readOnlyHint": true, "destructiveHint": "no", "openWorldHint": false},
    });
    let (registry, _servers, _wire) = listed(McpServer::given("s"), async |wire: &mut Wire| {
        pages(wire, vec![json!({"tools": [listing]})]).await;
    })
    .await;
    let tool = registry.get("s__move").unwrap();
    let definition = tool.definition();
    assert_eq!(definition.input.published(), &schema);
    assert_eq!(definition.display_name(), "Move it");
    assert_eq!(definition.annotations, ToolAnnotations::new().read_only(true).open_world(false));
    assert!(!definition.is_read_only(), "no server's word is believed unless the host says so");
}

#[tokio::test]
async fn hints_are_believed_where_the_host_says_so() {
    let (registry, _servers, _wire) =
        listed(McpServer::given("s").trust_annotations(true), async |wire: &mut Wire| {
            let mut tool = tool("look");
            tool["annotations"] = json!({"readOnlyHint": true});
            pages(wire, vec![json!({"tools": [tool]})]).await;
        })
        .await;
    assert!(registry.get("s__look").unwrap().definition().is_read_only());
}

#[tokio::test]
async fn included_and_excluded_tools_are_looked_for() {
    let server = McpServer::given("s").include(["read", "write", "reed_all"]).exclude(["write", "zap"]);
    let (registry, servers, _wire) = ready_as(server, &["read", "write", "read_all"]).await;
    assert_eq!(names(&registry), ["s__read"]);
    let problems: Vec<String> = servers.status()[0].problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        ["the server has no tool \"reed_all\"; did you mean \"read_all\"?", "the server has no tool \"zap\""]
    );
}

#[tokio::test]
async fn a_server_without_tools_is_ready() {
    let (stream, mut wire) = pair();
    let registry = registry();
    let servers = one(McpServer::given("s"), stream);
    let (servers, ()) = tokio::join!(servers.connect(&registry), async {
        let discover = wire.expect("server/discover").await;
        wire.refuse(&discover, -32601, "Method not found").await;
        let initialize = wire.expect("initialize").await;
        let server = json!({"name": "test", "version": "1.0"});
        let result =
            json!({"protocolVersion": "2024-11-05", "capabilities": {"resources": {}}, "serverInfo": server});
        wire.reply(&initialize, result).await;
    });
    let status = &servers.status()[0];
    assert_eq!((status.state, status.tools.len(), status.problems.len()), (McpServerState::Ready, 0, 0));
    assert_eq!(status.protocol.as_deref(), Some("2024-11-05"));
}

/// The question for the newest protocol was given up when the program had started, which then answered it first.
#[tokio::test(start_paused = true)]
async fn a_server_that_was_slow_to_start_is_asked_once_more_at_once_for_what_it_speaks() {
    const PROBE: std::time::Duration = std::time::Duration::from_secs(5);
    let (sender, mut connections) = tokio::sync::mpsc::unbounded_channel();
    let servers = McpServers::builder().connector(McpServer::given("slow").probe_timeout(PROBE), move || {
        let (stream, wire) = pair();
        let sent = sender.send(wire);
        async move { sent.map(|()| tokio::io::split(stream)).map_err(std::io::Error::other) }
    });
    let (registry, mut events) = (registry(), servers.subscribe());
    let (servers, _wire) = tokio::join!(servers.connect(&registry), async {
        let mut wire = connections.recv().await.unwrap();
        wire.expect("server/discover").await; // and no answer in time
        let initialize = wire.expect("initialize").await;
        wire.refuse(&initialize, -32022, "the initialize handshake is not accepted").await;
        let mut wire = connections.recv().await.unwrap();
        tokio::time::sleep(PROBE * 2).await; // on a clock that does not run
        wire.introduce_modern().await;
        wire.list(&["read"]).await;
        wire
    });
    let status = &servers.status()[0];
    assert_eq!((status.state, status.era), (McpServerState::Ready, Some(McpEra::Modern)));
    assert_eq!(names(&registry), ["slow__read"]);
    assert!(matches!(events.next().await.unwrap().what, McpServerChange::Connecting { attempt: 1 }));
    assert!(matches!(events.next().await.unwrap().what, McpServerChange::Ready { .. }));
}

#[tokio::test]
async fn names_that_no_server_can_have_cost_only_that_server() {
    let registry = registry();
    let (stream, mut wire) = pair();
    let (second, _second_wire) = pair();
    let (third, _third_wire) = pair();
    let servers = one(McpServer::given("good"), stream);
    let (reader, writer) = tokio::io::split(second);
    let servers = servers.connection(McpServer::given("a__b"), reader, writer);
    let (reader, writer) = tokio::io::split(third);
    let servers = servers.connection(McpServer::given("good"), reader, writer);
    let (servers, ()) = tokio::join!(servers.connect(&registry), wire.ready(&["read"]));
    assert_eq!(names(&registry), ["good__read"]);
    let codes: Vec<Option<u16>> = servers.status().iter().map(|status| status.code).collect();
    assert_eq!(codes, [None, Some(2701), Some(2702)]);
}

/// A tool that has the name of another is left out, and keeps no server out that comes later.
#[tokio::test]
async fn a_tool_in_the_way_of_another_keeps_no_later_server_out() {
    let own = Tool::builder("s__act").description("Is in the way.").run(|| async { "own" });
    let registry = ToolRegistry::builder().tool(own).build().unwrap();
    let mut kept = Vec::new();
    for name in ["s", "t"] {
        let (stream, mut wire) = pair();
        let servers = one(McpServer::given(name), stream);
        let (servers, ()) = tokio::join!(servers.connect(&registry), wire.ready(&["act", "more"]));
        kept.push((servers, wire));
    }
    assert_eq!(names(&registry), ["s__act", "s__more", "t__act", "t__more"]);
    let (first, second) = (kept[0].0.status(), kept[1].0.status());
    assert!(first[0].problems.len() == 1 && second[0].problems.is_empty(), "{first:?} {second:?}");
}
