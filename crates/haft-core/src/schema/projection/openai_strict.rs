//! OpenAI: a function of a chat completion in strict mode, where the model can not but keep to the schema.
//!
//! Rules: <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>. Every object is closed and requires all
//! of its properties, so that an optional one becomes nullable; the root is an object and no union; `anyOf`, `enum`, `const`,
//! `$ref` without siblings, recursion, `pattern` without lookaround, some formats, bounds of numbers and of item counts; no other keyword. At most
//! 5,000 properties, 10 levels, 1,000 literals (a set of more than 250 texts at most 15,000 characters) and 120,000 characters of
//! names and literals. What can not be said so, such as a map with free names, leaves the tool without strict mode: it goes out
//! as `openai` writes it, and the report says why.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Made;
use super::build::{Builder, Recursion};
use super::error::Fault;
use super::openai;
use super::pattern;
use super::reader::Reader;
use super::report::{ChangeKind, ProjectionReport};
use super::shape::{Array, Field, Kind, Object, Rest, Shape};
use super::strict_limits;
use super::types::Types;
use super::write::{Written, tell_bound, tell_default, tell_rest};

const UNKNOWN: &str = "strict mode has no such keyword; stated in the description";

pub(super) fn schema(schema: &Value, report: &mut ProjectionReport) -> Result<Made, Fault> {
    let mut strict = report.clone();
    match written(schema, &mut strict) {
        Ok(value) => {
            *report = strict;
            Ok(Made { value, strict: Some(true), ..Made::default() })
        }
        Err(Fault { pointer, reason }) => {
            let why = format!("strict mode can not say it ({reason}), so that the tool goes out without");
            report.add(ChangeKind::Weakened, &pointer, "strict", why);
            let made = openai::schema(schema, report)?;
            Ok(Made { strict: Some(false), ..made })
        }
    }
}

fn written(schema: &Value, report: &mut ProjectionReport) -> Result<Value, Fault> {
    let reader = Reader::new(schema);
    let mut builder = Builder::new(&reader, report, Recursion::Refer);
    let mut root = builder.root()?;
    root.nullable = false;
    let recursion = builder.recursion();
    let mut writer = Writer { report, names: BTreeMap::new() };
    let mut value = writer.shape(&root, false)?;
    let mut definitions = Map::new();
    // Writing a definition can refer to further ones.
    let mut done = 0;
    while let Some(target) = writer.target(done) {
        done += 1;
        let shape = Builder::new(&reader, writer.report, recursion).definition(&target);
        let definition = writer.shape(&shape, false)?;
        definitions.insert(writer.name(&target), definition);
    }
    if let (Some(keywords), false) = (value.as_object_mut(), definitions.is_empty()) {
        keywords.insert("$defs".to_owned(), Value::Object(definitions));
    }
    strict_limits::check(&value)?;
    Ok(value)
}

struct Writer<'r> {
    report: &'r mut ProjectionReport,
    /// The definitions that are referred to, each with its number.
    names: BTreeMap<String, usize>,
}

