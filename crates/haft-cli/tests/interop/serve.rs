//! What clients that others wrote see of `haft serve`.

use serde_json::{Value, json};

use crate::clients::{CLIENTS, Client, Seen, Server};
use crate::command::haft;
use crate::peers::peers;
use crate::process::Program;

/// A good call, two that a tool or its schema refuses, and one of a tool that is not there.
fn calls() -> [(&'static str, Value); 4] {
    [
        ("calculate", json!({"expression": "0.1 + 0.2"})),
        ("calculate", json!({"expression": "1/0"})),
        ("day_name", json!({"day": "2026-11-30"})),
        ("no_such_tool", json!({})),
    ]
}

#[track_caller]
fn is_right(client: Client, seen: &Seen) {
    assert_eq!(seen.names(), ["calculate", "current_date", "day_name"], "{client:?}");
    for tool in &seen.tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{client:?}: {tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{client:?}: {tool}");
    }
    let text = |answer: &Value| answer["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    let [sum, division, day, unknown] = seen.answers.as_slice() else { panic!("{client:?}: {seen:#?}") };
    assert_eq!(text(sum), "0.3", "{client:?}: {sum}");
    assert_ne!(sum["isError"], true, "{client:?}: {sum}");
    for (answer, part) in [(division, "divides by zero"), (day, "did you mean `date`?")] {
        assert_eq!(answer["isError"], true, "{client:?}: {answer}");
        assert!(text(answer).contains(part), "{client:?}: {answer}");
    }
    // An error of the protocol, which the clients raise; the inspector prints it.
    assert!(
        unknown["raised"].as_str().is_some_and(|text| text.contains("no_such_tool")),
        "{client:?}: {unknown}"
    );
}

fn on_stdio() -> Server {
    let home = concat!("XDG_CONFIG_HOME=", env!("CARGO_TARGET_TMPDIR"));
    Server::Command(["env", home, env!("CARGO_BIN_EXE_haft"), "serve"].map(str::to_owned).to_vec())
}

/// A server on a port of its own choice, and its URL.
pub(crate) fn on_http(arguments: &[&str]) -> (Program, Server) {
    let mut command = haft(&["serve", "--http", "127.0.0.1:0"]);
    let (program, line) = Program::ready(command.args(arguments), "http://127.0.0.1:");
    let url = line.split([' ', ';']).find(|word| word.starts_with("http://")).unwrap();
    (program, Server::Url(url.to_owned()))
}

#[test]
fn clients_of_others_list_and_call_over_stdio() {
    let Some(peers) = peers("clients_of_others_list_and_call_over_stdio") else { return };
    let server = on_stdio();
    for client in CLIENTS {
        is_right(client, &client.using(peers, &server, &calls()));
    }
}

#[test]
fn clients_of_others_list_and_call_over_http() {
    let Some(peers) = peers("clients_of_others_list_and_call_over_http") else { return };
    let (_program, server) = on_http(&[]);
    for client in CLIENTS {
        is_right(client, &client.using(peers, &server, &calls()));
    }
}
