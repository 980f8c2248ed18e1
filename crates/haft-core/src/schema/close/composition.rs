//! What the parts of one object say together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::super::plan::{Node, NodeId, Plan, Pool, Role};

/// The subschemas that apply in place to one value, taken together.
#[derive(Debug, Default)]
pub(super) struct Composition {
    /// Some part lists properties, and none says what becomes of others.
    pub(super) closable: bool,
    /// Nothing admits any property.
    pub(super) bare: bool,
    /// Every name that some part lists.
    pub(super) names: BTreeSet<String>,
    /// Names that are required in any case but listed nowhere.
    pub(super) undeclared: Vec<String>,
    /// Two parts that may apply together list the same name.
    pub(super) overlaps: bool,
}

/// The compositions of one schema.
#[derive(Debug)]
pub(super) struct Parts<'p> {
    plan: &'p Plan,
    ids: BTreeMap<&'p str, NodeId>,
}

impl<'p> Parts<'p> {
    pub(super) fn of(plan: &'p Plan) -> Self {
        Self { plan, ids: plan.ids() }
    }

    /// The composition at the JSON pointer `place` of the schema. What cannot be reached is left as it is.
    pub(super) fn at(&self, place: &str) -> Composition {
        match self.ids.get(place) {
            Some(id) => Composition::of(self.plan, *id),
            None => Composition::default(),
        }
    }
}

impl Composition {
    fn of(plan: &Plan, id: NodeId) -> Self {
        let pool = Pool::of(plan, id, &json!({}));
        let nodes: Vec<(&Node, Role)> =
            pool.entries().filter_map(|entry| Some((plan.node(entry.id)?, entry.role))).collect();
        let applied = || nodes.iter().filter(|(_, role)| *role > Role::Condition).map(|(node, _)| *node);
        let names: BTreeSet<String> = nodes
            .iter()
            .flat_map(|(node, _)| node.properties.iter().flatten())
            .map(|(name, _)| name.clone())
            .collect();
        let certain = nodes.iter().filter(|(_, role)| *role == Role::Conjunct);
        let required = certain.flat_map(|(node, _)| &node.required);
        let speaks = applied().any(|node| node.speaks);
        let lists = applied().any(|node| node.properties.is_some());
        Self {
            closable: lists && !speaks,
            bare: !lists && !speaks && !applied().any(|node| node.demands),
            undeclared: required.filter(|name| !names.contains(*name)).cloned().collect(),
            overlaps: overlaps(plan, &nodes),
            names,
        }
    }
}

/// Whether an object that one part lists in any case is listed by another part too: neither may close it then, as each
/// would refuse the fields of the other. Branches of a union may share names.
fn overlaps(plan: &Plan, nodes: &[(&Node, Role)]) -> bool {
    let lists = |id: NodeId| {
        let pool = Pool::of(plan, id, &json!({}));
        pool.entries().any(|entry| plan.node(entry.id).is_some_and(|node| node.properties.is_some()))
    };
    let mut listed: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for (node, role) in nodes {
        for (name, _) in node.properties.iter().flatten().filter(|(_, property)| lists(**property)) {
            let (count, certain) = listed.entry(name.as_str()).or_default();
            *count += 1;
            *certain |= *role == Role::Conjunct;
        }
    }
    listed.values().any(|(count, certain)| *count > 1 && *certain)
}
