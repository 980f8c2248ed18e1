//! `null` as one more value of a schema, or as one less.

use serde_json::{Map, Value};

use super::keyword::is_annotation;

/// A schema that takes `null` as well, and whether it did not before.
pub(super) fn nullable(mut made: Map<String, Value>) -> (Map<String, Value>, bool) {
    let only_types =
        !["anyOf", "oneOf", "allOf", "not", "if", "const", "$ref"].iter().any(|one| made.contains_key(*one));
    let names = match made.get("type") {
        Some(Value::String(name)) => vec![Value::from(name.as_str())],
        Some(Value::Array(names)) => names.clone(),
        // Without a type or a choice everything is taken.
        _ if only_types && !made.contains_key("enum") => return (made, false),
        _ => Vec::new(),
    };
    let null = Value::from("null");
    let choices = made.get("enum").and_then(Value::as_array).cloned();
    let takes_null = (names.is_empty() || names.contains(&null))
        && choices.as_ref().is_none_or(|choices| choices.contains(&Value::Null));
    if only_types && takes_null {
        return (made, false);
    }
    if only_types {
        if !names.is_empty() && !names.contains(&null) {
            made.insert("type".to_owned(), names.into_iter().chain([null]).collect());
        }
        if let Some(choices) = choices.filter(|choices| !choices.contains(&Value::Null)) {
            made.insert("enum".to_owned(), choices.into_iter().chain([Value::Null]).collect());
        }
        return (made, true);
    }
    // A union of the whole with null; what describes it stays outside.
    let mut union = Map::new();
    for keyword in ["description", "title", "default"] {
        if let Some(value) = made.remove(keyword) {
            union.insert(keyword.to_owned(), value);
        }
    }
    let null = Value::Object(Map::from_iter([("type".to_owned(), null)]));
    let branches = match made.remove("anyOf") {
        Some(Value::Array(branches)) if made.is_empty() => {
            if branches.contains(&null) {
                union.insert("anyOf".to_owned(), Value::Array(branches));
                return (union, false);
            }
            branches.into_iter().chain([null]).collect()
        }
        inner => {
            made.extend(inner.map(|inner| ("anyOf".to_owned(), inner)));
            vec![Value::Object(made), null]
        }
    };
    union.insert("anyOf".to_owned(), Value::Array(branches));
    (union, true)
}

/// Takes the branch `null` out of a union; one that is left alone replaces the union. Whether there was such a branch.
pub(super) fn unwrap_union(made: &mut Map<String, Value>, keyword: &str) -> bool {
    let is_null = |branch: &Value| branch.get("type").is_some_and(|name| name == "null");
    let Some(Value::Array(branches)) = made.get_mut(keyword) else { return false };
    let offered = branches.len();
    if offered < 2 || !branches.iter().any(is_null) {
        return false;
    }
    branches.retain(|branch| !is_null(branch));
    if let [Value::Object(only)] = branches.as_slice() {
        // Keywords beside the union hold as well: only where none meets one of the branch may both stand together.
        let only = only.clone();
        if !only.keys().any(|name| made.contains_key(name) && !is_annotation(name)) {
            made.remove(keyword);
            for (name, value) in only {
                made.entry(name).or_insert(value);
            }
        }
    }
    true
}

/// Puts the only part of a composition in its place, where nothing but annotations stands beside it.
pub(super) fn unwrap_only(made: &mut Map<String, Value>, keyword: &str) {
    if made.keys().any(|name| name != keyword && !is_annotation(name)) {
        return;
    }
    if let Some([Value::Object(only)]) = made.get(keyword).and_then(Value::as_array).map(Vec::as_slice) {
        let only = only.clone();
        made.remove(keyword);
        for (name, value) in only {
            made.entry(name).or_insert(value);
        }
    }
}
