//! Lines of a stream that may hold anything: each is bounded, and none ends the reading.

mod scan;

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use self::scan::Scan;
pub(crate) use self::scan::Trace;

const CHUNK: usize = 64 * 1024;

/// A line, without its end.
#[derive(Debug)]
pub(crate) enum Line {
    Whole(Vec<u8>),
    /// Longer than the cap; nothing of it is kept but whose message it may be.
    TooLong {
        bytes: u64,
        trace: Trace,
    },
}

/// Splits a stream into lines.
pub(crate) struct Lines<R> {
    reader: R,
    cap: usize,
    /// Never filled ahead: memory that is not read into is not there.
    chunk: Vec<u8>,
    /// What of the chunk is not used yet.
    unused: std::ops::Range<usize>,
    line: Vec<u8>,
    /// Where the line is longer than the cap.
    overflow: Option<(u64, Scan)>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, cap: usize) -> Self {
        Self { reader, cap, chunk: Vec::with_capacity(CHUNK), unused: 0..0, line: Vec::new(), overflow: None }
    }

    /// The next line that is not blank; none at the end of the stream. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line>> {
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
            self.unused = 0..0;
            self.chunk.clear();
            let read = self.reader.read_buf(&mut self.chunk).await?;
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
            let mut scan = Scan::default();
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
            return Some(Line::TooLong { bytes, trace: scan.trace() });
        }
        let line = std::mem::take(&mut self.line);
        (!line.iter().all(u8::is_ascii_whitespace)).then_some(Line::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{io::AsyncWriteExt as _, time::timeout};

    use super::{Line, Lines};

    /// The lines; of one that is too long, its length and the id in it.
    async fn lines(bytes: &[u8], cap: usize) -> Vec<String> {
        let mut lines = Lines::new(bytes, cap);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            found.push(match line {
                Line::Whole(line) => String::from_utf8_lossy(&line).into_owned(),
                Line::TooLong { bytes, trace } => {
                    format!("{bytes} bytes, id {}", trace.id.as_ref().map_or("none", |id| id.get()))
                }
            });
        }
        found
    }

    #[tokio::test]
    async fn lines_are_split_and_blank_ones_are_none() {
        assert_eq!(lines(b"one\n\n  \r\ntwo\r\nthree", 64).await, ["one", "two\r", "three"]);
    }

    #[tokio::test]
    async fn a_line_beyond_the_cap_is_dropped_and_the_others_come() {
        let long = format!("before\n{{\"id\":7,\"result\":\"{}\"}}\nafter\n", "x".repeat(200_000));
        assert_eq!(lines(long.as_bytes(), 100_000).await, ["before", "200020 bytes, id 7", "after"]);
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_cap_is_whole() {
        assert_eq!(lines(b"1234\n12345\n123456", 4).await, ["1234", "5 bytes, id none", "6 bytes, id none"]);
    }

    #[tokio::test]
    async fn a_read_that_was_given_up_loses_nothing() {
        let (mut near, far) = tokio::io::duplex(64);
        let mut lines = Lines::new(far, 64);
        near.write_all(b"one, ").await.unwrap();
        for _ in 0..3 {
            assert!(timeout(Duration::ZERO, lines.next()).await.is_err());
        }
        near.write_all(b"two\n").await.unwrap();
        assert!(matches!(lines.next().await, Ok(Some(Line::Whole(line))) if line == b"one, two"));
    }
}
