//! The rules of the verdict, against a plain recursive reading of them: however a schema says a thing (in one place, by
//! `$ref`, allOf, anyOf, oneOf, if) and in whichever dialect, the verdict is the same.

use haft_core::{InputSchema, Leniency, OutputSchema};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

pub(crate) fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// What a value should be.
#[derive(Clone, Debug)]
enum Kind {
    Text,
    TextOrNull,
    Whole,
    Free,
    List(Box<Kind>),
    Object(Vec<Field>),
}

#[derive(Clone, Debug)]
struct Field {
    name: &'static str,
    kind: Kind,
    required: bool,
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn fields(kind: impl Strategy<Value = Kind> + Clone + 'static) -> impl Strategy<Value = Kind> {
    let field = move |name: &'static str| {
        prop::option::weighted(
            0.7,
            (kind.clone(), any::<bool>()).prop_map(move |(kind, required)| Field { name, kind, required }),
        )
    };
    NAMES.map(field).prop_map(|fields| Kind::Object(fields.into_iter().flatten().collect()))
}

fn kind() -> impl Strategy<Value = Kind> {
    let leaf =
        prop_oneof![Just(Kind::Text), Just(Kind::TextOrNull), Just(Kind::Whole), Just(Kind::Free)].boxed();
    let nested = leaf.prop_recursive(2, 12, 3, |inner| {
        prop_oneof![inner.clone().prop_map(|kind| Kind::List(Box::new(kind))), fields(inner.boxed()),]
    });
    fields(nested.boxed())
}

/// A value that mostly is of the kind.
fn near(kind: &Kind) -> BoxedStrategy<Value> {
    let right = match kind {
        Kind::Text | Kind::TextOrNull => "[a-z]{0,3}".prop_map(Value::from).boxed(),
        Kind::Whole => {
            prop_oneof![any::<i32>().prop_map(Value::from), (-9_i8..9).prop_map(|n| json!(f64::from(n)))]
                .boxed()
        }
        Kind::Free => prop_oneof![Just(json!({})), Just(json!({"free": null}))].boxed(),
        Kind::List(item) => prop::collection::vec(near(item), 0..3).prop_map(Value::from).boxed(),
        Kind::Object(fields) => {
            let members: Vec<_> = fields
                .iter()
                .map(|field| {
                    prop::option::weighted(
                        0.8,
                        near(&field.kind).prop_map({
                            let name = field.name;
                            move |value| (name.to_owned(), value)
                        }),
                    )
                })
                .collect();
            let extra =
                prop::option::weighted(0.1, ("[a-d]", prop_oneof![Just(Value::Null), Just(json!(1))]));
            (members, extra)
                .prop_map(|(members, extra)| {
                    let mut object: Map<String, Value> = extra.into_iter().collect();
                    object.extend(members.into_iter().flatten());
                    Value::Object(object)
                })
                .boxed()
        }
    };
    prop_oneof![14 => right, 1 => Just(Value::Null), 1 => Just(json!(1.5))].boxed()
}

/// The rules, read plainly: the effective value, or `None` where it is refused.
fn plain(kind: &Kind, value: &Value, path: &str, dropped: &mut Vec<String>) -> Option<Value> {
    match (kind, value) {
        (Kind::Text | Kind::TextOrNull, Value::String(_)) | (Kind::TextOrNull, Value::Null) => {
            Some(value.clone())
        }
        (Kind::Free, Value::Object(_)) => Some(value.clone()),
        #[expect(clippy::cast_possible_truncation, reason = "the generator makes small floats")]
        (Kind::Whole, Value::Number(number)) => match number.as_i64() {
            Some(_) => Some(value.clone()),
            None => number.as_f64().filter(|float| float.fract() == 0.0).map(|float| json!(float as i64)),
        },
        (Kind::List(item), Value::Array(items)) => {
            let items = items
                .iter()
                .enumerate()
                .map(|(at, value)| plain(item, value, &format!("{path}/{at}"), dropped));
            items.collect::<Option<Vec<_>>>().map(Value::from)
        }
        (Kind::Object(fields), Value::Object(members)) => {
            let mut object = Map::new();
            for (name, value) in members {
                let field = fields.iter().find(|field| field.name == name)?;
                let path = format!("{path}/{name}");
                if value.is_null() && !matches!(field.kind, Kind::TextOrNull) {
                    dropped.push(path);
                } else {
                    object.insert(name.clone(), plain(&field.kind, value, &path, dropped)?);
                }
            }
            fields
                .iter()
                .all(|field| !field.required || object.contains_key(field.name))
                .then_some(Value::Object(object))
        }
        _ => None,
    }
}

/// Writes kinds as schemas, each in a way that `ways` picks.
struct Writer {
    ways: std::vec::IntoIter<u8>,
    modern: bool,
    definitions: Map<String, Value>,
}

