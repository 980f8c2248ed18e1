//! One order of keys and one form of numbers, whatever features of `serde_json` the build switched on.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::super::canon::whole;

/// `value` in that order; borrowed where it has it already.
pub(super) fn canonical(value: &Value) -> Cow<'_, Value> {
    if has_order(value) { Cow::Borrowed(value) } else { Cow::Owned(sorted(value.clone())) }
}

fn has_order(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.keys().is_sorted() && members.values().all(has_order),
        Value::Array(items) => items.iter().all(has_order),
        // Any other number may have several texts.
        Value::Number(number) => number.is_i64() || number.is_u64(),
        _ => true,
    }
}

/// `value` in that order.
pub(super) fn ordered(value: Value) -> Value {
    if has_order(&value) { value } else { sorted(value) }
}

/// `value` with its keys in order of their code points, at every depth.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_unstable_by(|one, other| one.0.cmp(&other.0));
            Value::Object(
                members.into_iter().map(|(key, member)| (key, sorted(member))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        Value::Number(number) => Value::Number(plain(number)),
        other => other,
    }
}

/// Whole numbers as integers, others as the nearest double.
fn plain(number: Number) -> Number {
    if number.is_i64() || number.is_u64() {
        return number;
    }
    let float = number.as_f64();
    let integer = float.and_then(whole);
    if let Some(small) = integer.and_then(|integer| i64::try_from(integer).ok()) {
        return small.into();
    }
    if let Some(large) = integer.and_then(|integer| u64::try_from(integer).ok()) {
        return large.into();
    }
    float.and_then(Number::from_f64).unwrap_or(number)
}
