//! Commands with the tools of configured servers; haft itself is the server.

use std::{
    fmt::Write as _,
    io::Read as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    configured::{SECRET, User},
    haft::{Run, command},
};

const HAFT: &str = env!("CARGO_BIN_EXE_haft");

/// A server with the built-in tools, and one that leaves a mark in the folder when it is started.
fn user() -> User {
    let user = User::new();
    let marks = format!("touch started; exec '{HAFT}' serve --no-config");
    let text = format!(
        "[servers.maths]\ncommand = {HAFT:?}\nargs = [\"serve\", \"--no-config\"]\nexclude = [\"day_name\"]\n\
         [servers.marks]\ncommand = \"sh\"\nargs = [\"-c\", {marks:?}]\ninclude = [\"day_name\"]\n"
    );
    user.file("config/haft/haft.toml", &text);
    user
}

/// Whether the server that leaves a mark has been started since this was last asked.
fn was_started(user: &User) -> bool {
    std::fs::remove_file(Path::new(&user.folder.path()).join("project/started")).is_ok()
}

fn names(run: &Run) -> Vec<String> {
    let name = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    run.stdout.lines().map(name).collect()
}

const SUM: [&str; 3] = ["call", "maths__calculate", r#"{"expression":"1+1"}"#];

#[test]
fn tools_of_servers_stand_beside_the_built_in_ones() {
    let user = user();
    let list = user.haft(&["list"]).exits(0).quiet();
    let expected = [
        "calculate",
        "current_date",
        "day_name",
        "maths__calculate",
        "maths__current_date",
        "marks__day_name",
    ];
    assert_eq!(names(&list), expected);
    assert!(was_started(&user));
    assert_eq!(names(&user.haft(&["list", "--no-config"]).exits(0).quiet()), expected[..3]);
    let lint = user.haft(&["lint", "--json"]).exits(0).json();
    assert_eq!(lint["tools"], 6);
    let shown = user.haft(&["show", "marks__day_name", "--json"]).exits(0).quiet().json();
    assert_eq!((&shown["source"], &shown["originalName"]), (&json!("mcp"), &json!("day_name")));
}

#[test]
fn a_call_starts_the_server_that_it_needs_and_no_other() {
    let user = user();
    assert_eq!(user.haft(&[&SUM[..], &["--yes"]].concat()).exits(0).quiet().stdout, "2\n");
    user.haft(&["show", "maths__calculate"]).exits(0).quiet();
    user.haft(&["call", "current_date"]).exits(0).quiet();
    // A name that is repaired to one of the server's.
    assert_eq!(user.haft(&["call", "Maths__Calculate", SUM[2], "--yes"]).exits(0).quiet().stdout, "2\n");
    assert!(!was_started(&user));
    user.haft(&["call", "marks__day_name", r#"{"date":"2026-11-30"}"#, "--yes"]).exits(0).quiet();
    assert!(was_started(&user));
    // What no tool is called may be what a server calls one.
    user.haft(&["show", "nothing"]).exits(2);
    assert!(was_started(&user));
}

#[test]
fn what_a_server_says_of_its_tools_is_believed_where_it_is_trusted_alone() {
    let user = user();
    let run = user.haft(&SUM).exits(1).quiet();
    assert_eq!(run.json()["kind"], "denied");
    let trusted = format!(
        "[servers.maths]\ncommand = [{HAFT:?}, \"serve\", \"--no-config\"]\ntrust_annotations = true\n"
    );
    let file = user.file("trusting.toml", &trusted);
    assert_eq!(user.haft(&[&SUM[..], &["--config", &file]].concat()).exits(0).quiet().stdout, "2\n");
}

#[test]
fn a_turn_starts_what_its_calls_need() {
    let user = user();
    let message = |name: &str| {
        let call = json!({"type": "tool_use", "id": "t", "name": name, "input": {"expression": "6*7"}});
        json!({"role": "assistant", "content": [call]}).to_string()
    };
    let run = user.haft_with(&["turn", "--yes"], &message("maths__calculate")).exits(0).quiet();
    assert!(run.stdout.contains("42"), "{run:#?}");
    assert!(!was_started(&user));
    let run = user.haft_with(&["turn", "--yes"], &message("calculate")).exits(0).quiet();
    assert!(run.stdout.contains("42") && !was_started(&user), "{run:#?}");
    // A model that makes up a name is told all there are.
    let run = user.haft_with(&["turn", "--yes"], &message("calculator")).exits(0).quiet();
    assert!(run.stdout.contains("marks__day_name") && was_started(&user), "{run:#?}");
    let run = user.haft_with(&["turn", "--yes"], &message("math__calculate")).exits(0).quiet();
    assert!(run.stdout.contains("marks__day_name") && was_started(&user), "{run:#?}");
}

#[test]
fn a_server_that_there_is_not_is_told() {
    let run = user().haft(&["call", "math__calculate"]).exits(1);
    assert_eq!(run.stderr, "haft: note: no server is called \"math\"; the servers are maths, marks\n");
}

#[test]
fn clients_of_haft_serve_get_the_tools_of_servers() {
    let user = user();
    let ask = |id: u64, method: &str, params: &Value| {
        format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let mut lines = ask(1, "initialize", &hello);
    lines.push_str("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
    lines += &ask(2, "tools/list", &json!({}));
    lines += &ask(3, "tools/call", &json!({"name": "maths__calculate", "arguments": {"expression": "6*7"}}));
    let run = user.haft_with(&["serve", "--yes"], &lines).exits(0).quiet();
    let answers = run.json_lines();
    let answer = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    let tools = answer(2)["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "maths__calculate"), "{run:#?}");
    assert_eq!(answer(3)["result"]["content"][0]["text"], "42");
}

#[test]
fn a_server_of_the_folder_is_started_once_it_is_trusted() {
    let user = User::new();
    let server =
        json!({"command": "sh", "args": ["-c", format!("touch started; exec '{HAFT}' serve --no-config")]});
    user.file("project/.mcp.json", &json!({"mcpServers": {"marks": server}}).to_string());
    for arguments in
        [&["list"][..], &["call", "marks__calculate"], &["show", "marks__calculate"], &["doctor"], &["lint"]]
    {
        let run = user.haft(arguments);
        assert!(run.stderr.contains("haft trust") || run.stdout.contains("haft trust"), "{run:#?}");
        assert!(!was_started(&user), "{arguments:?}");
    }
    user.haft(&["trust", "--yes"]).exits(0);
    assert!(!was_started(&user), "to trust is not to start");
    assert_eq!(names(&user.haft(&["list"]).exits(0).quiet()).len(), 6);
    assert!(was_started(&user));
}

/// Servers that fail in every way that a person meets, beside one that works.
fn troubled() -> User {
    let user = User::new();
    let mut text = format!(
        "[servers.works]\ncommand = {HAFT:?}\nargs = [\"serve\", \"--no-config\"]\nexclude = [\"nothing\"]\n"
    );
    text.push_str("[servers.gone]\ncommand = \"no-such-program-here\"\n");
    text.push_str("[servers.quits]\ncommand = \"sh\"\nargs = [\"-c\", \"echo your key $KEY is wrong >&2; exit 3\"]\nenv = { KEY = \"${TOKEN}\" }\n");
    text.push_str(
        "[servers.nobody]\nurl = \"http://127.0.0.1:9/mcp?key=${TOKEN}\"\nheaders = { A = \"${TOKEN}\" }\n",
    );
    text.push_str("[servers.unset]\ncommand = \"a\"\nargs = [\"${NOT_SET_ANYWHERE}\"]\n[servers.off]\ncommand = \"a\"\nenabled = false\n");
    text.push_str("[servers.wrong]\ncommand = 3\n");
    user.file("config/haft/haft.toml", &text);
    user
}

#[test]
fn a_server_that_fails_costs_itself_alone() {
    let user = troubled();
    let run = user.haft(&["list"]).exits(0);
    assert_eq!(names(&run).len(), 6, "{run:#?}");
    let told: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(told.len(), 6, "{run:#?}");
    for (part, line) in ["unset", "wrong", "gone", "quits", "nobody"].iter().zip([
        "NOT_SET_ANYWHERE",
        "expected text",
        "can not be started",
        "exit status: 3",
        "can not be reached",
    ]) {
        assert!(told.iter().any(|told| told.contains(part) && told.contains(line)), "{part}: {run:#?}");
    }
    // A command that does not need them says nothing of them, and does not wait for them.
    user.haft(&["call", "works__calculate", SUM[2], "--yes"]).exits(0).quiet();
    let run = user.haft(&["call", "gone__tool"]).exits(1);
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
}

/// A banner on standard output is no message: it is told of, and costs nothing.
#[test]
fn noise_of_a_server_is_skipped_with_a_warning() {
    let user = User::new();
    let script = format!("echo \"ready with $KEY\u{1b}[31m\"; exec {HAFT} serve --no-config");
    let text = format!(
        "[servers.noisy]\ncommand = \"sh\"\nargs = [\"-c\", {script:?}]\nenv = {{ KEY = \"${{TOKEN}}\" }}\n"
    );
    user.file("config/haft/haft.toml", &text.replace("\\u{1b}", "\\u001b"));
    let run = user.haft(&["call", "noisy__calculate", SUM[2], "--yes"]).exits(0);
    assert_eq!(run.stderr.lines().count(), 1, "{run:#?}");
    for part in ["haft: note: a line of an MCP server is skipped", "noisy", "ready with ***"] {
        assert!(run.stderr.contains(part), "{part}: {run:#?}");
    }
    assert!(!run.stderr.contains('\u{1b}'), "{run:#?}");
}

#[test]
fn the_doctor_says_what_to_mend() {
    let user = troubled();
    let report = user.haft(&["doctor", "--json"]).exits(1).quiet().json();
    assert_eq!(report["healthy"], false);
    let checks = report["checks"].as_array().unwrap();
    let of = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    let mut states = String::new();
    for check in checks.iter().filter(|check| check["area"] == "server") {
        writeln!(states, "{} {}", check["name"].as_str().unwrap(), check["state"].as_str().unwrap()).unwrap();
    }
    insta::assert_snapshot!(states, @r"
    wrong wrong
    works note
    gone wrong
    quits wrong
    nobody wrong
    unset wrong
    off off
    ");
    let works = of("works");
    assert_eq!((&works["era"], works["tools"].as_array().unwrap().len()), (&json!("modern"), 3));
    assert!(works["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(works["problems"][0].as_str().unwrap().contains("has no tool \"nothing\""));
    assert_eq!(of("nobody")["code"], 2705);
    assert!(of("gone")["message"].as_str().unwrap().contains("there is no such program"));
    assert!(of("gone")["mend"].as_str().unwrap().starts_with("install no-such-program-here"));
    assert_eq!(of("quits")["stderr"], json!(["your key *** is wrong"]));
    assert!(of("unset")["message"].as_str().unwrap().contains("the variable NOT_SET_ANYWHERE is not set"));

    let run = user.haft(&["doctor"]).exits(1).quiet();
    assert!(run.stdout.contains("  wrong  quits: the connection was lost"), "{run:#?}");
    assert!(run.stdout.contains("         it wrote: your key *** is wrong\n"), "{run:#?}");
    assert!(run.stdout.ends_with("5 things are to be mended\n"), "{run:#?}");
    assert!(!run.stdout.contains(SECRET));
}

#[test]
fn the_doctor_tells_a_missing_folder_from_a_missing_program() {
    let user = User::new();
    let text = "[servers.homeless]\ncommand = \"cat\"\ncwd = \"/no/such/folder\"\n\
                [servers.gone]\ncommand = \"its folder no-such-program\"\n";
    user.file("config/haft/haft.toml", text);
    let report = user.haft(&["doctor", "--json"]).exits(1).quiet().json();
    let checks = report["checks"].as_array().unwrap();
    let of = |name: &str| checks.iter().find(|check| check["name"] == name).unwrap();
    assert_eq!((&of("homeless")["code"], &of("homeless")["mend"]), (&json!(2712), &json!("mend its `cwd`")));
    assert!(of("homeless")["message"].as_str().unwrap().contains("its folder /no/such/folder is not there"));
    assert_eq!(of("gone")["code"], 2703);
    assert!(of("gone")["mend"].as_str().unwrap().contains("in `args`"), "{report}");
}

#[test]
fn the_doctor_is_content_where_all_is_well() {
    let user = User::new();
    let run = user.haft(&["doctor"]).exits(0).quiet();
    assert!(run.stdout.starts_with("configuration\n  ok     none: the built-in tools are there"), "{run:#?}");
    assert!(run.stdout.ends_with("all is well\n"), "{run:#?}");
    let user = self::user();
    let report = user.haft(&["doctor", "--json"]).exits(0).quiet().json();
    assert_eq!((&report["healthy"], &report["haft"]), (&json!(true), &json!(env!("CARGO_PKG_VERSION"))));
    user.file("project/haft.toml", "concurency = 4\nbuiltin = 4\n");
    let run = user.haft(&["doctor"]).exits(1).quiet();
    assert!(run.stdout.contains("  wrong  /project/haft.toml:1:1: unknown key `concurency`"), "{run:#?}");
    assert!(run.stdout.ends_with("2 things are to be mended\n"), "{run:#?}");
}

/// A server that never answers does not keep a person waiting who has enough, nor a system that ends.
#[cfg(unix)]
#[test]
fn a_signal_ends_the_waiting_for_servers_and_the_servers() {
    for (wanted, name, code) in [("list", "INT", 130), ("serve", "INT", 130), ("serve", "TERM", 0)] {
        let user = User::new();
        user.file("silent.toml", "[servers.silent]\ncommand = \"sh\"\nargs = [\"-c\", \"echo $$ > pid; cat > /dev/null; sleep 1000\"]\n");
        let mut command = command(&[wanted, "--config", "../silent.toml"]);
        command
            .current_dir(format!("{}/project", user.folder.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let pid = Path::new(&user.folder.path()).join("project/pid");
        let patience = Instant::now() + Duration::from_secs(60);
        let number = loop {
            let text = std::fs::read_to_string(&pid).unwrap_or_default();
            if text.ends_with('\n') {
                break text.trim().to_owned();
            }
            assert!(Instant::now() < patience, "the server is not started");
            std::thread::yield_now();
        };
        let signal = |arguments: &[&str]| {
            Command::new("kill").args(arguments).stderr(Stdio::null()).status().unwrap().success()
        };
        assert!(signal(&[&format!("-{name}"), &child.id().to_string()]));
        assert_eq!(child.wait().unwrap().code(), Some(code), "{wanted} {name}");
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        // Nobody is at a terminal, so nothing was shown of the waiting.
        assert_eq!(told, "", "{wanted} {name}");
        while signal(&["-0", &number]) {
            assert!(Instant::now() < patience, "the server is left behind");
            std::thread::yield_now();
        }
    }
}

/// Whoever has started haft sees what happens to servers, also once clients are served.
#[cfg(unix)]
#[test]
fn what_happens_to_servers_while_clients_are_served_is_told() {
    use std::io::{BufRead as _, BufReader};

    let user = User::new();
    let server = format!("echo $$ > pid; exec '{HAFT}' serve --no-config");
    user.file("s.toml", &format!("[servers.s]\ncommand = \"sh\"\nargs = [\"-c\", {server:?}]\n"));
    let mut command = command(&["serve", "--http", "127.0.0.1:0", "--config", "../s.toml"]);
    command
        .current_dir(format!("{}/project", user.folder.path()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut tells = |what: &str| {
        loop {
            let line = told.next().expect("something is told").unwrap();
            if line.contains(what) {
                break;
            }
            // The connection may be lost while the tools are listed once more.
            assert!(line.contains("the tools of the server s stay as they were"), "{line}");
        }
    };
    tells("serving MCP clients");
    let pid = std::fs::read_to_string(Path::new(&user.folder.path()).join("project/pid")).unwrap();
    assert!(Command::new("kill").args(["-9", pid.trim()]).status().unwrap().success());
    tells("the server s can not be used: the connection was lost");
    tells("the server s can be used again");
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A client waits a few seconds for slow servers; the tools of one that is slower still are told as a change.
#[test]
fn a_slow_server_does_not_keep_clients_waiting() {
    use std::io::{BufRead as _, BufReader, Write as _};

    let user = User::new();
    let waits = format!("while [ ! -e go ]; do sleep 0.1; done; exec '{HAFT}' serve --no-config");
    user.file(
        "slow.toml",
        &format!("[servers.slow]\ncommand = \"sh\"\nargs = [\"-c\", {waits:?}]\nera = \"legacy\"\n"),
    );
    let mut command = command(&["serve", "--config", "../slow.toml"]);
    command
        .current_dir(format!("{}/project", user.folder.path()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut next = || {
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    };
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    writeln!(stdin, "{hello}").unwrap();
    assert_eq!(next()["id"], 1);
    writeln!(stdin, r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#).unwrap();
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":2,"method":"tools/list"}}"#).unwrap();
    assert_eq!(next()["result"]["tools"].as_array().unwrap().len(), 3);
    user.file("project/go", "");
    assert_eq!(next()["method"], "notifications/tools/list_changed");
    writeln!(stdin, r#"{{"jsonrpc":"2.0","id":3,"method":"tools/list"}}"#).unwrap();
    assert_eq!(next()["result"]["tools"].as_array().unwrap().len(), 6);
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// What a server says to models is said to clients that begin once it is there, and to who looks into it; unless its entry
/// wants it not to be heard.
#[cfg(unix)]
#[test]
fn what_a_server_says_to_models_is_handed_on() {
    let user = User::new();
    let script = r#"
        while read -r line; do
            id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
            case "$line" in
                *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"instructions":"Read first."}' ;;
                *'"tools/list"'*) result='{"tools":[{"name":"read","description":"Reads.","inputSchema":{"type":"object"}}]}' ;;
                *) continue ;;
            esac
            printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
        done
    "#;
    user.file("project/server.sh", script);
    let configure = |more: &str| {
        let server = "[servers.s]\ncommand = \"sh\"\nargs = [\"server.sh\"]\nera = \"legacy\"\n";
        user.file("config/haft/haft.toml", &format!("{server}{more}"));
    };
    configure("");
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let told = || user.haft_with(&["serve"], &format!("{hello}\n")).exits(0).quiet().json_lines();
    let said = "Of its tools, whose names begin with s__, the server s says:\n> Read first.";
    assert_eq!(told()[0]["result"]["instructions"], said);
    let report = user.haft(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["area"] == "server").unwrap();
    assert!(check.to_string().contains(r#""instructions":"Read first.""#), "{check}");
    configure("instructions = false\n");
    assert_eq!(told()[0]["result"].get("instructions"), None);
}
