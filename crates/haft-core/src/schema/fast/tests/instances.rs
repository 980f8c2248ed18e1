//! Argument texts along a schema: mostly right, often wrong in one of the ways in which models are.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::random::Random;

/// A text for `schema`.
pub(super) fn text(random: &mut Random, schema: &Value) -> String {
    let faults = if random.one_in(5) { 1 + random.below(2) } else { 0 };
    let mut writer = Writer { random, root: schema, faults };
    let mut text = String::new();
    writer.value(schema, 0, &mut text);
    if random.one_in(40) {
        damage(random, &mut text);
    }
    text
}

/// Takes a piece out of the text, or puts one in.
pub(super) fn damage(random: &mut Random, text: &mut String) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    if places.is_empty() {
        return;
    }
    let one = random.pick(&places);
    if random.one_in(2) {
        let end = places.iter().copied().find(|at| *at > one + random.below(3)).unwrap_or(text.len());
        text.replace_range(one..end, "");
    } else {
        text.insert_str(
            one,
            random.pick(&[
                "\"", "\\", "{", "}", "1", ".0", "null", ",", " ", "\u{1}", "\\ud800", "é", "-", "e5", "0",
            ]),
        );
    }
}

struct Writer<'r> {
    random: &'r mut Random,
    root: &'r Value,
    /// How many faults are still put in.
    faults: usize,
}

