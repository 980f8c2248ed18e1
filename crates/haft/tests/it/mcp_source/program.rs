//! Servers that are programs: this test's own binary plays the server, as badly as it is told to.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a server speaks on its output")]

use std::{
    io::{BufRead as _, Read as _, Write as _},
    path::PathBuf,
    time::Duration,
};

use haft::{
    ToolErrorKind,
    source::mcp::{McpServer, McpServerState, McpServers, McpServersBuilder},
};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::wire::{call, names, registry};

/// How the server behaves; without it, the test that plays it does nothing.
const MODE: &str = "HAFT_TEST_SERVER";

/// The server: started by the tests below, and else over at once.
#[test]
fn plays_a_server() {
    let Some(mode) = std::env::var_os(MODE) else { return };
    let mode = mode.into_string().unwrap();
    if mode == "tells" && std::env::var_os("MARK").is_some_and(|mark| PathBuf::from(mark).exists()) {
        eprintln!("no such token: {}", std::env::var("TOKEN").unwrap());
        std::process::exit(2);
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        if let Some(result) = reply(&mode, &message) {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
            println!("{answer}");
        }
    }
}

fn reply(mode: &str, message: &Value) -> Option<Value> {
    let text = |text: String| Some(json!({"content": [{"type": "text", "text": text}]}));
    match message["method"].as_str()? {
        "server/discover" => {
            println!(
                "{}",
                json!({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}})
            );
            None
        }
        "initialize" => Some(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "program", "version": "1"},
        })),
        "tools/list" => {
            let schema = json!({"type": "object", "additionalProperties": true});
            Some(json!({"tools": [{"name": "act", "inputSchema": schema}]}))
        }
        "tools/call" => match mode {
            "die" if message["params"]["arguments"]["die"] == true => {
                eprintln!("out of memory");
                std::process::exit(3);
            }
            "tells" => {
                std::fs::write(std::env::var_os("MARK").unwrap(), "").unwrap();
                eprintln!("bad token: {}", std::env::var("TOKEN").unwrap());
                std::process::exit(2);
            }
            "flood" => {
                let line = [b'e'; 4096];
                let mut stderr = std::io::stderr().lock();
                for _ in 0..4096 {
                    stderr.write_all(&line).unwrap();
                }
                text("flooded".to_owned())
            }
            "huge" if message["params"]["arguments"]["huge"] == true => text("x".repeat(100 << 20)),
            "environment" => {
                let variables = std::env::vars().map(|(name, value)| format!("{name}={value}"));
                text(variables.collect::<Vec<_>>().join("\n"))
            }
            "pid" => text(std::process::id().to_string()),
            _ => text("done".to_owned()),
        },
        _ => None,
    }
}

/// This binary, as a server.
fn server(mode: &str) -> McpServer {
    let this = std::env::current_exe().unwrap();
    McpServer::stdio("s", this).arguments(arguments()).variable(MODE, mode)
}

fn arguments() -> [&'static str; 3] {
    ["--exact", "mcp_source::program::plays_a_server", "--nocapture"]
}

async fn connected(server: McpServer) -> (haft::ToolRegistry, McpServers) {
    let registry = registry();
    let servers = McpServers::builder().server(server).connect(&registry).await;
    let status = &servers.status()[0];
    assert_eq!(status.state, McpServerState::Ready, "{status:?}");
    (registry, servers)
}

#[tokio::test]
async fn a_program_is_started_called_and_ended() {
    let (registry, servers) = connected(server("")).await;
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
    servers.close().await;
    assert!(names(&registry).is_empty());
}

#[tokio::test]
async fn a_program_gets_few_variables_and_those_that_are_given() {
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "this process has others");
    let (registry, _servers) = connected(server("environment").variable("MY_VAR", "")).await;
    let result = call(&registry, "s__act", json!({})).await;
    let text = result.text();
    let variables: Vec<&str> = text.lines().collect();
    assert!(variables.contains(&"MY_VAR="), "{text}");
    assert!(variables.iter().any(|line| line.starts_with("PATH=")), "{text}");
    assert!(!variables.iter().any(|line| line.starts_with("CARGO_MANIFEST_DIR=")), "{text}");
}

