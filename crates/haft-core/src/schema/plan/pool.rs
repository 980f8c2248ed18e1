//! The subschemas that apply to one place of the arguments.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::Plan;
use super::node::{Node, NodeId};

/// Subschemas of one branch that are looked at to rule it out.
const MOST_TRIED: usize = 32;

/// How a subschema applies to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::schema) enum Role {
    /// It is only tested (`if`): it lists properties but demands nothing.
    Condition,
    /// It is one of several that may apply (`anyOf`, `oneOf`, `then`, `else`).
    Disjunct,
    /// It applies in any case.
    Conjunct,
}

/// One subschema of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) struct Entry {
    pub(in crate::schema) id: NodeId,
    pub(in crate::schema) role: Role,
    /// Whether it can apply to this value: a branch whose constants or type differ cannot.
    pub(in crate::schema) live: bool,
}

/// All subschemas that apply in place to one value; each stands in it once, so its size is bounded by the schema's.
#[derive(Debug, Default)]
pub(in crate::schema) struct Pool {
    entries: BTreeMap<NodeId, Entry>,
}

impl Pool {
    /// The pool of the whole arguments.
    pub(in crate::schema) fn root(plan: &Plan, value: &Value) -> Self {
        Self::of(plan, NodeId(0), value)
    }

    /// The pool of a value that the subschema `id` alone applies to.
    pub(in crate::schema) fn of(plan: &Plan, id: NodeId, value: &Value) -> Self {
        Self::grown(plan, vec![Entry { id, role: Role::Conjunct, live: true }], value)
    }

    /// `seeds` and all that they apply in place.
    pub(in crate::schema) fn grown(plan: &Plan, seeds: Vec<Entry>, value: &Value) -> Self {
        let mut pool = Self::default();
        let mut open = seeds;
        while let Some(entry) = open.pop() {
            let stronger = match pool.entries.get(&entry.id) {
                Some(known) => {
                    Entry { id: entry.id, role: known.role.max(entry.role), live: known.live || entry.live }
                }
                None => entry,
            };
            if pool.entries.insert(entry.id, stronger) == Some(stronger) {
                continue;
            }
            if let Some(node) = plan.node(entry.id) {
                plan.push_parts(node, stronger, value, &mut open);
            }
        }
        pool
    }

    pub(in crate::schema) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries.values().copied()
    }

    /// The entries that demand something of the value.
    pub(in crate::schema) fn live(&self) -> impl Iterator<Item = Entry> + '_ {
        self.entries().filter(|entry| entry.live && entry.role > Role::Condition)
    }
}

impl Plan {
    /// The subschemas that `node` applies to the same value.
    fn push_parts(&self, node: &Node, entry: Entry, value: &Value, open: &mut Vec<Entry>) {
        let alternative = Entry { role: entry.role.min(Role::Disjunct), ..entry };
        open.extend(node.conjuncts.iter().map(|id| Entry { id: *id, ..entry }));
        for group in [&node.any_of, &node.one_of].into_iter().flatten() {
            open.extend(group.iter().map(|id| {
                let live = alternative.live && !self.ruled_out(*id, value, &mut { MOST_TRIED });
                Entry { id: *id, live, ..alternative }
            }));
        }
        if let Some(choice) = node.choice {
            open.push(Entry { id: choice.condition, role: Role::Condition, ..entry });
            for id in [choice.then, choice.otherwise].into_iter().flatten() {
                open.push(Entry { id, ..alternative });
            }
        }
        for (trigger, id) in &node.dependents {
            let live = entry.live && value.get(trigger).is_some();
            open.push(Entry { id: *id, live, ..entry });
        }
    }

    /// Whether a branch cannot apply to `value`: its type differs, or a property that it fixes has another value. Looks at
    /// `budget` subschemas at most.
    fn ruled_out(&self, id: NodeId, value: &Value, budget: &mut usize) -> bool {
        let Some(node) = self.node(id).filter(|_| *budget > 0) else { return false };
        *budget -= 1;
        let fixed_differs = |(name, property): (&String, &NodeId)| {
            let fixed = self.node(*property).filter(|property| property.choices.is_some());
            fixed.zip(value.get(name)).is_some_and(|(fixed, value)| fixed.excludes(value))
        };
        node.excludes(value)
            || node.properties.iter().flatten().any(fixed_differs)
            || node.conjuncts.iter().any(|part| self.ruled_out(*part, value, budget))
    }

