//! Pairs of schema and text on both roads, for arguments that are JSON values.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::super::close;
use super::super::super::judge::judge;
use super::super::super::leniency::Leniency;
use super::super::super::road::Road;
use super::super::{Checks, Rules, read_value};
use super::random::Random;
use super::{instances, pairs, schemas};
use crate::schema::canonical;

/// A schema on both roads.
pub(super) struct Both {
    pub(super) schema: Value,
    pub(super) road: Road,
    pub(super) checks: Option<Checks>,
}

impl Both {
    /// `schema` as a local or a remote tool has it; none where it can be no tool's.
    pub(super) fn of(schema: Value, local: bool) -> Option<Self> {
        let schema = if local { close::closed(&schema, &Road::check(&schema).ok()?).ok()? } else { schema };
        Road::check(&schema).ok()?;
        let road = Road::of(&schema, local);
        let defaults = road.plan.defaults().into_iter().collect();
        let checks = Checks::of(&schema, &Rules { closing: true, defaults });
        Some(Self { schema, road, checks })
    }

    /// What the complete road makes of a text, where it accepts it as it is or with defaults.
    pub(super) fn complete(&self, text: &str) -> Result<Value, String> {
        let judgement = judge(&self.road, text, &Leniency::default());
        match judgement.verdict {
            Ok(value) if judgement.repaired.is_empty() => Ok(value),
            Ok(_) => Err(format!("repaired: {:?}", judgement.repaired)),
            Err(refused) => Err(format!("{:?}", refused.issues)),
        }
    }

    /// How the fast road's value differs from the complete one's, if it gives one that does.
    pub(super) fn difference(&self, text: &str) -> Option<String> {
        let fast = read_value(text, self.checks.as_ref()?)?;
        let wrong = match self.complete(text) {
            Ok(complete) if canonical(&complete) == canonical(&fast) && complete == fast => return None,
            Ok(complete) => format!("{complete}"),
            Err(issues) => issues,
        };
        Some(format!("schema {}\ntext {text}\nfast {fast}\ncomplete {wrong}", self.schema))
    }
}

#[test]
fn what_is_accepted_fast_is_accepted_completely_with_the_same_value() {
    const TEXTS: usize = 20;
    let mut random = Random(1);
    let (mut tried, mut valid, mut fast, mut planned, mut seen) =
        (0, 0, 0, 0, BTreeMap::<String, usize>::new());
    while tried < pairs() {
        let local = random.one_in(2);
        let Some(both) = Both::of(schemas::schema(&mut random), local) else { continue };
        if both.checks.is_some() {
            planned += TEXTS;
            schemas::keywords(&both.schema, &mut |keyword| *seen.entry(keyword.to_owned()).or_default() += 1);
        }
        for _ in 0..TEXTS {
            let text = instances::text(&mut random, &both.schema);
            tried += 1;
            let complete = both.complete(&text).is_ok();
            valid += usize::from(complete);
            let read = both.checks.as_ref().is_some_and(|checks| read_value(&text, checks).is_some());
            fast += usize::from(read);
            if let Some(difference) = both.difference(&text) {
                panic!("{difference}");
            }
        }
    }
    eprintln!("{tried} pairs: {valid} valid, {planned} with a plan, {fast} decided fast; keywords: {seen:?}");
    assert!((30..=70).contains(&(valid * 100 / tried)), "{valid} of {tried} are valid");
    assert!(fast * 100 / valid >= 50, "{fast} of {valid} are decided fast");
    let covered = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "items",
        "prefixItems",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "default",
        "minProperties",
        "maxProperties",
        "format",
    ];
    for keyword in covered {
        assert!(seen.contains_key(keyword), "no schema with a plan has {keyword}");
    }
}
