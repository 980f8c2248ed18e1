//! Gemini: a function declaration.
//!
//! Rules: <https://ai.google.dev/api/caching#Schema> and, for names, <https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/FunctionDeclaration>.
//! `Schema` is a small part of OpenAPI 3.0: a keyword that it does not have is an error for the whole request. One type and
//! `nullable` instead of a list; `enum` holds texts that are not empty; `items` is always there; `anyOf` stands alone; no
//! `const`, `oneOf`, `allOf`, references or free maps; an object without properties has no `properties`; formats are `enum` and
//! `date-time` for texts, `float` and `double`, `int32` and `int64` for numbers. Where reports of errors contradict the page, as
//! for `minItems` and `maxItems`, the keyword stays away. Names of arguments begin with a letter or `_` and hold letters, digits
//! and `_`; those of functions also `-`.

use serde_json::{Value, json};

use super::Made;
use super::build::Unrolled;
use super::error::Fault;
use super::rename;
use super::report::{ChangeKind, ProjectionReport};
use super::shape::{Array, Kind, Object, Rest, Shape};
use super::types::Types;
use super::words;
use super::write::{Written, tell_bound, tell_default, tell_rest};

const UNKNOWN: &str = "Gemini's schema has no such keyword; stated in the description";

pub(super) fn schema(schema: &Value, report: &mut ProjectionReport) -> Result<Made, Fault> {
    Ok(written(&Unrolled::shape(schema, report)?, report))
}

/// The same of a shape that is known already, with what its making has changed in the report.
pub(super) fn written(shape: &Shape<'_>, report: &mut ProjectionReport) -> Made {
    let mut value = Writer { report }.written(shape, false);
    let allowed = |name: &str| rename::plain(name) == name && !name.is_empty();
    let renamed = match value.as_object_mut() {
        Some(root) => rename::properties(root, allowed, report),
        None => Vec::new(),
    };
    Made { value, renamed, ..Made::default() }
}

/// The name of a function: it begins with a letter or `_`.
pub(super) fn tool_name(name: &str) -> String {
    const LONGEST: usize = 64;
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return name.to_owned();
    }
    let made = format!("_{name}");
    if made.len() > LONGEST { rename::hashed(&made, name) } else { made }
}

struct Writer<'r> {
    report: &'r mut ProjectionReport,
}

