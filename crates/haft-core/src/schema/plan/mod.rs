//! A schema read once into a flat list of nodes: what the walk over arguments follows.
//!
//! The validator alone gives the verdict of JSON Schema; the plan answers what it cannot be asked: which properties are
//! declared at a place of the arguments, whether `null` is refused there, whether a number must be whole.

mod branch;
mod build;
mod cost;
mod node;
mod nullable;
mod pool;
mod references;
mod shallow;

pub(super) use cost::Effort;
pub(super) use node::{Node, NodeId};
pub(super) use pool::{Entry, Pool, Role};
pub(super) use references::References;

use std::collections::BTreeMap;

use serde_json::Value;

use super::canon;

/// A `$ref` that leads nowhere within the schema.
#[derive(Debug)]
pub(super) struct Dangling {
    pub(super) pointer: String,
    pub(super) reference: String,
}

/// All subschemas that can be reached from the root.
#[derive(Debug)]
pub(super) struct Plan {
    nodes: Vec<Node>,
    /// For each node whether it accepts `null`.
    null: Vec<bool>,
    shape: cost::Shape,
    pub(super) dangling: Vec<Dangling>,
}

impl Plan {
    pub(super) fn of(schema: &Value) -> Self {
        build::Builder::new(schema).build(schema)
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// The node at each JSON pointer of the schema.
    pub(super) fn ids(&self) -> BTreeMap<&str, NodeId> {
        let ids = (0..).map(NodeId);
        self.nodes.iter().map(|node| node.pointer.as_str()).zip(ids).collect()
    }

    /// The value that an absent property of this subschema gets.
    pub(super) fn default(&self, id: NodeId) -> Option<&Value> {
        self.node(id)?.default.as_ref()
    }

    /// Every default with the pointer of its subschema.
    pub(super) fn defaults(&self) -> Vec<(String, Value)> {
        let of_node = |node: &Node| node.default.clone().map(|default| (node.pointer.clone(), default));
        self.nodes.iter().filter_map(of_node).collect()
    }

    /// Keeps the defaults of the subschemas whose pointer `keep` accepts.
    pub(super) fn retain_defaults(&mut self, keep: impl Fn(&str) -> bool) {
        for node in self.nodes.iter_mut().filter(|node| !keep(&node.pointer)) {
            node.default = None;
        }
    }
}

/// Equality as JSON Schema has it: `1` and `1.0` are the same.
fn equal(one: &Value, other: &Value) -> bool {
    one == other || canon::canonical(one) == canon::canonical(other)
}
