//! Programs that a test runs: each ends with its deadline or with the test.

use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// How long any program of a test may take. Generous: tests run side by side on machines that do other work too.
const LIMIT: Duration = Duration::from_secs(120);

/// What a program that ended has said.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// A program that is killed when the test is through with it.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    /// What is left of standard error, once it ended.
    stderr: Receiver<String>,
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Program {
    /// Starts a program and waits until one of its streams has a line that holds `mark`; gives that line.
    pub(crate) fn ready(command: &mut Command, mark: &str) -> (Self, String) {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        watch(child.stdout.take().unwrap(), sender.clone());
        watch(child.stderr.take().unwrap(), sender);
        let (_, stderr) = mpsc::channel();
        let program = Self { child, stderr };
        let started = Instant::now();
        let mut seen = String::new();
        while let Ok(line) = lines.recv_timeout(LIMIT.saturating_sub(started.elapsed())) {
            if line.contains(mark) {
                return (program, line);
            }
            seen += &line;
        }
        panic!("no line with {mark:?}, but:\n{seen}");
    }

    fn wait(&mut self) -> Option<ExitStatus> {
        let started = Instant::now();
        while started.elapsed() < LIMIT {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

/// Runs a program to its end.
pub(crate) fn run(command: &mut Command, input: &str) -> Run {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    thread::spawn(move || drop(stdin.write_all(input.as_bytes()))); // the program may end without having read it
    let stdout = collect(child.stdout.take().unwrap());
    let stderr = collect(child.stderr.take().unwrap());
    let mut program = Program { child, stderr };
    let status = program.wait();
    if status.is_none() {
        drop(program.child.kill());
    }
    let stdout = stdout.recv_timeout(LIMIT).unwrap_or_default();
    let stderr = program.stderr.recv_timeout(LIMIT).unwrap_or_default();
    let Some(status) = status else { panic!("{command:?} did not end: {stdout}\n{stderr}") };
    Run { code: status.code(), stdout, stderr }
}

fn collect(mut stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, text) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(stream.read_to_end(&mut bytes));
        drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    text
}

/// Sends the lines of a stream on; reads it to its end, so that the program never waits for a reader.
fn watch(stream: impl Read + Send + 'static, sender: mpsc::Sender<String>) {
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        while stream.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            drop(sender.send(String::from_utf8_lossy(&line).into_owned()));
            line.clear();
        }
    });
}
