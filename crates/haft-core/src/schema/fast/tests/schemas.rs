//! Schemas, as authors and servers write them, with most keywords that the fast road understands and some that it does
//! not.

use serde_json::{Map, Value, json};

use super::random::Random;

const NAMES: [&str; 6] = ["a", "b", "name", "items", "kind", "veryLongPropertyName"];

/// A schema of arguments.
pub(super) fn schema(random: &mut Random) -> Value {
    let mut schema = if random.one_in(6) { union(random, 3) } else { object(random, 3) };
    let definitions: Map<String, Value> =
        ["A", "B"].iter().map(|name| ((*name).to_owned(), any(random, 2))).collect();
    if let Some(keywords) = schema.as_object_mut() {
        keywords.insert("$defs".to_owned(), Value::Object(definitions));
        if random.one_in(12) {
            keywords.insert("$schema".to_owned(), "http://json-schema.org/draft-07/schema#".into());
        }
    }
    schema
}

fn any(random: &mut Random, depth: usize) -> Value {
    let mut schema = match random.below(if depth == 0 { 7 } else { 13 }) {
        0 => text(random),
        1 | 2 => number(random),
        3 => json!({"type": "boolean"}),
        4 => choices(random),
        5 => random.pick(&[
            json!({}),
            json!(true),
            json!({"type": ["string", "null"]}),
            json!({"type": "null"}),
        ]),
        6 => json!({"type": random.pick(&["string", "integer", "object", "array", "number"])}),
        7 | 8 => object(random, depth - 1),
        9 => array(random, depth - 1),
        10 => union(random, depth - 1),
        11 => json!({"$ref": random.pick(&["#/$defs/A", "#/$defs/B", "#"])}),
        _ => json!({"allOf": [any(random, depth - 1)], "description": "one part"}),
    };
    if let Some(keywords) = schema.as_object_mut().filter(|_| random.one_in(8)) {
        let default = random.pick(&[json!("a"), json!(1), json!(true), json!(null), json!(1.5), json!([])]);
        keywords.insert("default".to_owned(), default);
    }
    schema
}

fn text(random: &mut Random) -> Value {
    let mut schema = json!({"type": "string"});
    let few = [
        ("minLength", json!(2)),
        ("maxLength", json!(3)),
        ("pattern", json!("^[a-c]+$")),
        ("format", json!("date")),
    ];
    for (keyword, value) in few {
        if random.one_in(4) {
            schema[keyword] = value;
        }
    }
    schema
}

fn number(random: &mut Random) -> Value {
    let mut schema = json!({"type": random.pick(&["integer", "number"])});
    let bounds = [json!(0), json!(-3), json!(2.5), json!(9_007_199_254_740_993_i64), json!(10)];
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if random.one_in(5) {
            schema[keyword] = random.pick(&bounds);
        }
    }
    if random.one_in(8) {
        schema["multipleOf"] = random.pick(&[json!(2), json!(0.5)]);
    }
    schema
}

fn choices(random: &mut Random) -> Value {
    random.pick(&[
        json!({"enum": ["a", "b", "Grüße"]}),
        json!({"type": "string", "enum": ["a", null]}),
        json!({"enum": [1, 2, -3]}),
        json!({"enum": [1.5, "a"]}),
        json!({"const": "a"}),
        json!({"const": true}),
        json!({"enum": [true, null, 2]}),
        json!({"enum": [{"a": 1}]}),
    ])
}

fn array(random: &mut Random, depth: usize) -> Value {
    let mut schema = json!({"type": "array"});
    if !random.one_in(5) {
        schema["items"] = any(random, depth);
    }
    if random.one_in(5) {
        schema["prefixItems"] = json!([any(random, depth), any(random, depth)]);
    }
    for (keyword, value) in [("minItems", json!(1)), ("maxItems", json!(2)), ("uniqueItems", json!(true))] {
        if random.one_in(5) {
            schema[keyword] = value;
        }
    }
    schema
}

fn object(random: &mut Random, depth: usize) -> Value {
    let mut schema = json!({"type": "object"});
    let mut properties = Map::new();
    for name in NAMES {
        if random.one_in(2) {
            properties.insert(name.to_owned(), any(random, depth));
        }
    }
    let required: Vec<&str> = NAMES
        .into_iter()
        .filter(|name| random.one_in(3) && (properties.contains_key(*name) || random.one_in(10)))
        .collect();
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    if !random.one_in(8) {
        schema["properties"] = Value::Object(properties);
    }
    match random.below(10) {
        0 | 1 => schema["additionalProperties"] = json!(false),
        2 => schema["additionalProperties"] = json!(true),
        3 => schema["additionalProperties"] = any(random, depth.saturating_sub(1)),
        4 => schema["patternProperties"] = json!({"^x": any(random, 0)}),
        5 => schema["unevaluatedProperties"] = json!(false),
        6 if random.one_in(2) => schema["minProperties"] = json!(2),
        7 if random.one_in(2) => schema["maxProperties"] = json!(2),
        8 if random.one_in(2) => schema["anyOf"] = json!([{"required": ["a"]}, {"required": ["b", "name"]}]),
        9 if random.one_in(3) => schema["not"] = json!({"required": ["b"]}),
        _ => {}
    }
    schema
}

fn union(random: &mut Random, depth: usize) -> Value {
    let keyword = random.pick(&["anyOf", "oneOf"]);
    let branches: Vec<Value> = match random.below(4) {
        0 => vec![any(random, depth), json!({"type": "null"})],
        1 => (0..2).map(|_| object(random, depth.saturating_sub(1))).collect(),
        2 => ["a", "b", "c"]
            .into_iter()
            .map(|tag| {
                let mut branch = object(random, depth.saturating_sub(1));
                branch["properties"]["kind"] = json!({"type": "string", "const": tag});
                branch["required"] = json!(["kind"]);
                branch
            })
            .collect(),
        _ => (0..3).map(|_| any(random, depth.saturating_sub(1))).collect(),
    };
    let mut schema = json!({ keyword: branches });
    if random.one_in(4) {
        schema["description"] = json!("alternatives");
    }
    if random.one_in(6) {
        schema["unevaluatedProperties"] = json!(false);
    }
    schema
}

/// Names every keyword of `schema`.
pub(super) fn keywords(schema: &Value, note: &mut impl FnMut(&str)) {
    match schema {
        Value::Object(members) => {
            for (name, member) in members {
                note(name);
                match name.as_str() {
                    "properties" | "$defs" | "patternProperties" => {
                        member.as_object().into_iter().flatten().for_each(|(_, one)| keywords(one, note));
                    }
                    "enum" | "const" | "default" | "required" => {}
                    _ => keywords(member, note),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keywords(item, note)),
        _ => {}
    }
}
