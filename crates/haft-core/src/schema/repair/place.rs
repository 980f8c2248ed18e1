//! One place of the arguments, and what the schema says of values there by their type and the allowed values alone.

use std::cell::Cell;
use std::collections::BTreeSet;

use serde_json::Value;

use super::super::json::Limits;
use super::super::plan::{Entry, Node, Plan, Pool};

/// A place that the subschemas `seeds` apply to.
pub(super) struct Place<'p> {
    pub(super) plan: &'p Plan,
    pub(super) seeds: &'p [Entry],
    /// Arrays and objects around it.
    pub(super) depth: usize,
    /// Subschemas that may still be looked at; without any left nothing is refused, so nothing is repaired.
    pub(super) budget: &'p Cell<usize>,
}

impl Place<'_> {
    /// Whether `value` is refused whatever else is said of it. A value that is taken may still break a bound.
    pub(super) fn refuses(&self, value: &Value) -> bool {
        let fractional = value.as_f64().is_some_and(|float| float.fract() != 0.0);
        self.rules_out(&|node| node.excludes(value) || fractional && node.kinds.wants_integer())
    }

    /// Whether any value of the type of `value` is taken.
    pub(super) fn takes_kind_of(&self, value: &Value) -> bool {
        let alike = |choice: &Value| std::mem::discriminant(choice) == std::mem::discriminant(value);
        let chosen = |choices: &Vec<Value>| choices.iter().any(alike);
        !self.rules_out(&|node| {
            !node.kinds.admits(value) || node.choices.as_ref().is_some_and(|choices| !chosen(choices))
        })
    }

    /// The texts among the allowed values, each once.
    pub(super) fn texts(&self) -> BTreeSet<&str> {
        self.plan.texts(self.seeds, self.budget)
    }

    /// The subschemas for the first item of `array`, standing at this place.
    pub(super) fn items_of(&self, array: &Value) -> Vec<Entry> {
        let pool = Pool::grown(self.plan, self.seeds.to_vec(), array);
        self.plan.item(&pool, 0)
    }

    /// A place right inside this one.
    pub(super) fn inside<'s>(&'s self, seeds: &'s [Entry]) -> Place<'s> {
        Place { plan: self.plan, seeds, depth: self.depth + 1, budget: self.budget }
    }

    /// How deep a value here may nest.
    pub(super) fn depth_left(&self) -> usize {
        Limits::default().depth.saturating_sub(self.depth)
    }

    fn rules_out(&self, excludes: &dyn Fn(&Node) -> bool) -> bool {
        self.plan.rules_out(self.seeds, excludes, self.budget)
    }
}