impl Writer<'_> {
    fn shape(&mut self, shape: &Shape<'_>) -> Value {
        self.written(shape, shape.nullable)
    }

    fn written(&mut self, shape: &Shape<'_>, nullable: bool) -> Value {
        if let Kind::Union(branches) = &shape.kind {
            return self.union(shape, branches);
        }
        if let Kind::Any | Kind::Never | Kind::Reference(_) = shape.kind {
            return self.anything(shape);
        }
        let mut written = match &shape.kind {
            Kind::Boolean => Written::of_type("boolean"),
            Kind::Integer => Written::of_type("integer"),
            Kind::Number => Written::of_type("number"),
            Kind::Literals(literals) => self.literals(shape, literals),
            Kind::Object(object) => self.object(shape, object),
            Kind::Array(array) => self.array(shape, array),
            Kind::Null => self.null(shape),
            _ => Written::of_type("string"),
        };
        if nullable || matches!(shape.kind, Kind::Null) {
            written.set("nullable", Value::Bool(true));
        }
        self.bounds(&mut written, shape);
        tell_rest(&mut written, shape, UNKNOWN, self.report);
        tell_default(&mut written, shape);
        written.end(shape.description)
    }

    fn null(&mut self, shape: &Shape<'_>) -> Written {
        self.report.add(
            ChangeKind::Weakened,
            &shape.pointer,
            "type",
            "there is no type of null alone; stated in the description",
        );
        let mut written = Written::of_type("string");
        written.rules.push("Always null".to_owned());
        written
    }

    /// `anyOf` stands alone, so that what is said of the value moves to its first branch.
    fn union(&mut self, shape: &Shape<'_>, branches: &[Shape<'_>]) -> Value {
        let mut rest = Written::default();
        tell_rest(&mut rest, shape, UNKNOWN, self.report);
        tell_default(&mut rest, shape);
        let text = words::described(shape.description, &rest.rules);
        let mut written: Vec<Value> = Vec::new();
        for branch in branches {
            match self.shape(branch) {
                Value::Object(inner) if inner.contains_key("anyOf") => {
                    written
                        .extend(inner.get("anyOf").and_then(Value::as_array).into_iter().flatten().cloned());
                }
                one => written.push(one),
            }
        }
        written.dedup();
        if let [only] = written.as_mut_slice() {
            said(only, &text, shape.nullable);
            return only.take();
        }
        if let Some(first) = written.first_mut() {
            said(first, &text, shape.nullable);
        }
        json!({"anyOf": written})
    }

    /// A value of any kind: no schema says so, but a union of all types does.
    fn anything(&mut self, shape: &Shape<'_>) -> Value {
        let why = "a type has to be stated: any of them, with texts as the items of a list";
        self.report.add(ChangeKind::Narrowed, &shape.pointer, "type", why);
        let mut text = Written::of_type("string");
        tell_rest(&mut text, shape, UNKNOWN, self.report);
        tell_default(&mut text, shape);
        text.set("nullable", Value::Bool(true));
        json!({"anyOf": [
            text.end(shape.description),
            {"type": "number"},
            {"type": "boolean"},
            {"type": "object"},
            {"type": "array", "items": {"type": "string"}},
        ]})
    }

    fn literals(&mut self, shape: &Shape<'_>, literals: &[&Value]) -> Written {
        let types = literals.iter().fold(Types::NONE, |types, literal| types.union(Types::of_value(literal)));
        if types == Types::STRING {
            let mut written = Written::of_type("string");
            let texts: Vec<Value> = literals.iter().filter(|text| **text != "").copied().cloned().collect();
            if texts.len() < literals.len() {
                self.report.add(
                    ChangeKind::Narrowed,
                    &shape.pointer,
                    "enum",
                    "an empty text may not be a choice",
                );
            }
            if !texts.is_empty() {
                written.set("enum", Value::Array(texts));
            }
            return written;
        }
        let why = "only texts may be listed as choices; stated in the description";
        self.report.add(ChangeKind::Dropped, &shape.pointer, "enum", why);
        let mut written = match (Types::BOOLEAN, Types::INTEGER, Types::NUMBER) {
            (boolean, _, _) if types == boolean => Written::of_type("boolean"),
            (_, integer, _) if types == integer => Written::of_type("integer"),
            (_, _, number) if number.contains(types) => Written::of_type("number"),
            _ if types == Types::ARRAY => {
                let mut array = Written::of_type("array");
                array.set("items", json!({"type": "string"}));
                self.report.add(
                    ChangeKind::Narrowed,
                    &shape.pointer,
                    "enum",
                    "items of lists have to be of one type",
                );
                array
            }
            _ if types == Types::OBJECT => Written::of_type("object"),
            _ => {
                self.report.add(
                    ChangeKind::Narrowed,
                    &shape.pointer,
                    "enum",
                    "choices have to be of one type: texts",
                );
                Written::of_type("string")
            }
        };
        let choices = literals.iter().copied().cloned().collect();
        written.rules.push(words::bound("enum", &Value::Array(choices)));
        written
    }

    fn object(&mut self, shape: &Shape<'_>, object: &Object<'_>) -> Written {
        let mut written = Written::of_type("object");
        let mut required: Vec<Value> = Vec::new();
        let mut properties = serde_json::Map::new();
        for field in &object.fields {
            properties.insert(field.name.to_owned(), self.shape(&field.shape));
            if field.required {
                required.push(field.name.into());
            }
        }
        if !properties.is_empty() {
            written.set("properties", Value::Object(properties));
        }
        if !required.is_empty() {
            written.set("required", Value::Array(required));
        }
        match &object.rest {
            Rest::Of(rest) => {
                self.report.add(ChangeKind::Dropped, &rest.pointer, "additionalProperties", UNKNOWN);
                let value = self.shape(rest);
                written.rules.push(format!(
                    "Further entries have names of your own, each value matching {}",
                    words::short(&value)
                ));
            }
            Rest::Refused => {
                let why = "nothing may be said of further properties; they are refused at a call";
                self.report.add(ChangeKind::Dropped, &shape.pointer, "additionalProperties", why);
            }
            Rest::Free if object.fields.is_empty() => {
                written.rules.push("Entries have names of your own".to_owned());
            }
            Rest::Free | Rest::Silent | Rest::Nothing => {}
        }
        written
    }

    fn array(&mut self, shape: &Shape<'_>, array: &Array<'_>) -> Written {
        let mut written = Written::of_type("array");
        let mut kinds: Vec<Value> = array.prefix.iter().map(|one| self.shape(one)).collect();
        if !array.prefix.is_empty() {
            let why = "items have no schema by position; each may be any of them";
            self.report.add(ChangeKind::Weakened, &shape.pointer, "prefixItems", why);
            let listed: Vec<String> = kinds.iter().map(words::short).collect();
            written.rules.push(format!("Items by position: {}", listed.join(", ")));
        }
        match &array.items {
            Some(items) if matches!(items.kind, Kind::Never) => {
                if kinds.is_empty() {
                    written.rules.push("Always empty".to_owned());
                }
            }
            Some(items) => kinds.push(self.shape(items)),
            None => {
                let mut any = Shape::of(&shape.pointer, Kind::Any);
                any.description = None;
                kinds.push(self.shape(&any));
            }
        }
        kinds.dedup();
        let items = match kinds.len() {
            0 => json!({"type": "string"}),
            1 => kinds.remove(0),
            _ => json!({"anyOf": flat(kinds)}),
        };
        written.set("items", items);
        written
    }

    fn bounds(&mut self, written: &mut Written, shape: &Shape<'_>) {
        let integer = matches!(shape.kind, Kind::Integer);
        for bound in &shape.bounds {
            let text = bound.value.as_str().unwrap_or_default();
            match (bound.keyword, &shape.kind) {
                ("minimum" | "maximum" | "minLength" | "maxLength" | "pattern", _) => {
                    written.set(bound.keyword, bound.value.clone());
                }
                ("format", Kind::Text) if text == "date-time" => written.set("format", text.into()),
                ("format", Kind::Integer) if matches!(text, "int32" | "int64") => {
                    written.set("format", text.into());
                }
                ("format", Kind::Number) if matches!(text, "float" | "double") => {
                    written.set("format", text.into());
                }
                // Of whole numbers the next one says the same.
                ("exclusiveMinimum" | "exclusiveMaximum", _) if integer && bound.value.is_i64() => {
                    let (keyword, step) =
                        if bound.keyword == "exclusiveMinimum" { ("minimum", 1) } else { ("maximum", -1) };
                    let next = bound.value.as_i64().and_then(|value| value.checked_add(step));
                    let held = written.keywords.contains_key(keyword);
                    match next.filter(|_| !held) {
                        Some(next) => {
                            written.set(keyword, next.into());
                            let why = "the next whole number says the same";
                            self.report.add(
                                ChangeKind::Rewritten,
                                &bound.pointer,
                                bound.keyword.to_owned(),
                                why,
                            );
                        }
                        None => tell_bound(written, bound, UNKNOWN, self.report),
                    }
                }
                _ => tell_bound(written, bound, UNKNOWN, self.report),
            }
        }
    }
}

/// Puts a text in front of a schema's description, and lets null do where it does.
fn said(schema: &mut Value, text: &str, nullable: bool) {
    let Value::Object(keywords) = schema else { return };
    if nullable {
        keywords.insert("nullable".to_owned(), Value::Bool(true));
    }
    if !text.is_empty() {
        let own = keywords.get("description").and_then(Value::as_str).unwrap_or_default();
        let both = if own.is_empty() { text.to_owned() } else { format!("{text}\n{own}") };
        keywords.insert("description".to_owned(), both.into());
    }
}

/// Alternatives with those inside them.
fn flat(schemas: Vec<Value>) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for schema in schemas {
        match schema.get("anyOf") {
            Some(Value::Array(inner)) => {
                all.extend(inner.iter().filter(|one| !all.contains(one)).cloned().collect::<Vec<_>>());
            }
            _ if all.contains(&schema) => {}
            _ => all.push(schema),
        }
    }
    all
}
