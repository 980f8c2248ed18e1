//! `anyOf` and `oneOf`.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::super::pointer;
use super::super::node::{Kinds, Node, NodeId, ObjectChecks, Tag, Union, Unlisted};
use super::{Compiler, Use};

impl Compiler<'_, '_> {
    pub(super) fn alternatives(
        &mut self,
        place: &str,
        node: &mut Node,
        (keyword, value): (&str, &Value),
        depth: usize,
    ) -> Option<()> {
        // Two unions, or one of which only a part is wanted, are rare.
        if node.union.is_some() || node.part {
            return None;
        }
        let schemas = value.as_array()?;
        // Branches that describe nothing of the value only add to what the node itself describes.
        let bare = |schema: &Value| schema.as_object().is_some_and(only_requires);
        let additional = schemas.iter().all(bare);
        let used = if additional { Use::Part } else { Use::Whole };
        let here = pointer::child(place, keyword);
        let mut branches = Vec::new();
        for (index, schema) in schemas.iter().enumerate() {
            branches.push(self.compile(&pointer::child(&here, &index.to_string()), schema, used, depth)?);
        }
        let exactly = keyword == "oneOf";
        node.union = Some(Box::new(Union { exactly, branches, tag: None, closed: false, additional }));
        Some(())
    }

    /// Finds what branches are picked by, now that every node is there.
    pub(super) fn settle_unions(&mut self, root: NodeId) -> Option<()> {
        for index in 0..self.nodes.len() {
            let node = self.nodes.get(index)?;
            let Some(union) = node.union.as_ref().filter(|union| !union.additional) else { continue };
            // Beside the branches the node may say of which types the value is, and that the object is closed.
            let sealed = node.object.as_ref().is_some_and(|object| object.unlisted == Unlisted::Spoken);
            if node.says_more() {
                return None;
            }
            let objects: Vec<&ObjectChecks> = union
                .branches
                .iter()
                .filter_map(|id| self.nodes.get(id.0 as usize)?.object.as_deref())
                .collect();
            let lists = objects.iter().any(|object| object.lists);
            let nested = |id: &NodeId| self.nodes.get(id.0 as usize).is_some_and(|node| node.union.is_some());
            let unclear = union.branches.iter().any(nested);
            let closed = sealed || lists || unclear || index == root.0 as usize;
            let tag = if unclear { None } else { self.tag(union) };
            // What a pattern admits or a branch requires is not what it evaluates, and silent branches have to be closed.
            let patterned = objects.iter().any(|object| {
                !object.patterns.is_empty() || object.properties.iter().any(|property| !property.listed)
            });
            if sealed && (unclear || patterned || !self.rules.closing) {
                return None;
            }
            let union = self.nodes.get_mut(index)?.union.as_mut()?;
            (union.closed, union.tag) = (closed, tag);
        }
        Some(())
    }

    /// The required property that has another constant text in every branch.
    fn tag(&self, union: &Union) -> Option<Tag> {
        let object = |id: &NodeId| {
            let node = self.nodes.get(id.0 as usize)?;
            node.object.as_deref().filter(|_| node.kinds == Kinds::OBJECT)
        };
        let first = object(union.branches.first()?)?;
        let values = |name: &str| {
            let mut seen = HashSet::new();
            let branches: Option<Vec<(Box<str>, NodeId)>> = union
                .branches
                .iter()
                .map(|id| Some((self.constant(object(id)?, name)?.into(), *id)))
                .collect();
            branches.filter(|branches| branches.iter().all(|(value, _)| seen.insert(value.clone())))
        };
        first
            .properties
            .iter()
            .find_map(|property| Some(Tag { name: property.name.clone(), branches: values(&property.name)? }))
    }

    /// The only text that the required property `name` can have.
    fn constant(&self, object: &ObjectChecks, name: &str) -> Option<&str> {
        let place = object.properties.iter().position(|property| &*property.name == name)?;
        let required = object.required >> place & 1 == 1;
        let node = self.nodes.get(object.properties.get(place)?.node.0 as usize)?;
        let choices = node.choices.as_ref().filter(|_| required && node.kinds == Kinds::STRING)?;
        match choices.texts.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// An object at the root that demands nothing and lists nothing is closed by a rule that is not followed here.
    pub(super) fn settle_root(&self, root: NodeId, schema: &Value) -> Option<()> {
        let node = self.nodes.get(root.0 as usize)?;
        let plain = node.union.as_ref().is_none_or(|union| union.additional);
        let described = node.object.as_ref().is_some_and(|object| {
            object.lists || object.unlisted == Unlisted::Spoken || object.required != 0 || object.least > 0
        });
        (!plain || described || !self.rules.closing && schema.is_object()).then_some(())
    }
}

impl Node {
    /// Whether a node with branches says of the value what the branches do not see.
    fn says_more(&self) -> bool {
        let object = self.object.as_ref().is_some_and(|object| {
            !object.properties.is_empty()
                || object.lists
                || !object.patterns.is_empty()
                || object.least > 0
                || object.most < usize::MAX
                || object.others != NodeId::ANY
        });
        object
            || self.choices.is_some()
            || self.number.is_some()
            || self.text.is_some()
            || self.array.is_some()
    }
}

/// Whether a branch says no more than which members have to be there.
fn only_requires(keywords: &Map<String, Value>) -> bool {
    keywords.keys().all(|keyword| matches!(keyword.as_str(), "required" | "title" | "description"))
}
