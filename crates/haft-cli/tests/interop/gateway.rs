//! haft between clients and servers that others wrote.

use serde_json::json;

use crate::clients::{Client, Server};
use crate::peers::{Folder, Peers, peers};
use crate::process::Program;
use crate::serve::on_http;

#[test]
fn a_gateway_stands_between_clients_and_servers_of_others() {
    let Some(peers) = peers("a_gateway_stands_between_clients_and_servers_of_others") else { return };
    let folder = Folder::new();
    let (_server, url) = Program::ready(&mut peers.script("server.py"), "http://");
    let everything = peers.npm("@modelcontextprotocol/server-everything/dist/index.js");
    let servers = json!({
        "fast": {"url": url.trim()},
        "everything": {"command": peers.node(), "args": [everything, "stdio"]},
    });
    let config = folder.file("mcp.json", json!({"mcpServers": servers}).to_string());
    let (_program, server) = on_http(&["--yes", "--config", config.to_str().unwrap()]);
    for client in [Client::Sdk("legacy"), Client::Sdk("2026-07-28"), Client::FastMcp("auto")] {
        through(peers, client, &server);
    }
}

fn through(peers: &Peers, client: Client, server: &Server) {
    let calls = [
        ("fast__add", json!({"a": 20, "b": 22})),
        ("everything__get-sum", json!({"a": 20, "b": 22})),
        ("everything__get-tiny-image", json!({})),
        ("fast__fail", json!({"why": "it can"})),
        ("fast__add", json!({"a": "one", "b": 2})),
    ];
    let seen = client.using(peers, server, &calls);
    for name in ["fast__add", "everything__echo", "calculate"] {
        assert!(seen.names().contains(&name), "{client:?}: {:?}", seen.names());
    }
    let [fast, everything, image, failed, refused] = seen.answers.as_slice() else {
        panic!("{client:?}: {seen:#?}")
    };
    assert_eq!(fast["structuredContent"], json!({"sum": 42}), "{client:?}: {fast}");
    assert!(everything["content"][0]["text"].as_str().unwrap().contains("42"), "{client:?}: {everything}");
    let kinds: Vec<&str> =
        image["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"image"), "{client:?}: {image}");
    for (answer, part) in [(failed, "it failed, since it can"), (refused, "expected integer")] {
        assert_eq!(answer["isError"], true, "{client:?}: {answer}");
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(part), "{client:?}: {answer}");
    }
}
