//! Clients that others wrote, as one: what they see of a server, over standard input and output or HTTP.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::peers::{Folder, Peers, peers};
use crate::process::{Program, run};

/// How a client reaches the server.
#[derive(Clone, Debug)]
pub(crate) enum Server {
    Command(Vec<String>),
    Url(String),
}

/// A client, with the era that it insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    /// The Python SDK.
    Sdk(&'static str),
    FastMcp(&'static str),
    /// The inspector's command line, which knows the handshake.
    Inspector,
}

pub(crate) const CLIENTS: [Client; 6] = [
    Client::Sdk("legacy"),
    Client::Sdk("2026-07-28"),
    Client::Sdk("auto"),
    Client::FastMcp("legacy"),
    Client::FastMcp("auto"),
    Client::Inspector,
];

/// What a client saw.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) tools: Vec<Value>,
    /// One for each call, as `tools/call` answers; `{"raised": …}` where the client gave an error of its own.
    pub(crate) answers: Vec<Value>,
}

impl Seen {
    pub(crate) fn names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
    }
}

impl Client {
    /// Lists the tools of a server and calls some.
    pub(crate) fn using(self, peers: &Peers, server: &Server, calls: &[(&str, Value)]) -> Seen {
        match self {
            Self::Sdk(mode) => scripted(peers, "mcp", mode, server, calls),
            Self::FastMcp(mode) => scripted(peers, "fastmcp", mode, server, calls),
            Self::Inspector => inspected(peers, server, calls),
        }
    }
}

fn scripted(peers: &Peers, client: &str, mode: &str, server: &Server, calls: &[(&str, Value)]) -> Seen {
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({"name": name, "arguments": arguments})).collect();
    let mut wanted = json!({"client": client, "mode": mode, "calls": calls});
    match server {
        Server::Command(words) => wanted["command"] = json!(words),
        Server::Url(url) => wanted["url"] = json!(url),
    }
    let seen = run(&mut peers.script("client.py"), &wanted.to_string()).exits(0).json();
    if mode != "auto" {
        let era = if mode == "legacy" { "2025-11-25" } else { mode };
        assert_eq!(seen["era"], era, "{client} {mode}");
    }
    let array = |value: &Value| value.as_array().unwrap().clone();
    Seen { tools: array(&seen["tools"]), answers: array(&seen["answers"]) }
}

fn inspected(peers: &Peers, server: &Server, calls: &[(&str, Value)]) -> Seen {
    let home = Folder::new();
    let listed =
        run(inspector(peers, server, home.path()).args(["--method", "tools/list"]), "").exits(0).json();
    let mut answers = Vec::new();
    for (name, arguments) in calls {
        let mut command = inspector(peers, server, home.path());
        command.args(["--method", "tools/call", "--tool-name", name]);
        for (key, value) in arguments.as_object().unwrap() {
            command
                .arg("--tool-arg")
                .arg(format!("{key}={}", value.as_str().map_or(value.to_string(), str::to_owned)));
        }
        let called = run(&mut command, "");
        let answer = serde_json::from_str(&called.stdout);
        answers.push(
            answer.unwrap_or_else(|_| json!({"raised": format!("{}{}", called.stdout, called.stderr)})),
        );
    }
    Seen { tools: listed["tools"].as_array().unwrap().clone(), answers }
}

fn inspector(peers: &Peers, server: &Server, home: &Path) -> Command {
    let mut command = Command::new(peers.node());
    command.env("HOME", home).env("NO_PROXY", "*");
    command.arg(peers.npm("@modelcontextprotocol/inspector/clients/launcher/build/index.js")).arg("--cli");
    match server {
        Server::Command(words) => command.args(words),
        Server::Url(url) => command.args([url, "--transport", "http"]),
    };
    command
}

/// The clients with servers of others: what fails here is not ours.
#[test]
fn the_clients_list_and_call_servers_of_others() {
    let Some(peers) = peers("the_clients_list_and_call_servers_of_others") else { return };
    let script = peers.npm("@modelcontextprotocol/server-everything/dist/index.js");
    let words =
        [peers.node(), script, "stdio".into()].map(|word| word.into_os_string().into_string().unwrap());
    for client in CLIENTS.into_iter().filter(|client| *client != Client::Sdk("2026-07-28")) {
        let calls = [("get-sum", json!({"a": 1, "b": 2})), ("get-sum", json!({"a": 1}))];
        let seen = client.using(peers, &Server::Command(words.to_vec()), &calls);
        assert!(seen.names().contains(&"get-sum"), "{client:?}: {seen:#?}");
        assert!(
            seen.answers[0]["content"][0]["text"].as_str().unwrap().contains('3'),
            "{client:?}: {seen:#?}"
        );
        assert_eq!(seen.answers[1]["isError"], true, "{client:?}: {seen:#?}");
    }
    let (_server, url) = Program::ready(&mut peers.script("server.py"), "http://");
    let calls = [("add", json!({"a": 1, "b": 2})), ("fail", json!({"why": "it can"}))];
    for client in CLIENTS {
        let seen = client.using(peers, &Server::Url(url.trim().to_owned()), &calls);
        assert_eq!(seen.names(), ["add", "fail", "era", "slow"], "{client:?}");
        assert_eq!(seen.answers[0]["structuredContent"], json!({"sum": 3}), "{client:?}: {seen:#?}");
        assert_eq!(seen.answers[1]["isError"], true, "{client:?}: {seen:#?}");
    }
}
