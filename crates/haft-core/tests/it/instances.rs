//! A seeded generator of values for a schema: most are valid, and the schema itself decides which.

use std::collections::HashMap;

use haft_core::OutputSchema;
use serde_json::{Map, Value, json};

/// A small generator of numbers (splitmix64): the same seed gives the same values everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: &str) -> Self {
        Self(
            seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            }),
        )
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).expect("it is small")
    }

    fn often(&mut self, of_ten: usize) -> bool {
        self.below(10) < of_ten
    }
}

/// Texts of many forms; a pattern picks those that match it.
const TEXTS: &[&str] = &[
    "a",
    "ab",
    "text",
    "Zoë 🙂",
    "A-12",
    "ABC-1",
    "ABC",
    "ABC_D",
    "12px",
    "90deg",
    "1:2",
    "0a1F",
    "abc",
    "a1b2c3",
    "#00ff00",
    "2026-11-30",
    "2026-11-30T12:00:00Z",
    "12:30:00",
    "550e8400-e29b-41d4-a716-446655440000",
    "10.0.0.1",
    "10.0.0.0/8",
    "example.com",
    "a@example.com",
    "https://example.com/x",
    "image.png",
    "=A1+B2",
    "I1:2",
    "SlicerStyleLight1",
    "000000",
    "0123456789abcdef01234567",
    "this text has a good many characters, so that it passes most lower bounds on length",
];

pub(crate) struct Generator<'s> {
    root: &'s Value,
    pub(crate) random: Random,
    matching: HashMap<String, Vec<&'static str>>,
}

impl<'s> Generator<'s> {
    pub(crate) fn new(root: &'s Value, seed: &str) -> Self {
        Self { root, random: Random::new(seed), matching: HashMap::new() }
    }

