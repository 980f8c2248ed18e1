//! The last lines that a program wrote to its standard error.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::redact::Secrets;

const LINES: usize = 20;
/// So many characters of a line are shown.
const LINE: usize = 400;
/// So many bytes of it are kept, which are more whatever the characters are.
const KEPT: usize = 4 * (LINE + 1);

/// The last lines of a stream; what came before is forgotten.
#[derive(Debug, Default)]
pub(crate) struct Tail(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    lines: VecDeque<Vec<u8>>,
    line: Vec<u8>,
}

impl Tail {
    /// The lines, the oldest first, without secrets.
    pub(crate) fn lines(&self, secrets: &Secrets) -> Vec<String> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = kept.lines.iter().chain(Some(&kept.line));
        lines.map(|line| secrets.excerpt(&text(line), LINE)).filter(|line| !line.is_empty()).collect()
    }

    /// Reads a stream to its end.
    pub(super) async fn drain(&self, mut stream: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; 8 * 1024];
        while let Ok(count @ 1..) = stream.read(&mut chunk).await {
            self.add(chunk.get(..count).unwrap_or_default());
        }
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = KEPT.saturating_sub(kept.line.len());
            kept.line.extend(piece.iter().take(room));
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut kept.line);
                if !text(&line).is_empty() {
                    kept.lines.push_back(line);
                }
                if kept.lines.len() > LINES {
                    kept.lines.pop_front();
                }
            }
        }
    }
}

/// A line as text that no terminal can misread.
fn text(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Secrets, Tail};

    #[tokio::test]
    async fn the_last_lines_are_kept_and_long_ones_are_cut() {
        let tail = Tail::default();
        let flood: Vec<String> = (0..100_000).map(|line| format!("line {line}\n")).collect();
        let flood = flood.concat();
        tail.drain(format!("{flood}{}\n\n\x1b[31mlast \u{fffd}", "x".repeat(1 << 20)).as_bytes()).await;
        let lines = tail.lines(&Secrets::default());
        assert_eq!(lines.len(), 21);
        assert_eq!(lines[0], "line 99981");
        assert_eq!(lines[19], format!("{}…", "x".repeat(400)));
        assert_eq!(lines[20], " [31mlast \u{fffd}");
    }

    #[tokio::test]
    async fn a_secret_is_not_shown_in_part_where_a_line_is_cut() {
        let secret = "0123456789abcdef".repeat(30);
        let mut secrets = Secrets::default();
        secrets.add([secret.clone()]);
        for before in [0, 1, 100, 399, 400, 1_500, 1_604, 1_700] {
            let tail = Tail::default();
            tail.drain(format!("{}{secret}{}\n", "ß".repeat(before), "x".repeat(1_000)).as_bytes()).await;
            let lines = tail.lines(&secrets);
            assert!(!lines.concat().contains("01"), "{before}: {lines:?}");
        }
    }
}
