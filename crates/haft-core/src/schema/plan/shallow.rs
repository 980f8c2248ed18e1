//! What a place says of a value by its type and the allowed values alone, without looking into it.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::branch;
use super::node::{Node, NodeId};
use super::{Entry, Plan};

/// Chains of references and compositions that are followed.
const DEEPEST: usize = 100;

impl Plan {
    /// Whether `excludes`, asked of the subschemas that apply to a place, rules a value out there: one that applies in any
    /// case does, or all alternatives of a union do. Looks at `budget` subschemas at most; those beyond exclude nothing.
    pub(in crate::schema) fn rules_out(
        &self,
        seeds: &[Entry],
        excludes: &dyn Fn(&Node) -> bool,
        budget: &Cell<usize>,
    ) -> bool {
        let asked = Asked { plan: self, excludes, budget };
        let declared: Vec<_> =
            seeds.iter().map(|entry| (entry.branch(), asked.excluded(entry.id, DEEPEST))).collect();
        branch::refused_within(None, &declared)
    }

    /// The texts among the values that `enum` and `const` allow at a place.
    pub(in crate::schema) fn texts(&self, seeds: &[Entry], budget: &Cell<usize>) -> BTreeSet<&str> {
        let mut texts = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<NodeId> = seeds.iter().map(|entry| entry.id).collect();
        while let Some(id) = open.pop() {
            let Some(node) = self.node(id).filter(|_| seen.insert(id) && spend(budget)) else { continue };
            texts.extend(node.choices.iter().flatten().filter_map(|choice| choice.as_str()));
            let unions = [&node.any_of, &node.one_of].into_iter().flatten().flatten();
            let branches = node.choice.into_iter().flat_map(|choice| [choice.then, choice.otherwise]);
            open.extend(node.conjuncts.iter().chain(unions).copied().chain(branches.flatten()));
        }
        texts
    }
}

struct Asked<'a> {
    plan: &'a Plan,
    excludes: &'a dyn Fn(&Node) -> bool,
    budget: &'a Cell<usize>,
}

impl Asked<'_> {
    fn excluded(&self, id: NodeId, depth: usize) -> bool {
        let followed = depth > 0 && spend(self.budget);
        let Some(node) = self.plan.node(id).filter(|_| followed) else { return false };
        let excluded = |part: &NodeId| self.excluded(*part, depth - 1);
        let all =
            |union: &Option<Vec<NodeId>>| union.as_ref().is_some_and(|parts| parts.iter().all(excluded));
        (self.excludes)(node)
            || node.conjuncts.iter().any(excluded)
            || all(&node.any_of)
            || all(&node.one_of)
            || node.choice.is_some_and(|choice| {
                [choice.then, choice.otherwise].iter().all(|part| part.as_ref().is_some_and(excluded))
            })
    }
}

/// Takes one from `budget`; says whether there was one.
fn spend(budget: &Cell<usize>) -> bool {
    let left = budget.get();
    budget.set(left.saturating_sub(1));
    left > 0
}
