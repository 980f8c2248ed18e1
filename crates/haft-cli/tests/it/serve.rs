//! `haft serve` as clients start it: on pipes, on files, over HTTP; and how it ends.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::{
    fmt::Write as _,
    fs::File,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::haft::{Folder, command, haft, haft_with};

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","#,
    r#""capabilities":{},"clientInfo":{"name":"test","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
);

fn call(id: u64, name: &str, arguments: &Value) -> String {
    let params = json!({"name": name, "arguments": arguments});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

/// A server on pipes.
struct Served {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        let mut command = command(&[&["serve"], arguments].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout) }
    }

    fn ask(&mut self, request: &str) -> Value {
        self.stdin.write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn signal(&self, name: &str) {
        kill(&self.child, name);
    }

    /// Exit code, what was left on standard output, and standard error.
    fn end(self) -> (Option<i32>, String, String) {
        let Self { mut child, stdin, mut stdout } = self;
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        let mut told = String::new();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        let code = child.wait().unwrap().code();
        drop(stdin);
        (code, rest, told)
    }
}

fn kill(child: &Child, signal: &str) {
    let status =
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn the_built_in_tools_are_listed_and_called() {
    let mut served = Served::start(&[]);
    let hello = served.ask(HELLO);
    assert_eq!(hello["result"]["serverInfo"]["name"], "haft", "{hello}");
    let list = served.ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n");
    let names: Vec<&str> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["calculate", "current_date", "day_name"]);
    let sum = served.ask(&call(2, "calculate", &json!({"expression": "0.1 + 0.2"})));
    assert_eq!(sum["result"]["content"][0]["text"], "0.3", "{sum}");
    let Served { child, stdin, stdout } = served;
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    drop(stdout);
}

#[test]
fn input_and_output_can_be_files_and_every_line_is_a_message() {
    let folder = Folder::new();
    let input = format!(
        "{HELLO}garbage\n{}{}",
        call(1, "day_name", &json!({"date": "2026-11-30"})),
        call(2, "no", &json!({}))
    );
    let (input, output) = (folder.file("in", input), folder.file("out", ""));
    let mut command = command(&["serve"]);
    command.stdin(File::open(input).unwrap()).stdout(File::create(&output).unwrap()).stderr(Stdio::piped());
    let done = command.spawn().unwrap().wait_with_output().unwrap();
    let told = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), told.lines().count()), (Some(0), 1), "{told}");
    assert!(told.contains("is no message"), "{told}");
    let text = std::fs::read_to_string(output).unwrap();
    let mut answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(answers.len(), 3, "{text}");
    assert_eq!(answers[1]["result"]["content"][0]["text"], "Monday");
    assert_eq!(answers[2]["error"]["code"], -32602);
}

#[test]
fn a_client_without_handshake_is_served_too() {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "calculate", "arguments": {"expression": "2^10"}, "_meta": meta,
    }});
    let run = haft_with(&["serve"], format!("{request}\n")).exits(0).quiet();
    assert_eq!(run.json()["result"]["content"][0]["text"], "1024");
    assert_eq!(run.json()["result"]["resultType"], "complete");
}

#[test]
fn nothing_to_read_is_an_orderly_end() {
    let run = haft(&["serve"]).exits(0).quiet();
    assert_eq!(run.stdout, "");
}

