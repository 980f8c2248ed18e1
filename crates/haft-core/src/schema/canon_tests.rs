//! Canonical text: equal values alike, different values apart, whatever the order and the representation.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};

use super::super::digest::Digest;
use super::super::json::{Limits, read};
use super::canonical;

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (-1000_i32..1000).prop_map(|whole| Value::from(f64::from(whole))),
        any::<String>().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same value with members inserted the other way round, and whole floats for small integers.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(turned).collect(),
        Value::Object(members) => {
            let mut reversed: Vec<_> =
                members.iter().map(|(key, value)| (key.clone(), turned(value))).collect();
            reversed.reverse();
            Value::Object(reversed.into_iter().collect::<Map<_, _>>())
        }
        Value::Number(number) => match number.as_i64() {
            #[expect(clippy::cast_precision_loss, reason = "small enough to be exact")]
            Some(small) if small.abs() < 1 << 50 => Value::from(small as f64),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

#[test]
fn order_and_representation_never_show() {
    runner(1_000)
        .run(&value(), |value| {
            prop_assert_eq!(canonical(&value), canonical(&turned(&value)));
            Ok(())
        })
        .expect("alike");
}

/// Reading the text back gives the same text, so nothing is lost that the text can say.
#[test]
fn text_reads_back() {
    runner(1_000)
        .run(&value(), |value| {
            let text = canonical(&value);
            let reading = read(&text, &Limits::default()).expect("canonical text is JSON");
            prop_assert!(reading.defects.is_empty());
            prop_assert_eq!(canonical(&reading.value), text.clone());
            prop_assert_eq!(
                serde_json::from_str::<Value>(&text).map(|value| canonical(&value)).ok(),
                Some(text)
            );
            Ok(())
        })
        .expect("reads back");
}

#[test]
fn numbers_and_strings() {
    for (value, text) in [
        (json!(1.0), "1"),
        (json!(-0.0), "0"),
        (json!(1e2), "100"),
        (json!(9_007_199_254_740_993_u64), "9007199254740993"),
        (json!(u64::MAX), "18446744073709551615"),
        (json!(i64::MIN), "-9223372036854775808"),
        (json!(1e19), "10000000000000000000"),
        (json!(1e20), "100000000000000000000"),
        (json!(1e30), "1e30"),
        (json!(-1.5e300), "-1.5e300"),
        (json!(0.1), "0.1"),
        (json!(1e-7), "0.0000001"),
        (json!(1e-8), "1e-8"),
        (
            json!("\"\\/\u{8}\u{c}\n\r\t\u{1}\u{7f}é\u{2028}😀"),
            "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\u{7f}é\u{2028}😀\"",
        ),
        (json!({"b": 1, "a": {}, "é": [], "B": null, "": true}), r#"{"":true,"B":null,"a":{},"b":1,"é":[]}"#),
    ] {
        assert_eq!(canonical(&value), text);
    }
    // Code points, not UTF-16 units: U+FF61 stands before U+1F600.
    assert_eq!(canonical(&json!({"\u{1f600}": 1, "\u{ff61}": 2})), "{\"\u{ff61}\":2,\"\u{1f600}\":1}");
}

#[test]
fn depth_does_not_matter() {
    let mut deep = Value::Null;
    for _ in 0..100_000 {
        deep = Value::Array(vec![deep]);
    }
    assert_eq!(canonical(&deep).len(), 200_004);
    // Dropping it would recurse.
    std::mem::forget(deep);
}

#[test]
fn digests_keep_domains_and_parts_apart() {
    let parts = prop::collection::vec("[a-c]{0,3}", 0..4);
    runner(1_000)
        .run(&(parts.clone(), parts, "[ab]{0,2}", "[ab]{0,2}"), |(one, other, here, there)| {
            let same = one == other && here == there;
            prop_assert_eq!(Digest::of(&here, &one) == Digest::of(&there, &other), same);
            let digest = Digest::of(&here, &one);
            prop_assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
            Ok(())
        })
        .expect("apart");
    let shown = Digest::of("arguments", ["{}"]).to_string();
    assert_eq!(shown, "cf46568047a6cef9d874105c3b516ed9e8390184ccdf9b08e9a7f4c5414e9518");
    for wrong in ["", "ab", &shown.to_uppercase(), &format!("{shown}0"), &shown.replace('a', "g")] {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
}
