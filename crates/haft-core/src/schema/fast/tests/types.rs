//! Rust types on both roads: the same text makes the same value.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::random::Random;
use super::{instances, pairs};
use crate::InputSchema;
use crate::schema::canonical;
use crate::schema::leniency::Leniency;

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Numbers {
    pub(super) a: i64,
    b: Option<i32>,
    #[schemars(range(min = -1.5, max = 1.0))]
    c: Option<f32>,
    #[serde(default)]
    d: u8,
    #[schemars(range(min = 1, max = 10))]
    e: Option<u64>,
    f: Option<i128>,
    g: Option<f64>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Order {
    #[schemars(length(min = 1, max = 4))]
    reference: String,
    customer: Customer,
    #[schemars(length(min = 1, max = 3))]
    items: Vec<Item>,
    currency: Currency,
    express: bool,
    tags: Option<Vec<String>>,
    note: Option<String>,
    #[serde(default = "four")]
    priority: u8,
}

fn four() -> u8 {
    4
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Customer {
    id: char,
    #[schemars(regex(pattern = "^[a-c]+$"))]
    name: String,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Item {
    #[serde(alias = "number")]
    sku: String,
    quantity: Option<u32>,
    unit: Unit,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct Unit(u16);

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
enum Currency {
    #[serde(rename = "EUR")]
    Euro,
    Dollar,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Enums {
    tagged: Option<Tagged>,
    adjacent: Option<Adjacent>,
    external: Option<External>,
    untagged: Option<Untagged>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Composed {
    tagged: Wrapping,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind")]
enum Wrapping {
    New(Customer),
    Other,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    One { a: i64, b: Option<String> },
    Two { a: String },
    Unit,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Number(i64),
    Pair(i64, bool),
    Structure { a: bool },
    Unit,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
enum External {
    Unit,
    New(i64),
    Pair(i64, String),
    Structure { a: Option<bool> },
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Integer(i64),
    Text(String),
    Structure { a: i64 },
    Other { a: String, b: Option<bool> },
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Flat {
    id: u32,
    #[serde(flatten)]
    more: More,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
struct More {
    colour: Option<String>,
    size: (u8, f64),
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Open {
    id: Option<u32>,
    #[serde(flatten)]
    others: BTreeMap<String, i64>,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
pub(super) struct Maps {
    numbered: Option<HashMap<u32, String>>,
    named: Option<BTreeMap<String, Vec<i64>>>,
    set: Option<BTreeSet<String>>,
    any: Option<serde_json::Value>,
    free: Option<serde_json::Map<String, serde_json::Value>>,
    nested: Option<Box<Maps>>,
    fixed: Option<[i64; 2]>,
    unit: Option<()>,
}

/// What both roads make of texts for one type.
fn compare<T: DeserializeOwned + Serialize + JsonSchema + Debug>(seed: u64, count: usize) -> (usize, usize) {
    let schema = InputSchema::typed::<T>().unwrap();
    let mut random = Random(seed);
    let (mut valid, mut fast) = (0, 0);
    for _ in 0..count {
        let text = instances::text(&mut random, schema.published());
        let judgement = schema.judge(&text, &Leniency::default());
        let plain = judgement.repaired.is_empty();
        let complete =
            judgement.verdict.ok().filter(|_| plain).map(|value| T::deserialize(value).map(written));
        valid += usize::from(matches!(complete, Some(Ok(_))));
        let Some(read) = schema.read_typed::<T>(&text) else { continue };
        fast += 1;
        match complete {
            Some(Ok(complete)) => assert_eq!(written(read), complete, "{text}"),
            other => panic!("{} | {text} | fast {read:?} | complete {other:?}", std::any::type_name::<T>()),
        }
    }
    eprintln!("{}: {fast} of {valid} valid texts of {count} are decided fast", std::any::type_name::<T>());
    (valid, fast)
}

fn written<T: Serialize>(value: T) -> String {
    canonical(&serde_json::to_value(value).unwrap())
}

#[test]
fn types_are_read_alike() {
    let each = pairs() / 7;
    let (mut valid, mut fast) = (0, 0);
    let done = [
        compare::<Numbers>(11, each),
        compare::<Order>(12, each),
        compare::<Enums>(13, each),
        compare::<Flat>(14, each),
        compare::<Open>(15, each),
        compare::<Maps>(16, each),
    ];
    // What a schema composes of parts is not understood yet.
    compare::<Composed>(17, each);
    for (of_type, of_those) in done {
        (valid, fast) = (valid + of_type, fast + of_those);
        assert!(of_those > 0, "no text of a type is decided fast");
    }
    assert!((30..=90).contains(&(valid * 100 / (each * 6))), "{valid} of {} are valid", each * 6);
    assert!(fast * 100 >= valid * 60, "{fast} of {valid} are decided fast");
}
