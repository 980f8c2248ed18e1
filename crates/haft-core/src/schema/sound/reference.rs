//! References that plainly lead to another part of the same schema.

use serde_json::Value;

/// Whether `target` is a JSON pointer in its simplest form that leads along keywords to a schema.
///
/// All that can be reached along the known keywords is looked at, so that nothing is said of the schema itself here.
pub(super) fn leads_to_part(root: &Value, target: &str) -> bool {
    let Some(pointer) = target.strip_prefix('#') else { return false };
    if pointer.is_empty() {
        return true;
    }
    let Some(steps) = pointer.strip_prefix('/') else { return false };
    let mut steps = steps.split('/');
    let mut place = root;
    while let Some(keyword) = steps.next() {
        let Some(found) = follow(place, keyword, &mut steps) else { return false };
        place = found;
    }
    place.is_object() || place.is_boolean()
}

/// The schema that a keyword leads to, with as many more steps as it takes.
fn follow<'v, 't>(
    schema: &'v Value,
    keyword: &str,
    steps: &mut impl Iterator<Item = &'t str>,
) -> Option<&'v Value> {
    let value = schema.as_object()?.get(keyword)?;
    match keyword {
        "items" | "additionalProperties" | "propertyNames" | "not" | "contains" => Some(value),
        "properties" | "$defs" | "definitions" => {
            let name = steps.next()?;
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
            value.as_object()?.get(name).filter(|_| name.bytes().all(is_plain))
        }
        "anyOf" | "oneOf" | "allOf" => {
            let index = steps.next()?;
            // No sign, no leading zero: these are read differently.
            let place = index.parse::<usize>().ok().filter(|place| place.to_string() == index)?;
            value.as_array()?.get(place)
        }
        _ => None,
    }
}
