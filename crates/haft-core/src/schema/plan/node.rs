//! One place of a schema, as far as the walk over arguments needs it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::check::Pattern;

/// Index of a node in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::schema) struct NodeId(pub(super) u32);

/// The JSON types a schema allows, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) struct Kinds(u8);

impl Kinds {
    pub(super) const ALL: Self = Self(0x7F);
    pub(super) const NONE: Self = Self(0);
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(2);
    const INTEGER: Self = Self(4);
    const NUMBER: Self = Self(8);
    const STRING: Self = Self(16);
    const ARRAY: Self = Self(32);
    const OBJECT: Self = Self(64);

    /// What the value of a `type` keyword allows.
    pub(super) fn of_keyword(types: &Value) -> Self {
        let named = |name: &Value| match name.as_str() {
            Some("null") => Self::NULL,
            Some("boolean") => Self::BOOLEAN,
            Some("integer") => Self::INTEGER,
            Some("number") => Self::NUMBER,
            Some("string") => Self::STRING,
            Some("array") => Self::ARRAY,
            Some("object") => Self::OBJECT,
            _ => Self::NONE,
        };
        match types {
            Value::Array(names) => names.iter().map(named).fold(Self::NONE, |all, kind| Self(all.0 | kind.0)),
            name => named(name),
        }
    }

    fn has(self, kind: Self) -> bool {
        self.0 & kind.0 != 0
    }

    /// Whether `value` can be of one of these types.
    pub(in crate::schema) fn admits(self, value: &Value) -> bool {
        match value {
            Value::Null => self.has(Self::NULL),
            Value::Bool(_) => self.has(Self::BOOLEAN),
            Value::Number(_) => self.has(Self(Self::INTEGER.0 | Self::NUMBER.0)),
            Value::String(_) => self.has(Self::STRING),
            Value::Array(_) => self.has(Self::ARRAY),
            Value::Object(_) => self.has(Self::OBJECT),
        }
    }

    /// Whether a number must be whole.
    pub(in crate::schema) fn wants_integer(self) -> bool {
        self.has(Self::INTEGER) && !self.has(Self::NUMBER)
    }

    /// Whether a `type` names "number": fractions are as welcome as integers.
    pub(in crate::schema) fn names_number(self) -> bool {
        self != Self::ALL && self.has(Self::NUMBER)
    }
}

/// The subschemas of an `if`.
#[derive(Clone, Copy, Debug)]
pub(in crate::schema) struct Choice {
    pub(super) condition: NodeId,
    pub(super) then: Option<NodeId>,
    pub(super) otherwise: Option<NodeId>,
}

/// One subschema.
#[derive(Debug)]
pub(in crate::schema) struct Node {
    /// JSON pointer of the subschema.
    pub(in crate::schema) pointer: String,
    /// `type`.
    pub(in crate::schema) kinds: Kinds,
    /// `enum`, or `const` as the only choice.
    pub(in crate::schema) choices: Option<Vec<Value>>,
    /// `$ref` and the parts of `allOf`: they apply to the same value.
    pub(super) conjuncts: Vec<NodeId>,
    /// Each `anyOf`: one of the group applies at least.
    pub(super) any_of: Option<Vec<NodeId>>,
    /// Each `oneOf`: exactly one of the group applies.
    pub(super) one_of: Option<Vec<NodeId>>,
    /// `if`, `then`, `else`.
    pub(super) choice: Option<Choice>,
    /// `not`.
    pub(super) not: Option<NodeId>,
    /// `dependentSchemas`, and the schemas of `dependencies`.
    pub(super) dependents: Vec<(String, NodeId)>,
    /// `properties`, where the keyword stands.
    pub(in crate::schema) properties: Option<BTreeMap<String, NodeId>>,
    /// `patternProperties`.
    pub(super) patterns: Vec<(Pattern, NodeId)>,
    /// `additionalProperties`.
    pub(super) additional: Option<NodeId>,
    /// `unevaluatedProperties`.
    pub(super) unevaluated: Option<NodeId>,
    /// `required`, in its order.
    pub(in crate::schema) required: Vec<String>,
    /// Items that each have a schema of their own.
    pub(super) first_items: Vec<NodeId>,
    /// The schema of the items behind those.
    pub(super) other_items: Option<NodeId>,
    /// `contains` and `unevaluatedItems`.
    pub(super) tested_items: Vec<NodeId>,
    /// `propertyNames`.
    pub(super) names: Option<NodeId>,
    /// Whether the schema says itself what becomes of properties that it does not list.
    pub(in crate::schema) speaks: bool,
    /// Whether it has a keyword that demands or admits properties other than by `properties`.
    pub(in crate::schema) demands: bool,
    /// `default`.
    pub(in crate::schema) default: Option<Value>,
}

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Node {
    /// The subschemas that apply to the same value.
    pub(super) fn in_place(&self) -> impl Iterator<Item = NodeId> + '_ {
        let groups = [&self.any_of, &self.one_of].into_iter().flatten().flatten().copied();
        let choice = self
            .choice
            .into_iter()
            .flat_map(|choice| [Some(choice.condition), choice.then, choice.otherwise].into_iter().flatten());
        let dependents = self.dependents.iter().map(|(_, id)| *id);
        self.conjuncts.iter().copied().chain(groups).chain(self.not).chain(choice).chain(dependents)
    }

    /// The subschemas that apply to the member `name`.
    pub(super) fn of_property(&self, name: &str) -> impl Iterator<Item = NodeId> + '_ {
        let own = self.properties.as_ref().and_then(|properties| properties.get(name)).copied();
        let patterns = self.patterns.iter().map(|(_, id)| *id);
        own.into_iter().chain(patterns).chain(self.additional).chain(self.unevaluated).chain(self.names)
    }

    /// The subschemas that apply to the item at `index`.
    pub(super) fn of_item(&self, index: usize) -> impl Iterator<Item = NodeId> + '_ {
        let own = self.first_items.get(index).copied().or(self.other_items);
        own.into_iter().chain(self.tested_items.iter().copied())
    }

    /// Every subschema directly below.
    pub(super) fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let properties = self.properties.iter().flatten().map(|(_, id)| *id);
        let items =
            self.first_items.iter().copied().chain(self.other_items).chain(self.tested_items.iter().copied());
        self.in_place().chain(properties).chain(self.of_property("")).chain(items)
    }

    /// A node that allows everything and says nothing.
    pub(super) fn open(pointer: String) -> Self {
        Self {
            pointer,
            kinds: Kinds::ALL,
            choices: None,
            conjuncts: Vec::new(),
            any_of: None,
            one_of: None,
            choice: None,
            not: None,
            dependents: Vec::new(),
            properties: None,
            patterns: Vec::new(),
            additional: None,
            unevaluated: None,
            required: Vec::new(),
            first_items: Vec::new(),
            other_items: None,
            tested_items: Vec::new(),
            names: None,
            speaks: false,
            demands: false,
            default: None,
        }
    }

    /// A node that this plan knows nothing about: nothing is dropped, closed or converted because of it.
    pub(super) fn opaque(pointer: String) -> Self {
        Self { speaks: true, demands: true, ..Self::open(pointer) }
    }

    /// Whether `value` is ruled out by `type`, `enum` or `const` alone.
    pub(in crate::schema) fn excludes(&self, value: &Value) -> bool {
        let chosen = |choices: &Vec<Value>| choices.iter().any(|choice| super::equal(choice, value));
        !self.kinds.admits(value) || self.choices.as_ref().is_some_and(|choices| !chosen(choices))
    }
}
