//! One pass over refused arguments: at each place that the schema refuses for its type or its allowed values, the rule
//! that alone knows what was meant.

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::leniency::{Leniency, Repair};
use super::super::plan::{Entry, Plan, Pool};
use super::super::pointer;
use super::place::Place;
use super::{RepairRule, empty_text, enum_case, json_text, scalar_text, single_value};

/// Subschemas that one pass looks at; arguments for which that is too little stay refused.
const MOST_LOOKED_AT: usize = 2_000_000;

/// What a value at a place was meant to be.
type Reading = fn(&Place<'_>, &Value) -> Option<Value>;

const READINGS: [(RepairRule, Reading); 4] = [
    (RepairRule::JsonText, json_text::reading),
    (RepairRule::ScalarText, scalar_text::reading),
    (RepairRule::SingleValue, single_value::reading),
    (RepairRule::EnumCase, enum_case::reading),
];

/// Repairs `arguments`; `wrong` are the places that the check named.
pub(super) fn pass(
    plan: &Plan,
    leniency: &Leniency,
    wrong: &BTreeSet<&str>,
    arguments: &mut Value,
) -> Vec<Repair> {
    let mut pass = Pass { plan, leniency, wrong, budget: Cell::new(MOST_LOOKED_AT), made: Vec::new() };
    let pool = Pool::root(plan, arguments);
    pass.content(arguments, &pool, "", 1);
    pass.made
}

struct Pass<'p> {
    plan: &'p Plan,
    leniency: &'p Leniency,
    wrong: &'p BTreeSet<&'p str>,
    budget: Cell<usize>,
    made: Vec<Repair>,
}

impl Pass<'_> {
    /// Recursion is bounded by the depth to which arguments are read.
    fn content(&mut self, value: &mut Value, pool: &Pool, path: &str, depth: usize) {
        match value {
            Value::Object(members) => {
                self.drop_empty(members, pool, path, depth);
                for (name, member) in members {
                    let seeds = self.plan.property_in_any_case(pool, name);
                    self.value(member, &seeds, &pointer::child(path, name), depth);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    let seeds = self.plan.item(pool, index);
                    self.value(item, &seeds, &pointer::child(path, &index.to_string()), depth);
                }
            }
            _ => {}
        }
    }

    fn value(&mut self, value: &mut Value, seeds: &[Entry], path: &str, depth: usize) {
        if seeds.is_empty() {
            return;
        }
        if let Some((rule, meant)) = meant(&self.place(seeds, depth), value) {
            if self.leniency.repairs(rule) {
                *value = meant;
                self.made.push(Repair::new(rule, path));
            }
        } else if value.is_object() || value.is_array() {
            let pool = Pool::grown(self.plan, seeds.to_vec(), value);
            self.content(value, &pool, path, depth + 1);
        }
    }

    fn drop_empty(&mut self, members: &mut Map<String, Value>, pool: &Pool, path: &str, depth: usize) {
        if !self.leniency.repairs(RepairRule::EmptyText) || !members.values().any(|value| value == "") {
            return;
        }
        members.retain(|name, value| {
            let path = pointer::child(path, name);
            let kept = value != ""
                || !empty_text::is_optional(self.plan, pool, name)
                || !(self.wrong.contains(path.as_str())
                    || self.place(&self.plan.property(pool, name), depth).refuses(value));
            if !kept {
                self.made.push(Repair::new(RepairRule::EmptyText, path));
            }
            kept
        });
    }

    fn place<'s>(&'s self, seeds: &'s [Entry], depth: usize) -> Place<'s> {
        Place { plan: self.plan, seeds, depth, budget: &self.budget }
    }
}

/// What was meant, where one rule alone says so; rules that are switched off are heard as well.
fn meant(place: &Place<'_>, value: &Value) -> Option<(RepairRule, Value)> {
    if !place.refuses(value) {
        return None;
    }
    let mut readings = READINGS.iter().filter_map(|(rule, reading)| Some((*rule, reading(place, value)?)));
    let only = readings.next()?;
    readings.next().is_none().then_some(only)
}