#[test]
fn an_interrupt_ends_it_with_130_and_a_termination_with_0() {
    for (signal, code) in [("INT", 130), ("TERM", 0)] {
        let mut served = Served::start(&[]);
        served.ask(HELLO);
        served.signal(signal);
        assert_eq!(served.end(), (Some(code), String::new(), String::new()), "{signal}");
        // Before the first message too.
        let served = Served::start(&[]);
        let mut early = served;
        early.ask("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        early.signal(signal);
        assert_eq!(early.end(), (Some(code), String::new(), String::new()), "{signal}");
    }
}

#[test]
fn a_client_that_is_gone_is_no_fault() {
    let mut served = Served::start(&[]);
    served.ask(HELLO);
    let Served { child, mut stdin, stdout } = served;
    drop(stdout);
    // The write may find nobody any more.
    let _ = stdin.write_all(call(1, "current_date", &json!({})).as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
}

#[test]
fn ten_thousand_calls_in_one_go_are_all_answered() {
    let calls: String =
        (0..10_000).map(|id| call(id, "calculate", &json!({"expression": format!("{id} + 1")}))).collect();
    let run = haft_with(&["serve", "--concurrency", "4"], format!("{HELLO}{calls}")).exits(0).quiet();
    let mut seen = vec![false; 10_000];
    for answer in run.json_lines() {
        let Some(id) = answer["id"].as_u64() else { continue };
        assert_eq!(answer["result"]["content"][0]["text"], (id + 1).to_string(), "{answer}");
        assert!(!std::mem::replace(&mut seen[usize::try_from(id).unwrap()], true), "{id} came twice");
    }
    assert!(seen.into_iter().all(|seen| seen));
}

/// A server over HTTP, at a port of the system's choice.
struct Http {
    child: Child,
    address: SocketAddr,
    told: BufReader<std::process::ChildStderr>,
    /// What was said before the address.
    before: String,
}

impl Http {
    fn start(arguments: &[&str]) -> Self {
        Self::run(command(&[&["serve"], arguments].concat()))
    }

    fn run(mut command: Command) -> Self {
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut told = BufReader::new(child.stderr.take().unwrap());
        let (mut before, mut line) = (String::new(), String::new());
        // It says where it is once clients can come.
        while !line.contains("http://") {
            before.push_str(&std::mem::take(&mut line));
            if told.read_line(&mut line).unwrap() == 0 {
                child.wait().unwrap();
                panic!("it ended: {before}");
            }
        }
        let address = line.split_once("http://").unwrap().1.split_once("/mcp").unwrap().0.parse().unwrap();
        Self { child, address, told, before }
    }

    /// The status and the body of an answer.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.address.port())).unwrap();
        let host = ("host", "localhost");
        let mut request = format!(
            "POST /mcp HTTP/1.1\r\nconnection: close\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n",
            body.len()
        );
        let named = headers.iter().any(|(name, _)| *name == "host");
        for (name, value) in headers.iter().chain((!named).then_some(&host)) {
            write!(request, "{name}: {value}\r\n").unwrap();
        }
        write!(stream, "{request}\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// The answer to a request of a path.
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.address.port())).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn end(mut self, signal: &str) -> (Option<i32>, String) {
        kill(&self.child, signal);
        let mut told = String::new();
        self.told.read_to_string(&mut told).unwrap();
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(printed, "");
        (self.child.wait().unwrap().code(), told)
    }
}

const MODERN: [(&str, &str); 3] =
    [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "calculate")];

fn calculate() -> String {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "calculate", "arguments": {"expression": "2^10"}, "_meta": meta,
    }})
    .to_string()
}

#[test]
fn programs_of_this_machine_ask_over_http() {
    let http = Http::start(&["--http", "127.0.0.1:0"]);
    assert_eq!(http.before, "");
    let (status, body) = http.post(&MODERN, &calculate());
    assert!(status == 200 && body.contains("1024"), "{status} {body}");
    for (name, value) in [("host", "evil.example"), ("origin", "https://evil.example")] {
        let headers: Vec<_> = MODERN.into_iter().chain([(name, value)]).collect();
        assert_eq!(http.post(&headers, &calculate()).0, 403, "{name}");
    }
    let headers: Vec<_> = MODERN.into_iter().chain([("origin", "http://localhost:5173")]).collect();
    assert_eq!(http.post(&headers, &calculate()).0, 200);
    assert_eq!(http.post(&MODERN, &format!("\"{}\"", "x".repeat(5 << 20))).0, 413);
    assert_eq!(http.end("INT"), (Some(130), String::new()));
}

#[test]
fn at_an_address_that_others_reach_a_token_is_made_and_told_once() {
    let http = Http::start(&["--http", "0.0.0.0:0"]);
    let token = http.before.trim().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(token.len(), 64, "{}", http.before);
    assert_eq!(http.post(&MODERN, &calculate()).0, 401);
    let bearer = format!("Bearer {token}");
    let headers: Vec<_> =
        MODERN.into_iter().chain([("authorization", bearer.as_str()), ("host", "tools.example")]).collect();
    assert_eq!(http.post(&headers, &calculate()).0, 200);
    let (code, told) = http.end("TERM");
    assert!(code == Some(0) && !told.contains(&token), "{code:?} {told}");
}

#[test]
fn a_token_of_a_file_is_demanded_and_never_told() {
    let folder = Folder::new();
    let file = folder.file("token.txt", "0123456789abcdef\n");
    let http = Http::start(&[
        "--http",
        "127.0.0.1:0",
        "--token-file",
        &file,
        "--allow-origin",
        "https://App.example:443/",
        "--allow-host",
        "tools.example",
    ]);
    assert_eq!(http.before, "");
    assert_eq!(http.post(&MODERN, &calculate()).0, 401);
    let status = |origin, host| {
        let shown = ("authorization", "Bearer 0123456789abcdef");
        let headers: Vec<_> = MODERN.into_iter().chain([shown, ("origin", origin), ("host", host)]).collect();
        http.post(&headers, &calculate()).0
    };
    assert_eq!(status("https://app.example", "localhost"), 200);
    assert_eq!(status("https://app.example", "tools.example"), 200);
    assert_eq!(status("https://other.example", "tools.example"), 403);
    assert_eq!(status("https://app.example", "other.example"), 403);
    let (_, told) = http.end("TERM");
    assert!(!told.contains("0123456789abcdef"), "{told}");
}

