//! Reads a schema into a plan, without recursion, so that no nesting or loop of references can overflow the stack.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

use super::super::check::Pattern;
use super::super::dialect::Dialect;
use super::super::pointer;
use super::node::{Choice, Kinds, Node, NodeId};
use super::references::References;
use super::{Dangling, Plan, cost, nullable};

pub(super) struct Builder<'s> {
    dialect: Dialect,
    references: References<'s>,
    ids: HashMap<String, NodeId>,
    /// Subschemas that have an id but no node yet, in the order of their ids.
    open: VecDeque<(String, &'s Value)>,
    nodes: Vec<Node>,
    dangling: Vec<Dangling>,
}

impl<'s> Builder<'s> {
    pub(super) fn new(schema: &'s Value) -> Self {
        let dialect = Dialect::of(schema);
        Self {
            dialect,
            references: References::of(schema, dialect),
            ids: HashMap::new(),
            open: VecDeque::new(),
            nodes: Vec::new(),
            dangling: Vec::new(),
        }
    }

    pub(super) fn build(mut self, schema: &'s Value) -> Plan {
        self.id(String::new(), schema);
        while let Some((place, subschema)) = self.open.pop_front() {
            let node = match subschema {
                Value::Object(keywords) => self.node(place, keywords),
                Value::Bool(false) => Node { kinds: Kinds::NONE, ..Node::open(place) },
                _ => Node::open(place),
            };
            self.nodes.push(node);
        }
        Plan {
            null: nullable::verdicts(&self.nodes),
            shape: cost::shape(&self.nodes),
            nodes: self.nodes,
            dangling: self.dangling,
        }
    }

    /// The id of the subschema at `place`, which will get its node.
    fn id(&mut self, place: String, subschema: &'s Value) -> NodeId {
        if let Some(id) = self.ids.get(&place) {
            return *id;
        }
        let id = NodeId(u32::try_from(self.ids.len()).unwrap_or(u32::MAX));
        self.ids.insert(place.clone(), id);
        self.open.push_back((place, subschema));
        id
    }

    fn node(&mut self, place: String, keywords: &'s Map<String, Value>) -> Node {
        if let Some((keyword, reference)) = dynamic_reference(self.dialect, keywords) {
            if self.references.target(&place, reference).is_none() {
                let pointer = pointer::child(&place, keyword);
                self.dangling.push(Dangling { pointer, reference: reference.to_owned() });
            }
            return Node::opaque(place);
        }
        let mut node = Node::open(place);
        if let Some(Value::String(reference)) = keywords.get("$ref") {
            let Some((target, subschema)) = self.references.target(&node.pointer, reference) else {
                let pointer = pointer::child(&node.pointer, "$ref");
                self.dangling.push(Dangling { pointer, reference: reference.clone() });
                return Node::opaque(node.pointer);
            };
            let target = self.id(target, subschema);
            node.conjuncts.push(target);
            if self.dialect.reference_hides_siblings() {
                return node;
            }
        }
        self.value_keywords(&mut node, keywords);
        self.in_place_keywords(&mut node, keywords);
        self.object_keywords(&mut node, keywords);
        self.array_keywords(&mut node, keywords);
        node
    }

    fn value_keywords(&self, node: &mut Node, keywords: &Map<String, Value>) {
        if let Some(types) = keywords.get("type") {
            node.kinds = Kinds::of_keyword(types);
        }
        node.choices = match (keywords.get("const"), keywords.get("enum")) {
            (Some(only), _) if self.dialect > Dialect::Draft4 => Some(vec![only.clone()]),
            (_, Some(Value::Array(choices))) => Some(choices.clone()),
            _ => None,
        };
        node.default = keywords.get("default").cloned();
    }

