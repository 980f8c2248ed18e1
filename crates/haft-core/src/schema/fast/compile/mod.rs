//! Compiles a schema into checks. A schema that says anything which is not understood here has none.

mod numbers;
mod objects;
mod unions;
mod values;

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use super::super::dialect::Dialect;
use super::super::plan::References;
use super::super::pointer;
use super::node::{ArrayChecks, Checks, Kinds, Node, NodeId, ObjectChecks, Unlisted};

/// Deepest nesting of subschemas, references followed.
const DEEPEST: usize = 100;
/// Most nodes of one schema.
const MOST_NODES: usize = 4096;

/// Keywords that demand nothing. Formats are never asserted.
const ANNOTATIONS: [&str; 15] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "example",
    "format",
    "deprecated",
    "readOnly",
    "writeOnly",
    "markdownDescription",
];

/// What holds beside the schema itself.
#[derive(Debug, Default)]
pub(in crate::schema) struct Rules {
    /// Members that the schema neither lists nor speaks of are not accepted.
    pub(in crate::schema) closing: bool,
    /// The defaults that are filled, by the pointer of their subschema.
    pub(in crate::schema) defaults: BTreeMap<String, Value>,
}

impl Checks {
    /// The checks of `schema`; none where it says what is not understood here.
    pub(in crate::schema) fn of(schema: &Value, rules: &Rules) -> Option<Self> {
        let dialect = Dialect::of(schema);
        let references = References::of(schema, dialect);
        if dialect < Dialect::Draft6 || references.has_embedded() {
            return None;
        }
        let mut elsewhere = Node::of_kinds(Kinds::ALL);
        elsewhere.part = true;
        elsewhere.array = Some(Box::new(ArrayChecks { others: NodeId::ELSEWHERE, ..ArrayChecks::default() }));
        elsewhere.object = Some(Box::new(ObjectChecks {
            others: NodeId::ELSEWHERE,
            unlisted: Unlisted::Spoken,
            ..ObjectChecks::default()
        }));
        let nodes = vec![Node::of_kinds(Kinds::ALL), Node::of_kinds(Kinds::NONE), elsewhere];
        let mut compiler = Compiler { dialect, references, rules, nodes, known: HashMap::new() };
        let root = compiler.compile("", schema, Use::Whole, 0)?;
        compiler.settle_unions(root)?;
        compiler.settle_root(root, schema)?;
        Some(Self { nodes: compiler.nodes, root })
    }
}

/// What a subschema is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Use {
    /// It describes its value.
    Whole,
    /// It adds demands to a value that another one describes.
    Part,
}

struct Compiler<'s, 'r> {
    dialect: Dialect,
    references: References<'s>,
    rules: &'r Rules,
    nodes: Vec<Node>,
    known: HashMap<(String, Use), NodeId>,
}

impl Compiler<'_, '_> {
    /// The node of the subschema at `place`.
    fn compile(&mut self, place: &str, schema: &Value, used: Use, depth: usize) -> Option<NodeId> {
        if depth > DEEPEST || self.nodes.len() >= MOST_NODES {
            return None;
        }
        let keywords = match schema {
            Value::Bool(true) => {
                return Some(if used == Use::Whole { NodeId::ANY } else { NodeId::ELSEWHERE });
            }
            Value::Bool(false) => return Some(NodeId::NOTHING),
            Value::Object(keywords) => keywords,
            _ => return None,
        };
        if let Some((place, target)) = self.alias(place, keywords)? {
            return self.compile(&place, &target, used, depth + 1);
        }
        if let Some(id) = self.known.get(&(place.to_owned(), used)) {
            return Some(*id);
        }
        let id = NodeId(u32::try_from(self.nodes.len()).ok()?);
        self.nodes.push(Node::of_kinds(Kinds::ALL));
        self.known.insert((place.to_owned(), used), id);
        let node = self.node(place, keywords, used, depth + 1)?;
        *self.nodes.get_mut(id.0 as usize)? = node;
        Some(id)
    }

    /// The subschema that this one stands for: a reference, or the only part of an `allOf`, with nothing beside it.
    #[expect(clippy::option_option, reason = "a subschema that is none, or one that is not understood")]
    fn alias(&self, place: &str, keywords: &Map<String, Value>) -> Option<Option<(String, Value)>> {
        let beside = |alias: &str| {
            keywords.keys().any(|keyword| keyword != alias && !ANNOTATIONS.contains(&keyword.as_str()))
        };
        if let Some(reference) = keywords.get("$ref") {
            if beside("$ref") && !self.dialect.reference_hides_siblings() {
                return None;
            }
            let (target, schema) = self.references.target(place, reference.as_str()?)?;
            return Some(Some((target, schema.clone())));
        }
        match keywords.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
            Some([only]) if !beside("allOf") => Some(Some((format!("{place}/allOf/0"), only.clone()))),
            _ => Some(None),
        }
    }

    fn node(&mut self, place: &str, keywords: &Map<String, Value>, used: Use, depth: usize) -> Option<Node> {
        let mut node = Node::of_kinds(Kinds::ALL);
        node.part = used == Use::Part;
        for (keyword, value) in keywords {
            match keyword.as_str() {
                "type" => node.kinds = values::kinds_of_type(value)?,
                // Read below, all together.
                "enum" | "const" => {}
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                    numbers::add(node.number.get_or_insert_default(), keyword, value)?;
                }
                "minLength" | "maxLength" | "pattern" => {
                    values::add_text(node.text.get_or_insert_default(), keyword, value)?;
                }
                "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" => {
                    self.array(place, &mut node, (keyword, value), depth)?;
                }
                "properties"
                | "required"
                | "additionalProperties"
                | "patternProperties"
                | "unevaluatedProperties"
                | "minProperties"
                | "maxProperties" => {
                    node.object.get_or_insert_default();
                }
                "anyOf" | "oneOf" => self.alternatives(place, &mut node, (keyword, value), depth)?,
                annotation if ANNOTATIONS.contains(&annotation) => {}
                _ => return None,
            }
        }
        values::add_choices(&mut node, keywords)?;
        numbers::settle(&node)?;
        if node.object.is_some() {
            // Branches that only require members evaluate none.
            let composed = node.union.as_ref().is_some_and(|union| !union.additional);
            node.object = Some(Box::new(self.object(place, keywords, (used, composed), depth)?));
        }
        Some(node)
    }

    fn array(
        &mut self,
        place: &str,
        node: &mut Node,
        (keyword, value): (&str, &Value),
        depth: usize,
    ) -> Option<()> {
        let used = if node.part { Use::Part } else { Use::Whole };
        let here = pointer::child(place, keyword);
        let new = || ArrayChecks {
            others: if used == Use::Part { NodeId::ELSEWHERE } else { NodeId::ANY },
            ..ArrayChecks::default()
        };
        let checks = node.array.get_or_insert_with(|| Box::new(new()));
        let count = || usize::try_from(value.as_u64()?).ok();
        match keyword {
            "minItems" => checks.least = count()?,
            "maxItems" => checks.most = count()?,
            "uniqueItems" => checks.unique = value.as_bool()?,
            "items" if value.is_array() => return None,
            "items" => checks.others = self.compile(&here, value, used, depth)?,
            _ if self.dialect < Dialect::Draft202012 => return None,
            _ => {
                for (index, item) in value.as_array()?.iter().enumerate() {
                    let id = self.compile(&pointer::child(&here, &index.to_string()), item, used, depth)?;
                    checks.first.push(id);
                }
            }
        }
        Some(())
    }
}