#[tokio::test]
async fn a_program_that_ends_in_a_call_is_started_again() {
    let (registry, _servers) = connected(server("die")).await;
    let lost = call(&registry, "s__act", json!({"die": true})).await;
    assert_eq!(lost.error().unwrap().kind(), ToolErrorKind::Mcp);
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
}

#[tokio::test]
async fn the_last_words_of_a_program_are_told() {
    let (registry, servers) = connected(server("die")).await;
    let mut events = servers.subscribe();
    call(&registry, "s__act", json!({"die": true})).await;
    let told = loop {
        let event = events.next().await.unwrap();
        if let haft::source::mcp::McpServerChange::Failed { error, .. } = event.what {
            break error.to_string();
        }
    };
    assert!(told.contains("exit status: 3") && told.contains("out of memory"), "{told}");
}

/// What a program writes is for people, not for models; and nobody reads there what it was given.
#[tokio::test]
async fn a_secret_that_a_program_tells_is_shown_nowhere() {
    let mark = std::env::temp_dir().join(format!("haft-tells-{}", std::process::id()));
    let server = server("tells").variable("TOKEN", "hunter2-hunter2").variable("MARK", &mark);
    let (registry, servers) = connected(server).await;
    let mut events = servers.subscribe();
    let lost = call(&registry, "s__act", json!({})).await;
    let refused = call(&registry, "s__act", json!({})).await;
    std::fs::remove_file(mark).unwrap();
    assert!(refused.text().contains("can not be used now"), "{}", refused.text());
    assert!(!refused.text().contains("token"), "{}", refused.text());
    let status = serde_json::to_string(&servers.status()).unwrap();
    let mut told = vec![lost.text().into_owned(), refused.text().into_owned(), status];
    drop(servers);
    while let Some(event) = events.next().await {
        told.push(format!("{event:?}"));
    }
    let told = told.join("\n");
    assert!(told.contains("bad token: ***") && told.contains("no such token: ***"), "{told}");
    assert!(!told.contains("hunter2"), "{told}");
}

#[tokio::test]
async fn a_flood_on_standard_error_holds_nothing_up() {
    let (registry, servers) = connected(server("flood")).await;
    assert_eq!(call(&registry, "s__act", json!({})).await.text(), "flooded");
    let kept: usize = servers.status()[0].stderr.iter().map(String::len).sum();
    assert!(kept <= 21 * 1200, "{kept}");
}

#[tokio::test]
async fn a_program_that_does_not_exist_costs_only_itself() {
    let registry = registry();
    let missing = McpServer::stdio("missing", "no-such-program-anywhere");
    let servers = McpServers::builder().server(missing).server(server("")).connect(&registry).await;
    let status = servers.status();
    assert_eq!((status[0].code, status[1].state), (Some(2703), McpServerState::Ready));
    assert!(status[0].error.as_ref().unwrap().contains("is it installed"), "{status:?}");
    assert_eq!(names(&registry), ["s__act"]);
}

#[tokio::test]
async fn a_program_that_does_not_exist_is_told_of_before_a_supervisor_is_started() {
    let registry = registry();
    let missing = McpServer::stdio("missing", "no-such-program-anywhere");
    let nowhere = McpServer::stdio("nowhere", "bin/no-such-program").folder("/");
    let servers = McpServers::builder().supervisor("false").server(missing).server(nowhere);
    let status = servers.connect(&registry).await.status();
    assert_eq!((status[0].code, status[1].code), (Some(2703), Some(2703)), "{status:?}");
}

