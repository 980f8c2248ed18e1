//! What holds of every repair, whatever the schema and whatever was sent.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use haft_core::{InputSchema, Leniency, RepairRule};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::schema_rules::{runner, soup};

/// What a value should be.
#[derive(Clone, Debug)]
enum Kind {
    Whole,
    Number,
    Flag,
    Choice,
    Text,
    List(Box<Kind>),
    Object(Vec<(&'static str, Kind, bool)>),
}

const CHOICES: [&str; 3] = ["Red", "green", "BLUE"];

fn object(kind: impl Strategy<Value = Kind> + Clone + 'static) -> impl Strategy<Value = Kind> {
    let field = move |name| (Just(name), kind.clone(), any::<bool>());
    let field = move |name| prop::option::weighted(0.8, field(name));
    ["a", "b", "c"].map(field).prop_map(|fields| Kind::Object(fields.into_iter().flatten().collect()))
}

fn kind() -> impl Strategy<Value = Kind> {
    let leaf = prop_oneof![
        Just(Kind::Whole),
        Just(Kind::Number),
        Just(Kind::Flag),
        Just(Kind::Choice),
        Just(Kind::Text)
    ];
    let nested = leaf.boxed().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![inner.clone().prop_map(|kind| Kind::List(Box::new(kind))), object(inner)]
    });
    object(nested.boxed())
}

