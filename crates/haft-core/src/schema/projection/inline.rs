//! References written out, for servers that read none.

use serde_json::{Map, Value};

use super::super::pointer;
use super::keyword::is_annotation;
use super::plain::Plain;
use super::report::ChangeKind;

/// Deepest that definitions are written out inside each other.
const DEEPEST: usize = 8;
/// Most definitions that are written out: a schema must not grow to a multiple of itself.
const MOST: usize = 200;

/// The definitions that are being written out.
#[derive(Default)]
pub(super) struct Inlining {
    /// JSON pointers, from the outermost.
    open: Vec<String>,
    done: usize,
}

impl Plain<'_, '_> {
    /// What a schema that refers to another is without the reference; `None` where it has none that can be followed.
    pub(super) fn written_out(
        &mut self,
        keywords: &Map<String, Value>,
        place: &str,
        may_be_left_out: bool,
    ) -> Option<Value> {
        let reference = keywords.get("$ref")?.as_str()?;
        let (target, schema) = self.definitions.target(place, reference)?;
        let hides = self.dialect.reference_hides_siblings();
        let mut own: Map<String, Value> = keywords
            .iter()
            .filter(|(keyword, _)| *keyword != "$ref" && (!hides || is_annotation(keyword)))
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect();
        let Inlining { open, done } = &self.inlining;
        if open.contains(&target) || open.len() >= DEEPEST || *done >= MOST {
            let why = "references are written out to a bounded depth; what follows is free";
            self.report.add(ChangeKind::Weakened, &pointer::child(place, "$ref"), "$ref", why);
            own.retain(|keyword, _| is_annotation(keyword));
            own.extend(schema.get("type").map(|name| ("type".to_owned(), name.clone())));
            return Some(self.schema(&Value::Object(own), place, may_be_left_out));
        }
        let meant = match schema {
            Value::Object(theirs) if own.keys().all(|keyword| is_annotation(keyword)) => {
                // What is said of the field is closer than what is said of its type.
                let mut both = theirs.clone();
                both.extend(own);
                both
            }
            other => {
                own.insert("allOf".to_owned(), Value::Array(vec![other.clone()]));
                own
            }
        };
        self.inlining.open.push(target.clone());
        self.inlining.done += 1;
        let written = self.schema(&Value::Object(meant), &target, may_be_left_out);
        self.inlining.open.pop();
        Some(written)
    }
}
