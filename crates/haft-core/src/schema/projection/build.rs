//! From schemas to shapes: references followed, parts that hold at once put together, alternatives sorted out.

use serde_json::Value;

use super::build_object::relevant;
use super::error::Fault;
use super::reader::{Alternatives, Face, Place, Reader, Spot};
use super::report::{ChangeKind, ProjectionReport};
use super::root::{Flat, Flattener};
use super::shape::{Array, Kind, Rest, Shape, free_object};
use super::types::Types;
use super::words;

/// What becomes of a definition that stands in itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recursion {
    /// It becomes a reference.
    Refer,
    /// Every definition becomes a reference, also one that does not stand in itself.
    ReferAlways,
    /// It is written out this many times inside itself, then a free object follows.
    Unroll(usize),
}

/// Deepest that shapes nest; a chain of definitions must not exhaust the stack.
const DEEPEST: usize = 48;
/// How deep definitions are written out inside each other, tried until the whole is small enough.
const NESTINGS: [usize; 7] = [DEEPEST, 8, 6, 4, 3, 2, 1];
/// Shapes that any schema may have, however small it is.
const FEW: usize = 200;

pub(super) struct Builder<'s, 'r> {
    pub(super) reader: &'r Reader<'s>,
    pub(super) report: &'r mut ProjectionReport,
    recursion: Recursion,
    /// The definitions that are being written out, from the root.
    path: Vec<String>,
    depth: usize,
    made: usize,
    /// Most shapes: written out, a schema must not grow to a multiple of itself.
    most: usize,
    /// Most definitions inside each other.
    nesting: usize,
}

impl<'s, 'r> Builder<'s, 'r> {
    pub(super) fn new(
        reader: &'r Reader<'s>,
        report: &'r mut ProjectionReport,
        recursion: Recursion,
    ) -> Self {
        let most = FEW + reader.size();
        Self { reader, report, recursion, path: Vec::new(), depth: 0, made: 0, most, nesting: DEEPEST }
    }

    /// What became of recursion in the end.
    pub(super) fn recursion(&self) -> Recursion {
        self.recursion
    }

