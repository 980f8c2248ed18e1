//! Lines of a stream that may hold anything: each is bounded, and none ends the reading.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use rmcp::model::RequestId;

use super::scan::IdScan;

const CHUNK: usize = 64 * 1024;

/// A line, without its end.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Text(String),
    /// Longer than the cap; nothing of it is kept but the id of the message that it may be.
    TooLong {
        bytes: u64,
        id: Option<RequestId>,
    },
    /// No UTF-8.
    NotText {
        id: Option<RequestId>,
    },
}

/// Splits a stream into lines.
pub(super) struct Lines<R> {
    reader: R,
    cap: usize,
    chunk: Box<[u8]>,
    /// What of the chunk is not used yet.
    unused: std::ops::Range<usize>,
    line: Vec<u8>,
    /// Where the line is longer than the cap.
    overflow: Option<(u64, IdScan)>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R, cap: usize) -> Self {
        let chunk = vec![0; CHUNK].into_boxed_slice();
        Self { reader, cap, chunk, unused: 0..0, line: Vec::new(), overflow: None }
    }

    /// The next line that is not blank; none at the end of the stream. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let unused = self.chunk.get(self.unused.clone()).unwrap_or_default();
            if let Some(end) = unused.iter().position(|byte| *byte == b'\n') {
                self.take(end);
                self.unused.start += 1;
                match self.finish() {
                    Some(line) => return Ok(Some(line)),
                    None => continue,
                }
            }
            let all = unused.len();
            self.take(all);
            let read = self.reader.read(&mut self.chunk).await?;
            self.unused = 0..read;
            if read == 0 {
                return Ok(self.finish());
            }
        }
    }

    /// Adds so many of the unused bytes to the line.
    fn take(&mut self, count: usize) {
        let from = self.unused.start;
        self.unused.start += count;
        let Some(bytes) = self.chunk.get(from..from + count) else { return };
        if self.overflow.is_none() && self.line.len() + bytes.len() > self.cap {
            let mut scan = IdScan::default();
            scan.read(&self.line);
            self.overflow = Some((self.line.len() as u64, scan));
            self.line = Vec::new();
        }
        match &mut self.overflow {
            Some((length, scan)) => {
                *length += bytes.len() as u64;
                scan.read(bytes);
            }
            None => self.line.extend_from_slice(bytes),
        }
    }

    fn finish(&mut self) -> Option<Line> {
        if let Some((bytes, scan)) = self.overflow.take() {
            return Some(Line::TooLong { bytes, id: scan.id() });
        }
        let line = std::mem::take(&mut self.line);
        if line.iter().all(u8::is_ascii_whitespace) {
            return None;
        }
        Some(match String::from_utf8(line) {
            Ok(text) => Line::Text(text.trim_start_matches('\u{feff}').trim_end_matches('\r').to_owned()),
            Err(error) => {
                let mut scan = IdScan::default();
                scan.read(error.as_bytes());
                Line::NotText { id: scan.id() }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::{Line, Lines};

    async fn lines(bytes: &[u8], cap: usize) -> Vec<Line> {
        let mut lines = Lines::new(bytes, cap);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(line);
        }
        found
    }

    fn text(text: &str) -> Line {
        Line::Text(text.into())
    }

    #[tokio::test]
    async fn lines_are_split_and_blank_ones_are_none() {
        let found = lines(b"one\n\n  \r\ntwo\r\n\xef\xbb\xbfthree", 64).await;
        assert_eq!(found, [text("one"), text("two"), text("three")]);
    }

    #[tokio::test]
    async fn a_line_beyond_the_cap_is_dropped_and_the_others_come() {
        let long = format!("before\n{{\"id\":7,\"result\":\"{}\"}}\nafter\n", "x".repeat(200_000));
        let found = lines(long.as_bytes(), 100_000).await;
        assert_eq!(found.len(), 3);
        assert_eq!((&found[0], &found[2]), (&text("before"), &text("after")));
        let Line::TooLong { bytes, id } = &found[1] else { panic!("{found:?}") };
        assert_eq!((*bytes, id), (200_020, &Some(NumberOrString::Number(7))));
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_cap_is_whole() {
        assert_eq!(lines(b"1234\n12345\n", 4).await, [text("1234"), Line::TooLong { bytes: 5, id: None }]);
    }

    #[tokio::test]
    async fn what_is_no_text_is_told_apart() {
        let found = lines(b"\xff\xfe\n{\"id\":3,\"result\":\"\xff\"}\nafter\n", 64).await;
        let broken = Line::NotText { id: Some(NumberOrString::Number(3)) };
        assert_eq!(found, [Line::NotText { id: None }, broken, text("after")]);
    }
}
