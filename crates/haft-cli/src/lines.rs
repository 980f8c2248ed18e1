//! The lines of a stream, one at a time, none of them larger than memory allows.

use std::io::{self, BufRead, Read as _};

/// One line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It was longer than allowed, and has been skipped.
    TooLong,
}

impl Line {
    /// Whether nothing stands in it.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self, Self::Bytes(bytes) if bytes.trim_ascii().is_empty())
    }
}

/// The next line; `None` at the end.
pub(crate) fn next(reader: &mut impl BufRead, most: u64) -> io::Result<Option<Line>> {
    let mut bytes = Vec::new();
    // One byte more, so that a line of exactly that length is told from a longer one.
    let read = reader.by_ref().take(most + 1).read_until(b'\n', &mut bytes)?;
    if read == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        return Ok(Some(Line::Bytes(bytes)));
    }
    if bytes.len() as u64 <= most {
        return Ok(Some(Line::Bytes(bytes)));
    }
    reader.skip_until(b'\n')?;
    Ok(Some(Line::TooLong))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, most: u64) -> Vec<Option<String>> {
        let mut reader = io::BufReader::with_capacity(3, text.as_bytes());
        let mut lines = Vec::new();
        while let Some(line) = next(&mut reader, most).expect("memory") {
            lines.push(match line {
                Line::Bytes(bytes) => Some(String::from_utf8(bytes).expect("UTF-8")),
                Line::TooLong => None,
            });
        }
        lines
    }

    #[test]
    fn each_line_comes_once_and_long_ones_are_skipped_whole() {
        let line = |text: &str| Some(text.to_owned());
        assert_eq!(all("", 4), []);
        assert_eq!(all("ab\n\ncd", 4), [line("ab"), line(""), line("cd")]);
        assert_eq!(all("abcd\nabcde\nabcdef\nx\n", 4), [line("abcd"), None, None, line("x")]);
        assert_eq!(all("abcd", 4), [line("abcd")]);
        assert_eq!(all("abcde", 4), [None]);
    }
}
