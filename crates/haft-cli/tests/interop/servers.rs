//! Servers that others wrote, listed and called through the command.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::command::{call, haft};
use crate::peers::{Folder, Peers, peers};
use crate::process::{Program, run};

/// A server, and what it is asked.
struct Case {
    name: &'static str,
    /// As `mcp.json` has it.
    entry: Value,
    /// Tools that are among its own, by its own names.
    tools: &'static [&'static str],
    /// A call that is answered, and part of the answer.
    good: (&'static str, Value, &'static str),
    /// A call that the server itself refuses, and part of what it says.
    bad: (&'static str, Value, &'static str),
}

fn cases(peers: &Peers, folder: &Path) -> Vec<Case> {
    let files = folder.join("files");
    let repository = folder.join("repository");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("note.txt"), "buy milk\n").unwrap();
    git(&repository, &["init", "--quiet"]);
    let script = |package: &str| peers.npm(&format!("@modelcontextprotocol/{package}/dist/index.js"));
    let node = |package: &str, rest: &[&Path]| {
        let mut arguments = vec![script(package)];
        arguments.extend(rest.iter().map(|path| path.to_path_buf()));
        json!({"command": peers.node(), "args": arguments})
    };
    let mut memory = node("server-memory", &[]);
    memory["env"] = json!({"MEMORY_FILE_PATH": folder.join("memory.jsonl")});
    let outside = files.join("../memory.jsonl");
    let thought =
        json!({"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1});
    vec![
        Case {
            name: "everything",
            entry: node("server-everything", &[Path::new("stdio")]),
            tools: &["echo", "get-sum", "get-structured-content"],
            good: ("get-sum", json!({"a": 20, "b": 22}), "42"),
            bad: ("get-resource-reference", json!({"resourceType": "Text", "resourceId": -1}), "Invalid"),
        },
        Case {
            name: "files",
            entry: node("server-filesystem", &[&files]),
            tools: &["read_text_file", "list_directory", "write_file"],
            good: ("read_text_file", json!({"path": files.join("note.txt")}), "buy milk"),
            bad: ("read_text_file", json!({"path": outside}), "Access denied"),
        },
        Case {
            name: "memory",
            entry: memory,
            tools: &["create_entities", "read_graph"],
            good: (
                "create_entities",
                json!({"entities": [{"name": "haft", "entityType": "crate", "observations": ["has tools"]}]}),
                "has tools",
            ),
            bad: (
                "add_observations",
                json!({"observations": [{"entityName": "nobody", "contents": ["x"]}]}),
                "not found",
            ),
        },
        Case {
            name: "thinking",
            entry: node("server-sequential-thinking", &[]),
            tools: &["sequentialthinking"],
            good: ("sequentialthinking", thought, "thoughtHistoryLength"),
            bad: ("sequentialthinking", json!({"thought": "one"}), "nextThoughtNeeded"),
        },
        Case {
            name: "git",
            entry: json!({"command": peers.python("mcp-server-git"), "args": ["--repository", repository]}),
            tools: &["git_status", "git_log"],
            good: ("git_status", json!({"repo_path": repository}), "No commits yet"),
            bad: ("git_status", json!({"repo_path": files}), "outside"),
        },
        Case {
            name: "time",
            entry: json!({"command": peers.python("mcp-server-time"), "args": ["--local-timezone", "UTC"]}),
            tools: &["get_current_time", "convert_time"],
            good: ("get_current_time", json!({"timezone": "UTC"}), "UTC"),
            bad: ("get_current_time", json!({"timezone": "Nowhere/Land"}), "Nowhere/Land"),
        },
    ]
}

fn git(folder: &Path, arguments: &[&str]) {
    std::fs::create_dir_all(folder).unwrap();
    run(Command::new("git").current_dir(folder).args(arguments), "").exits(0);
}

#[test]
fn servers_of_others_are_listed_side_by_side() {
    let Some(peers) = peers("servers_of_others_are_listed_side_by_side") else { return };
    let folder = Folder::new();
    let cases = cases(peers, folder.path());
    let entries: Map<String, Value> =
        cases.iter().map(|case| (case.name.to_owned(), case.entry.clone())).collect();
    let config = folder.file("mcp.json", json!({"mcpServers": entries}).to_string());
    let ran = run(haft(&["list", "--json", "--config"]).arg(&config), "").exits(0);
    let listed = ran.json();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for case in &cases {
        for tool in case.tools {
            let name = format!("{}__{tool}", case.name);
            assert!(names.contains(&&*name), "{name}: {names:?}\n{}", ran.stderr);
        }
    }
    assert!(
        names.contains(&"calculate"),
        "the tools of the servers come beside the built-in ones: {names:?}"
    );
}

#[test]
fn servers_of_others_answer_calls_and_say_why_they_refuse_one() {
    let Some(peers) = peers("servers_of_others_answer_calls_and_say_why_they_refuse_one") else { return };
    let folder = Folder::new();
    for case in cases(peers, folder.path()) {
        let config = folder.file("mcp.json", json!({"mcpServers": {case.name: case.entry}}).to_string());
        let (tool, arguments, part) = &case.good;
        let answered = call(&config, &format!("{}__{tool}", case.name), arguments).exits(0);
        assert!(answered.stdout.contains(part), "{}: {answered:#?}", case.name);
        let (tool, arguments, part) = &case.bad;
        let refused = call(&config, &format!("{}__{tool}", case.name), arguments).exits(1);
        assert!(refused.stdout.contains(part), "{}: {refused:#?}", case.name);
    }
}

/// What a server says of its tools is not believed: nothing of it runs unasked, and nobody is there to be asked.
#[test]
fn nothing_of_a_server_runs_unasked() {
    let Some(peers) = peers("nothing_of_a_server_runs_unasked") else { return };
    let folder = Folder::new();
    let case = cases(peers, folder.path()).into_iter().find(|case| case.name == "time").unwrap();
    let config = folder.file("mcp.json", json!({"mcpServers": {case.name: case.entry}}).to_string());
    let mut command = haft(&["call", "time__get_current_time", r#"{"timezone": "UTC"}"#, "--config"]);
    let denied = run(command.arg(&config), "").exits(1).json();
    assert_eq!(denied["kind"], "denied", "{denied}");
}

#[test]
fn fastmcp_answers_over_http_in_both_eras() {
    let Some(peers) = peers("fastmcp_answers_over_http_in_both_eras") else { return };
    let folder = Folder::new();
    for (era, argument) in [("2026-07-28", "modern"), ("2025-11-25", "legacy")] {
        let (_server, url) = Program::ready(peers.script("server.py").arg(argument), "http://");
        let config = json!({"mcpServers": {"fast": {"url": url.trim()}}});
        let config = folder.file("mcp.json", config.to_string());
        let listed = run(haft(&["list", "--json", "--config"]).arg(&config), "").exits(0).json();
        let add = listed.as_array().unwrap().iter().find(|tool| tool["name"] == "fast__add");
        assert!(
            add.is_some_and(|add| add["outputSchema"]["properties"]["sum"].is_object()),
            "{era}: {listed:#}"
        );
        let sum = call(&config, "fast__add", &json!({"a": 20, "b": 22})).exits(0);
        assert!(sum.stdout.contains("42"), "{era}: {sum:#?}");
        let spoken = call(&config, "fast__era", &json!({})).exits(0);
        assert!(spoken.stdout.contains(era), "{era}: {spoken:#?}");
        let slow = call(&config, "fast__slow", &json!({"steps": 3})).exits(0);
        assert!(slow.stdout.contains("3 steps"), "{era}: {slow:#?}");
        let failed = call(&config, "fast__fail", &json!({"why": "it can"})).exits(1);
        assert!(failed.stdout.contains("it failed, since it can"), "{era}: {failed:#?}");
        // Checked here: the server never sees it.
        let refused = call(&config, "fast__add", &json!({"a": "one", "b": 2})).exits(1).json();
        assert_eq!(refused["kind"], "validation", "{era}: {refused}");
    }
}
