//! Constraints in words, for descriptions: what a target's schema can not say, the model still reads.

use serde_json::Value;

use super::super::issue::shown;
use super::reader::Face;

/// A description with what has to be said besides.
pub(super) fn described(description: Option<&str>, rules: &[String]) -> String {
    let mut text = description.unwrap_or_default().trim_end().to_owned();
    for rule in rules {
        match text.chars().next_back() {
            None => {}
            Some('.' | '!' | '?' | ':') => text.push(' '),
            Some(_) => text.push_str(". "),
        }
        text.push_str(rule);
    }
    if !rules.is_empty() {
        text.push('.');
    }
    text
}

/// What alternatives mean.
pub(super) fn alternatives(keyword: &str, branches: &[Face<'_>]) -> String {
    let only_names = |face: &Face<'_>| {
        !face.required.is_empty()
            && face.properties.is_empty()
            && face.conditions.is_empty()
            && face.alternatives.is_empty()
    };
    let many = if keyword == "oneOf" { "Exactly one" } else { "At least one" };
    let what = if branches.iter().all(only_names) { "must be given" } else { "must hold" };
    let listed: Vec<String> = branches.iter().map(branch).collect();
    format!("{many} of these {what}: {}", listed.join("; "))
}

/// One alternative: what it requires, with the literals that mark it.
fn branch(face: &Face<'_>) -> String {
    let mut said = Vec::new();
    for (name, spot) in &face.properties {
        let literal = spot.iter().find_map(|place| {
            let one_of =
                place.schema.get("enum").and_then(Value::as_array).filter(|choices| choices.len() == 1);
            place.schema.get("const").or_else(|| one_of.and_then(|choices| choices.first()))
        });
        if let Some(literal) = literal {
            said.push(format!("{name} = {}", shown(literal)));
        }
    }
    let marked = |name: &&&str| !said.iter().any(|text: &String| text.starts_with(&format!("{name} = ")));
    let named: Vec<&str> = face.required.iter().filter(marked).copied().collect();
    if !named.is_empty() {
        said.push(named.join(" and "));
    }
    match (said.as_slice(), face.parts.first()) {
        ([], Some(place)) => short(place.schema),
        _ => said.join(" with "),
    }
}

/// A condition that is no simple bound.
pub(super) fn condition(keyword: &str, value: &Value) -> String {
    let text = short(value);
    match keyword {
        "not" => format!("Must not match {text}"),
        "if" => format!("Where it matches {text}, more holds"),
        "then" => format!("Then it matches {text}"),
        "else" => format!("Else it matches {text}"),
        "contains" => format!("Holds an item that matches {text}"),
        "minContains" if text == "1" => "At least 1 such item".to_owned(),
        "minContains" => format!("At least {text} such items"),
        "maxContains" => format!("At most {text} such items"),
        "propertyNames" => format!("Each name matches {text}"),
        "patternProperties" => format!("By the pattern of their names, values match {text}"),
        "dependentRequired" | "dependentSchemas" | "dependencies" => {
            format!("Fields that depend on others: {text}")
        }
        other => format!("{other}: {text}"),
    }
}

/// A bound.
pub(super) fn bound(keyword: &str, value: &Value) -> String {
    let text = short(value);
    let many = |one: &'static str, several: &'static str| if text == "1" { one } else { several };
    match keyword {
        "minimum" => format!("At least {text}"),
        "maximum" => format!("At most {text}"),
        "exclusiveMinimum" => format!("More than {text}"),
        "exclusiveMaximum" => format!("Less than {text}"),
        "multipleOf" => format!("A multiple of {text}"),
        "minLength" => format!("At least {text} {}", many("character", "characters")),
        "maxLength" => format!("At most {text} {}", many("character", "characters")),
        "minItems" => format!("At least {text} {}", many("item", "items")),
        "maxItems" => format!("At most {text} {}", many("item", "items")),
        "minProperties" => format!("At least {text} {}", many("entry", "entries")),
        "maxProperties" => format!("At most {text} {}", many("entry", "entries")),
        "uniqueItems" => "No item twice".to_owned(),
        "pattern" => format!("Matches the regular expression {}", value.as_str().unwrap_or_default()),
        "format" => format!("Format: {}", value.as_str().unwrap_or_default()),
        "default" => format!("Default: {text}"),
        "enum" => format!("One of {text}"),
        other => format!("{other}: {text}"),
    }
}

/// A value as JSON, cut where it is long.
pub(super) fn short(value: &Value) -> String {
    shown(value)
}