impl Writer {
    fn written(&mut self, kind: &Kind) -> Value {
        let schema = match kind {
            Kind::Text => json!({"type": "string"}),
            Kind::TextOrNull => json!({"type": ["string", "null"]}),
            Kind::Whole => json!({"type": "integer"}),
            Kind::Free => json!({"type": "object"}),
            Kind::List(item) => json!({"type": "array", "items": self.written(item)}),
            Kind::Object(fields) => self.object(fields),
        };
        self.wrapped(schema)
    }

    fn object(&mut self, fields: &[Field]) -> Value {
        let part = |writer: &mut Self, fields: &[Field]| {
            let required: Vec<_> =
                fields.iter().filter(|field| field.required).map(|field| field.name).collect();
            let properties: Map<String, Value> =
                fields.iter().map(|field| (field.name.to_owned(), writer.written(&field.kind))).collect();
            let mut part = json!({"type": "object", "properties": properties});
            if !required.is_empty() {
                part["required"] = json!(required);
            }
            part
        };
        match self.ways.next() {
            Some(way @ 0..3) => {
                let (first, second) = fields.split_at(fields.len() / 2);
                let mut whole = part(self, first);
                let other = part(self, second);
                let keyword = ["allOf", "anyOf", "oneOf"][usize::from(way)];
                whole[keyword] = json!([other]);
                whole
            }
            _ => part(self, fields),
        }
    }

    fn wrapped(&mut self, schema: Value) -> Value {
        match self.ways.next() {
            Some(0) => json!({"allOf": [schema]}),
            Some(1) => json!({"anyOf": [schema, {"type": "boolean"}, false_schema()]}),
            Some(2) => json!({"oneOf": [false_schema(), schema]}),
            Some(3 | 4) => {
                let name = format!("d{}", self.definitions.len());
                self.definitions.insert(name.clone(), schema);
                json!({"$ref": format!("#/definitions/{name}")})
            }
            Some(5) if self.modern => json!({"if": {}, "then": schema}),
            Some(6) if self.modern => {
                json!({"if": {"type": "boolean"}, "then": {"const": true}, "else": schema})
            }
            _ => schema,
        }
    }
}

/// `false` for every dialect.
fn false_schema() -> Value {
    json!({"not": {}})
}

const DIALECTS: [(&str, bool); 6] = [
    ("", true),
    ("https://json-schema.org/draft/2020-12/schema", true),
    ("https://json-schema.org/draft/2019-09/schema", true),
    ("http://json-schema.org/draft-07/schema#", true),
    ("http://json-schema.org/draft-06/schema#", false),
    ("http://json-schema.org/draft-04/schema#", false),
];

fn schema(kind: &Kind, ways: Vec<u8>, dialect: usize) -> Value {
    let (uri, modern) = DIALECTS[dialect];
    let mut writer = Writer { ways: ways.into_iter(), modern, definitions: Map::new() };
    let Kind::Object(fields) = kind else { unreachable!("the root is an object") };
    let mut root = writer.object(fields);
    if !uri.is_empty() {
        root["$schema"] = json!(uri);
    }
    if !writer.definitions.is_empty() {
        root["definitions"] = Value::Object(writer.definitions);
    }
    root
}

type Case = (Kind, Value, Vec<u8>, usize);

