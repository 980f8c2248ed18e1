//! The reader itself: one pass, with a stack of open arrays and objects in place of recursion.

use serde_json::{Map, Value};

use super::defect::Defect;
use super::fault::{Fault, FaultKind};
use super::limits::Limits;
use super::literal::{self, Numeral};
use super::source::Source;
use super::{Reading, string};
use crate::schema::pointer;

/// Defects that are kept; a text with more is refused all the same.
const MOST_DEFECTS: usize = 20;

/// An array or object whose end has not been reached.
#[derive(Debug)]
enum Open {
    Array(Vec<Value>),
    Object { members: Map<String, Value>, key: String },
}

/// What the text does next.
enum Step {
    /// A value begins here.
    Value,
    /// A value ended; it belongs to the innermost open container, if any.
    Ended(Value),
}

#[derive(Debug)]
pub(super) struct Reader<'t> {
    source: Source<'t>,
    limits: &'t Limits,
    open: Vec<Open>,
    nodes: usize,
    defects: Vec<Defect>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, limits: &'t Limits) -> Result<Self, Fault> {
        let source = Source::new(text);
        if text.len() > limits.bytes {
            let reason = format!("the text has {} bytes; at most {} are read", text.len(), limits.bytes);
            return Err(source.fault_at(0, FaultKind::TooLarge, reason));
        }
        if text.starts_with('\u{feff}') {
            return Err(source.malformed("the text begins with a byte order mark"));
        }
        Ok(Self { source, limits, open: Vec::new(), nodes: 0, defects: Vec::new() })
    }

    pub(super) fn read(mut self) -> Result<Reading, Fault> {
        let value = self.value()?;
        self.end(value)
    }

    pub(super) fn read_first(mut self) -> Result<(Reading, usize), Fault> {
        let value = self.value()?;
        Ok((Reading { value, defects: self.defects }, self.source.offset()))
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let mut step = Step::Value;
        loop {
            step = match step {
                Step::Value => self.begin()?,
                Step::Ended(value) => match self.open.pop() {
                    Some(container) => self.continue_with(container, value)?,
                    None => return Ok(value),
                },
            };
        }
    }

    /// Reads a scalar, an empty container, or what opens a container.
    fn begin(&mut self) -> Result<Step, Fault> {
        self.source.skip_whitespace();
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(self.too_large(format!("the text has more than {} values", self.limits.nodes)));
        }
        let value = match self.source.peek() {
            Some(b'{') => return self.begin_object(),
            Some(b'[') => return self.begin_array(),
            Some(b'"') => {
                self.source.advance(1);
                Value::String(string::read(&mut self.source)?)
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            None => {
                return Err(self.source.truncated(if self.open.is_empty() {
                    "before a value"
                } else {
                    INSIDE
                }));
            }
            Some(_) => literal::word(&mut self.source)?,
        };
        Ok(Step::Ended(value))
    }

    fn begin_object(&mut self) -> Result<Step, Fault> {
        self.deeper()?;
        if self.source.take(b'}') {
            return Ok(Step::Ended(Value::Object(Map::new())));
        }
        let key = self.key(&Map::new())?;
        self.open.push(Open::Object { members: Map::new(), key });
        Ok(Step::Value)
    }

    fn begin_array(&mut self) -> Result<Step, Fault> {
        self.deeper()?;
        if self.source.take(b']') {
            return Ok(Step::Ended(Value::Array(Vec::new())));
        }
        self.open.push(Open::Array(Vec::new()));
        Ok(Step::Value)
    }

    /// Puts a value into its container and reads on to the next value or the container's end.
    fn continue_with(&mut self, container: Open, value: Value) -> Result<Step, Fault> {
        self.source.skip_whitespace();
        match container {
            Open::Array(mut items) => {
                items.push(value);
                if self.source.take(b']') {
                    return Ok(Step::Ended(Value::Array(items)));
                }
                if !self.source.take(b',') {
                    return Err(self.source.unexpected("`,` or `]`", INSIDE));
                }
                self.open.push(Open::Array(items));
            }
            Open::Object { mut members, key } => {
                members.insert(key, value);
                if self.source.take(b'}') {
                    return Ok(Step::Ended(Value::Object(members)));
                }
                if !self.source.take(b',') {
                    return Err(self.source.unexpected("`,` or `}`", INSIDE));
                }
                self.source.skip_whitespace();
                let key = self.key(&members)?;
                self.open.push(Open::Object { members, key });
            }
        }
        Ok(Step::Value)
    }

    /// Reads a key and the colon behind it.
    fn key(&mut self, members: &Map<String, Value>) -> Result<String, Fault> {
        if !self.source.take(b'"') {
            return Err(self.source.unexpected("a key in double quotes", INSIDE));
        }
        let key = string::read(&mut self.source)?;
        if members.contains_key(&key) {
            let path = pointer::child(&self.path(), &key);
            self.note(Defect::DuplicateKey { path, key: key.clone() });
        }
        self.source.skip_whitespace();
        if !self.source.take(b':') {
            return Err(self.source.unexpected("`:` behind a key", INSIDE));
        }
        Ok(key)
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let defect = match literal::number(&mut self.source)? {
            Numeral::Fits(number) => return Ok(Value::Number(number)),
            Numeral::IntegerRange(digits) => Defect::IntegerRange { path: self.path(), digits },
            Numeral::FloatRange(digits) => Defect::FloatRange { path: self.path(), digits },
        };
        self.note(defect);
        Ok(Value::Null)
    }

    /// The whole value has been read: nothing but blanks may follow.
    fn end(mut self, value: Value) -> Result<Reading, Fault> {
        self.source.skip_whitespace();
        if self.source.peek().is_some() {
            return Err(self.source.unexpected("nothing more behind the value", ""));
        }
        Ok(Reading { value, defects: self.defects })
    }

    /// Moves past an opening bracket, unless that would be one too many.
    fn deeper(&mut self) -> Result<(), Fault> {
        if self.open.len() >= self.limits.depth {
            return Err(self.too_large(format!("the text nests deeper than {} levels", self.limits.depth)));
        }
        self.source.advance(1);
        self.source.skip_whitespace();
        Ok(())
    }

    fn too_large(&self, reason: String) -> Fault {
        self.source.fault_at(self.source.offset(), FaultKind::TooLarge, reason)
    }

    fn note(&mut self, defect: Defect) {
        if self.defects.len() < MOST_DEFECTS {
            self.defects.push(defect);
        }
    }

    /// JSON pointer of the value that is being read.
    fn path(&self) -> String {
        let mut path = String::new();
        for container in &self.open {
            match container {
                Open::Array(items) => pointer::push(&mut path, &items.len().to_string()),
                Open::Object { key, .. } => pointer::push(&mut path, key),
            }
        }
        path
    }
}

const INSIDE: &str = "inside an object or array";
