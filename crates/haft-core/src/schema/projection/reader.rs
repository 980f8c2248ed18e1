//! Reading a subschema together with everything that applies in place: what `$ref` and allOf lead to.
//!
//! A place of the arguments is described by a [`Spot`], all of whose schemas hold at once. A [`Face`] is what they say
//! together, one level deep; what lies below is again given as spots.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::dialect::Dialect;
use super::super::plan::References;
use super::super::pointer;
use super::keyword::{has, is_annotation};
use super::types::Types;

/// A subschema and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Place<'s> {
    pub(super) pointer: String,
    pub(super) schema: &'s Value,
    /// Only its own keywords count: what it composes is read elsewhere.
    pub(super) bare: bool,
}

impl<'s> Place<'s> {
    pub(super) fn new(pointer: String, schema: &'s Value) -> Self {
        Self { pointer, schema, bare: false }
    }

    fn child(&self, keyword: &str, schema: &'s Value) -> Self {
        Self::new(pointer::child(&self.pointer, keyword), schema)
    }
}

/// Subschemas that hold at once; never empty.
pub(super) type Spot<'s> = Vec<Place<'s>>;

/// Alternatives: anyOf or oneOf.
#[derive(Clone, Debug)]
pub(super) struct Alternatives<'s> {
    pub(super) keyword: &'static str,
    pub(super) pointer: String,
    pub(super) branches: Vec<Place<'s>>,
}

/// A keyword as written.
#[derive(Clone, Debug)]
pub(super) struct Assertion<'s> {
    pub(super) keyword: &'s str,
    pub(super) pointer: String,
    pub(super) value: &'s Value,
}

/// What becomes of properties that are not listed.
#[derive(Clone, Debug, Default)]
pub(super) enum Unlisted<'s> {
    #[default]
    Silent,
    Refused,
    /// `additionalProperties` allows them.
    Free,
    /// Each has to match a schema.
    Of(Spot<'s>),
}

/// What a spot says, one level deep.
#[derive(Debug, Default)]
pub(super) struct Face<'s> {
    /// Every schema that was read, flat: with these, the face can be read again with a further one.
    pub(super) parts: Spot<'s>,
    /// JSON pointers of the definitions that were followed.
    pub(super) targets: Vec<String>,
    pub(super) description: Option<&'s str>,
    pub(super) default: Option<&'s Value>,
    pub(super) types: Types,
    /// The types in the order in which the nearest list names them.
    order: Vec<Types>,
    /// Nothing is accepted.
    pub(super) never: bool,
    /// The literals that are allowed.
    pub(super) choices: Option<Vec<&'s Value>>,
    pub(super) properties: Vec<(&'s str, Spot<'s>)>,
    pub(super) required: Vec<&'s str>,
    pub(super) unlisted: Unlisted<'s>,
    pub(super) items: Option<Spot<'s>>,
    pub(super) prefix: Vec<Spot<'s>>,
    pub(super) alternatives: Vec<Alternatives<'s>>,
    /// Bounds, patterns, formats.
    pub(super) bounds: Vec<Assertion<'s>>,
    /// What no simple schema can say: not, if, dependencies, patterns of names.
    pub(super) conditions: Vec<Assertion<'s>>,
}

