//! The validator's complaint about a schema, as an error that says where and how to mend it.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ReferencingError, ValidationError};
use serde_json::Value;

use super::super::error::SchemaError;
use super::super::issue::{cut, shown};
use super::super::plan::{Dangling, Plan};
use super::super::pointer;

/// Why `schema` was refused.
pub(super) fn refusal(schema: &Value, error: &ValidationError<'_>) -> SchemaError {
    let place = error.instance_path().as_str();
    match error.kind() {
        ValidationErrorKind::Referencing(fault) => reference(schema, fault),
        ValidationErrorKind::Type { kind } => {
            SchemaError::invalid(place, mistyped(place, kind, error.instance()))
        }
        ValidationErrorKind::Enum { options } => {
            let reason = format!("{} is not one of {}", shown(error.instance()), shown(options));
            SchemaError::invalid(place, reason)
        }
        ValidationErrorKind::Format { format } if format == "regex" => {
            SchemaError::invalid(place, format!("{} is not a regular expression", shown(error.instance())))
        }
        _ if pointer::last(place).is_some_and(|keyword| keyword == "type") => SchemaError::invalid(
            place,
            format!(
                "{} is no type; the types are \"object\", \"array\", \"string\", \"number\", \"integer\", \"boolean\", \"null\"",
                shown(error.instance())
            ),
        ),
        _ => SchemaError::invalid(place, cut(&error.to_string())),
    }
}

fn mistyped(place: &str, kind: &TypeKind, found: &Value) -> String {
    let names = match kind {
        TypeKind::Single(only) => only.to_string(),
        TypeKind::Multiple(several) => {
            let names: Vec<_> = several.iter().map(|name| name.to_string()).collect();
            names.join(" or ")
        }
    };
    let found = shown(found);
    let of_properties = pointer::last(pointer::parent(place)).is_some_and(|keyword| keyword == "properties");
    if of_properties && names.contains("object") {
        format!("a property needs a schema, such as {{\"type\": {found}}}; found {found}")
    } else {
        format!("expected {names}, found {found}")
    }
}

/// The validator names no place for a reference that leads nowhere; the plan does.
fn reference(schema: &Value, fault: &ReferencingError) -> SchemaError {
    if let ReferencingError::UnknownSpecification { specification } = fault {
        return SchemaError::UnknownDialect { dialect: specification.clone() };
    }
    let remote = matches!(fault, ReferencingError::Unretrievable { .. });
    let plan = Plan::of(schema);
    let within = |dangling: &&Dangling| dangling.reference.starts_with('#') != remote;
    match plan.dangling.iter().find(within).or(plan.dangling.first()) {
        Some(Dangling { pointer, reference }) => {
            let (pointer, reference) = (pointer.clone(), reference.clone());
            if remote {
                SchemaError::RemoteReference { pointer, reference }
            } else {
                SchemaError::UnresolvedReference { pointer, reference }
            }
        }
        None => SchemaError::invalid("", cut(&fault.to_string())),
    }
}
