//! Schemas as other tools write them: mended where the meaning is plain, refused with their place where it is not.
//!
//! Type names of programming languages, `null` for an absent keyword, `required: true` at a property, an empty list for no
//! properties, lists of items in a schema that declares no dialect, boolean exclusive bounds, OpenAPI's `nullable`, values
//! that are listed twice, regular expressions and references in a form of their own.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::canonical;
use super::super::dialect::Dialect;
use super::super::issue::shown;
use super::super::plan::References;
use super::super::pointer;
use super::error::Fault;
use super::keyword::{Holds, holds};
use super::null::nullable;
use super::report::{ChangeKind, ProjectionReport};
use super::{choices, pattern, reference};

/// `schema` as JSON Schema; each mend stands in the report.
pub(super) fn mended(schema: &Value, report: &mut ProjectionReport) -> Result<Value, Fault> {
    let dialect = Dialect::of(schema);
    let references = References::of(schema, dialect);
    Mender { root: schema, dialect, references, report }.schema(schema, "")
}

struct Mender<'s, 'r> {
    root: &'s Value,
    dialect: Dialect,
    references: References<'s>,
    report: &'r mut ProjectionReport,
}

impl Mender<'_, '_> {
    fn rewrote(
        &mut self,
        pointer: &str,
        keyword: &'static str,
        why: impl Into<std::borrow::Cow<'static, str>>,
    ) {
        self.report.add(ChangeKind::Rewritten, pointer, keyword, why);
    }

