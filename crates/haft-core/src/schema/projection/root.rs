//! Roots for providers that want a plain object there: everything the root composes is put together.

use serde_json::{Map, Value};

use super::error::Fault;
use super::keyword::{Holds, holds};
use super::plain::Plain;
use super::reader::{Face, Reader, Spot, Unlisted};
use super::report::ChangeKind;
use super::types::Types;
use super::words;

/// An object whose alternatives were put together.
#[derive(Default)]
pub(super) struct Flat<'s> {
    /// Each property with the alternatives for it: one spot, unless it stands in several branches.
    pub(super) properties: Vec<(&'s str, Vec<Spot<'s>>)>,
    pub(super) required: Vec<&'s str>,
    /// Whether properties that are not declared are refused.
    closed: bool,
    /// Whether some branch says that it takes properties that are not declared.
    pub(super) takes_more: bool,
    /// Whether a property is declared in some branches only, and the others do not refuse it.
    pub(super) narrows: bool,
    /// What the alternatives meant, in words.
    pub(super) rules: Vec<String>,
}

/// Puts alternatives together, within bounds.
pub(super) struct Flattener<'s, 'r> {
    reader: &'r Reader<'s>,
    /// The definitions whose alternatives are being put together.
    path: Vec<String>,
    /// Branches that may still be read.
    budget: usize,
}

impl<'s, 'r> Flattener<'s, 'r> {
    pub(super) fn new(reader: &'r Reader<'s>) -> Self {
        Self { reader, path: Vec::new(), budget: 1000 }
    }