/// A schema and where its references lead.
pub(super) struct Reader<'s> {
    root: &'s Value,
    dialect: Dialect,
    references: References<'s>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        let dialect = Dialect::of(root);
        Self { root, dialect, references: References::of(root, dialect) }
    }

    /// How many values the schema consists of.
    pub(super) fn size(&self) -> usize {
        let mut size = 0;
        let mut open = vec![self.root];
        while let Some(value) = open.pop() {
            size += 1;
            match value {
                Value::Array(items) => open.extend(items),
                Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
        }
        size
    }

    pub(super) fn root(&self) -> Spot<'s> {
        vec![Place::new(String::new(), self.root)]
    }

    /// The spot at a JSON pointer that a reference led to.
    pub(super) fn at(&self, pointer: &str) -> Option<Spot<'s>> {
        Some(vec![Place::new(pointer.to_owned(), pointer::find(self.root, pointer)?)])
    }

    /// What `spot` says.
    pub(super) fn read(&self, spot: &[Place<'s>]) -> Face<'s> {
        let mut face = Face::default();
        // Most spots are one schema: a list is searched faster than a set is made.
        let mut seen: Vec<(&Value, bool)> = Vec::with_capacity(spot.len());
        let mut open: Vec<Place<'s>> = spot.iter().rev().cloned().collect();
        while let Some(place) = open.pop() {
            if seen.iter().any(|(schema, bare)| std::ptr::eq(*schema, place.schema) && *bare == place.bare) {
                continue;
            }
            seen.push((place.schema, place.bare));
            match place.schema {
                Value::Bool(false) => face.never = true,
                Value::Object(keywords) => {
                    let mut composed = Vec::new();
                    self.keywords(&mut face, &place, keywords, &mut composed);
                    open.extend(composed.into_iter().rev());
                }
                _ => {}
            }
            face.parts.push(Place { bare: true, ..place });
        }
        face.settle();
        face
    }

    /// Reads the keywords of one schema; what it composes goes to `composed`.
    fn keywords(
        &self,
        face: &mut Face<'s>,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        composed: &mut Vec<Place<'s>>,
    ) {
        let reference = keywords.get("$ref").and_then(Value::as_str);
        let hides = reference.is_some() && self.dialect.reference_hides_siblings();
        for (keyword, value) in keywords {
            if has(self.dialect, keyword) && (!hides || is_annotation(keyword)) {
                face.take(place, (keyword, value), composed);
            }
        }
        if let Some(reference) = reference.filter(|_| !place.bare)
            && let Some((target, schema)) = self.references.target(&place.pointer, reference)
        {
            face.targets.push(target.clone());
            composed.insert(0, Place::new(target, schema));
        }
    }
}

impl<'s> Face<'s> {
    /// JSON pointer of the spot.
    pub(super) fn pointer(&self) -> &str {
        self.parts.first().map_or("", |place| place.pointer.as_str())
    }

    /// The fewest types that make up `types`, in the order in which they are named.
    pub(super) fn in_order(&self, types: Types) -> Vec<Types> {
        let mut each: Vec<Types> = types.each().map(|(one, _)| one).collect();
        each.sort_by_key(|one| self.order.iter().position(|named| named == one).unwrap_or(usize::MAX));
        each
    }

    /// The spot of this face with one schema more.
    pub(super) fn with(&self, place: &Place<'s>) -> Spot<'s> {
        // The branch comes first: what it says of itself is closer to the value.
        std::iter::once(place).chain(&self.parts).cloned().collect()
    }

    /// Takes what one keyword says; what it composes goes to `composed`.
    fn take(
        &mut self,
        place: &Place<'s>,
        (keyword, value): (&'s String, &'s Value),
        composed: &mut Vec<Place<'s>>,
    ) {
        let list = || value.as_array().into_iter().flatten().enumerate();
        let branch = |(index, one): (usize, &'s Value)| {
            Place::new(format!("{}/{keyword}/{index}", place.pointer), one)
        };
        match (keyword.as_str(), value) {
            ("type", _) => {
                self.types = self.types.intersection(Types::of(value));
                if self.order.is_empty() {
                    self.order = list().map(|(_, name)| Types::of(name)).collect();
                }
            }
            ("enum", Value::Array(choices)) => self.choose(choices.iter().collect()),
            ("const", only) => self.choose(vec![only]),
            ("description", Value::String(text)) => {
                self.description.get_or_insert(text);
            }
            ("default", value) => {
                self.default.get_or_insert(value);
            }
            ("required", _) => self.required.extend(list().filter_map(|(_, name)| name.as_str())),
            ("properties", Value::Object(named)) => self.declare(place, named),
            ("allOf" | "anyOf" | "oneOf", _) if place.bare => {}
            ("allOf", _) => composed.extend(list().map(branch)),
            ("anyOf" | "oneOf", _) => self.alternatives.push(Alternatives {
                keyword: if keyword == "anyOf" { "anyOf" } else { "oneOf" },
                pointer: pointer::child(&place.pointer, keyword),
                branches: list().map(branch).collect(),
            }),
            ("additionalProperties" | "unevaluatedProperties", _) => self.unlist(place.child(keyword, value)),
            ("prefixItems", _) | ("items", Value::Array(_)) => self.tuple(list().map(branch)),
            ("items", _) => self.items.get_or_insert_default().push(place.child(keyword, value)),
            ("additionalItems", _) if place.schema.get("items").is_some_and(Value::is_array) => {
                self.items.get_or_insert_default().push(place.child(keyword, value));
            }
            _ => self.assert(place, keyword, value),
        }
    }

    fn choose(&mut self, choices: Vec<&'s Value>) {
        self.choices = Some(match self.choices.take() {
            None => choices,
            Some(known) => known.into_iter().filter(|one| choices.contains(one)).collect(),
        });
    }

    fn declare(&mut self, place: &Place<'s>, named: &'s Map<String, Value>) {
        let properties = pointer::child(&place.pointer, "properties");
        for (name, schema) in named {
            let child = Place::new(pointer::child(&properties, name), schema);
            match self.properties.iter_mut().find(|(known, _)| known == name) {
                Some((_, spot)) => spot.push(child),
                None => self.properties.push((name, vec![child])),
            }
        }
    }

    fn tuple(&mut self, places: impl Iterator<Item = Place<'s>>) {
        for (index, place) in places.enumerate() {
            match self.prefix.get_mut(index) {
                Some(spot) => spot.push(place),
                None => self.prefix.push(vec![place]),
            }
        }
    }

    fn unlist(&mut self, place: Place<'s>) {
        let known = std::mem::take(&mut self.unlisted);
        self.unlisted = match (place.schema, known) {
            (_, Unlisted::Refused) | (Value::Bool(false), _) => Unlisted::Refused,
            (Value::Bool(true), Unlisted::Silent) => Unlisted::Free,
            (Value::Object(keywords), Unlisted::Silent) if keywords.is_empty() => Unlisted::Free,
            (Value::Bool(true), known) => known,
            (_, Unlisted::Of(mut spot)) => {
                spot.push(place);
                Unlisted::Of(spot)
            }
            (_, _) => Unlisted::Of(vec![place]),
        };
    }

    fn assert(&mut self, place: &Place<'s>, keyword: &'s str, value: &'s Value) {
        let assertion = || Assertion { keyword, pointer: pointer::child(&place.pointer, keyword), value };
        // Draft 4 wrote an exclusive bound as a boolean beside the bound.
        let is_exclusive =
            |keyword: &str| place.schema.get(keyword).is_some_and(|flag| *flag == Value::Bool(true));
        match keyword {
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => {}
            "minimum" if is_exclusive("exclusiveMinimum") => {
                self.bounds.push(Assertion { keyword: "exclusiveMinimum", ..assertion() });
            }
            "maximum" if is_exclusive("exclusiveMaximum") => {
                self.bounds.push(Assertion { keyword: "exclusiveMaximum", ..assertion() });
            }
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength"
            | "maxLength" | "pattern" | "format" | "minItems" | "maxItems" | "uniqueItems"
            | "minProperties" | "maxProperties" => {
                let assertion = assertion();
                match self.bounds.iter_mut().find(|known| known.keyword == keyword) {
                    Some(known) if is_stricter(keyword, value, known.value) => *known = assertion,
                    Some(_) => {}
                    None => self.bounds.push(assertion),
                }
            }
            "not" | "if" | "then" | "else" | "contains" | "minContains" | "maxContains" | "propertyNames"
            | "patternProperties" | "dependentRequired" | "dependentSchemas" | "dependencies"
            | "unevaluatedItems" | "$dynamicRef" | "$recursiveRef" => self.conditions.push(assertion()),
            _ => {}
        }
    }

    /// Draws the conclusions once everything is read.
    fn settle(&mut self) {
        if let Some(choices) = &mut self.choices {
            let types = self.types;
            choices.retain(|choice| types.accepts(choice));
            self.types =
                choices.iter().fold(Types::NONE, |found, choice| found.union(Types::of_value(choice)));
        }
        self.never |= self.types.is_none();
        let mut seen = BTreeSet::new();
        self.required.retain(|name| seen.insert(*name));
    }
}

/// Whether `new` accepts less than `known`.
fn is_stricter(keyword: &str, new: &Value, known: &Value) -> bool {
    match (new.as_f64(), known.as_f64()) {
        (Some(new), Some(known)) if keyword.starts_with("min") || keyword == "exclusiveMinimum" => {
            new > known
        }
        (Some(new), Some(known)) if keyword.starts_with("max") || keyword == "exclusiveMaximum" => {
            new < known
        }
        _ => false,
    }
}
