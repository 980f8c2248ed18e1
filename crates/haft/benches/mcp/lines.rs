//! The load client over standard input and output: some calls in flight on one connection.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::load::Load;
use crate::messages::{Calls, Era, check};

const BUFFER: usize = 64 * 1024;

/// Both ends of a server's pipes.
pub(crate) struct Lines {
    reader: BufReader<ChildStdout>,
    writer: ChildStdin,
    line: String,
}

#[derive(Deserialize)]
struct Answer {
    id: usize,
}

impl Lines {
    pub(crate) fn new(child: &mut Child) -> Self {
        let reader = BufReader::with_capacity(BUFFER, child.stdout.take().expect("it is piped"));
        Self { reader, writer: child.stdin.take().expect("it is piped"), line: String::new() }
    }

    pub(crate) fn tell(&mut self, message: &str) {
        self.writer.write_all(format!("{message}\n").as_bytes()).expect("the server reads");
    }

    /// Sends a request and reads its answer; what comes before is no answer.
    pub(crate) fn ask(&mut self, request: &str) {
        self.tell(request);
        while !self.read().contains("\"result\"") {}
    }

    fn read(&mut self) -> &str {
        self.line.clear();
        let length = self.reader.read_line(&mut self.line).expect("the server writes text");
        assert!(length > 0, "the server ended");
        &self.line
    }

    /// Keeps `width` calls in flight for some time.
    pub(crate) fn load(&mut self, width: usize, time: Duration) -> Load {
        let calls = Calls::new(Era::Legacy);
        let mut flight: HashMap<usize, Instant> = HashMap::with_capacity(width);
        let mut load = Load::default();
        let mut out = String::new();
        let mut next = 100;
        let started = Instant::now();
        loop {
            let now = Instant::now();
            while flight.len() < width && now - started < time {
                calls.write(next, &mut out);
                out.push('\n');
                flight.insert(next, now);
                next += 1;
            }
            if !out.is_empty() {
                self.writer.write_all(out.as_bytes()).expect("the server reads");
                out.clear();
            }
            if flight.is_empty() {
                break;
            }
            loop {
                let line = self.read();
                let Ok(Answer { id }) = serde_json::from_str(line) else { continue }; // a notification
                check(line);
                let sent = flight.remove(&id).expect("each call is answered once");
                load.waits.push(sent.elapsed());
                if !self.reader.buffer().contains(&b'\n') {
                    break;
                }
            }
        }
        load.time = started.elapsed();
        load
    }
}