    /// All properties of all branches; required is what every branch of a set requires.
    pub(super) fn flatten(&mut self, face: &Face<'s>) -> Flat<'s> {
        let mut flat = Flat {
            properties: face.properties.iter().map(|(name, spot)| (*name, vec![spot.clone()])).collect(),
            required: face.required.clone(),
            closed: matches!(face.unlisted, Unlisted::Refused),
            ..Flat::default()
        };
        for alternatives in &face.alternatives {
            let faces: Vec<Face<'s>> = alternatives
                .branches
                .iter()
                .map(|branch| self.reader.read(std::slice::from_ref(branch)))
                .filter(|branch| !branch.never && branch.types.contains(Types::OBJECT))
                .collect();
            flat.rules.push(words::alternatives(alternatives.keyword, &faces));
            let branches: Vec<Flat<'s>> = faces.iter().filter_map(|face| self.branch(face)).collect();
            // Of a branch that was not read nothing is known.
            let all_read = branches.len() == faces.len();
            let everywhere =
                |name: &&str| all_read && branches.iter().all(|branch| branch.required.contains(name));
            let required = branches.first().map(|branch| branch.required.clone()).unwrap_or_default();
            for name in required.into_iter().filter(everywhere) {
                if !flat.required.contains(&name) {
                    flat.required.push(name);
                }
            }
            flat.narrows |= !all_read;
            flat.takes_more |=
                faces.iter().any(|face| matches!(face.unlisted, Unlisted::Free | Unlisted::Of(_)));
            flat.join(branches);
        }
        flat
    }

    fn branch(&mut self, face: &Face<'s>) -> Option<Flat<'s>> {
        let is_loop = face.targets.iter().any(|target| self.path.contains(target));
        self.budget = self.budget.checked_sub(1).filter(|_| !is_loop)?;
        let entered = self.path.len();
        // Alternatives nest no deeper than their definitions do, and those are bounded as well.
        if entered > DEEPEST {
            return None;
        }
        self.path.extend(face.targets.iter().cloned());
        self.path.push(face.pointer().to_owned());
        let flat = self.flatten(face);
        self.path.truncate(entered);
        Some(flat)
    }
}

/// Deepest that alternatives stand inside alternatives.
const DEEPEST: usize = 40;

impl<'s> Flat<'s> {
    /// Adds what branches declare; a property that the object declares itself stays as that says.
    fn join(&mut self, branches: Vec<Flat<'s>>) {
        let open = branches.iter().filter(|branch| !branch.closed);
        let least = open.map(|branch| branch.properties.len()).min();
        self.narrows |= branches.iter().any(|branch| branch.narrows);
        self.takes_more |= branches.iter().any(|branch| branch.takes_more);
        let mut joined: Vec<(&'s str, Vec<Spot<'s>>)> = Vec::new();
        for (name, spots) in branches.into_iter().flat_map(|branch| branch.properties) {
            match joined.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => known.extend(spots),
                None => joined.push((name, spots)),
            }
        }
        // An open branch takes anything for what only another one declares.
        self.narrows |= least.is_some_and(|least| joined.len() > least);
        for (name, spots) in joined {
            if !self.properties.iter().any(|(known, _)| *known == name) {
                self.properties.push((name, spots));
            }
        }
    }
}

/// The root as one object without alternatives, written by `plain`.
pub(super) fn object(plain: &mut Plain<'_, '_>, schema: &Value) -> Result<Map<String, Value>, Fault> {
    let Value::Object(keywords) = schema else { return Ok(empty_object()) };
    let forbidden = ["$ref", "allOf", "anyOf", "oneOf", "not", "enum", "const"];
    if !forbidden.iter().any(|keyword| keywords.contains_key(*keyword)) {
        let mut made = plain.keywords(keywords, "");
        name_type(plain, &mut made);
        made.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        return Ok(made);
    }
    let reader = Reader::new(schema);
    let face = reader.read(&reader.root());
    if !face.types.contains(Types::OBJECT) {
        return Err(Fault::new("", "arguments are one object, and the schema accepts none"));
    }
    let own: Map<String, Value> = keywords
        .iter()
        .filter(|(keyword, _)| !forbidden.contains(&keyword.as_str()))
        .map(|(keyword, value)| (keyword.clone(), value.clone()))
        .collect();
    let mut made = plain.keywords(&own, "");
    made.insert("type".to_owned(), "object".into());
    let flat = Flattener::new(&reader).flatten(&face);
    let mut properties = Map::new();
    for (name, spots) in &flat.properties {
        properties.insert((*name).to_owned(), alternatives(plain, spots, !flat.required.contains(name)));
    }
    made.insert("properties".to_owned(), Value::Object(properties));
    if !flat.required.is_empty() {
        made.insert("required".to_owned(), flat.required.iter().copied().collect());
    }
    // What the parts say of further properties holds for all of them now.
    made.remove("unevaluatedProperties");
    made.remove("additionalProperties");
    if matches!(face.unlisted, Unlisted::Refused) && !flat.takes_more {
        made.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    tell(plain, &mut made, &face, flat);
    Ok(made)
}

/// Says in the report and in the description what the root no longer says.
fn tell(plain: &mut Plain<'_, '_>, made: &mut Map<String, Value>, face: &Face<'_>, flat: Flat<'_>) {
    let why = "no alternatives may stand at the root: their properties are put together, the rule is in the description";
    for alternatives in &face.alternatives {
        plain.report.add(ChangeKind::Weakened, &alternatives.pointer, alternatives.keyword, why);
        if flat.narrows {
            let why = "a property of one alternative is offered only as that declares it";
            plain.report.add(ChangeKind::Narrowed, &alternatives.pointer, alternatives.keyword, why);
        }
    }
    for keyword in ["$ref", "allOf"] {
        let stood = match keyword {
            "allOf" => face.parts.iter().any(|place| place.pointer.starts_with("/allOf/")),
            _ => !face.targets.is_empty(),
        };
        if stood {
            let why = "the root has to be one plain object: what it is composed of is put together";
            plain.report.add(ChangeKind::Rewritten, "", keyword, why);
        }
    }
    let mut rules = flat.rules;
    if let Some(choices) = &face.choices {
        plain.report.add(ChangeKind::Weakened, "", "enum", "no choices may stand at the root");
        let choices: Vec<Value> = choices.iter().copied().cloned().collect();
        rules.push(format!("The arguments are one of {}", words::short(&Value::Array(choices))));
    }
    for condition in face.conditions.iter().filter(|condition| !made.contains_key(condition.keyword)) {
        let why = "may not stand at the root; stated in the description";
        plain.report.add(ChangeKind::Dropped, &condition.pointer, condition.keyword.to_owned(), why);
        rules.push(words::condition(condition.keyword, condition.value));
    }
    let text = words::described(face.description, &rules);
    if !text.is_empty() {
        made.insert("description".to_owned(), text.into());
    }
}

/// The schemas of one property as one.
fn alternatives(plain: &mut Plain<'_, '_>, spots: &[Spot<'_>], optional: bool) -> Value {
    let mut written: Vec<Value> = Vec::new();
    for spot in spots {
        let mut parts: Vec<Value> =
            spot.iter().map(|place| plain.schema(place.schema, &place.pointer, optional)).collect();
        let one = match parts.len() {
            1 => parts.remove(0),
            _ => Value::Object(Map::from_iter([("allOf".to_owned(), Value::Array(parts))])),
        };
        if !written.contains(&one) {
            written.push(one);
        }
    }
    match written.len() {
        1 => written.remove(0),
        _ => Value::Object(Map::from_iter([("anyOf".to_owned(), Value::Array(written))])),
    }
}

/// Makes the root name one type, `object`.
pub(super) fn name_type(plain: &mut Plain<'_, '_>, made: &mut Map<String, Value>) {
    match made.get("type") {
        Some(Value::String(name)) if name == "object" => {}
        Some(_) => plain.report.add(ChangeKind::Narrowed, "/type", "type", "arguments are always one object"),
        // Where the root stands inside itself it may have been meant for other values as well.
        None if refers_to_root(made) => {
            plain.report.add(ChangeKind::Narrowed, "", "type", "arguments are always one object");
        }
        None => plain.report.add(ChangeKind::Rewritten, "", "type", "arguments are always one object"),
    }
    made.insert("type".to_owned(), "object".into());
}

fn refers_to_root(keywords: &Map<String, Value>) -> bool {
    let within = |value: &Value| value.as_object().is_some_and(refers_to_root);
    keywords.get("$ref").is_some_and(|reference| reference == "#")
        || keywords.iter().any(|(keyword, value)| match (holds(keyword), value) {
            (Holds::Named | Holds::NamedOrNames, Value::Object(named)) => named.values().any(within),
            (Holds::List | Holds::OneOrList, Value::Array(list)) => list.iter().any(within),
            (Holds::One | Holds::OneOrList, one) => within(one),
            _ => false,
        })
}

pub(super) fn empty_object() -> Map<String, Value> {
    let mut made = Map::new();
    made.insert("type".to_owned(), "object".into());
    made.insert("properties".to_owned(), Value::Object(Map::new()));
    made
}
