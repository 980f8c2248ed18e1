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
            message: "this text has a line break or an escape that JSON does not know (a backslash is written `\\\\`)".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value as Json;

    use super::*;

    /// The value that serde makes of the same text.
    fn plain(node: &Node) -> Json {
        match &node.value {
            Value::Null | Value::Time => Json::Null,
            Value::Boolean(value) => Json::Bool(*value),
            Value::Number(number) => serde_json::from_str(number).expect("a number"),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => Json::Array(items.iter().map(plain).collect()),
            Value::Table(entries) => {
                let pairs = entries.iter().map(|entry| (entry.key.clone(), plain(&entry.node)));
                Json::Object(pairs.collect())
            }
        }
    }

    fn values() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<String>().prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map(any::<String>(), inner, 0..4)
                    .prop_map(|pairs| Json::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, rng_seed: proptest::test_runner::RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_json_is_read_as_serde_reads_it(value in values(), pretty: bool) {
            let value = Json::Object([("a".to_owned(), value)].into_iter().collect());
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let text = text.expect("text");
            let read = read(&text).map_err(|fault| fault.message);
            prop_assert_eq!(read.as_ref().map(plain), Ok(value));
        }

        #[test]
        fn what_is_cut_or_changed_is_read_as_serde_reads_it_or_refused(value in values(), at: prop::sample::Index, put: char) {
            let value = Json::Object([("a".to_owned(), value)].into_iter().collect());
            let mut letters: Vec<char> = serde_json::to_string(&value).expect("text").chars().collect();
            let at = at.index(letters.len());
            letters.splice(at..=at, [put]);
            let text: String = letters.into_iter().collect();
            match (read(&text), serde_json::from_str::<Json>(&text)) {
                (Ok(node), Ok(value)) => prop_assert_eq!(plain(&node), value),
                // Comments and commas are more than JSON; a key that stands twice is less.
                (Ok(_), Err(_)) => prop_assert!(text.contains("//") || text.contains("/*") || text.contains(','), "{}", text),
                (Err(fault), Ok(value)) => prop_assert!(!value.is_object() || fault.message.contains("twice"), "{}: {}", text, fault.message),
                (Err(_), Err(_)) => {}
            }
        }
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "{ // one\n  \"ü\": /* two */ [1,\n {\"b\": nul}]}";
        let Err(fault) = read(text) else { panic!("no JSON") };
        let source = super::super::tree::Source { path: std::path::Path::new("f"), text };
        let place = source.place(fault.at);
        assert_eq!((place.line, place.column, fault.message.as_str()), (3, 8, "expected a value"));
    }
}
