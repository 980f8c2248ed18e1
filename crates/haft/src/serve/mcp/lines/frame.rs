//! Lines of bytes from a reader, each bounded in length.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// How long a line may be: 16 MiB.
const LONGEST: usize = 16 * 1024 * 1024;
/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// What was read.
#[derive(Debug)]
pub(super) enum Frame {
    /// A line, without its end; what is left over at the end of the input counts as one.
    Line(Vec<u8>),
    /// A line that was too long; it is gone.
    TooLong,
    /// There is no more.
    End,
}

/// Reads lines; a read that was given up is taken up by the next one.
pub(super) struct Frames<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line that was too long is being skipped.
    skipping: bool,
    longest: usize,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(CHUNK, reader),
            line: Vec::new(),
            skipping: false,
            longest: LONGEST,
        }
    }

    pub(super) async fn next(&mut self) -> io::Result<Frame> {
        loop {
            // Nothing is taken out while this waits, so that giving it up loses nothing.
            let read = self.reader.fill_buf().await?;
            if read.is_empty() {
                let rest = std::mem::take(&mut self.line);
                return Ok(if rest.is_empty() { Frame::End } else { Frame::Line(rest) });
            }
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = end.and_then(|end| read.get(..end)).unwrap_or(read);
            let taken = end.map_or(read.len(), |end| end + 1);
            let too_long = !self.skipping && self.line.len() + part.len() > self.longest;
            if too_long {
                self.line = Vec::new();
                self.skipping = true;
            } else if !self.skipping {
                self.line.extend_from_slice(part);
            }
            self.reader.consume(taken);
            if end.is_some() {
                if std::mem::take(&mut self.skipping) {
                    return Ok(Frame::TooLong);
                }
                return Ok(Frame::Line(std::mem::take(&mut self.line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(input: &[u8], longest: usize) -> Vec<String> {
        let mut frames = Frames::new(input);
        frames.longest = longest;
        let mut seen = Vec::new();
        loop {
            match frames.next().await.expect("a reader of bytes does not fail") {
                Frame::Line(line) => seen.push(String::from_utf8_lossy(&line).into_owned()),
                Frame::TooLong => seen.push("too long".to_owned()),
                Frame::End => return seen,
            }
        }
    }

    #[tokio::test]
    async fn a_line_is_bounded_and_the_next_one_is_read() {
        assert_eq!(frames(b"one\ntwo\n", 8).await, ["one", "two"]);
        assert_eq!(frames(b"123456789\ntwo\n123", 8).await, ["too long", "two", "123"]);
        assert_eq!(frames(b"12345678\n\n", 8).await, ["12345678", ""]);
    }

    #[tokio::test]
    async fn a_line_without_end_takes_no_memory() {
        let input = vec![b'x'; 1 << 20];
        assert_eq!(frames(&input, 8).await, Vec::<String>::new());
    }

    #[tokio::test]
    async fn a_read_that_was_given_up_loses_nothing() {
        let (mut near, far) = tokio::io::duplex(64);
        let mut frames = Frames::new(far);
        tokio::io::AsyncWriteExt::write_all(&mut near, b"one, ").await.expect("room");
        for _ in 0..3 {
            assert!(tokio::time::timeout(std::time::Duration::ZERO, frames.next()).await.is_err());
        }
        tokio::io::AsyncWriteExt::write_all(&mut near, b"two\n").await.expect("room");
        assert!(matches!(frames.next().await, Ok(Frame::Line(line)) if line == b"one, two"));
    }
}