#[test]
fn what_can_not_be_served_is_said() {
    let folder = Folder::new();
    let short = folder.file("short", "abc");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, wanted) in [
        (
            vec!["--http", "nowhere"],
            "nowhere can not be served at: invalid socket address; an address is HOST:PORT, such as",
        ),
        (vec!["--http", taken.as_str()], "name another port, 0 for any that is free"),
        (vec!["--http", "127.0.0.1:0", "--token-file", short.as_str()], "16 characters"),
        (vec!["--http", "127.0.0.1:0", "--token-file", "no such file"], "no such file"),
        (vec!["--http", ":8848"], "an address is HOST:PORT, such as"),
        // Neither would ever be matched, and nobody would be told.
        (vec!["--http", "127.0.0.1:0", "--allow-origin", "*"], "an origin is SCHEME://HOST"),
        (vec!["--http", "127.0.0.1:0", "--allow-host", "https://tools.example"], "a host is a name"),
        (vec!["--token-file", "x"], "--http"),
    ] {
        let run = haft(&[vec!["serve"], arguments].concat()).exits(2);
        assert!(run.stderr.contains(wanted) && run.stdout.is_empty(), "{run:#?}");
    }
}

/// Another haft behind this one: what its tools say of themselves is not believed, so a call of them is asked about.
#[test]
fn what_may_change_something_is_asked_of_the_client_denied_or_allowed_by_rule() {
    let folder = Folder::new();
    let inner = format!(
        "[servers.inner]\ncommand = {:?}\nargs = [\"serve\", \"--no-config\"]\n",
        env!("CARGO_BIN_EXE_haft")
    );
    let config = folder.file("haft.toml", inner);
    let asks = HELLO.replace("\"capabilities\":{}", "\"capabilities\":{\"elicitation\":{}}");
    let sum = call(1, "inner__calculate", &json!({"expression": "6*7"}));
    let text =
        |answer: &Value| answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();

    let mut mute = Served::start(&["--config", &config]);
    mute.ask(HELLO);
    let denied = mute.ask(&sum);
    assert!(text(&denied).contains("\"kind\":\"denied\"") && denied["result"]["isError"] == true, "{denied}");
    assert_eq!(text(&mute.ask(&call(2, "calculate", &json!({"expression": "6*7"})))), "42");

    let mut asked = Served::start(&["--config", &config]);
    asked.ask(&asks);
    for (decision, wanted) in [("approve", "42"), ("reject", "\"kind\":\"rejected\"")] {
        let question = asked.ask(&sum);
        assert_eq!(question["method"], "elicitation/create", "{question}");
        let message = question["params"]["message"].as_str().unwrap();
        assert!(message.contains("inner__calculate") && message.contains("6*7"), "{message}");
        let said = json!({"action": "accept", "content": {"decision": decision}});
        let answer =
            asked.ask(&format!("{}\n", json!({"jsonrpc": "2.0", "id": question["id"], "result": said})));
        assert!(text(&answer).contains(wanted), "{answer}");
    }

    let mut yes = Served::start(&["--config", &config, "--yes"]);
    yes.ask(HELLO);
    assert_eq!(text(&yes.ask(&sum)), "42");
    for served in [mute, asked, yes] {
        let Served { child, stdin, stdout } = served;
        drop((stdin, stdout));
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0));
    }
}

#[test]
fn who_asks_elsewhere_is_told_where_clients_are_served() {
    let http = Http::start(&["--http", "127.0.0.1:0", "--no-config"]);
    for path in ["/", "/sse", "/.well-known/oauth-authorization-server", "/mcp/x"] {
        let answer = http.get(path);
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
        assert!(answer.ends_with("MCP clients are served at /mcp\n"), "{path}: {answer}");
    }
    // Without a session there is nothing to listen to, with or without a slash.
    for path in ["/mcp", "/mcp/"] {
        assert!(http.get(path).starts_with("HTTP/1.1 40"), "{path}");
        assert!(!http.get(path).contains("MCP clients are served"), "{path}");
    }
    http.end("TERM");
}

#[test]
fn lines_that_are_no_messages_are_told_of_a_few_times() {
    let mut served = Served::start(&["--no-config"]);
    for _ in 0..100 {
        served.stdin.write_all(b"Content-Length: 7\r\n").unwrap();
    }
    assert_eq!(served.ask(HELLO)["id"], "hello");
    let Served { mut child, stdin, .. } = served;
    drop(stdin);
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(told.lines().count(), 10, "{told}");
    assert!(told.starts_with("haft: note: a line of the client is no message, and is dropped: "), "{told}");
    assert!(told.ends_with("not told of any more\n"), "{told}");
}

