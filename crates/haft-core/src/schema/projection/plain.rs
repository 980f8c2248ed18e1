//! Schemas for targets that take most of JSON Schema: keyword by keyword, everything kept that may be kept.

use serde_json::{Map, Value};

use super::super::dialect::Dialect;
use super::super::pointer;
use super::definitions::Definitions;
use super::foreign::as_prefix;
use super::inline::Inlining;
use super::keyword::{Holds, has, holds, is_annotation, is_format};
use super::null::{nullable, unwrap_only, unwrap_union};
use super::reference::TABLES;
use super::report::{ChangeKind, ProjectionReport};
use super::{pattern, words};

/// What a target takes.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Whether a keyword may be there.
    pub(super) knows: fn(&str) -> bool,
    /// What is written in another way.
    pub(super) habits: &'static [Habit],
}

/// What a target wants written in another way.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Habit {
    /// Older dialects are written as 2020-12.
    Modern,
    /// A property that may be left out does not offer `null` as well.
    OneWayToLeaveOut,
    /// A property that may be left out may be `null` as well.
    NullWhereLeftOut,
    /// An array says what its items are.
    ItemsAlways,
    /// A type is one name, not a list.
    SingleType,
    /// A regular expression neither looks around nor refers back.
    NoLookAround,
    /// Definitions are written out where they are referred to.
    NoReferences,
}

impl Rules {
    fn want(self, habit: Habit) -> bool {
        self.habits.contains(&habit)
    }
}

/// Writes a schema by the rules of one target.
pub(super) struct Plain<'s, 'r> {
    pub(super) rules: Rules,
    pub(super) dialect: Dialect,
    pub(super) report: &'r mut ProjectionReport,
    pub(super) definitions: Definitions<'s>,
    /// The definitions that are being written out.
    pub(super) inlining: Inlining,
}

impl<'s, 'r> Plain<'s, 'r> {
    pub(super) fn new(rules: Rules, schema: &'s Value, report: &'r mut ProjectionReport) -> Self {
        let dialect = Dialect::of(schema);
        let is_old = dialect < Dialect::Draft201909 && !rules.want(Habit::Modern);
        let definitions = Definitions::of(schema, dialect, is_old);
        Self { rules, dialect, report, definitions, inlining: Inlining::default() }
    }

    /// Adds the definitions that references were turned to.
    pub(super) fn define(&mut self, made: &mut Map<String, Value>) {
        // Writing a definition can turn further references.
        let mut written = 0;
        while let Some((name, target, schema)) = self.definitions.turned(written) {
            written += 1;
            let definition = self.schema(schema, &target, false);
            let table = made.entry(self.definitions.table()).or_insert_with(|| Value::Object(Map::new()));
            if let Value::Object(table) = table {
                table.insert(name, definition);
            }
        }
    }

    /// The schema at `place`; `may_be_left_out` says that it describes an optional property.
    pub(super) fn schema(&mut self, schema: &Value, place: &str, may_be_left_out: bool) -> Value {
        let Value::Object(keywords) = schema else { return schema.clone() };
        if self.rules.want(Habit::NoReferences)
            && let Some(written) = self.written_out(keywords, place, may_be_left_out)
        {
            return written;
        }
        let mut made = self.keywords(keywords, place);
        if self.rules.want(Habit::OneWayToLeaveOut) && may_be_left_out {
            self.without_null(&mut made, place);
        }
        if self.rules.want(Habit::NullWhereLeftOut) && may_be_left_out {
            made = self.with_null(made, place);
        }
        if self.rules.want(Habit::SingleType) {
            self.one_type(&mut made, place);
        }
        if self.rules.want(Habit::ItemsAlways) && is_array(&made) && !made.contains_key("items") {
            self.report.add(
                ChangeKind::Rewritten,
                &pointer::child(place, "items"),
                "items",
                "an array has to say what its items are: anything",
            );
            made.insert("items".to_owned(), Value::Object(Map::new()));
        }
        Value::Object(made)
    }