impl Writer<'_> {
    fn name(&mut self, target: &str) -> String {
        let next = self.names.len();
        let number = *self.names.entry(target.to_owned()).or_insert(next);
        let base = super::pointer::last(target).unwrap_or_else(|| "root".to_owned());
        let base: String = base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        // Two definitions may have the same last name.
        if number == 0 { base } else { format!("{base}_{number}") }
    }

    fn target(&self, number: usize) -> Option<String> {
        self.names.iter().find(|(_, known)| **known == number).map(|(target, _)| target.clone())
    }

    /// Writes a shape; with `or_null`, null will do as well.
    fn shape(&mut self, shape: &Shape<'_>, or_null: bool) -> Result<Value, Fault> {
        let nullable = or_null || shape.nullable;
        let mut written = match &shape.kind {
            Kind::Any => return Err(Fault::new(&shape.pointer, "it may be anything; give it a \"type\"")),
            Kind::Never => return Err(Fault::new(&shape.pointer, "nothing is accepted there")),
            Kind::Null => Written::of_type("null"),
            Kind::Boolean => typed("boolean", nullable),
            Kind::Integer => typed("integer", nullable),
            Kind::Number => typed("number", nullable),
            Kind::Text => typed("string", nullable),
            Kind::Literals(literals) => literal(shape, literals, nullable)?,
            Kind::Object(object) => self.object(shape, object, nullable)?,
            Kind::Array(array) => self.array(shape, array, nullable)?,
            Kind::Union(branches) => self.union(branches, nullable)?,
            Kind::Reference(target) => self.reference(target, shape, nullable),
        };
        for bound in &shape.bounds {
            if is_supported(bound.keyword, bound.value) {
                written.set(bound.keyword, bound.value.clone());
            } else {
                tell_bound(&mut written, bound, UNKNOWN, self.report);
            }
        }
        tell_rest(&mut written, shape, UNKNOWN, self.report);
        tell_default(&mut written, shape);
        Ok(written.end(shape.description))
    }

    fn object(&mut self, shape: &Shape<'_>, object: &Object<'_>, nullable: bool) -> Result<Written, Fault> {
        if let Some(names) =
            shape.conditions.iter().find(|one| matches!(one.keyword, "patternProperties" | "propertyNames"))
        {
            return Err(Fault::new(&names.pointer, "names that are not listed"));
        }
        match &object.rest {
            Rest::Of(rest) => return Err(Fault::new(&rest.pointer, "a map with free names")),
            Rest::Free => return Err(Fault::new(&shape.pointer, "an object with further properties")),
            Rest::Silent if object.fields.is_empty() => {
                return Err(Fault::new(&shape.pointer, "an object without properties of its own"));
            }
            Rest::Silent => {
                let why = "every object is closed in strict mode";
                self.report.add(ChangeKind::Narrowed, &shape.pointer, "additionalProperties", why);
            }
            Rest::Refused | Rest::Nothing => {}
        }
        let mut properties = Map::new();
        for field in &object.fields {
            properties.insert(field.name.to_owned(), self.field(field)?);
        }
        let required: Vec<Value> = object.fields.iter().map(|field| field.name.into()).collect();
        let mut written = typed("object", nullable);
        written.set("properties", Value::Object(properties));
        written.set("required", Value::Array(required));
        written.set("additionalProperties", Value::Bool(false));
        Ok(written)
    }

    fn field(&mut self, field: &Field<'_>) -> Result<Value, Fault> {
        if !field.required {
            let why = "every property is required in strict mode: null stands for one that is left out";
            self.report.add(ChangeKind::Rewritten, &field.shape.pointer, "required", why);
        }
        self.shape(&field.shape, !field.required)
    }

    fn array(&mut self, shape: &Shape<'_>, array: &Array<'_>, nullable: bool) -> Result<Written, Fault> {
        let mut written = typed("array", nullable);
        let mut kinds: Vec<Value> = Vec::new();
        for one in array.prefix.iter().chain(array.items.as_deref()) {
            if matches!(one.kind, Kind::Never) {
                continue;
            }
            let one = self.shape(one, false)?;
            if !kinds.contains(&one) {
                kinds.push(one);
            }
        }
        if !array.prefix.is_empty() {
            if array.items.is_none() {
                return Err(Fault::new(&shape.pointer, "a list whose further items may be anything"));
            }
            let why = "items have no schema by position; each may be any of them";
            self.report.add(ChangeKind::Weakened, &shape.pointer, "prefixItems", why);
        }
        let items = match kinds.len() {
            0 => return Err(Fault::new(&shape.pointer, "a list that does not say what its items are")),
            1 => kinds.remove(0),
            _ => json!({"anyOf": kinds}),
        };
        written.set("items", items);
        Ok(written)
    }

    fn union(&mut self, branches: &[Shape<'_>], nullable: bool) -> Result<Written, Fault> {
        let mut written: Vec<Value> = Vec::new();
        for branch in branches {
            written.push(self.shape(branch, false)?);
        }
        if nullable && !branches.iter().any(|branch| branch.nullable || matches!(branch.kind, Kind::Null)) {
            written.push(json!({"type": "null"}));
        }
        let mut union = Written::default();
        union.set("anyOf", Value::Array(written));
        Ok(union)
    }

    /// A reference has no siblings: with null or a description it stands in a union of its own.
    fn reference(&mut self, target: &str, shape: &Shape<'_>, nullable: bool) -> Written {
        let reference = json!({"$ref": format!("#/$defs/{}", self.name(target))});
        let mut written = Written::default();
        if nullable {
            written.set("anyOf", json!([reference, {"type": "null"}]));
        } else if shape.description.is_some() {
            written.set("anyOf", json!([reference]));
        } else if let Value::Object(keywords) = reference {
            written.keywords = keywords;
        }
        written
    }
}

fn typed(name: &str, nullable: bool) -> Written {
    let mut written = Written::of_type(name);
    if nullable {
        written.set("type", json!([name, "null"]));
    }
    written
}

fn literal(shape: &Shape<'_>, literals: &[&Value], nullable: bool) -> Result<Written, Fault> {
    let mut types = literals.iter().fold(Types::NONE, |types, literal| types.union(Types::of_value(literal)));
    if types.contains(Types::OBJECT) || types.contains(Types::ARRAY) {
        return Err(Fault::new(&shape.pointer, "choices that are lists or objects"));
    }
    let mut choices: Vec<Value> = literals.iter().copied().cloned().collect();
    if nullable {
        choices.push(Value::Null);
        types = types.union(Types::NULL);
    }
    let names: Vec<&str> = types.each().map(|(_, name)| name).collect();
    let mut written = Written::default();
    match names.as_slice() {
        [only] => written.set("type", (*only).into()),
        several => written.set("type", several.iter().copied().collect()),
    }
    written.set("enum", Value::Array(choices));
    Ok(written)
}

/// Whether strict mode has the keyword, with this value.
fn is_supported(keyword: &str, value: &Value) -> bool {
    const FORMATS: [&str; 9] =
        ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
    match keyword {
        "pattern" => !value.as_str().is_some_and(pattern::looks_around),
        "multipleOf" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "minItems"
        | "maxItems" => true,
        "format" => FORMATS.iter().any(|format| value == format),
        _ => false,
    }
}
