//! Writes a subschema in the mode in which it is used.

use serde_json::{Map, Value};

use super::super::dialect::Dialect;
use super::super::error::SchemaError;
use super::super::plan::References;
use super::super::pointer;
use super::composition::{Composition, Parts};
use super::mode::{Mode, Places};

/// Keywords that only annotate: beside them a `$ref` is no composition.
const ANNOTATIONS: [&str; 13] = [
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
    "$anchor",
    "$defs",
    "definitions",
];

/// Where the subschemas of a keyword stand.
#[derive(Clone, Copy)]
enum Shape {
    One,
    List,
    Named,
}

pub(super) struct Emitter<'s> {
    pub(super) schema: &'s Value,
    dialect: Dialect,
    parts: &'s Parts<'s>,
    references: &'s References<'s>,
    pub(super) places: Places,
    /// Definitions that were referred to, with the mode of the reference, each once.
    pub(super) demanded: Vec<(String, Mode)>,
}

impl<'s> Emitter<'s> {
    pub(super) fn new(
        schema: &'s Value,
        dialect: Dialect,
        parts: &'s Parts<'s>,
        references: &'s References<'s>,
    ) -> Self {
        Self { schema, dialect, parts, references, places: Places::default(), demanded: Vec::new() }
    }

    /// The subschema that stands at `place`, for use in `mode`. Recursion is bounded by the schema's nesting.
    pub(super) fn emit(&mut self, place: &str, schema: &Value, mode: Mode) -> Result<Value, SchemaError> {
        let Some(keywords) = schema.as_object() else { return Ok(schema.clone()) };
        let mut keywords = keywords.clone();
        let parts = self.part_mode(place, &keywords, mode)?;
        if mode == Mode::Whole && parts == Mode::Whole {
            self.close_alone(place, &mut keywords)?;
        }
        if mode == Mode::Whole && parts != Mode::Whole {
            self.close_outside(place, &mut keywords);
        }
        self.redirect(place, &mut keywords, parts);
        let inside = if mode == Mode::Test || parts == Mode::Test { Mode::Test } else { Mode::Whole };
        for keyword in ["allOf", "anyOf", "oneOf"] {
            self.within(place, &mut keywords, keyword, (Shape::List, parts))?;
        }
        for (keyword, shape, mode) in [
            ("then", Shape::One, parts),
            ("else", Shape::One, parts),
            ("dependentSchemas", Shape::Named, parts),
            ("dependencies", Shape::Named, parts),
            ("properties", Shape::Named, inside),
            ("patternProperties", Shape::Named, inside),
            ("additionalProperties", Shape::One, inside),
            ("unevaluatedProperties", Shape::One, inside),
            ("prefixItems", Shape::List, inside),
            ("items", Shape::One, inside),
            ("items", Shape::List, inside),
            ("additionalItems", Shape::One, inside),
            ("unevaluatedItems", Shape::One, inside),
            ("if", Shape::One, Mode::Test),
            ("not", Shape::One, Mode::Test),
            ("contains", Shape::One, Mode::Test),
            ("propertyNames", Shape::One, Mode::Test),
        ] {
            self.within(place, &mut keywords, keyword, (shape, mode))?;
        }
        Ok(Value::Object(keywords))
    }

    /// The mode of the in-place parts. `Whole` when there are none but perhaps a plain reference, which then is the object.
    fn part_mode(&self, place: &str, keywords: &Map<String, Value>, mode: Mode) -> Result<Mode, SchemaError> {
        let reference_only = keywords.contains_key("$ref")
            && (self.dialect.reference_hides_siblings()
                || keywords.keys().all(|key| key == "$ref" || ANNOTATIONS.contains(&key.as_str())));
        let composed = ["$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies"]
            .iter()
            .any(|keyword| keywords.contains_key(*keyword));
        if mode == Mode::Whole && (reference_only || !composed) {
            return Ok(Mode::Whole);
        }
        let composition = self.parts.at(place);
        let parts = if composition.overlaps { Mode::Test } else { Mode::Part };
        if mode == Mode::Whole && composition.closable {
            refuse_undeclared(place, &composition)?;
        }
        Ok(parts.max(mode))
    }

    /// Closes an object whose properties stand in one place.
    fn close_alone(&self, place: &str, keywords: &mut Map<String, Value>) -> Result<(), SchemaError> {
        if !keywords.contains_key("properties") || keywords.contains_key("$ref") {
            return Ok(());
        }
        let composition = self.parts.at(place);
        if composition.closable {
            refuse_undeclared(place, &composition)?;
            keywords.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        Ok(())
    }

    /// Closes a composed object from outside.
    fn close_outside(&self, place: &str, keywords: &mut Map<String, Value>) {
        let composition = self.parts.at(place);
        if !composition.closable {
            return;
        }
        if self.dialect >= Dialect::Draft201909 {
            keywords.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
            return;
        }
        // These dialects cannot see what the parts list, so the names are listed again outside.
        keywords.insert("additionalProperties".to_owned(), Value::Bool(false));
        let listed = keywords.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        for name in composition.names {
            listed
                .as_object_mut()
                .map(|listed| listed.entry(name).or_insert_with(|| Value::Object(Map::new())));
        }
    }

    /// Points the `$ref` of `keywords` at the definition as `mode` needs it.
    fn redirect(&mut self, place: &str, keywords: &mut Map<String, Value>, mode: Mode) {
        let Some(Value::String(reference)) = keywords.get_mut("$ref") else { return };
        let Some((target, _)) = self.references.target(place, reference) else { return };
        // What is not closed anyway needs no open copy.
        let as_it_is = mode == Mode::Part && !self.parts.at(&target).closable;
        let mode = if as_it_is { Mode::Whole } else { mode };
        if let Some(copied) = self.places.reference(&target, mode) {
            *reference = copied;
        }
        let demand = (target, mode);
        if !self.demanded.contains(&demand) {
            self.demanded.push(demand);
        }
    }

    /// Emits the subschemas of one keyword.
    fn within(
        &mut self,
        place: &str,
        keywords: &mut Map<String, Value>,
        keyword: &str,
        (shape, mode): (Shape, Mode),
    ) -> Result<(), SchemaError> {
        let Some(value) = keywords.get_mut(keyword) else { return Ok(()) };
        let place = pointer::child(place, keyword);
        match (shape, value) {
            (Shape::One, value @ Value::Object(_)) => *value = self.emit(&place, &value.clone(), mode)?,
            (Shape::List, Value::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    *item = self.emit(&pointer::child(&place, &index.to_string()), &item.clone(), mode)?;
                }
            }
            (Shape::Named, Value::Object(members)) => {
                for (name, member) in members.iter_mut() {
                    *member = self.emit(&pointer::child(&place, name), &member.clone(), mode)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn refuse_undeclared(place: &str, composition: &Composition) -> Result<(), SchemaError> {
    match composition.undeclared.first() {
        Some(name) => Err(SchemaError::RequiredUndeclared { pointer: place.to_owned(), name: name.clone() }),
        None => Ok(()),
    }
}
