//! Whether a subschema accepts `null`: decided exactly, from the schema alone.

use serde_json::Value;

use super::Plan;
use super::node::{Node, NodeId};

/// Chains deeper than any sensible schema are taken as silent, so that the stack stays bounded.
const DEEPEST: usize = 200;

/// What is known of each node; a node that is asked about while it is being decided is part of a loop and says nothing.
struct Verdicts<'p> {
    nodes: &'p [Node],
    known: Vec<Option<bool>>,
}

/// For each node whether it accepts `null`. A loop of references that says nothing accepts it.
pub(super) fn verdicts(nodes: &[Node]) -> Vec<bool> {
    let mut verdicts = Verdicts { nodes, known: vec![None; nodes.len()] };
    for index in 0..nodes.len() {
        let id = NodeId(u32::try_from(index).unwrap_or(u32::MAX));
        verdicts.accepts(id, 0);
    }
    verdicts.known.into_iter().map(|verdict| verdict.unwrap_or(true)).collect()
}

impl Verdicts<'_> {
    fn accepts(&mut self, id: NodeId, depth: usize) -> bool {
        let index = id.0 as usize;
        if let Some(verdict) = self.known.get(index).copied().flatten() {
            return verdict;
        }
        let Some(node) = self.nodes.get(index).filter(|_| depth < DEEPEST) else { return true };
        self.note(index, true);
        let verdict = self.decide(node, depth + 1);
        self.note(index, verdict);
        verdict
    }

    fn note(&mut self, index: usize, verdict: bool) {
        if let Some(known) = self.known.get_mut(index) {
            *known = Some(verdict);
        }
    }

    fn decide(&mut self, node: &Node, depth: usize) -> bool {
        let mut accepts = |part: &NodeId| self.accepts(*part, depth);
        !node.excludes(&Value::Null)
            && node.conjuncts.iter().all(&mut accepts)
            && node.any_of.as_ref().is_none_or(|parts| parts.iter().any(&mut accepts))
            && node.one_of.as_ref().is_none_or(|parts| parts.iter().filter(|part| accepts(part)).count() == 1)
            && !node.not.iter().any(&mut accepts)
            && node.choice.is_none_or(|choice| {
                let branch = if accepts(&choice.condition) { choice.then } else { choice.otherwise };
                branch.iter().all(&mut accepts)
            })
    }
}

impl Plan {
    /// Whether the subschema accepts `null`.
    pub(in crate::schema) fn accepts_null(&self, id: NodeId) -> bool {
        self.null.get(id.0 as usize).copied().unwrap_or(true)
    }
}
