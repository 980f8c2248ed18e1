//! Lean: the shortest listing from which a model can still call a tool.
//!
//! Only `type`, `description`, `enum`, `required`, `items` and `properties`, at every depth. Left out: bounds, what further
//! properties may be, `null`, all alternatives but the first. What has a default is not required. A record is an object without
//! properties. A field of no one type is refused: it is never listed as something else.

use serde_json::{Map, Value};

use super::Made;
use super::build::Unrolled;
use super::error::Fault;
use super::report::{ChangeKind, ProjectionReport};
use super::shape::{Array, Kind, Object, Rest, Shape};
use super::types::Types;

pub(super) fn schema(schema: &Value, report: &mut ProjectionReport) -> Result<Made, Fault> {
    written(&Unrolled::shape(schema, report)?, report)
}

/// The same of a shape that is known already, with what its making has changed in the report.
pub(super) fn written(shape: &Shape<'_>, report: &mut ProjectionReport) -> Result<Made, Fault> {
    let value = Writer { report }.shape(shape)?;
    Ok(Made { value, ..Made::default() })
}

struct Writer<'r> {
    report: &'r mut ProjectionReport,
}

const LEFT_OUT: &str = "a listing is short; it still holds at a call";

impl Writer<'_> {
    fn shape(&mut self, shape: &Shape<'_>) -> Result<Value, Fault> {
        if let Kind::Union(branches) = &shape.kind {
            return self.first(shape, branches);
        }
        let mut made = Map::new();
        match &shape.kind {
            Kind::Boolean => set(&mut made, "type", "boolean"),
            Kind::Integer => set(&mut made, "type", "integer"),
            Kind::Number => set(&mut made, "type", "number"),
            Kind::Text => set(&mut made, "type", "string"),
            Kind::Literals(literals) => literal(shape, literals, &mut made)?,
            Kind::Object(object) => self.object(shape, object, &mut made)?,
            Kind::Array(array) => self.array(shape, array, &mut made)?,
            _ => return Err(no_one_type(shape, "it may be anything")),
        }
        if let Some(text) = shape.description {
            set(&mut made, "description", text);
        }
        if shape.nullable {
            self.report.add(
                ChangeKind::Narrowed,
                &shape.pointer,
                "null",
                "null is left out; leaving the field out means the same",
            );
        }
        for left in shape.bounds.iter().chain(&shape.conditions) {
            self.report.add(ChangeKind::Dropped, &left.pointer, left.keyword.to_owned(), LEFT_OUT);
        }
        Ok(Value::Object(made))
    }

    fn first(&mut self, shape: &Shape<'_>, branches: &[Shape<'_>]) -> Result<Value, Fault> {
        self.report.add(
            ChangeKind::Narrowed,
            &shape.pointer,
            "anyOf",
            "only the first alternative is listed",
        );
        let Some(first) = branches.iter().find(|branch| !matches!(branch.kind, Kind::Null | Kind::Never))
        else {
            return Err(no_one_type(shape, "nothing is left of its alternatives"));
        };
        let mut made = self.shape(first)?;
        if let (Some(text), Some(keywords)) = (shape.description, made.as_object_mut()) {
            set(keywords, "description", text);
        }
        Ok(made)
    }

    fn object(
        &mut self,
        shape: &Shape<'_>,
        object: &Object<'_>,
        made: &mut Map<String, Value>,
    ) -> Result<(), Fault> {
        set(made, "type", "object");
        let mut required: Vec<Value> = Vec::new();
        let mut properties = Map::new();
        for field in &object.fields {
            properties.insert(field.name.to_owned(), self.shape(&field.shape)?);
            if !field.required {
                continue;
            }
            if field.shape.default.is_some() {
                let why = "a field with a default is not listed as required";
                self.report.add(ChangeKind::Weakened, &field.shape.pointer, "required", why);
            } else {
                required.push(field.name.into());
            }
        }
        if !properties.is_empty() || shape.pointer.is_empty() {
            made.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            made.insert("required".to_owned(), Value::Array(required));
        }
        if matches!(object.rest, Rest::Refused | Rest::Of(_)) {
            self.report.add(ChangeKind::Dropped, &shape.pointer, "additionalProperties", LEFT_OUT);
        }
        Ok(())
    }

    fn array(
        &mut self,
        shape: &Shape<'_>,
        array: &Array<'_>,
        made: &mut Map<String, Value>,
    ) -> Result<(), Fault> {
        set(made, "type", "array");
        let mut items: Vec<Value> = Vec::new();
        for item in array.prefix.iter().chain(array.items.as_deref()) {
            if matches!(item.kind, Kind::Never) {
                continue;
            }
            let written = self.shape(item)?;
            if !items.contains(&written) {
                items.push(written);
            }
        }
        if items.len() > 1 {
            return Err(no_one_type(shape, "its items differ by position"));
        }
        if !array.prefix.is_empty() {
            self.report.add(ChangeKind::Weakened, &shape.pointer, "prefixItems", LEFT_OUT);
        }
        if let Some(items) = items.pop() {
            made.insert("items".to_owned(), items);
        }
        Ok(())
    }
}

/// The literals with the one type that they have.
fn literal(shape: &Shape<'_>, literals: &[&Value], made: &mut Map<String, Value>) -> Result<(), Fault> {
    let types = literals.iter().fold(Types::NONE, |types, literal| types.union(Types::of_value(literal)));
    let name = [(Types::STRING, "string"), (Types::INTEGER, "integer"), (Types::BOOLEAN, "boolean")]
        .into_iter()
        .find(|(one, _)| *one == types)
        .or(Some((Types::NUMBER, "number")).filter(|_| Types::NUMBER.contains(types)));
    let Some((_, name)) = name else {
        return Err(no_one_type(shape, "its choices are not all texts, all numbers or all booleans"));
    };
    set(made, "type", name);
    made.insert("enum".to_owned(), literals.iter().copied().cloned().collect());
    Ok(())
}

fn set(made: &mut Map<String, Value>, keyword: &str, text: &str) {
    made.insert(keyword.to_owned(), text.into());
}

fn no_one_type(shape: &Shape<'_>, why: &str) -> Fault {
    Fault::new(
        &shape.pointer,
        format!(
            "the field has no one type ({why}); give it a \"type\", or leave the tool out of this listing"
        ),
    )
}