/// Some programs start a server and never read what it says on standard error: one day that is full.
#[cfg(target_os = "linux")]
#[test]
fn nobody_waits_for_who_does_not_read_standard_error() {
    let folder = Folder::new();
    let script = "i=0; while [ $i -lt 50 ]; do echo noise; i=$((i+1)); done; exec cat";
    let noisy = json!({"command": "sh", "args": ["-c", script], "timeout": {"startup": 1000}});
    let servers = json!({"mcpServers": {"missing": {"command": "no-such-program"}, "noisy": noisy}});
    let config = folder.file("mcp.json", servers.to_string());
    for kind in [Full::pipe, Full::socket] {
        let Full { unread, holder, given } = kind();
        let flags = rustix::fs::fcntl_getfl(&holder).unwrap();
        let mut command = command(&["serve", "--config", &config]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(given).spawn().unwrap();
        drop(command);
        let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let request = call(1, "calculate", &json!({"expression": "1 + 1"}));
        stdin.write_all(format!("{HELLO}{request}").as_bytes()).unwrap();
        let answers: Vec<String> = BufReader::new(stdout).lines().take(2).map(Result::unwrap).collect();
        assert!(answers[1].contains("\"text\":\"2\""), "{answers:?}");
        // Others that have it too, standard output among them, wait as they did.
        assert_eq!(rustix::fs::fcntl_getfl(&holder).unwrap(), flags);
        drop(stdin);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        drop(unread);
    }
}

/// What takes nothing more: who would read it, who else writes to it, and what a program gets as standard error.
#[cfg(target_os = "linux")]
struct Full {
    unread: OwnedFd,
    holder: OwnedFd,
    given: Stdio,
}

#[cfg(target_os = "linux")]
impl Full {
    fn pipe() -> Self {
        let (unread, mut holder) = std::io::pipe().unwrap();
        holder.write_all(&vec![b'x'; 64 * 1024]).unwrap();
        let given = holder.try_clone().unwrap().into();
        Self { unread: unread.into(), holder: holder.into(), given }
    }

    fn socket() -> Self {
        let (unread, mut holder) = std::os::unix::net::UnixStream::pair().unwrap();
        holder.set_nonblocking(true).unwrap();
        while holder.write(&[b'x'; 512]).is_ok() {}
        holder.set_nonblocking(false).unwrap();
        let given = OwnedFd::from(holder.try_clone().unwrap()).into();
        Self { unread: unread.into(), holder: holder.into(), given }
    }
}

/// What is read is told whole, whatever it is told by.
#[cfg(target_os = "linux")]
#[test]
fn who_reads_standard_error_reads_all_of_it() {
    let folder = Folder::new();
    let long = "x".repeat(3_000);
    let servers = json!({"mcpServers": {"missing": {"command": "no-such-program"}, "folder": {"command": "cat", "cwd": format!("/{long}")}}});
    let config = folder.file("mcp.json", servers.to_string());
    let (near, far) = std::os::unix::net::UnixStream::pair().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    let both: [(OwnedFd, OwnedFd); 2] = [(near.into(), far.into()), (reader.into(), writer.into())];
    let told = both.map(|(reader, writer)| {
        let mut command = command(&["serve", "--config", &config]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(writer).spawn().unwrap();
        drop(command);
        let mut told = String::new();
        File::from(reader).read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let mut lines: Vec<String> = told.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    });
    assert!(told[0].len() == 2 && told[0].iter().any(|line| line.contains(&long)), "{told:?}");
    assert_eq!(told[0], told[1]);
}

/// A process may have so many files open; one more connection has to wait, and that is said.
#[cfg(target_os = "linux")]
#[test]
fn that_no_connection_can_be_taken_is_told_once() {
    let mut limited = Command::new("sh");
    let haft = command(&["serve", "--http", "127.0.0.1:0", "--no-config"]);
    limited.args(["-c", "ulimit -n 40; exec \"$@\"", "sh"]).arg(haft.get_program()).args(haft.get_args());
    let mut http = Http::run(limited);
    let connections: Vec<TcpStream> =
        (0..60).map(|_| TcpStream::connect(("127.0.0.1", http.address.port())).unwrap()).collect();
    let mut line = String::new();
    http.told.read_line(&mut line).unwrap();
    assert!(line.starts_with("haft: note: no connection can be taken now: "), "{line}");
    drop(connections);
    assert_eq!(http.post(&MODERN, &calculate()).0, 200);
    assert_eq!(http.end("TERM"), (Some(0), String::new()));
}
