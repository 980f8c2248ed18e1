//! The load client over HTTP: one call in flight on each of some connections that are kept.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::load::Load;
use crate::messages::{Calls, Era, LEGACY, MODERN, TOOL, check};

const LIMIT: Duration = Duration::from_secs(10);

/// One connection.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
    era: Era,
    out: String,
    answer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: &str, era: Era) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_nodelay(true).expect("the system does it");
        stream.set_read_timeout(Some(LIMIT)).expect("the system does it");
        Self {
            stream: BufReader::with_capacity(64 * 1024, stream),
            address: address.to_owned(),
            era,
            out: String::new(),
            answer: Vec::new(),
        }
    }

    /// Sends a request and reads its answer, which must be one of success.
    pub(crate) fn post(&mut self, method: &str, body: &str) -> &str {
        self.send(method, body);
        self.receive()
    }

    fn send(&mut self, method: &str, body: &str) {
        let Self { out, address, era, .. } = self;
        out.clear();
        out.push_str("POST /mcp HTTP/1.1\r\nHost: ");
        out.push_str(address);
        out.push_str("\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n");
        match era {
            Era::Legacy => header(out, "MCP-Protocol-Version", LEGACY),
            Era::Modern => {
                header(out, "MCP-Protocol-Version", MODERN);
                header(out, "Mcp-Method", method);
                if method == "tools/call" {
                    header(out, "Mcp-Name", TOOL);
                }
            }
        }
        header(out, "Content-Length", &body.len().to_string());
        out.push_str("\r\n");
        out.push_str(body);
        self.stream.get_mut().write_all(out.as_bytes()).expect("the server reads");
    }

    fn receive(&mut self) -> &str {
        let status = self.line();
        assert!(status.starts_with("HTTP/1.1 200"), "{status}");
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line().to_ascii_lowercase();
            match line.trim_end().split_once(':') {
                None => break,
                Some(("content-length", value)) => length = value.trim().parse().expect("it is a number"),
                Some(("transfer-encoding", value)) => chunked = value.trim() == "chunked",
                Some(_) => {}
            }
        }
        self.answer.clear();
        if chunked {
            loop {
                let size = usize::from_str_radix(self.line().trim(), 16).expect("it is a number");
                self.read(size);
                self.line();
                if size == 0 {
                    break;
                }
            }
        } else {
            self.read(length);
        }
        std::str::from_utf8(&self.answer).expect("the answer is text")
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("the server writes text");
        assert!(!line.is_empty(), "the server closed the connection");
        line
    }

    fn read(&mut self, length: usize) {
        let start = self.answer.len();
        self.answer.resize(start + length, 0);
        self.stream.read_exact(&mut self.answer[start..]).expect("the server goes on");
    }
}

fn header(out: &mut String, name: &str, value: &str) {
    for part in [name, ": ", value, "\r\n"] {
        out.push_str(part);
    }
}

/// Keeps a call in flight on each of `width` connections for some time, going round them.
pub(crate) fn load(address: &str, era: Era, width: usize, time: Duration) -> Load {
    let calls = Calls::new(era);
    let mut connections: Vec<Connection> = (0..width).map(|_| Connection::open(address, era)).collect();
    let mut sent = Vec::with_capacity(width);
    let mut load = Load::default();
    let (mut next, mut body) = (100, String::new());
    let mut send = |connection: &mut Connection| {
        body.clear();
        calls.write(next, &mut body);
        next += 1;
        connection.send("tools/call", &body);
        Instant::now()
    };
    let started = Instant::now();
    sent.extend(connections.iter_mut().map(&mut send));
    while started.elapsed() < time {
        for (connection, sent) in connections.iter_mut().zip(&mut sent) {
            check(connection.receive());
            load.waits.push(sent.elapsed());
            *sent = send(connection);
        }
    }
    for (connection, sent) in connections.iter_mut().zip(sent) {
        check(connection.receive());
        load.waits.push(sent.elapsed());
    }
    load.time = started.elapsed();
    load
}