    /// Every keyword that may stay, with its subschemas written.
    pub(super) fn keywords(&mut self, keywords: &Map<String, Value>, place: &str) -> Map<String, Value> {
        let mut made = Map::new();
        let modern = self.rules.want(Habit::Modern);
        let hides = modern && self.dialect.reference_hides_siblings() && keywords.contains_key("$ref");
        let required: Vec<&str> = keywords
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (keyword, value) in keywords {
            let is_old = modern && matches!(keyword.as_str(), "additionalItems" | "dependencies");
            let left_out = if hides
                && keyword != "$ref"
                && !is_annotation(keyword)
                && !keyword.contains("def")
            {
                Some((ChangeKind::Dropped, "the dialect ignores what stands beside \"$ref\""))
            } else if modern && !has(self.dialect, keyword) {
                Some((ChangeKind::Dropped, "the dialect does not have it"))
            } else if keyword == self.dialect.id_keyword() && !place.is_empty() && self.definitions.turns() {
                Some((ChangeKind::Rewritten, "references lead from the root"))
            } else if keyword == "enum" && modern && value.as_array().is_some_and(Vec::is_empty) {
                Some((ChangeKind::Weakened, "servers refuse an empty list; nothing is accepted at a call"))
            } else if TABLES.contains(&keyword.as_str()) && self.rules.want(Habit::NoReferences) {
                Some((ChangeKind::Rewritten, "definitions are written out where they are used"))
            } else if keyword == "$schema" && modern {
                Some((ChangeKind::Rewritten, "written as 2020-12, which goes without saying"))
            } else if !(self.rules.knows)(keyword) && !is_old {
                Some((ChangeKind::Dropped, "not a keyword that may be sent"))
            } else if keyword == "format" && !value.as_str().is_some_and(is_format) {
                Some((ChangeKind::Dropped, "a format that JSON Schema does not define"))
            } else {
                None
            };
            match left_out {
                Some((kind, why)) => {
                    self.report.add(kind, &pointer::child(place, keyword), keyword.clone(), why);
                }
                None if keyword == "$ref" => drop(made.insert(keyword.clone(), self.reference(value, place))),
                None if holds(keyword) == Holds::Data => drop(made.insert(keyword.clone(), value.clone())),
                None => {
                    let here = pointer::child(place, keyword);
                    made.insert(keyword.clone(), self.value(keyword, value, &here, &required));
                }
            }
        }
        if modern {
            self.modernise(&mut made, place);
        }
        if self.rules.want(Habit::NoLookAround) {
            self.without_looking_around(&mut made, place);
        }
        made
    }

    /// A reference leads to a definition, wherever it led before: much of what is elsewhere is not sent.
    fn reference(&mut self, reference: &Value, place: &str) -> Value {
        let text = reference.as_str().unwrap_or_default();
        match self.definitions.turn(place, text) {
            Some(turned) if turned != text => {
                let why = "references lead to definitions";
                self.report.add(ChangeKind::Rewritten, &pointer::child(place, "$ref"), "$ref", why);
                turned.into()
            }
            _ => reference.clone(),
        }
    }