fn case() -> impl Strategy<Value = Case> {
    let ways = prop::collection::vec(0_u8..12, 0..30);
    kind().prop_flat_map(move |kind| {
        let near = near(&kind);
        (Just(kind), near, ways.clone(), 0..DIALECTS.len())
    })
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Booleans are not generated, so the branches that take only them never apply.
fn check((kind, value, ways, dialect): Case) -> Result<(), TestCaseError> {
    let schema = schema(&kind, ways, dialect);
    let mut dropped = Vec::new();
    let read = if value.is_null() { json!({}) } else { value.clone() };
    let wanted = plain(&kind, &read, "", &mut dropped);
    dropped.sort();
    let text = value.to_string();
    for made in [InputSchema::remote(schema.clone()), InputSchema::local(schema.clone())] {
        let made = made.map_err(|error| TestCaseError::fail(format!("{schema}: {error}")))?;
        let judgement = made.judge(&text, &Leniency::default());
        let mut repaired: Vec<_> = judgement.repaired.iter().map(|repair| repair.path.clone()).collect();
        repaired.sort();
        match (&judgement.verdict, &wanted) {
            (Ok(effective), Some(wanted)) => {
                prop_assert_eq!(effective, wanted, "{}", schema);
                prop_assert_eq!(&repaired, &dropped);
            }
            (Err(refused), None) => {
                let unknown = |at: usize| refused.issues[at].message.starts_with("unknown field");
                let last_unknown = (0..refused.issues.len()).rev().find(|at| unknown(*at));
                let first_other = (0..refused.issues.len()).find(|at| !unknown(*at));
                prop_assert!(first_other.is_none() || last_unknown < first_other, "{:?}", refused.issues);
                prop_assert!(!refused.issues.is_empty());
            }
            (verdict, wanted) => {
                prop_assert!(false, "{schema}: {text}: {verdict:?}, wanted {wanted:?}; {}", made.published());
            }
        }
        let own = made.judge(&text, &Leniency::none()).verdict.is_ok();
        prop_assert!(!own || OutputSchema::new(made.published().clone()).is_ok());
    }
    // What is published for a tool made here refuses by itself all that the check refuses.
    if !has_null(&value) {
        let local = InputSchema::local(schema).expect("a valid schema");
        let published = OutputSchema::new(local.published().clone()).expect("a valid schema");
        // Draft 4 alone does not call 1.0 an integer, so the effective value is what it is asked about.
        prop_assert_eq!(
            published.check(wanted.as_ref().unwrap_or(&value)).is_empty(),
            wanted.is_some(),
            "{}",
            local.published()
        );
    }
    Ok(())
}

#[test]
fn rules_hold_however_a_schema_is_written() {
    let accepted = std::cell::Cell::new(0);
    let counted = |case: Case| {
        let read = if case.1.is_null() { json!({}) } else { case.1.clone() };
        accepted.set(accepted.get() + usize::from(plain(&case.0, &read, "", &mut Vec::new()).is_some()));
        check(case)
    };
    runner(1_000).run(&case(), counted).expect("the rules hold");
    // Both verdicts are common, or the test would show little.
    assert!((200..800).contains(&accepted.get()), "{} accepted", accepted.get());
}

/// Anything that might be a schema: keywords of every dialect with values that mostly fit, references to anywhere.
pub(crate) fn soup() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(vec![
            json!({"type": "string"}),
            json!({"type": ["integer", "null"]}),
            json!({"const": null}),
            json!({"enum": ["a", 1, null]}),
            json!({"type": "object"}),
            json!({"minimum": 0, "maximum": 5}),
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/a"}),
            json!({"$ref": "#/properties/b"}),
            json!({"$ref": "#/definitions/c"}),
            json!({"$ref": "#here"}),
            json!({"$anchor": "here"}),
            json!({"$dynamicRef": "#here"}),
            json!("no schema"),
            json!({"type": "wrong"}),
            json!({"pattern": "^a|b$"}),
        ]),
    ];
    leaf.prop_recursive(4, 30, 4, |inner| {
        let named = prop::collection::btree_map("[a-d]", inner.clone(), 0..4)
            .prop_map(|named| Value::Object(named.into_iter().collect()));
        let keyword = prop_oneof![
            3 => (prop::sample::select(vec!["properties", "$defs", "definitions", "patternProperties", "dependentSchemas",
                "dependencies"]), named),
            2 => (prop::sample::select(vec!["allOf", "anyOf", "oneOf", "prefixItems", "items"]),
                prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from)),
            2 => (prop::sample::select(vec!["items", "additionalProperties", "unevaluatedProperties", "not", "if", "then",
                "else", "contains", "propertyNames", "additionalItems", "unevaluatedItems", "default"]), inner),
            1 => (Just("required"), prop::collection::btree_set("[a-d]", 0..3).prop_map(|names| json!(names))),
            1 => (Just("type"), prop::sample::select(vec![json!("object"), json!("array"), json!(["object", "null"])])),
        ];
        prop::collection::vec(keyword, 1..5)
            .prop_map(|keywords| Value::Object(keywords.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()))
    })
}

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i8..9).prop_map(Value::from),
        (0_i8..4).prop_map(|whole| json!(f64::from(whole))),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    let any = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-d]", inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    prop::collection::btree_map("[a-d]", any, 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

/// Whatever the schema: no panic, what is accepted is accepted by the schema itself in its effective form, and with every
/// departure off the verdict is the schema's own.
#[test]
fn no_schema_breaks_the_verdict() {
    let (taken, accepted) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let check = |(schema, dialect, value): (Value, usize, Value)| {
        let mut schema = schema;
        let (uri, _) = DIALECTS[dialect];
        if let Some(keywords) = schema.as_object_mut().filter(|_| !uri.is_empty()) {
            keywords.insert("$schema".to_owned(), json!(uri));
        }
        let text = value.to_string();
        for made in
            [InputSchema::remote(schema.clone()), InputSchema::local(schema.clone())].into_iter().flatten()
        {
            taken.set(taken.get() + 1);
            let own = OutputSchema::new(made.published().clone()).expect("published schemas are valid");
            if let Ok(effective) = made.judge(&text, &Leniency::default()).verdict {
                accepted.set(accepted.get() + 1);
                prop_assert!(own.check(&effective).is_empty(), "{}: {effective}", made.published());
            }
            prop_assert!(
                InputSchema::remote(schema.clone()).is_ok(),
                "{schema} published as {}",
                made.published()
            );
            if made == InputSchema::remote(schema.clone()).expect("taken") {
                let verdict = made.judge(&text, &Leniency::none()).verdict;
                let wanted = own.check(verdict.as_ref().unwrap_or(&value)).is_empty();
                prop_assert_eq!(verdict.is_ok(), wanted, "{}: {}", schema, value);
            }
        }
        Ok(())
    };
    runner(2_000).run(&(soup(), 0..DIALECTS.len(), arguments()), check).expect("the verdict holds");
    assert!(taken.get() > 800 && accepted.get() > 100, "{taken:?} {accepted:?}");
}
