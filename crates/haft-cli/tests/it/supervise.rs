//! Programs of MCP servers end however haft ends, also where it is killed.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use haft::{
    ToolRegistry,
    source::mcp::{McpServer, McpServers},
};

const HAFT: &str = env!("CARGO_BIN_EXE_haft");

/// A program that heeds nothing, and starts others: one in its group, one in a session of its own. All of them keep the pipe
/// open, so that it ends with the last of them.
const STUBBORN: &str = "trap '' TERM HUP; exec 9>\"$0\"; sleep 1000 & setsid sleep 1000 & echo up >&9; while :; do sleep 1000; done";

/// Nothing takes so long, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// Plays a host that waits for its server: started by the test below, and else over at once.
#[test]
fn plays_a_host() {
    let Some(pipe) = std::env::var_os("HAFT_TEST_PIPE") else { return };
    let arguments = ["-c".into(), STUBBORN.into(), pipe];
    let server = McpServer::stdio("stubborn", "sh").arguments(arguments).connect_timeout(PATIENCE * 2);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let registry = ToolRegistry::builder().build().unwrap();
        McpServers::builder().supervisor(HAFT).server(server).connect(&registry).await
    });
}

/// Tells when the pipe has a first line, and when nobody has it open any more.
fn watch(pipe: &Path) -> mpsc::Receiver<&'static str> {
    let (sender, told) = mpsc::channel();
    let pipe = pipe.to_owned();
    std::thread::spawn(move || {
        let mut pipe = BufReader::new(File::open(pipe).unwrap());
        let mut line = String::new();
        pipe.read_line(&mut line).unwrap();
        sender.send("up").unwrap();
        pipe.read_to_string(&mut line).unwrap();
        sender.send("gone").unwrap();
    });
    told
}

fn with_pipe(name: &str, test: impl FnOnce(&Path)) {
    let folder = std::env::temp_dir().join(format!("haft-supervise-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    test(&pipe);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn all_that_a_server_started_ends_when_its_host_is_killed() {
    with_pipe("killed", |pipe| {
        let told = watch(pipe);
        let mut host = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "supervise::plays_a_host", "--nocapture"])
            .env("HAFT_TEST_PIPE", pipe)
            .spawn()
            .unwrap();
        assert_eq!(told.recv_timeout(PATIENCE).unwrap(), "up");
        host.kill().unwrap();
        host.wait().unwrap();
        assert_eq!(told.recv_timeout(PATIENCE).unwrap(), "gone");
    });
}

#[test]
fn a_program_has_the_supervisors_input_output_and_exit_code() {
    let script = "read line; echo \"got $line\"; echo oops >&2; exit 7";
    let mut child = Command::new(HAFT)
        .args(["supervise", "--", "sh", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(child.stdin.as_mut().unwrap(), b"hello\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let texts = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    assert_eq!((output.status.code(), texts), (Some(7), ["got hello\n".into(), "oops\n".into()]));
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    with_pipe("left", |pipe| {
        let told = watch(pipe);
        let script = "exec 9>\"$0\"; sleep 1000 & setsid sh -c 'trap \"\" TERM; sleep 1000' & echo up >&9";
        let status = Command::new(HAFT)
            .args(["supervise", "--", "sh", "-c", script])
            .arg(pipe)
            .stdin(Stdio::piped())
            .status();
        assert!(status.unwrap().success());
        assert_eq!(
            (told.recv_timeout(PATIENCE).unwrap(), told.recv_timeout(PATIENCE).unwrap()),
            ("up", "gone")
        );
    });
}

#[test]
fn a_program_that_can_not_be_started_is_named() {
    let output = Command::new(HAFT).args(["supervise", "--", "no-such-program"]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(127));
    assert!(told.contains("\"no-such-program\" can not be started"), "{told}");
}
