//! `type`, `enum`, `const` and what is demanded of text.

use serde_json::{Map, Value};

use super::super::super::check::Pattern;
use super::super::node::{Choices, Kinds, Node, TextChecks};

/// What the value of a `type` keyword allows.
pub(super) fn kinds_of_type(types: &Value) -> Option<Kinds> {
    let named = |name: &Value| {
        Some(match name.as_str()? {
            "null" => Kinds::NULL,
            "boolean" => Kinds::TRUE | Kinds::FALSE,
            "integer" => Kinds::INTEGER,
            "number" => Kinds::NUMERIC,
            "string" => Kinds::STRING,
            "array" => Kinds::ARRAY,
            "object" => Kinds::OBJECT,
            _ => return None,
        })
    };
    match types {
        Value::Array(names) => names.iter().try_fold(Kinds::NONE, |all, name| Some(all | named(name)?)),
        name => named(name),
    }
}

pub(super) fn add_text(checks: &mut TextChecks, keyword: &str, value: &Value) -> Option<()> {
    let count = || usize::try_from(value.as_u64()?).ok();
    match keyword {
        "minLength" => checks.least = count()?,
        "maxLength" => checks.most = count()?,
        _ => checks.pattern = Some(Pattern::new(value.as_str()?)),
    }
    Some(())
}

/// `enum` and `const`: texts and integers are kept, the others are types of their own.
pub(super) fn add_choices(node: &mut Node, keywords: &Map<String, Value>) -> Option<()> {
    let listed = match (keywords.get("enum"), keywords.get("const")) {
        (None, None) => return Some(()),
        (Some(choices), None) => choices.as_array()?.as_slice(),
        (None, Some(only)) => std::slice::from_ref(only),
        (Some(_), Some(_)) => return None,
    };
    let (mut kinds, mut choices) = (Kinds::NONE, Choices::default());
    for choice in listed {
        kinds = kinds
            | match choice {
                Value::Null => Kinds::NULL,
                Value::Bool(true) => Kinds::TRUE,
                Value::Bool(false) => Kinds::FALSE,
                Value::String(text) => {
                    choices.texts.push(text.as_str().into());
                    Kinds::STRING
                }
                Value::Number(number) => {
                    let integer = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
                    choices.integers.push(integer?);
                    Kinds::NUMERIC
                }
                Value::Array(_) | Value::Object(_) => return None,
            };
    }
    node.kinds = Kinds(node.kinds.0 & kinds.0);
    node.choices = Some(Box::new(choices));
    Some(())
}
