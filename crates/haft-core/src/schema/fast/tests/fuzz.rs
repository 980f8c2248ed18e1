//! Any bytes as argument text: neither road panics, and the fast one accepts nothing that the complete one does not.

use serde_json::json;

use super::super::read_value;
use super::random::Random;
use super::roads::Both;
use super::{instances, pairs};

/// The body of a fuzz test of argument text: the first byte picks the schema.
pub(super) fn arguments(schemas: &[Both], bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let both = &schemas[usize::from(*first) % schemas.len()];
    if let Some(difference) = both.difference(&text) {
        panic!("{difference}");
    }
}

fn schemas() -> Vec<Both> {
    let all = [
        json!({"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "number"}}, "required": ["a"]}),
        json!({"type": "object", "properties": {"s": {"type": "string", "maxLength": 4}, "l": {"items": {}}, "o": {}}}),
        json!({"type": "object", "additionalProperties": true}),
        json!({"type": "object", "properties": {"u": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "object"}]}}}),
        json!({"type": "object", "properties": {"r": {"$ref": "#"}, "n": {"type": ["null", "boolean"]}}}),
    ];
    all.into_iter().map(|schema| Both::of(schema, true).expect("a schema")).collect()
}

#[test]
fn any_text_is_decided_alike() {
    let (schemas, mut random) = (schemas(), Random(3));
    let corpus = [
        r#"{"a":1,"b":-2.5e3}"#,
        r#"{"a":18446744073709551615,"b":-9223372036854775808}"#,
        r#" { "s" : "\u00e9\n" } "#,
        r#"{"l":[1,[2,{"x":null}],"\ud83d\ude00"],"o":{"p":[true,false]}}"#,
        r#"{"u":{"k":1}}"#,
        r#"{"r":{"r":{"n":null}}}"#,
        "{}",
        "null",
        "[1]",
        r#"{"a":1,"a":2}"#,
        r#"{"$serde_json::private::RawValue":"1"}"#,
    ];
    for _ in 0..pairs() {
        let mut text = random.pick(&corpus).to_owned();
        for _ in 0..random.below(4) {
            instances::damage(&mut random, &mut text);
        }
        let mut bytes = vec![u8::try_from(random.below(5)).unwrap()];
        bytes.extend(text.as_bytes());
        arguments(&schemas, &bytes);
    }
}

/// A union that is its own branch consumes nothing.
#[test]
fn schemas_in_circles_do_not_overflow_the_stack() {
    for keyword in ["anyOf", "oneOf"] {
        for others in
            [json!([]), json!([{"type": "null"}]), json!([{"type": "integer"}, {"$ref": "#/$defs/A"}])]
        {
            let mut branches = vec![json!({"$ref": "#/$defs/A"})];
            branches.extend(others.as_array().unwrap().iter().cloned());
            let definition = json!({ keyword: branches });
            let schema = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": definition}});
            let Some(both) = Both::of(schema, false) else { continue };
            for value in ["1", "null", "{}", r#"{"a":1}"#, "[]"] {
                let read = both
                    .checks
                    .as_ref()
                    .and_then(|checks| read_value(&format!(r#"{{"a":{value}}}"#), checks));
                assert!(read.is_none() || both.difference(&format!(r#"{{"a":{value}}}"#)).is_none());
            }
        }
    }
}

#[test]
fn deep_texts_do_not_overflow_the_stack() {
    let schemas = schemas();
    for deep in [64, 128, 100_000] {
        for (open, close) in [("{\"r\":", "}"), ("{\"o\":[", "]}")] {
            let text = format!("{}{{}}{}", open.repeat(deep), close.repeat(deep));
            for first in 0..5 {
                arguments(&schemas, &[&[first], text.as_bytes()].concat());
            }
        }
    }
}
