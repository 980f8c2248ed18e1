//! Finds the id of a message that is too long to be kept, or no text.

use rmcp::model::RequestId;

/// An id is no longer than this.
const LONGEST: usize = 256;

/// Reads a JSON object byte by byte and keeps the value of its own field `id`; nothing else is remembered.
#[derive(Default)]
pub(super) struct IdScan {
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The text that is read at the top, or the value of `id`.
    kept: Vec<u8>,
    state: State,
    id: Option<RequestId>,
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

impl IdScan {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.step(*byte);
        }
    }

    /// The id, where the message has one.
    pub(super) fn id(self) -> Option<RequestId> {
        self.id
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
            self.id = serde_json::from_slice(&self.kept).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::IdScan;

    fn id(text: &str) -> Option<NumberOrString> {
        let mut scan = IdScan::default();
        // In pieces, as they come from a pipe.
        text.as_bytes().chunks(3).for_each(|piece| scan.read(piece));
        scan.id()
    }

    #[test]
    fn the_id_at_the_top_is_found_wherever_it_stands() {
        let number = Some(NumberOrString::Number(17));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":17,"result":{"id":3,"t":"\",\"id\":4"}}"#), number);
        assert_eq!(id(r#"{"result":{"id":3,"a":[{"id":4}]}, "id" : 17 }"#), number);
        assert_eq!(id(r#"{"id":"a-\"1","result":{}}"#), Some(NumberOrString::String("a-\"1".into())));
    }

    #[test]
    fn what_has_no_id_has_none() {
        for text in
            ["", "id", r#"{"method":"x","params":{"id":1}}"#, r#"{"id":null}"#, r#"{"id":{"id":1}}"#, "[1,2"]
        {
            assert_eq!(id(text), None, "{text}");
        }
    }
}