    /// A value for the whole schema in which `property` is used where it is declared.
    pub(crate) fn arguments(&mut self, property: Option<&str>) -> Value {
        let mut value = self.value(self.root, 0);
        let declared = property.and_then(|name| Some((name, self.root.get("properties")?.get(name)?)));
        if let (Some((name, schema)), Some(object)) = (declared, value.as_object_mut()) {
            let one = self.value(schema, 1);
            object.insert(name.to_owned(), one);
        }
        value
    }

    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        let merged = self.merged(schema, 0);
        let Value::Object(schema) = &merged else { return json!("anything") };
        // What requires itself has no end.
        if depth > 12 {
            return Value::Null;
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(Value::Array(choices)) = schema.get("enum") {
            return choices.get(self.random.below(choices.len())).cloned().unwrap_or_default();
        }
        let names: Vec<&str> = match schema.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ if schema.contains_key("properties") => vec!["object"],
            _ if schema.contains_key("items") => vec!["array"],
            _ => vec!["string", "integer", "boolean", "null", "object", "array", "number"],
        };
        match names[self.random.below(names.len())] {
            "object" => self.object(schema, depth),
            "array" => self.array(schema, depth),
            "string" => self.text(schema),
            "integer" => json!(self.number(schema)),
            "number" if schema.contains_key("multipleOf") => json!(self.number(schema)),
            "number" => {
                let whole = f64::from(i32::try_from(self.number(schema)).unwrap_or_default());
                json!(whole + if self.random.often(3) { 0.5 } else { 0.0 })
            }
            "boolean" => json!(self.random.often(5)),
            _ => Value::Null,
        }
    }

    /// The schema with references and parts put together, and one branch taken of each set of alternatives.
    fn merged(&mut self, schema: &Value, depth: usize) -> Value {
        let Value::Object(keywords) = schema else { return schema.clone() };
        if depth > 20 {
            return json!({});
        }
        let mut all = keywords.clone();
        let mut parts: Vec<Value> = Vec::new();
        if let Some(Value::String(reference)) = all.remove("$ref") {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            parts.extend(target.cloned());
        }
        if let Some(Value::Array(every)) = all.remove("allOf") {
            parts.extend(every);
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = all.remove(keyword) {
                parts.push(branches[self.random.below(branches.len())].clone());
            }
        }
        for part in parts {
            let Value::Object(part) = self.merged(&part, depth + 1) else { continue };
            for (keyword, value) in part {
                match (all.get_mut(&keyword), value) {
                    (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
                        known.extend(more);
                    }
                    (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
                        known.extend(more);
                    }
                    (_, value) => drop(all.insert(keyword, value)),
                }
            }
        }
        Value::Object(all)
    }

    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let mut made = Map::new();
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let optional = if depth > 6 { 0 } else { 4 };
            if required.contains(&name.as_str()) || self.random.often(optional) {
                made.insert(name.clone(), self.value(property, depth + 1));
            }
        }
        if let Some(rest @ Value::Object(_)) = schema.get("additionalProperties")
            && depth <= 6
        {
            for _ in 0..self.random.below(3) {
                let name = TEXTS[self.random.below(TEXTS.len())].to_owned();
                made.entry(name).or_insert(self.value(rest, depth + 1));
            }
        }
        Value::Object(made)
    }

    fn array(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let bound = |keyword: &str| {
            schema.get(keyword).and_then(Value::as_u64).and_then(|bound| usize::try_from(bound).ok())
        };
        let least = bound("minItems").unwrap_or(0);
        let most = bound("maxItems").unwrap_or(least + 3).min(least + 3);
        let length =
            if depth > 6 { least } else { least + self.random.below(most.saturating_sub(least) + 1) };
        let prefix = schema.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
        let items = schema.get("items").cloned().unwrap_or(json!({"type": "string"}));
        Value::Array(
            (0..length.max(prefix.len()))
                .map(|at| self.value(prefix.get(at).unwrap_or(&items), depth + 1))
                .collect(),
        )
    }

    fn text(&mut self, schema: &Map<String, Value>) -> Value {
        let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
        let most = schema.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
        let texts = match schema.get("pattern").and_then(Value::as_str) {
            None => TEXTS.to_vec(),
            Some(pattern) => self.matching(pattern),
        };
        let fits = |text: &&&str| (least..=most).contains(&(text.chars().count() as u64));
        let fitting: Vec<&&str> = texts.iter().filter(fits).collect();
        match fitting.get(self.random.below(fitting.len())) {
            Some(text) => json!(text),
            None => json!("x".repeat(usize::try_from(least).expect("it is small"))),
        }
    }

    fn matching(&mut self, pattern: &str) -> Vec<&'static str> {
        let find = || {
            let checked =
                OutputSchema::new(json!({"type": "string", "pattern": pattern})).expect("it is a pattern");
            TEXTS.iter().copied().filter(|text| checked.check(&json!(text)).is_empty()).collect()
        };
        self.matching.entry(pattern.to_owned()).or_insert_with(find).clone()
    }

    /// A whole number within the bounds, near the lower one.
    fn number(&mut self, schema: &Map<String, Value>) -> i64 {
        let bound = |keyword: &str, round: fn(f64) -> f64| {
            let value = schema.get(keyword)?;
            value.as_i64().or_else(|| format!("{:.0}", round(value.as_f64()?)).parse().ok())
        };
        let least = bound("minimum", f64::ceil).or_else(|| Some(bound("exclusiveMinimum", f64::floor)? + 1));
        let most = bound("maximum", f64::floor).or_else(|| Some(bound("exclusiveMaximum", f64::ceil)? - 1));
        let least = least.unwrap_or_else(|| most.map_or(-3, |most| most.saturating_sub(10).min(-3)));
        let width = most.unwrap_or(i64::MAX).saturating_sub(least).clamp(0, 60);
        let step = self.random.below(usize::try_from(width).expect("it is small") + 1);
        least + i64::try_from(step).expect("it is small")
    }
}
