//! The subschemas that apply to one place of the arguments.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Map, Value};

use super::Plan;
use super::branch::{self, Branch, Union};
use super::node::{Node, NodeId};

/// Subschemas of one branch that are looked at to rule it out.
const MOST_TRIED: usize = 32;

/// Entries up to which a subschema is weighed for each alternative that it belongs to.
const MOST_ENTRIES: usize = 64;

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
#[derive(Clone, Debug)]
pub(in crate::schema) struct Entry {
    pub(in crate::schema) id: NodeId,
    pub(in crate::schema) role: Role,
    /// Whether it can apply to this value: a branch whose constants or type differ cannot.
    pub(in crate::schema) live: bool,
    /// The alternative that it belongs to; none where it applies in any case.
    branch: Option<Rc<Branch>>,
}

impl Entry {
    pub(super) fn branch(&self) -> Option<&Rc<Branch>> {
        self.branch.as_ref()
    }

    /// The same for another subschema.
    fn with(&self, id: NodeId) -> Self {
        Self { id, ..self.clone() }
    }

    /// Whether `other`, of the same subschema, adds nothing to it.
    fn covers(&self, other: &Self) -> bool {
        self.role >= other.role
            && self.live >= other.live
            && branch::lies_within(other.branch.as_ref(), self.branch.as_ref())
    }
}

/// All subschemas that apply in place to one value. One that belongs to several alternatives stands there for each.
#[derive(Debug, Default)]
pub(in crate::schema) struct Pool {
    entries: BTreeMap<NodeId, Vec<Entry>>,
    size: usize,
}

impl Pool {
    /// The pool of the whole arguments.
    pub(in crate::schema) fn root(plan: &Plan, value: &Value) -> Self {
        Self::of(plan, NodeId(0), value)
    }

    /// The pool of a value that the subschema `id` alone applies to.
    pub(in crate::schema) fn of(plan: &Plan, id: NodeId, value: &Value) -> Self {
        Self::grown(plan, vec![Entry { id, role: Role::Conjunct, live: true, branch: None }], value)
    }

    /// `seeds` and all that they apply in place.
    pub(in crate::schema) fn grown(plan: &Plan, seeds: Vec<Entry>, value: &Value) -> Self {
        let mut pool = Self::default();
        let mut open = seeds;
        while let Some(entry) = open.pop() {
            if let Some(node) = plan.node(entry.id).filter(|_| pool.add(&entry)) {
                plan.push_parts(node, &entry, value, &mut open);
            }
        }
        pool
    }

    /// Adds an entry unless it is covered. In a large pool a subschema is weighed once, not for each alternative.
    fn add(&mut self, entry: &Entry) -> bool {
        let known = self.entries.entry(entry.id).or_default();
        let full = self.size >= MOST_ENTRIES
            && known.iter().any(|known| known.role >= entry.role && known.live >= entry.live);
        let added = !full && !known.iter().any(|known| known.covers(entry));
        if added {
            known.push(entry.clone());
            self.size += 1;
        }
        added
    }

    pub(in crate::schema) fn entries(&self) -> impl Iterator<Item = &Entry> + Clone + '_ {
        self.entries.values().flatten()
    }

    /// The entries that demand something of the value.
    pub(in crate::schema) fn live(&self) -> impl Iterator<Item = &Entry> + Clone + '_ {
        self.demanding().filter(|entry| entry.live)
    }

    /// The same with alternatives that are ruled out.
    fn demanding(&self) -> impl Iterator<Item = &Entry> + Clone + '_ {
        self.entries().filter(|entry| entry.role > Role::Condition)
    }
}

impl Plan {
    /// The subschemas that `node` applies to the same value.
    fn push_parts(&self, node: &Node, entry: &Entry, value: &Value, open: &mut Vec<Entry>) {
        let alternative = |union: Union, member: NodeId| Entry {
            id: member,
            role: entry.role.min(Role::Disjunct),
            live: entry.live,
            branch: Some(Branch::below(entry.branch.as_ref(), entry.id, union)),
        };
        open.extend(node.conjuncts.iter().map(|id| entry.with(*id)));
        for (union, group) in [(Union::AnyOf, &node.any_of), (Union::OneOf, &node.one_of)] {
            open.extend(group.iter().flatten().map(|id| {
                let live = entry.live && !self.ruled_out(*id, value, &mut { MOST_TRIED });
                Entry { live, ..alternative(union, *id) }
            }));
        }
        if let Some(choice) = node.choice {
            open.push(Entry { role: Role::Condition, ..entry.with(choice.condition) });
            open.extend(
                [choice.then, choice.otherwise].into_iter().flatten().map(|id| alternative(Union::If, id)),
            );
        }
        for (trigger, id) in &node.dependents {
            open.push(Entry { live: entry.live && value.get(trigger).is_some(), ..entry.with(*id) });
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
        self.property_of(pool.live(), name)
    }

    /// The same; where all alternatives are ruled out, what they set.
    pub(in crate::schema) fn property_in_any_case(&self, pool: &Pool, name: &str) -> Vec<Entry> {
        if pool.live().any(|entry| entry.role == Role::Disjunct) {
            self.property(pool, name)
        } else {
            self.property_of(pool.demanding(), name)
        }
    }

    fn property_of<'e>(&self, entries: impl Iterator<Item = &'e Entry> + Clone, name: &str) -> Vec<Entry> {
        let mut seeds = Vec::new();
        let mut listed = false;
        for entry in entries.clone() {
            let Some(node) = self.node(entry.id) else { continue };
            let before = seeds.len();
            let own = node.properties.as_ref().and_then(|properties| properties.get(name));
            seeds.extend(own.map(|id| entry.with(*id)));
            let matching = node.patterns.iter().filter(|(pattern, _)| pattern.matches(name));
            seeds.extend(matching.map(|(_, id)| entry.with(*id)));
            if seeds.len() == before {
                seeds.extend(node.additional.map(|id| entry.with(id)));
            }
            listed |= seeds.len() > before;
        }
        if !listed {
            for entry in entries {
                let unevaluated = self.node(entry.id).and_then(|node| node.unevaluated);
                seeds.extend(unevaluated.map(|id| entry.with(id)));
            }
        }
        seeds
    }

    /// The subschemas that `pool` sets for the item at `index` of the array that it applies to.
    pub(in crate::schema) fn item(&self, pool: &Pool, index: usize) -> Vec<Entry> {
        let of_entry = |entry: &Entry| {
            let node = self.node(entry.id)?;
            let id = node.first_items.get(index).copied().or(node.other_items)?;
            Some(entry.with(id))
        };
        pool.live().filter_map(of_entry).collect()
    }

    /// The subschemas that list the property `name` and may apply, whether or not the object has it.
    pub(in crate::schema) fn declarations(&self, pool: &Pool, name: &str) -> Vec<Entry> {
        let of_entry = |entry: &Entry| {
            let id = self.node(entry.id)?.properties.as_ref()?.get(name)?;
            Some(entry.with(*id))
        };
        pool.live().filter_map(of_entry).collect()
    }

    /// Whether `null` for a property counts as left out: one that must apply refuses it, or all that may apply do.
    pub(in crate::schema) fn drops_null(&self, declarations: &[Entry]) -> bool {
        let declared: Vec<_> =
            declarations.iter().map(|entry| (entry.branch.as_ref(), !self.accepts_null(entry.id))).collect();
        branch::refused_within(None, &declared)
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