    fn in_place_keywords(&mut self, node: &mut Node, keywords: &'s Map<String, Value>) {
        let all_of = self.list(node, keywords, "allOf").unwrap_or_default();
        node.conjuncts.extend(all_of);
        node.any_of = self.list(node, keywords, "anyOf");
        node.one_of = self.list(node, keywords, "oneOf");
        node.not = self.single(node, keywords, "not");
        if self.dialect >= Dialect::Draft7
            && let Some(condition) = self.single(node, keywords, "if")
        {
            let then = self.single(node, keywords, "then");
            let otherwise = self.single(node, keywords, "else");
            node.choice = Some(Choice { condition, then, otherwise });
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            let dependents = self.named(node, keywords, keyword).unwrap_or_default();
            node.dependents.extend(dependents);
        }
    }

    fn object_keywords(&mut self, node: &mut Node, keywords: &'s Map<String, Value>) {
        node.properties = self.named(node, keywords, "properties").map(|named| named.into_iter().collect());
        for (pattern, subschema) in self.named(node, keywords, "patternProperties").unwrap_or_default() {
            node.patterns.push((Pattern::new(&pattern), subschema));
        }
        node.additional = self.single(node, keywords, "additionalProperties");
        node.unevaluated = self.single(node, keywords, "unevaluatedProperties");
        node.names = self.single(node, keywords, "propertyNames");
        if let Some(Value::Array(names)) = keywords.get("required") {
            node.required = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        node.speaks = ["additionalProperties", "patternProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| keywords.contains_key(*keyword));
        node.demands = !node.required.is_empty()
            || ["propertyNames", "minProperties", "dependentRequired", "dependentSchemas", "dependencies"]
                .iter()
                .any(|keyword| keywords.contains_key(*keyword));
    }

    fn array_keywords(&mut self, node: &mut Node, keywords: &'s Map<String, Value>) {
        if keywords.get("items").is_some_and(Value::is_array) {
            node.first_items = self.list(node, keywords, "items").unwrap_or_default();
            node.other_items = self.single(node, keywords, "additionalItems");
        } else {
            node.first_items = self.list(node, keywords, "prefixItems").unwrap_or_default();
            node.other_items = self.single(node, keywords, "items");
        }
        for keyword in ["contains", "unevaluatedItems"] {
            let tested = self.single(node, keywords, keyword);
            node.tested_items.extend(tested);
        }
    }

    fn single(&mut self, node: &Node, keywords: &'s Map<String, Value>, keyword: &str) -> Option<NodeId> {
        let subschema = keywords.get(keyword).filter(|value| is_schema(value))?;
        Some(self.id(pointer::child(&node.pointer, keyword), subschema))
    }

    fn list(&mut self, node: &Node, keywords: &'s Map<String, Value>, keyword: &str) -> Option<Vec<NodeId>> {
        let place = pointer::child(&node.pointer, keyword);
        let subschemas = keywords.get(keyword)?.as_array()?.iter().enumerate();
        Some(
            subschemas
                .map(|(at, subschema)| self.id(pointer::child(&place, &at.to_string()), subschema))
                .collect(),
        )
    }

    fn named(
        &mut self,
        node: &Node,
        keywords: &'s Map<String, Value>,
        keyword: &str,
    ) -> Option<Vec<(String, NodeId)>> {
        let place = pointer::child(&node.pointer, keyword);
        let subschemas = keywords.get(keyword)?.as_object()?.iter().filter(|(_, value)| is_schema(value));
        Some(
            subschemas
                .map(|(name, subschema)| (name.clone(), self.id(pointer::child(&place, name), subschema)))
                .collect(),
        )
    }
}

/// A reference whose target depends on where it is reached from; a plan does not follow it.
fn dynamic_reference(dialect: Dialect, keywords: &Map<String, Value>) -> Option<(&'static str, &str)> {
    let keyword = match dialect {
        Dialect::Draft202012 => "$dynamicRef",
        Dialect::Draft201909 => "$recursiveRef",
        _ => return None,
    };
    Some((keyword, keywords.get(keyword)?.as_str()?))
}

fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}