    fn schema(&mut self, schema: &Value, place: &str) -> Result<Value, Fault> {
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Bool(_) => return Ok(schema.clone()),
            other => return Err(no_schema(place, other)),
        };
        let mut made = Map::new();
        for (keyword, value) in keywords {
            let here = || pointer::child(place, keyword);
            match (keyword.as_str(), value) {
                ("default" | "const", _) => {
                    made.insert(keyword.clone(), value.clone());
                }
                (_, Value::Null) => self.rewrote(&here(), "null", "a keyword that is null is absent"),
                ("required", Value::Bool(_)) => {
                    self.rewrote(&here(), "required", "required properties are listed at their object");
                }
                // At the root it says nothing: arguments are an object.
                ("nullable", Value::Bool(true)) if !place.is_empty() => {
                    self.rewrote(&here(), "nullable", "null is one of the types");
                }
                // Where OpenAPI keeps definitions.
                ("components", Value::Object(parts)) if place.is_empty() => {
                    let mut parts = parts.clone();
                    if let Some(Value::Object(schemas)) = parts.get("schemas") {
                        let mended = self.named(schemas, &pointer::child(&here(), "schemas"), false)?;
                        parts.insert("schemas".to_owned(), mended);
                    }
                    made.insert(keyword.clone(), Value::Object(parts));
                }
                ("required" | "enum", Value::Array(listed)) => {
                    let listed = self.listed(keyword, listed, &here());
                    made.extend(listed.map(|listed| (keyword.clone(), listed)));
                }
                ("$ref", Value::String(target)) => {
                    made.insert(keyword.clone(), self.reference(target, place).into());
                }
                ("pattern", Value::String(text)) => {
                    made.insert(keyword.clone(), self.pattern(text, &here()).into());
                }
                ("type", _) => {
                    if let Some(names) = self.types(value, &here())? {
                        made.insert(keyword.clone(), names);
                    }
                }
                _ => {
                    if let Some(mended) = self.keyword(keyword, value, &here())? {
                        made.insert(keyword.clone(), mended);
                    }
                }
            }
        }
        if let Some(why) = choices::settle(&mut made) {
            self.rewrote(&pointer::child(place, "enum"), "enum", why);
        }
        self.exclusive_bounds(&mut made, place);
        self.tuples(&mut made, place);
        lift_required(&mut made, keywords);
        if keywords.get("nullable") == Some(&Value::Bool(true)) && !place.is_empty() {
            made = nullable(made).0;
        }
        Ok(Value::Object(made))
    }

    /// A list in which nothing stands twice; `None` where the dialect refuses an empty one that says nothing.
    fn listed(&mut self, keyword: &str, listed: &[Value], place: &str) -> Option<Value> {
        if listed.is_empty() && keyword == "required" && self.dialect == Dialect::Draft4 {
            self.rewrote(place, "[]", "an empty list says nothing");
            return None;
        }
        let mut once: Vec<Value> = Vec::with_capacity(listed.len());
        let mut seen = BTreeSet::new();
        once.extend(listed.iter().filter(|one| seen.insert(canonical(one))).cloned());
        if once.len() < listed.len() {
            let keyword = if keyword == "enum" { "enum" } else { "required" };
            self.rewrote(place, keyword, "a value that is listed twice is listed once");
        }
        Some(Value::Array(once))
    }

    fn reference(&mut self, target: &str, place: &str) -> String {
        match reference::meant(&self.references, self.root, place, target) {
            Some(meant) => {
                let why = format!("{target:?} is {meant:?}");
                self.rewrote(&pointer::child(place, "$ref"), "$ref", why);
                meant
            }
            None => target.to_owned(),
        }
    }

    fn pattern(&mut self, text: &str, place: &str) -> String {
        match pattern::meant(text) {
            Some(meant) => {
                self.rewrote(place, "pattern", format!("{text:?} is {meant:?}, which every engine reads"));
                meant
            }
            None => text.to_owned(),
        }
    }

    /// The mended value of a keyword; `None` where it says nothing.
    fn keyword(&mut self, keyword: &str, value: &Value, place: &str) -> Result<Option<Value>, Fault> {
        let mended = match (holds(keyword), value) {
            (Holds::Named | Holds::NamedOrNames, Value::Array(empty)) if empty.is_empty() => {
                self.rewrote(place, "[]", "an empty list of names is an empty object");
                Value::Object(Map::new())
            }
            (Holds::Named, Value::Object(named)) if keyword == "patternProperties" => {
                let renamed = named
                    .iter()
                    .map(|(name, one)| (self.pattern(name, &pointer::child(place, name)), one.clone()));
                let renamed: Map<String, Value> = renamed.collect();
                self.named(&renamed, place, false)?
            }
            (Holds::Named, Value::Object(named)) => self.named(named, place, false)?,
            (Holds::NamedOrNames, Value::Object(named)) => self.named(named, place, true)?,
            (Holds::Named | Holds::NamedOrNames, other) => {
                return Err(Fault::new(place, format!("expected schemas by name, found {}", shown(other))));
            }
            (Holds::List | Holds::OneOrList, Value::Array(list)) => {
                if list.is_empty() && keyword != "items" {
                    self.rewrote(place, "[]", "an empty list of schemas says nothing");
                    return Ok(None);
                }
                let mend = |(index, one): (usize, &Value)| {
                    self.schema(one, &pointer::child(place, &index.to_string()))
                };
                Value::Array(list.iter().enumerate().map(mend).collect::<Result<_, Fault>>()?)
            }
            (Holds::List, other) => {
                return Err(Fault::new(place, format!("expected a list of schemas, found {}", shown(other))));
            }
            (Holds::One | Holds::OneOrList, one) => self.schema(one, place)?,
            (Holds::Data, _) => value.clone(),
        };
        Ok(Some(mended))
    }

    fn named(&mut self, named: &Map<String, Value>, place: &str, or_names: bool) -> Result<Value, Fault> {
        let mut made = Map::new();
        for (name, schema) in named {
            let mended = if or_names && schema.is_array() {
                schema.clone()
            } else {
                self.schema(schema, &pointer::child(place, name))?
            };
            made.insert(name.clone(), mended);
        }
        Ok(Value::Object(made))
    }

    /// JSON Schema's names for `types`; `None` where every type is meant.
    fn types(&mut self, types: &Value, place: &str) -> Result<Option<Value>, Fault> {
        let listed = match types {
            Value::String(name) => vec![name.as_str()],
            Value::Array(names) if !names.is_empty() => names
                .iter()
                .map(|name| name.as_str().ok_or_else(|| no_type(place, name)))
                .collect::<Result<_, _>>()?,
            other => return Err(no_type(place, other)),
        };
        let mut names: Vec<&str> = Vec::new();
        for name in &listed {
            let meant = type_name(name).ok_or_else(|| no_type(place, &Value::from(*name)))?;
            if meant == "any" {
                self.rewrote(place, "type", format!("{name:?} is any type: no type is stated"));
                return Ok(None);
            }
            if meant != *name {
                self.rewrote(place, "type", format!("{name:?} is JSON Schema's {meant:?}"));
            }
            if !names.contains(&meant) {
                names.push(meant);
            }
        }
        Ok(Some(match (types, names.as_slice()) {
            (Value::String(_), [only]) => Value::from(*only),
            _ => Value::from(names),
        }))
    }

    /// Draft 4 wrote exclusive bounds as a boolean beside the bound.
    fn exclusive_bounds(&mut self, keywords: &mut Map<String, Value>, place: &str) {
        if self.dialect == Dialect::Draft4 {
            return;
        }
        for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            let Some(Value::Bool(flag)) = keywords.get(exclusive) else { continue };
            let flag = *flag;
            keywords.remove(exclusive);
            self.rewrote(&pointer::child(place, exclusive), exclusive, "an exclusive bound is a number");
            if flag && let Some(value) = keywords.remove(bound) {
                keywords.insert(exclusive.to_owned(), value);
            }
        }
    }

    /// A list under `items` is a tuple of an older dialect.
    fn tuples(&mut self, keywords: &mut Map<String, Value>, place: &str) {
        if self.dialect <= Dialect::Draft201909 || !keywords.get("items").is_some_and(Value::is_array) {
            return;
        }
        self.rewrote(
            &pointer::child(place, "items"),
            "items",
            "schemas by position stand under \"prefixItems\"",
        );
        as_prefix(keywords);
    }
}