#[tokio::test]
async fn what_is_missing_of_a_program_is_told() {
    for (server, code, told) in [
        (McpServer::stdio("s", "npx -y server"), 2703, "give them apart"),
        (McpServer::stdio("s", "bin/server"), 2703, "counts from the working directory"),
        (McpServer::stdio("s", "server-nowhere"), 2703, "is it installed"),
        (
            McpServer::stdio("s", "cat").folder("/no/such/folder"),
            2712,
            "its folder /no/such/folder is not there",
        ),
    ] {
        for supervisor in [None, Some("false")] {
            let servers = McpServers::builder().server(server.clone());
            let servers = supervisor.into_iter().fold(servers, McpServersBuilder::supervisor);
            let status = servers.connect(&registry()).await.status();
            assert_eq!(status[0].code, Some(code), "{status:?}");
            assert!(status[0].error.as_ref().unwrap().contains(told), "{status:?}");
        }
    }
}

/// Plays a host whose server answers with a hundred megabytes; how much memory it took is the last line.
#[test]
fn plays_a_host() {
    if std::env::var_os("HAFT_TEST_HOST").is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (registry, servers) = connected(server("huge")).await;
        let result = call(&registry, "s__act", json!({"huge": true})).await;
        let error = result.error().expect("too long");
        assert!(error.message().contains("are read at most"), "{error}");
        assert_eq!(call(&registry, "s__act", json!({})).await.text(), "done");
        servers.close().await;
    });
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("peak {}", peak.trim());
}

#[cfg(target_os = "linux")]
#[test]
fn a_line_of_a_hundred_megabytes_fails_its_call_in_little_memory() {
    let host = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "mcp_source::program::plays_a_host", "--nocapture"])
        .env("HAFT_TEST_HOST", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&host.stdout).into_owned();
    assert!(host.status.success(), "{text}{}", String::from_utf8_lossy(&host.stderr));
    let peak = text.lines().find_map(|line| line.strip_prefix("peak ")).expect("a peak");
    let kilobytes: u64 = peak.trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 90_000, "{kilobytes} kB");
}

/// Knows when all that has it open is gone: a pipe ends with its last writer.
struct Traces {
    folder: PathBuf,
    gone: oneshot::Receiver<()>,
}

impl Traces {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("haft-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (sender, gone) = oneshot::channel();
        std::thread::spawn(move || {
            // Opening waits for the first writer.
            let mut pipe = std::fs::File::open(pipe).unwrap();
            pipe.read_to_end(&mut Vec::new()).unwrap();
            sender.send(()).ok();
        });
        Self { folder, gone }
    }

    /// A server that leaves a program behind which ignores that its input is closed.
    fn server(&self, script: &str) -> McpServer {
        let this = std::env::current_exe().unwrap();
        let start = format!("exec 9>\"$PIPE\"; {script}");
        let server = McpServer::stdio("s", "sh").arguments(["-c", &start, "sh"]);
        let server =
            server.variable("PIPE", self.folder.join("pipe")).variable(MODE, "").variable("SERVER", this);
        server.variable("ARGUMENTS", arguments().join(" "))
    }

    async fn wait(mut self) {
        let gone = tokio::time::timeout(Duration::from_secs(60), &mut self.gone).await;
        gone.expect("all are gone").unwrap();
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn closing_ends_all_that_a_program_started() {
    let traces = Traces::new("closed");
    let (_registry, servers) =
        connected(traces.server("sleep 1000 & sh -c 'sleep 1000' & exec \"$SERVER\" $ARGUMENTS")).await;
    servers.close().await;
    traces.wait().await;
}

#[cfg(unix)]
#[tokio::test]
async fn dropping_ends_all_that_a_program_started() {
    let traces = Traces::new("dropped");
    let (_registry, servers) = connected(traces.server("sleep 1000 & exec \"$SERVER\" $ARGUMENTS")).await;
    drop(servers);
    traces.wait().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_program_that_heeds_no_signal_is_killed() {
    let traces = Traces::new("stubborn");
    let script = "trap '' TERM HUP; exec 3<&0; \"$SERVER\" $ARGUMENTS <&3 & while :; do sleep 1000; done";
    let (_registry, servers) = connected(traces.server(script)).await;
    servers.close().await;
    traces.wait().await;
}