    /// Takes regular expressions away that servers without backtracking refuse.
    fn without_looking_around(&mut self, made: &mut Map<String, Value>, place: &str) {
        let why = "its expressions neither look around nor refer back; stated in the description";
        let mut rules = Vec::new();
        let expression = made.get("pattern").and_then(Value::as_str);
        if expression.is_some_and(pattern::looks_around) {
            self.report.add(ChangeKind::Dropped, &pointer::child(place, "pattern"), "pattern", why);
            rules.extend(made.remove("pattern").map(|text| words::bound("pattern", &text)));
        }
        let by_name = made.get("patternProperties").and_then(Value::as_object);
        if by_name.is_some_and(|named| named.keys().any(|name| pattern::looks_around(name))) {
            let here = pointer::child(place, "patternProperties");
            self.report.add(ChangeKind::Dropped, &here, "patternProperties", why);
            rules.extend(
                made.remove("patternProperties").map(|named| words::condition("patternProperties", &named)),
            );
            // Names that only an expression admits would be refused.
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                made.remove(keyword);
            }
        }
        if !rules.is_empty() {
            let text = words::described(made.get("description").and_then(Value::as_str), &rules);
            made.insert("description".to_owned(), text.into());
        }
    }

    fn value(&mut self, keyword: &str, value: &Value, place: &str, required: &[&str]) -> Value {
        match (holds(keyword), value) {
            (Holds::Named | Holds::NamedOrNames, Value::Object(named)) => {
                let optional = |name: &str| keyword == "properties" && !required.contains(&name);
                let write = |(name, one): (&String, &Value)| {
                    let one = if one.is_array() {
                        one.clone()
                    } else {
                        self.schema(one, &pointer::child(place, name), optional(name))
                    };
                    (name.clone(), one)
                };
                Value::Object(named.iter().map(write).collect())
            }
            (Holds::List | Holds::OneOrList, Value::Array(list)) => {
                let write =
                    |(index, one)| self.schema(one, &pointer::child(place, &format!("{index}")), false);
                Value::Array(list.iter().enumerate().map(write).collect())
            }
            (Holds::One | Holds::OneOrList, one) => self.schema(one, place, false),
            _ => value.clone(),
        }
    }

    /// Writes what older dialects said in another way.
    fn modernise(&mut self, made: &mut Map<String, Value>, place: &str) {
        if made.get("items").is_some_and(Value::is_array) {
            let here = pointer::child(place, "items");
            self.report.add(ChangeKind::Rewritten, &here, "items", "a tuple stands under \"prefixItems\"");
            as_prefix(made);
        }
        // Without a tuple it says nothing.
        made.remove("additionalItems");
        if let Some(Value::Object(dependencies)) = made.remove("dependencies") {
            let here = pointer::child(place, "dependencies");
            let why = "stands under \"dependentRequired\" and \"dependentSchemas\"";
            self.report.add(ChangeKind::Rewritten, &here, "dependencies", why);
            let (names, schemas): (Map<_, _>, Map<_, _>) =
                dependencies.into_iter().partition(|(_, value)| value.is_array());
            for (keyword, values) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
                if !values.is_empty() {
                    made.entry(keyword).or_insert(Value::Object(values));
                }
            }
        }
        if self.dialect == Dialect::Draft4 {
            for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
                if let Some(Value::Bool(flag)) = made.get(exclusive).cloned() {
                    made.remove(exclusive);
                    if flag && let Some(value) = made.remove(bound) {
                        made.insert(exclusive.to_owned(), value);
                    }
                    let here = pointer::child(place, exclusive);
                    self.report.add(
                        ChangeKind::Rewritten,
                        &here,
                        exclusive,
                        "an exclusive bound is a number",
                    );
                }
            }
        }
    }

    /// Takes `null` out of an optional property, unless leaving it out means something else.
    fn without_null(&mut self, made: &mut Map<String, Value>, place: &str) {
        if made.get("default").is_some_and(|default| !default.is_null()) {
            return;
        }
        let mut changed = false;
        if let Some(Value::Array(names)) = made.get_mut("type") {
            let offered = names.len();
            if offered > 1 {
                names.retain(|name| name != "null");
                changed |= names.len() < offered;
            }
            if let [only] = names.as_slice() {
                let only = only.clone();
                made.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(choices)) = made.get_mut("enum") {
            let offered = choices.len();
            if offered > 1 {
                choices.retain(|choice| !choice.is_null());
                changed |= choices.len() < offered;
            }
        }
        for keyword in ["anyOf", "oneOf"] {
            changed |= unwrap_union(made, keyword);
        }
        if changed {
            made.remove("default");
            let why = "many clients refuse it; leaving the property out means the same";
            self.report.add(ChangeKind::Narrowed, place, "null", why);
        }
    }

    /// Lets `null` stand for an optional property that is left out.
    fn with_null(&mut self, made: Map<String, Value>, place: &str) -> Map<String, Value> {
        let (made, changed) = nullable(made);
        if changed {
            let why = "the server's models send null for what they leave out; it is left out again before the check";
            self.report.add(ChangeKind::Rewritten, place, "null", why);
        }
        made
    }

    /// Writes a list of types as one type, or as alternatives where there are several beside `null`.
    fn one_type(&mut self, made: &mut Map<String, Value>, place: &str) {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            unwrap_only(made, keyword);
        }
        let Some(Value::Array(names)) = made.get("type") else { return };
        let mut names: Vec<Value> = names.clone();
        if names.len() > 1 {
            names.retain(|name| name != "null");
        }
        let here = pointer::child(place, "type");
        if let [only] = names.as_slice() {
            made.insert("type".to_owned(), only.clone());
            self.report.add(
                ChangeKind::Narrowed,
                &here,
                "type",
                "one type has to be named; null is not offered",
            );
        } else if made.contains_key("anyOf") {
            made.remove("type");
            self.report.add(ChangeKind::Weakened, &here, "type", "one type has to be named, so none is");
        } else {
            let one = |name: Value| Value::Object(Map::from_iter([("type".to_owned(), name)]));
            made.remove("type");
            made.insert("anyOf".to_owned(), names.into_iter().map(one).collect());
            self.report.add(ChangeKind::Rewritten, &here, "type", "alternatives name one type each");
        }
    }
}

fn is_array(keywords: &Map<String, Value>) -> bool {
    match keywords.get("type") {
        Some(Value::String(name)) => name == "array",
        Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
        _ => false,
    }
}