    /// The subschemas that `pool` sets for the property `name` of the object that it applies to.
    pub(in crate::schema) fn property(&self, pool: &Pool, name: &str) -> Vec<Entry> {
        let mut seeds = Vec::new();
        let mut listed = false;
        for entry in pool.live() {
            let Some(node) = self.node(entry.id) else { continue };
            let before = seeds.len();
            let own = node.properties.as_ref().and_then(|properties| properties.get(name));
            seeds.extend(own.map(|id| Entry { id: *id, ..entry }));
            let matching = node.patterns.iter().filter(|(pattern, _)| pattern.matches(name));
            seeds.extend(matching.map(|(_, id)| Entry { id: *id, ..entry }));
            if seeds.len() == before {
                seeds.extend(node.additional.map(|id| Entry { id, ..entry }));
            }
            listed |= seeds.len() > before;
        }
        if !listed {
            for entry in pool.live() {
                let unevaluated = self.node(entry.id).and_then(|node| node.unevaluated);
                seeds.extend(unevaluated.map(|id| Entry { id, ..entry }));
            }
        }
        seeds
    }

    /// The subschemas that `pool` sets for the item at `index` of the array that it applies to.
    pub(in crate::schema) fn item(&self, pool: &Pool, index: usize) -> Vec<Entry> {
        let of_entry = |entry: Entry| {
            let node = self.node(entry.id)?;
            let id = node.first_items.get(index).copied().or(node.other_items)?;
            Some(Entry { id, ..entry })
        };
        pool.live().filter_map(of_entry).collect()
    }

    /// The subschemas that list the property `name` and may apply, whether or not the object has it.
    pub(in crate::schema) fn declarations(&self, pool: &Pool, name: &str) -> Vec<Entry> {
        let of_entry = |entry: Entry| {
            let id = self.node(entry.id)?.properties.as_ref()?.get(name)?;
            Some(Entry { id: *id, ..entry })
        };
        pool.live().filter_map(of_entry).collect()
    }

    /// Whether `null` for a property counts as left out: one that must apply refuses it, or all that may apply do.
    pub(in crate::schema) fn drops_null(&self, declarations: &[Entry]) -> bool {
        let (certain, possible): (Vec<&Entry>, Vec<&Entry>) =
            declarations.iter().partition(|entry| entry.role == Role::Conjunct);
        let refuses = |entry: &&Entry| !self.accepts_null(entry.id);
        certain.iter().any(refuses) || (!possible.is_empty() && possible.iter().all(refuses))
    }

    /// The names that any subschema of `pool` lists or requires, each once, in the order of their code points.
    pub(in crate::schema) fn names<'p>(&'p self, pool: &Pool) -> BTreeSet<&'p str> {
        let nodes = pool.entries().filter_map(|entry| self.node(entry.id));
        nodes
            .flat_map(|node| {
                let listed = node.properties.iter().flatten().map(|(name, _)| name.as_str());
                listed.chain(node.required.iter().map(String::as_str))
            })
            .collect()
    }

    /// The pool at the JSON pointer `path` of `value`; empty where nothing is there.
    pub(in crate::schema) fn pool_at(&self, value: &Value, path: &str) -> Pool {
        let mut pool = Pool::root(self, value);
        let mut place = value;
        for token in super::super::pointer::tokens(path) {
            let seeds = match place {
                Value::Array(_) => self.item(&pool, token.parse().unwrap_or(usize::MAX)),
                _ => self.property(&pool, &token),
            };
            let next = match place {
                Value::Array(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
                Value::Object(members) => Map::get(members, &token),
                _ => None,
            };
            let Some(next) = next else { return Pool::default() };
            place = next;
            pool = Pool::grown(self, seeds, place);
        }
        pool
    }
}