fn written(kind: &Kind, ways: &mut impl Iterator<Item = u8>) -> Value {
    let schema = match kind {
        Kind::Whole => json!({"type": "integer"}),
        Kind::Number => json!({"type": "number", "minimum": -1000}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Choice => json!({"enum": CHOICES}),
        Kind::Text => json!({"type": "string"}),
        Kind::List(item) => json!({"type": "array", "items": written(item, ways)}),
        Kind::Object(fields) => {
            let properties: Map<String, Value> =
                fields.iter().map(|(name, kind, _)| ((*name).to_owned(), written(kind, ways))).collect();
            let required: Vec<_> =
                fields.iter().filter(|(_, _, required)| *required).map(|(name, ..)| *name).collect();
            return json!({"type": "object", "properties": properties, "required": required});
        }
    };
    match ways.next() {
        Some(0) => json!({"anyOf": [schema, {"type": "null"}]}),
        Some(1) => json!({"oneOf": [{"type": "null"}, schema]}),
        Some(2) => json!({"allOf": [{"description": "The same."}, schema]}),
        _ => schema,
    }
}

fn value(kind: &Kind) -> BoxedStrategy<Value> {
    match kind {
        Kind::Whole => any::<i64>().prop_map(Value::from).boxed(),
        Kind::Number => (-99_i16..99).prop_map(|n| json!(f64::from(n) + 0.5)).boxed(),
        Kind::Flag => any::<bool>().prop_map(Value::from).boxed(),
        Kind::Choice => prop::sample::select(CHOICES.to_vec()).prop_map(Value::from).boxed(),
        Kind::Text => "[a-z][a-z0-9 {}\":]{0,8}".prop_map(Value::from).boxed(),
        Kind::List(item) => prop::collection::vec(value(item), 0..3).prop_map(Value::from).boxed(),
        Kind::Object(fields) => {
            let member = |(name, kind, required): &(&str, Kind, bool)| {
                let name = (*name).to_owned();
                let member = value(kind).prop_map(move |value| (name.clone(), value));
                if *required { member.prop_map(Some).boxed() } else { prop::option::of(member).boxed() }
            };
            let members: Vec<_> = fields.iter().map(member).collect();
            members.prop_map(|members| Value::Object(members.into_iter().flatten().collect())).boxed()
        }
    }
}

/// Writes values as models do; each fault is one that a rule repairs.
struct Sender<W> {
    ways: W,
    rules: BTreeSet<&'static str>,
}

impl<W: Iterator<Item = u8>> Sender<W> {
    fn errs(&mut self) -> bool {
        self.ways.next().is_some_and(|way| way < 2)
    }

    fn made(&mut self, rule: RepairRule, value: Value) -> Value {
        self.rules.insert(rule.as_str());
        value
    }

    fn sent(&mut self, kind: &Kind, value: &Value) -> Value {
        let sent = match (kind, value) {
            (Kind::List(item), Value::Array(items)) => {
                Value::Array(items.iter().map(|value| self.sent(item, value)).collect())
            }
            (Kind::Object(fields), Value::Object(members)) => self.members(fields, members),
            _ => value.clone(),
        };
        if !self.errs() {
            return sent;
        }
        match (kind, &sent) {
            (Kind::Whole | Kind::Number | Kind::Flag, _) => {
                self.made(RepairRule::ScalarText, Value::from(sent.to_string()))
            }
            (Kind::Choice, _) => {
                let text = sent.as_str().expect("a text");
                let other = if text == "BLUE" { "Blue".to_owned() } else { text.to_uppercase() };
                self.made(RepairRule::EnumCase, Value::from(other))
            }
            (Kind::List(item), Value::Array(items)) if items.len() == 1 && self.errs() => {
                // An array in an array, and a text that could be more than one, are not to be told from what was meant.
                let plain = match **item {
                    Kind::List(_) => false,
                    Kind::Text => !odd(&items[0]),
                    _ => true,
                };
                if plain { self.made(RepairRule::SingleValue, items[0].clone()) } else { sent }
            }
            (Kind::List(_) | Kind::Object(_), _) => {
                self.made(RepairRule::JsonText, Value::from(sent.to_string()))
            }
            _ => sent,
        }
    }

    fn members(&mut self, fields: &[(&'static str, Kind, bool)], members: &Map<String, Value>) -> Value {
        let mut sent = Map::new();
        for (name, kind, required) in fields {
            match members.get(*name) {
                Some(value) => drop(sent.insert((*name).to_owned(), self.sent(kind, value))),
                None if !required && !matches!(kind, Kind::Text) && self.errs() => {
                    let empty = self.made(RepairRule::EmptyText, json!(""));
                    sent.insert((*name).to_owned(), empty);
                }
                None => {}
            }
        }
        Value::Object(sent)
    }

    fn text(&mut self, kind: &Kind, value: &Value) -> String {
        let Kind::Object(fields) = kind else { unreachable!("the root is an object") };
        let text = self.members(fields, value.as_object().expect("an object")).to_string();
        match self.ways.next() {
            Some(0) => self.made(RepairRule::JsonText, Value::from(text)).to_string(),
            Some(1) => {
                self.rules.insert(RepairRule::SurroundingText.as_str());
                format!("Here it is:\n```json\n{text}\n```\n")
            }
            _ => text,
        }
    }
}

fn odd(text: &Value) -> bool {
    text.as_str().is_none_or(|text| text.starts_with(['{', '"']) || text.trim().is_empty())
}

/// What was sent in ways that the rules know is read as what was meant, by those rules and by no others.
#[test]
fn what_was_meant_is_read() {
    let ways = || prop::collection::vec(0_u8..6, 0..40);
    let case = kind().prop_flat_map(move |kind| {
        let value = value(&kind);
        (Just(kind), value, ways(), ways())
    });
    let counts: Cell<BTreeMap<&str, usize>> = Cell::default();
    let check = |(kind, meant, schema_ways, ways): (Kind, Value, Vec<u8>, Vec<u8>)| {
        let schema = written(&kind, &mut schema_ways.into_iter());
        let mut sender = Sender { ways: ways.into_iter(), rules: BTreeSet::new() };
        let text = sender.text(&kind, &meant);
        let mut counted = counts.take();
        sender.rules.iter().for_each(|rule| *counted.entry(rule).or_default() += 1);
        counts.set(counted);
        for made in [InputSchema::local(schema.clone()), InputSchema::remote(schema.clone())] {
            let made = made.map_err(|error| TestCaseError::fail(format!("{schema}: {error}")))?;
            let judgement = made.judge(&text, &Leniency::default());
            prop_assert_eq!(judgement.verdict.as_ref(), Ok(&meant), "{}: {}", schema, text);
            let by: BTreeSet<&str> = judgement.repaired.iter().map(|repair| repair.rule).collect();
            prop_assert_eq!(&by, &sender.rules, "{}: {}", schema, text);
            holds(&made, &text)?;
        }
        Ok(())
    };
    runner(500).run(&case, check).expect("what was meant is read");
    let counts = counts.take();
    for rule in RepairRule::ALL.into_iter().filter(|rule| *rule != RepairRule::Name) {
        assert!(
            counts.get(rule.as_str()).is_some_and(|count| *count > 10),
            "{rule} was hardly tried: {counts:?}"
        );
    }
}

/// What holds of any text and any schema.
fn holds(schema: &InputSchema, text: &str) -> Result<(), TestCaseError> {
    let strict = schema.judge(text, &Leniency::strict());
    let judgement = schema.judge(text, &Leniency::default());
    // What is valid is never changed; what is refused all the same is refused for what was sent.
    if strict.verdict.is_ok() || judgement.verdict.is_err() {
        prop_assert_eq!(&judgement, &strict, "{}", text);
    }
    if let Ok(value) = &judgement.verdict {
        let again = value.to_string();
        let complete = schema.judge(&again, &Leniency::strict());
        prop_assert!(complete.verdict.is_ok(), "{} became {}: {:?}", text, again, complete);
        prop_assert_eq!(schema.judge(&again, &Leniency::default()), complete, "twice: {}", text);
    }
    for rule in RepairRule::ALL {
        let off = Leniency::default().with_repair(rule, false);
        let without = schema.judge(text, &off);
        let used = |judgement: &haft_core::Judgement| {
            judgement.repaired.iter().any(|repair| repair.rule == rule.as_str())
        };
        prop_assert!(!used(&without), "{} without {}: {:?}", text, rule, without);
        if !used(&judgement) && judgement.verdict.is_ok() {
            prop_assert_eq!(&without, &judgement, "{} without {}", text, rule);
        }
    }
    Ok(())
}

/// Values of which many are text that means something else.
fn any_value() -> impl Strategy<Value = Value> {
    let texts =
        ["", "1", "0.0", "true", "A", "null", "[]", "[1]", r#"{"a":"1"}"#, r#"["a","b"]"#, "a,b", "{"];
    let leaf = prop_oneof![
        4 => prop::sample::select(texts.to_vec()).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => (-3_i8..9).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A schema of one property, and a value that one rule or another may make fit.
fn property() -> impl Strategy<Value = (Value, Value)> {
    let narrow = prop::sample::select(vec![
        (json!({"type": "integer"}), json!("1")),
        (json!({"type": ["boolean", "null"]}), json!("True")),
        (json!({"type": "array", "items": {"type": "integer"}}), json!("[1]")),
        (json!({"type": "array", "items": {"type": "string"}}), json!("A")),
        (json!({"enum": ["A", "b", 1]}), json!("a")),
        (json!({"type": "object", "properties": {"a": {"type": "number"}}}), json!(r#"{"a":"1"}"#)),
        (json!({"type": "string", "minLength": 1}), json!("")),
    ]);
    let schema = prop_oneof![
        6 => narrow,
        1 => (soup(), any_value()),
    ];
    (schema, prop::option::weighted(0.2, any_value()))
        .prop_map(|((schema, value), other)| (schema, other.unwrap_or(value)))
}

fn case() -> impl Strategy<Value = (Value, Value)> {
    let properties = prop::collection::btree_map("[a-d]", property(), 1..4);
    (properties, prop::option::weighted(0.3, soup())).prop_map(|(properties, more)| {
        let schemas: Map<String, Value> =
            properties.iter().map(|(name, (schema, _))| (name.clone(), schema.clone())).collect();
        let mut schema = json!({"type": "object", "properties": schemas});
        if let Some(more) = more {
            schema["anyOf"] = json!([more, {"minProperties": 2}]);
        }
        let values = properties.into_iter().map(|(name, (_, value))| (name, value)).collect();
        (schema, Value::Object(values))
    })
}

#[test]
fn no_schema_breaks_the_rules() {
    let counts = Cell::new((0, 0));
    let check = |(schema, arguments): (Value, Value)| {
        let text = arguments.to_string();
        let made = [InputSchema::local(schema.clone()), InputSchema::remote(schema.clone())];
        for made in made.into_iter().flatten() {
            holds(&made, &text)?;
            let repaired = |judgement: haft_core::Judgement| {
                judgement.verdict.is_ok() && judgement.repaired.iter().any(|repair| repair.rule != "null")
            };
            let (all, mended) = counts.get();
            let now = usize::from(repaired(made.judge(&text, &Leniency::default())));
            counts.set((all + 1, mended + now));
        }
        Ok(())
    };
    runner(1_200).run(&case(), check).expect("the rules hold");
    let (all, mended) = counts.get();
    assert!(all > 1_500 && mended > 100, "{mended} of {all} were repaired");
}
