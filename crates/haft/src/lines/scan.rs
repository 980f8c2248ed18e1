//! What is still to be seen of a message that is too long to be kept, no text, or no JSON.

use serde_json::value::RawValue;

/// An id is no longer than this.
const LONGEST: usize = 256;

/// Whose a message is that can not be read.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// Its id as it was written, where it is text or a number.
    pub(crate) id: Option<Box<RawValue>>,
    /// Whether it has a method, as requests have and answers have not.
    pub(crate) has_method: bool,
}

impl Trace {
    pub(crate) fn of(message: &[u8]) -> Self {
        let mut scan = Scan::default();
        scan.read(message);
        scan.trace()
    }
}

/// Reads a JSON object byte by byte and keeps the value of its own field `id`; nothing else is remembered.
#[derive(Default)]
pub(super) struct Scan {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The text that is read at the top, or the value of `id`.
    kept: Vec<u8>,
    state: State,
    id: Option<Box<RawValue>>,
    has_method: bool,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    /// Before a name at the top, or in it.
    #[default]
    Name,
    /// Behind the name `id`, before or in its value.
    Value,
    /// In another value at the top.
    Other,
}

impl Scan {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    pub(super) fn trace(self) -> Trace {
        Trace { id: self.id, has_method: self.has_method }
    }

    fn step(&mut self, byte: u8) {
        if self.in_text {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.keep(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.close();
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 && self.state == State::Name => {
                self.has_method |= self.kept == b"\"method\"";
                let is_id = self.kept == b"\"id\"";
                self.state = if is_id { State::Value } else { State::Other };
                self.kept.clear();
            }
            b',' if self.depth == 1 => {
                self.close();
                self.state = State::Name;
                self.kept.clear();
            }
            byte if !byte.is_ascii_whitespace() => self.keep(byte),
            _ => {}
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.state != State::Other && self.kept.len() < LONGEST {
            self.kept.push(byte);
        }
    }

    /// The value of a field at the top ends.
    fn close(&mut self) {
        if self.depth == 1 && self.state == State::Value && self.id.is_none() {
            let is_id = matches!(self.kept.first(), Some(b'"' | b'-' | b'0'..=b'9'));
            self.id = is_id.then(|| serde_json::from_slice(&self.kept).ok()).flatten();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scan;

    /// The id, and whether there is a method.
    fn trace(text: &str) -> (Option<String>, bool) {
        let mut scan = Scan::default();
        // In pieces, as they come from a pipe.
        text.as_bytes().chunks(3).for_each(|piece| scan.read(piece));
        let trace = scan.trace();
        (trace.id.map(|id| id.get().to_owned()), trace.has_method)
    }

    #[test]
    fn the_id_at_the_top_is_found_wherever_it_stands() {
        let answer = (Some("17".to_owned()), false);
        assert_eq!(trace(r#"{"jsonrpc":"2.0","id":17,"result":{"id":3,"method":"\",\"id\":4"}}"#), answer);
        assert_eq!(trace(r#"{"result":{"id":3,"a":[{"id":4}]}, "id" : 17 }"#), answer);
        let request = (Some(r#""a-\"1""#.to_owned()), true);
        assert_eq!(trace(r#"{"id":"a-\"1","method":"x","params":{"a":NaN}}"#), request);
        assert_eq!(trace(r#"{"method":"x","params":{"a":[1,2,],"id":3},"id":"a-\"1""#), (None, true));
        assert_eq!(trace(r#"{"method":"x","params":{"a":[1,2,],"id":3},"id":"a-\"1"}"#), request);
    }

    #[test]
    fn what_has_no_id_has_none() {
        for text in
            ["", "id", r#"{"result":"x","params":{"id":1}}"#, r#"{"id":null}"#, r#"{"id":{"id":1}}"#, "[1,2"]
        {
            assert_eq!(trace(text), (None, false), "{text}");
        }
    }
}