/// `required: true` at a property belongs into the list of the object.
fn lift_required(made: &mut Map<String, Value>, keywords: &Map<String, Value>) {
    let Some(Value::Object(properties)) = keywords.get("properties") else { return };
    let required = |property: &Value| property.get("required") == Some(&Value::Bool(true));
    for (name, _) in properties.iter().filter(|(_, property)| required(property)) {
        let names = made.entry("required").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(names) = names
            && !names.iter().any(|one| one == name)
        {
            names.push(Value::from(name.as_str()));
        }
    }
}

/// Writes the tuple under `items` as 2020-12 does.
pub(super) fn as_prefix(keywords: &mut Map<String, Value>) {
    let Some(Value::Array(list)) = keywords.remove("items") else { return };
    if !list.is_empty() {
        keywords.insert("prefixItems".to_owned(), Value::Array(list));
    }
    if let Some(rest) = keywords.remove("additionalItems") {
        keywords.insert("items".to_owned(), rest);
    }
}

fn no_schema(place: &str, found: &Value) -> Fault {
    let of_properties = pointer::last(pointer::parent(place)).is_some_and(|keyword| keyword == "properties");
    let found = shown(found);
    let reason = match (place, of_properties) {
        ("", _) => format!("a schema is an object, found {found}"),
        (_, true) => format!("a property needs a schema, such as {{\"type\": \"string\"}}; found {found}"),
        (_, false) => format!("expected a schema, found {found}"),
    };
    Fault::new(place, reason)
}

fn no_type(place: &str, found: &Value) -> Fault {
    let known = "\"object\", \"array\", \"string\", \"number\", \"integer\", \"boolean\", \"null\"";
    Fault::new(place, format!("{} is no type; the types are {known}", shown(found)))
}

/// JSON Schema's name for a type, `any` for no type at all; `None` where it is not plain what is meant.
fn type_name(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "object" | "dict" | "dictionary" | "map" | "hashmap" | "struct" | "record" => "object",
        "array" | "list" | "tuple" | "set" | "sequence" | "vector" => "array",
        "string" | "str" | "text" | "char" => "string",
        "number" | "float" | "double" | "decimal" | "real" | "float32" | "float64" => "number",
        "integer" | "int" | "long" | "short" | "int32" | "int64" | "uint" | "uint32" | "uint64" => "integer",
        "boolean" | "bool" => "boolean",
        "null" | "none" | "nil" => "null",
        "any" | "unknown" => "any",
        _ => return None,
    })
}
