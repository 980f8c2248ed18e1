//! JSON into values with places, with the comments and trailing commas that editors allow in their settings.

use std::collections::HashSet;

use super::tree::{Entry, Node, SyntaxFault, Value};

/// How deep lists and tables may be nested.
const DEPTH: usize = 64;

/// Reads a document; its root is an object.
pub(super) fn read(text: &str) -> Result<Node, SyntaxFault> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    reader.blank()?;
    if reader.peek() != Some('{') {
        return Err(reader.fault("expected `{`"));
    }
    let root = reader.value()?;
    reader.blank()?;
    match reader.peek() {
        None => Ok(root),
        Some(_) => Err(reader.fault("expected nothing after the closing `}`")),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn took(&mut self, text: &str) -> bool {
        let there = self.rest().starts_with(text);
        if there {
            self.at += text.len();
        }
        there
    }

    /// A fault at this place.
    fn fault(&self, message: &str) -> SyntaxFault {
        let ends = self.at >= self.text.len();
        let message = if ends { format!("{message}; the file ends here") } else { message.to_owned() };
        SyntaxFault { at: self.at, message }
    }

    /// Skips white space and comments.
    fn blank(&mut self) -> Result<(), SyntaxFault> {
        loop {
            let start = self.at;
            let skipped = self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += skipped;
            if self.took("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.took("/*") {
                match self.rest().find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        return Err(SyntaxFault { at: start, message: "a comment does not end".to_owned() });
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self) -> Result<Node, SyntaxFault> {
        let at = self.at;
        let value = match self.peek() {
            Some('{') => self.nested(Self::table)?,
            Some('[') => self.nested(Self::list)?,
            Some('"') => Value::Text(self.text()?),
            Some('-' | '0'..='9') => self.number()?,
            Some('t') if self.took("true") => Value::Boolean(true),
            Some('f') if self.took("false") => Value::Boolean(false),
            Some('n') if self.took("null") => Value::Null,
            _ => return Err(self.fault("expected a value")),
        };
        Ok(Node { at, value })
    }

    fn nested(
        &mut self,
        read: impl Fn(&mut Self) -> Result<Value, SyntaxFault>,
    ) -> Result<Value, SyntaxFault> {
        if self.depth == DEPTH {
            return Err(self.fault("too many lists and objects in each other"));
        }
        self.depth += 1;
        self.next();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn table(&mut self) -> Result<Value, SyntaxFault> {
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = HashSet::new();
        loop {
            self.blank()?;
            if self.took("}") {
                return Ok(Value::Table(entries));
            }
            let at = self.at;
            if self.peek() != Some('"') {
                return Err(self.fault("expected a key in double quotes, or `}`"));
            }
            let key = self.text()?;
            if !seen.insert(key.clone()) {
                return Err(SyntaxFault { at, message: "this key stands here twice".to_owned() });
            }
            self.blank()?;
            if !self.took(":") {
                return Err(self.fault("expected `:` after the key"));
            }
            self.blank()?;
            let node = self.value()?;
            entries.push(Entry { key, at, node });
            self.blank()?;
            if !self.took(",") && self.peek() != Some('}') {
                return Err(self.fault("expected `,` or `}`"));
            }
        }
    }

    fn list(&mut self) -> Result<Value, SyntaxFault> {
        let mut items = Vec::new();
        loop {
            self.blank()?;
            if self.took("]") {
                return Ok(Value::List(items));
            }
            items.push(self.value()?);
            self.blank()?;
            if !self.took(",") && self.peek() != Some(']') {
                return Err(self.fault("expected `,` or `]`"));
            }
        }
    }

    fn number(&mut self) -> Result<Value, SyntaxFault> {
        let digits = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest().find(|c| !digits(c)).unwrap_or(self.rest().len());
        let (number, _) = self.rest().split_at(length);
        if serde_json::from_str::<serde_json::Number>(number).is_err() {
            return Err(self.fault("this is no number"));
        }
        let number = number.to_owned();
        self.at += length;
        Ok(Value::Number(number))
    }

    /// Text in double quotes; serde knows the escapes.
    fn text(&mut self) -> Result<String, SyntaxFault> {
        let start = self.at;
        self.next();
        loop {
            match self.next() {
                None => {
                    return Err(SyntaxFault { at: start, message: "this text does not end".to_owned() });
                }
                Some('"') => break,
                Some('\\') => drop(self.next()),
                Some(_) => {}
            }
        }
        let quoted = self.text.get(start..self.at).unwrap_or_default();
        serde_json::from_str(quoted).map_err(|_| SyntaxFault {
            at: start,
            message: "this text has a line break or an escape that JSON does not know".to_owned(),
        })
    }
}
