//! What a check will cost, counted before it is begun: a schema that a server sent may make a validator evaluate the same
//! subschema on the same value again and again, twice as often with each level.

use std::collections::HashMap;

use serde_json::Value;

use super::super::error::SchemaError;
use super::Plan;
use super::node::{Node, NodeId};

/// Deepest chain of subschemas that is followed; a validator needs stack for each link.
const DEEPEST: usize = 1_000;
/// Evaluations that are made at most.
const MOST_EVALUATIONS: u64 = 5_000_000;
/// Evaluations up to which every issue is told however often they repeat.
const TOLD_EVALUATIONS: u64 = 50_000;
/// How often each evaluation may repeat on average before the issues are no longer told one by one.
const TOLD_REPEATS: u64 = 8;
/// Values times subschemas up to which nothing is counted.
const SMALL: usize = 20_000_000;

/// What a check of one value will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum Effort {
    /// Little enough to tell every issue.
    Fair,
    /// Little enough for the verdict, too much for telling every issue.
    Tangled,
    /// Too much.
    Hopeless,
}

/// What is known of a plan without any value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shape {
    /// Subschemas are shared or recursive, so that evaluations may repeat.
    pub(super) shared: bool,
    /// The longest chain of subschemas, loops followed once.
    pub(super) height: usize,
}

/// The shape of the plan that `nodes` make. Does not recurse.
pub(super) fn shape(nodes: &[Node]) -> Shape {
    let mut weights: Vec<Option<(u64, usize)>> = vec![None; nodes.len()];
    let mut entered = vec![false; nodes.len()];
    let mut looped = false;
    let mut open = vec![(0_usize, false)];
    while let Some((index, leaving)) = open.pop() {
        let Some(node) = nodes.get(index) else { continue };
        if leaving {
            let (mut weight, mut height) = (1_u64, 0);
            for child in node.children() {
                let (child_weight, child_height) =
                    weights.get(child.index()).copied().flatten().unwrap_or((1, 0));
                weight = weight.saturating_add(child_weight);
                height = height.max(child_height);
            }
            set(&mut weights, index, Some((weight, height + 1)));
        } else if entered.get(index) == Some(&false) {
            set(&mut entered, index, true);
            open.push((index, true));
            open.extend(node.children().map(|child| (child.index(), false)));
        } else if weights.get(index).copied().flatten().is_none() {
            looped = true;
        }
    }
    let (weight, height) = weights.first().copied().flatten().unwrap_or((1, 1));
    let total = u64::try_from(nodes.len()).unwrap_or(u64::MAX);
    Shape { shared: looped || weight > total.saturating_mul(TOLD_REPEATS), height }
}

fn set<T>(all: &mut [T], index: usize, value: T) {
    if let Some(one) = all.get_mut(index) {
        *one = value;
    }
}

impl Plan {
    /// Refuses a chain of subschemas that is too long to be followed at all.
    pub(in crate::schema) fn followable(&self) -> Result<(), SchemaError> {
        if self.shape.height <= DEEPEST {
            return Ok(());
        }
        let reason = format!("its subschemas refer to each other in a chain of more than {DEEPEST} links");
        Err(SchemaError::TooLarge { reason })
    }

    /// What a check of `value` will take.
    pub(in crate::schema) fn effort(&self, value: &Value) -> Effort {
        let small = || self.nodes.len() < 64 || count(value).saturating_mul(self.nodes.len()) < SMALL;
        if !self.shape.shared && small() {
            return Effort::Fair;
        }
        let mut counter = Counter { plan: self, known: HashMap::new() };
        let Some(total) = counter.evaluations(NodeId(0), value, 0) else { return Effort::Hopeless };
        let distinct = u64::try_from(counter.known.len()).unwrap_or(u64::MAX);
        if total <= TOLD_EVALUATIONS || total <= distinct.saturating_mul(TOLD_REPEATS) {
            Effort::Fair
        } else {
            Effort::Tangled
        }
    }
}

/// Values in `value`, itself among them.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// Counts evaluations as a validator without memory would make them, each pair of subschema and value only once.
struct Counter<'p> {
    plan: &'p Plan,
    /// By subschema and address of the value; `None` while it is being counted.
    known: HashMap<(NodeId, usize), Option<u64>>,
}

impl Counter<'_> {
    /// `None` when there are too many or they nest too deeply.
    fn evaluations(&mut self, id: NodeId, value: &Value, depth: usize) -> Option<u64> {
        let key = (id, std::ptr::from_ref(value).addr());
        match self.known.get(&key) {
            Some(Some(total)) => return Some(*total),
            // A loop that consumes nothing is followed once.
            Some(None) => return Some(1),
            None => {}
        }
        let fits = depth < DEEPEST && (self.known.len() as u64) < MOST_EVALUATIONS;
        let node = self.plan.node(id).filter(|_| fits)?;
        self.known.insert(key, None);
        let mut total = 1_u64;
        for part in node.in_place() {
            total = total.saturating_add(self.evaluations(part, value, depth + 1)?);
        }
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    for child in node.of_property(name) {
                        total = total.saturating_add(self.evaluations(child, member, depth + 1)?);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    for child in node.of_item(index) {
                        total = total.saturating_add(self.evaluations(child, item, depth + 1)?);
                    }
                }
            }
            _ => {}
        }
        self.known.insert(key, Some(total));
        (total <= MOST_EVALUATIONS).then_some(total)
    }
}
