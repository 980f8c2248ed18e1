//! Closing the schemas of tools that are defined here, so that the published schema itself refuses unknown fields.
//!
//! An object whose properties stand in one place gets `additionalProperties: false`. An object that is composed (`$ref` with
//! siblings, allOf, anyOf, oneOf, if) gets `unevaluatedProperties: false` once, outside; its parts stay open, because a
//! closed part would refuse what the other parts declare. A definition that serves both ways exists twice: closed under its
//! own name, and as an open copy.

mod composition;
mod emit;
mod mode;

use serde_json::{Map, Value};

use super::dialect::Dialect;
use super::error::SchemaError;
use super::plan::{Plan, References};
use composition::Parts;
use emit::Emitter;
use mode::{Mode, Places};

/// `schema`, closed. A schema that admits no property becomes the empty closed object.
///
/// The schema has been checked; `plan` is what it says.
pub(super) fn closed(schema: &Value, plan: &Plan) -> Result<Value, SchemaError> {
    let dialect = Dialect::of(schema);
    let references = References::of(schema, dialect);
    let parts = Parts::of(plan);
    if parts.at("").bare {
        return Ok(emptied(schema));
    }
    // References into embedded resources cannot be redirected safely; there the check alone refuses unknown fields.
    if references.has_embedded() {
        return Ok(schema.clone());
    }
    let mut emitter = Emitter::new(schema, dialect, &parts, &references);
    let demanded = demands(&mut emitter, schema)?;
    emitter.places = Places::settle(demanded, schema, dialect);
    let mut whole = emitter.emit("", schema, Mode::Whole)?;
    put_definitions(&mut emitter, &mut whole)?;
    if let Some(keywords) = whole.as_object_mut() {
        keywords.entry("type").or_insert_with(|| "object".into());
    }
    Ok(whole)
}

/// Which definitions are needed in which mode, found by emitting everything that can be reached.
fn demands(emitter: &mut Emitter<'_>, schema: &Value) -> Result<Vec<(String, Mode)>, SchemaError> {
    emitter.emit("", schema, Mode::Whole)?;
    let mut reached = 0;
    while let Some((place, mode)) = emitter.demanded.get(reached).cloned() {
        reached += 1;
        if let Some(target) = schema.pointer(&place) {
            emitter.emit(&place, target, mode)?;
        }
    }
    Ok(std::mem::take(&mut emitter.demanded))
}

/// Writes each definition in the mode of its home, and the copies behind them.
fn put_definitions(emitter: &mut Emitter<'_>, whole: &mut Value) -> Result<(), SchemaError> {
    for keyword in ["$defs", "definitions"] {
        let Some(definitions) = whole.get_mut(keyword).and_then(Value::as_object_mut) else { continue };
        for (name, definition) in definitions.iter_mut() {
            let place = super::pointer::child(&format!("/{keyword}"), name);
            let mode = emitter.places.home(&place);
            *definition = emitter.emit(&place, &definition.clone(), mode)?;
        }
    }
    for copy in emitter.places.copies() {
        let Some(source) = emitter.schema.pointer(&copy.place) else { continue };
        let mut emitted = emitter.emit(&copy.place, source, copy.mode)?;
        for keyword in ["$anchor", "$schema", "$id", "id", "$defs", "definitions"] {
            emitted.as_object_mut().map(|keywords| keywords.remove(keyword));
        }
        let definitions = whole
            .as_object_mut()
            .map(|keywords| keywords.entry(copy.keyword).or_insert_with(|| Value::Object(Map::new())));
        if let Some(definitions) = definitions.and_then(Value::as_object_mut) {
            definitions.insert(copy.name, emitted);
        }
    }
    Ok(())
}

/// The schema of no arguments; what the author said about it stays.
fn emptied(schema: &Value) -> Value {
    let mut keywords = schema.as_object().cloned().unwrap_or_default();
    keywords.insert("type".to_owned(), "object".into());
    keywords.insert("properties".to_owned(), Value::Object(Map::new()));
    keywords.insert("additionalProperties".to_owned(), Value::Bool(false));
    Value::Object(keywords)
}