impl Writer<'_> {
    fn fault(&mut self, chance: usize) -> bool {
        let fault = self.faults > 0 && self.random.one_in(chance);
        self.faults -= usize::from(fault);
        fault
    }

    fn value(&mut self, schema: &Value, depth: usize, out: &mut String) {
        if depth > 0 && self.fault(6) {
            return self.anything(out);
        }
        let Some(keywords) = schema.as_object() else { return self.anything(out) };
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(reference.trim_start_matches('#')).cloned();
            return match target.filter(|_| depth < 8) {
                Some(target) => self.value(&target, depth + 1, out),
                None => self.anything(out),
            };
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if let Some(branches) = keywords.get(keyword).and_then(Value::as_array)
                && !keywords.contains_key("properties")
            {
                let branch = self.random.pick(branches);
                return self.value(&branch, depth + 1, out);
            }
        }
        if let Some(only) = keywords.get("const") {
            return out.push_str(&only.to_string());
        }
        if let Some(choices) = keywords.get("enum").and_then(Value::as_array) {
            let choice = self.random.pick(choices);
            return out.push_str(&choice.to_string());
        }
        let kind = match keywords.get("type") {
            Some(Value::String(name)) => name.clone(),
            Some(Value::Array(names)) => self.random.pick(names).as_str().unwrap_or("null").to_owned(),
            _ if keywords.contains_key("properties") => "object".to_owned(),
            _ => return self.anything(out),
        };
        match kind.as_str() {
            "object" => self.object(keywords, depth, out),
            "array" => self.array(keywords, depth, out),
            "string" => self.string(keywords, out),
            "integer" => self.integer(keywords, out),
            "number" => {
                if self.random.one_in(2) {
                    self.integer(keywords, out);
                } else {
                    out.push_str(self.random.pick(&["2.75", "0.5", "1e1", "3.0", "-1.25", "1.5E0"]));
                }
            }
            "boolean" => out.push_str(self.random.pick(&["true", "false"])),
            _ => out.push_str("null"),
        }
    }

    fn integer(&mut self, keywords: &Map<String, Value>, out: &mut String) {
        let bounds: Vec<i64> = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]
            .iter()
            .filter_map(|keyword| keywords.get(*keyword)?.as_f64())
            .filter_map(|bound| format!("{bound:.0}").parse().ok())
            .collect();
        if !bounds.is_empty() && self.random.one_in(2) {
            let near = self.random.pick(&bounds) + self.random.pick(&[-1, 0, 0, 1]);
            return out.push_str(&near.to_string());
        }
        if self.fault(3) {
            return out.push_str(self.random.pick(&[
                "1.0",
                "-0",
                "18446744073709551616",
                "1e2",
                "2.5",
                "01",
                "9223372036854775808",
            ]));
        }
        out.push_str(self.random.pick(&["0", "1", "2", "4", "6", "-3", "10", "123456789"]));
    }

    fn string(&mut self, keywords: &Map<String, Value>, out: &mut String) {
        let plain = keywords.contains_key("pattern") && !self.random.one_in(6);
        let words: &[&str] = if plain {
            &["ab", "abc", "c", "aa"]
        } else {
            &["", "a", "ab", "abc", "ééé", "b\\u00e9", "\\ud83d\\ude00", "x y", "\\n", "abcd"]
        };
        out.push('"');
        out.push_str(self.random.pick(words));
        out.push('"');
    }

    fn array(&mut self, keywords: &Map<String, Value>, depth: usize, out: &mut String) {
        let count = usize::from(keywords.contains_key("minItems")) + self.random.below(2);
        let first = keywords.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
        let item = keywords.get("items").cloned().unwrap_or(json!(true));
        out.push('[');
        for index in 0..count.max(if self.random.one_in(2) { first.len() } else { 0 }) {
            out.push_str(if index > 0 { "," } else { "" });
            self.value(&first.get(index).cloned().unwrap_or_else(|| item.clone()), depth + 1, out);
        }
        out.push(']');
    }

    fn object(&mut self, keywords: &Map<String, Value>, depth: usize, out: &mut String) {
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = keywords.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut names: Vec<(String, Value)> = Vec::new();
        for (name, schema) in &properties {
            let there = if required.contains(&name.as_str()) {
                !self.fault(5)
            } else {
                self.random.one_in(2) && depth < 6
            };
            if there {
                names.push((name.clone(), schema.clone()));
            }
        }
        for name in required {
            if !properties.contains_key(name) && !self.fault(4) {
                names.push((name.to_owned(), json!({"type": "integer"})));
            }
        }
        let speaks = keywords.get("additionalProperties").is_some_and(|others| others != &json!(false));
        if speaks && self.random.one_in(2) || self.fault(4) {
            let others =
                keywords.get("additionalProperties").cloned().filter(|_| speaks).unwrap_or(json!(true));
            names.push((self.random.pick(&["zz", "x1", "b", "kind"]).to_owned(), others));
        }
        if keywords.contains_key("patternProperties") && self.random.one_in(2) {
            names.push(("x9".to_owned(), keywords["patternProperties"]["^x"].clone()));
        }
        if self.random.one_in(3) {
            names.reverse();
        }
        out.push('{');
        let mut written = 0;
        for (name, schema) in names {
            let times = 1 + usize::from(self.fault(12));
            for _ in 0..times {
                out.push_str(if written > 0 { self.random.pick(&[",", ", ", ",\n "]) } else { "" });
                self.name(&name, out);
                out.push_str(self.random.pick(&[":", ": "]));
                if self.fault(8) {
                    out.push_str("null");
                } else {
                    self.value(&schema, depth + 1, out);
                }
                written += 1;
            }
        }
        out.push('}');
    }

    fn name(&mut self, name: &str, out: &mut String) {
        let escaped = self.random.one_in(30);
        out.push('"');
        for letter in name.chars() {
            if escaped { write!(out, "\\u{:04x}", u32::from(letter)).unwrap() } else { out.push(letter) }
        }
        out.push('"');
    }

    fn anything(&mut self, out: &mut String) {
        out.push_str(self.random.pick(&[
            "null",
            "true",
            "1",
            "2.5",
            "1.0",
            "\"a\"",
            "\"\"",
            "[]",
            "[1,\"a\"]",
            "{}",
            "{\"a\":1}",
            "{\"q\":null}",
            "{\"a\":{\"b\":[]}}",
            "{\"a\":1,\"a\":2}",
            "[null]",
            "{\"kind\":\"a\"}",
            "-7",
        ]));
    }
}