    /// The arguments: always one object without alternatives.
    pub(super) fn root(&mut self) -> Result<Shape<'s>, Fault> {
        let face = self.reader.read(&self.reader.root());
        if face.never || !face.types.contains(Types::OBJECT) {
            return Err(Fault::new("", "arguments are one object, and the schema accepts none"));
        }
        let mut shape = self.small(&face);
        // No keyword that admits a property: no arguments.
        if let Kind::Object(object) = &mut shape.kind
            && object.fields.is_empty()
            && matches!(object.rest, Rest::Silent)
            && shape.conditions.is_empty()
        {
            object.rest = Rest::Nothing;
        }
        Ok(shape)
    }

    /// The root as deep as it stays small.
    fn small(&mut self, face: &Face<'s>) -> Shape<'s> {
        let clean = self.report.clone();
        let mut nestings = NESTINGS.into_iter();
        loop {
            self.path = std::iter::once(String::new()).chain(face.targets.iter().cloned()).collect();
            self.made = 0;
            let shape = self.flat(face);
            if self.made <= self.most {
                return shape;
            }
            match self.recursion {
                Recursion::Refer => self.recursion = Recursion::ReferAlways,
                Recursion::ReferAlways => return shape,
                Recursion::Unroll(_) => match nestings.next() {
                    Some(nesting) => (self.recursion, self.nesting) = (Recursion::Unroll(0), nesting),
                    None => return shape,
                },
            }
            self.report.clone_from(&clean);
        }
    }

    /// The definition at a JSON pointer, for references to it.
    pub(super) fn definition(&mut self, target: &str) -> Shape<'s> {
        let Some(spot) = self.reader.at(target) else { return Shape::of("", Kind::Any) };
        self.path = vec![target.to_owned()];
        let face = self.reader.read(&spot);
        self.path.extend(face.targets.iter().cloned());
        self.inner(face)
    }

    pub(super) fn shape(&mut self, spot: &[Place<'s>]) -> Shape<'s> {
        let face = self.reader.read(spot);
        self.made += 1;
        let again = face.targets.iter().find(|target| self.is_written_out(target));
        match (self.recursion, again) {
            (Recursion::Refer | Recursion::ReferAlways, Some(target)) => {
                let mut shape = Shape::of(face.pointer(), Kind::Reference(target.clone()));
                shape.description = spot.first().and_then(|place| place.schema.get("description")?.as_str());
                return shape;
            }
            (Recursion::Unroll(_), Some(_)) => return self.end(&face),
            _ => {}
        }
        let too_much = self.made > self.most || self.path.len() > self.nesting;
        if self.depth >= DEEPEST || (too_much && !face.targets.is_empty()) {
            return self.end(&face);
        }
        let entered = self.path.len();
        self.path.extend(face.targets.iter().cloned());
        self.depth += 1;
        let shape = self.inner(face);
        self.depth -= 1;
        self.path.truncate(entered);
        shape
    }

    fn is_written_out(&self, target: &str) -> bool {
        let times = self.path.iter().filter(|open| *open == target).count();
        match self.recursion {
            Recursion::Refer => times > 0,
            Recursion::ReferAlways => true,
            Recursion::Unroll(more) => times > more,
        }
    }

    /// What stands where nothing more is written out: the type alone.
    fn end(&mut self, face: &Face<'s>) -> Shape<'s> {
        let why = "references are written out to a bounded depth; what follows is free";
        self.report.add(ChangeKind::Weakened, face.pointer(), "$ref", why);
        let types = if face.types.is_all() { relevant(face) } else { face.types.without(Types::NULL) };
        let kind = match types {
            Types::OBJECT => free_object(),
            Types::ARRAY => Kind::Array(Array::default()),
            _ => Kind::Any,
        };
        let mut shape = Shape::of(face.pointer(), kind);
        shape.description = face.description;
        shape.nullable = !face.types.is_all() && face.types.contains(Types::NULL);
        shape
    }

    fn inner(&mut self, mut face: Face<'s>) -> Shape<'s> {
        if face.never {
            return Shape::of(face.pointer(), Kind::Never);
        }
        if face.alternatives.is_empty() {
            return self.plain(&face);
        }
        let first = face.alternatives.remove(0);
        let faces: Vec<Face<'s>> =
            first.branches.iter().map(|branch| self.reader.read(std::slice::from_ref(branch))).collect();
        let is_null = |branch: &Face<'_>| branch.types == Types::NULL && branch.alternatives.is_empty();
        let nullable = face.types.contains(Types::NULL) && faces.iter().any(is_null);
        let left: Vec<usize> = (0..faces.len())
            .filter(|index| faces.get(*index).is_some_and(|one| !one.never && !is_null(one)))
            .collect();
        let mut shape = match left.as_slice() {
            [] if nullable => return annotated(&face, Kind::Null),
            [] => return Shape::of(face.pointer(), Kind::Never),
            [only] => self.joined(face, first.branches.get(*only)),
            _ => self.several(face, &first, &faces, &left),
        };
        shape.nullable |= nullable;
        shape
    }

    /// The one alternative that is left, together with what stands beside it.
    fn joined(&mut self, face: Face<'s>, branch: Option<&Place<'s>>) -> Shape<'s> {
        let Some(branch) = branch else { return self.plain(&face) };
        let mut spot = face.with(branch);
        // What is said of the field is closer than what is said of its type.
        spot.rotate_left(1);
        let mut both = self.reader.read(&spot);
        both.alternatives.extend(face.alternatives);
        if both.targets.iter().any(|target| self.is_written_out(target)) {
            let mut shape = self.shape(std::slice::from_ref(branch));
            shape.description = face.description.or(shape.description);
            return shape;
        }
        let entered = self.path.len();
        self.path.extend(both.targets.iter().cloned());
        let shape = self.inner(both);
        self.path.truncate(entered);
        shape
    }

    fn several(
        &mut self,
        face: Face<'s>,
        first: &Alternatives<'s>,
        faces: &[Face<'s>],
        left: &[usize],
    ) -> Shape<'s> {
        let of_literals = |index: &usize| faces.get(*index).is_some_and(|one| one.choices.is_some());
        if left.iter().all(of_literals) {
            return self.literals(face, faces);
        }
        let has_structure = !face.properties.is_empty()
            || face.items.is_some()
            || !face.prefix.is_empty()
            || face.choices.is_some();
        if has_structure {
            let mut face = face;
            face.alternatives.insert(0, first.clone());
            return self.flat(&face);
        }
        if first.keyword == "oneOf" {
            let why = "alternatives do not exclude each other here";
            self.report.add(ChangeKind::Weakened, &first.pointer, "oneOf", why);
        }
        let rules = self.told(&face.alternatives);
        let mut branches = Vec::new();
        for branch in left.iter().filter_map(|index| first.branches.get(*index)) {
            let spot: Spot<'s> = face.with(branch);
            let mut shape = self.shape(&spot);
            // What holds for all of them is said once, of the whole.
            if shape.description == face.description {
                shape.description = None;
            }
            if shape.default == face.default {
                shape.default = None;
            }
            let of_all = |pointer: &str| face.conditions.iter().any(|known| known.pointer == pointer);
            shape.conditions.retain(|condition| !of_all(&condition.pointer));
            branches.push(shape);
        }
        let nullable = branches.iter().any(|branch| branch.nullable);
        let mut shape = annotated(&face, Kind::Union(branches));
        shape.nullable = nullable;
        shape.rules = rules;
        shape
    }

    /// Alternatives that are all literals: the usual shape of an enum whose values are documented.
    fn literals(&mut self, mut face: Face<'s>, faces: &[Face<'s>]) -> Shape<'s> {
        let mut choices: Vec<&'s Value> = Vec::new();
        let mut rules = Vec::new();
        for branch in faces {
            let values = branch.choices.iter().flatten().copied();
            let values: Vec<_> = values.filter(|value| face.types.accepts(value)).collect();
            if let (Some(text), [only]) = (branch.description, values.as_slice()) {
                rules.push(format!("{}: {}", words::short(only), text.trim().trim_end_matches('.')));
            }
            for value in values {
                if !choices.contains(&value) {
                    choices.push(value);
                }
            }
        }
        face.choices = Some(match &face.choices {
            Some(known) => choices.into_iter().filter(|value| known.contains(value)).collect(),
            None => choices,
        });
        rules.extend(self.told(&face.alternatives));
        let mut shape = self.plain(&face);
        shape.rules = rules;
        shape
    }

    /// Alternatives that are left to the description.
    fn told(&mut self, others: &[Alternatives<'s>]) -> Vec<String> {
        let mut rules = Vec::new();
        for alternatives in others {
            let why = "only one set of alternatives can be said; this one is in the description";
            self.report.add(ChangeKind::Weakened, &alternatives.pointer, alternatives.keyword, why);
            let faces: Vec<Face<'_>> = alternatives
                .branches
                .iter()
                .map(|branch| self.reader.read(std::slice::from_ref(branch)))
                .collect();
            rules.push(words::alternatives(alternatives.keyword, &faces));
        }
        rules
    }

    /// An object with everything that its alternatives declare.
    fn flat(&mut self, face: &Face<'s>) -> Shape<'s> {
        let flat = Flattener::new(self.reader).flatten(face);
        let Flat { properties, required, narrows, rules, takes_more, .. } = flat;
        for alternatives in &face.alternatives {
            let why = "what the alternatives declare is put together; the rule is in the description";
            self.report.add(ChangeKind::Weakened, &alternatives.pointer, alternatives.keyword, why);
            if narrows {
                let why = "a property of one alternative is offered only as that declares it";
                self.report.add(ChangeKind::Narrowed, &alternatives.pointer, alternatives.keyword, why);
            }
        }
        let mut object = self.object(face, &properties, &required);
        if let (Kind::Object(object), true) = (&mut object, takes_more) {
            object.rest = Rest::Free;
        }
        let mut shape = annotated(face, object);
        shape.rules = rules;
        shape
    }
}

/// The shape for targets without references: definitions are written out, also inside themselves for a while.
pub(super) struct Unrolled<'s> {
    pub(super) shape: Shape<'s>,
    /// What its making has changed.
    pub(super) report: ProjectionReport,
}

impl<'s> Unrolled<'s> {
    /// How often a definition is written out inside itself before a free object ends it.
    const TIMES: usize = 2;

    pub(super) fn of(schema: &'s Value) -> Result<Self, Fault> {
        let mut report = ProjectionReport::default();
        let shape = Self::shape(schema, &mut report)?;
        Ok(Self { shape, report })
    }

    /// The shape alone.
    pub(super) fn shape(schema: &'s Value, report: &mut ProjectionReport) -> Result<Shape<'s>, Fault> {
        Builder::new(&Reader::new(schema), report, Recursion::Unroll(Self::TIMES)).root()
    }
}

/// The shape of a face, with everything that is said beside its kind.
pub(super) fn annotated<'s>(face: &Face<'s>, kind: Kind<'s>) -> Shape<'s> {
    let mut shape = Shape::of(face.pointer(), kind);
    shape.description = face.description;
    shape.default = face.default;
    shape.nullable = !face.types.is_all() && face.types.contains(Types::NULL);
    shape.conditions.clone_from(&face.conditions);
    shape
}
