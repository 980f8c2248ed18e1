//! Shapes of one kind: what the keywords of an object, an array or a plain value say.

use serde_json::Value;

use super::build::{Builder, annotated};
use super::reader::{Face, Spot, Unlisted};
use super::report::ChangeKind;
use super::shape::{Array, Field, Kind, Object, Rest, Shape};
use super::types::Types;

/// Alternatives for each property.
type Properties<'s> = [(&'s str, Vec<Spot<'s>>)];

impl<'s> Builder<'s, '_> {
    /// The shape of a face without alternatives.
    pub(super) fn plain(&mut self, face: &Face<'s>) -> Shape<'s> {
        if let Some(choices) = &face.choices {
            let literals: Vec<&'s Value> =
                choices.iter().copied().filter(|choice| !choice.is_null()).collect();
            let nullable = literals.len() < choices.len();
            let kind = match (literals.is_empty(), nullable) {
                (true, true) => Kind::Null,
                (true, false) => Kind::Never,
                (false, _) => Kind::Literals(literals),
            };
            let mut shape = annotated(face, kind);
            shape.nullable = nullable;
            return shape;
        }
        let stated = face.types.without(Types::NULL);
        let types = if face.types.is_all() { self.meant(face) } else { stated };
        let mut kinds = face.in_order(types);
        let nullable = !face.types.is_all() && face.types.contains(Types::NULL);
        match (kinds.len(), nullable) {
            _ if types == Types::ALL => annotated(face, Kind::Any),
            (0, true) => annotated(face, Kind::Null),
            (0, false) => Shape::of(face.pointer(), Kind::Never),
            (1, _) => {
                let only = kinds.remove(0);
                self.of_type(face, only)
            }
            _ => {
                let branch = |one: Types, builder: &mut Self| {
                    let mut branch = builder.of_type(face, one);
                    (branch.description, branch.default, branch.nullable) = (None, None, false);
                    branch.conditions.clear();
                    branch
                };
                let branches = kinds.into_iter().map(|one| branch(one, self)).collect();
                annotated(face, Kind::Union(branches))
            }
        }
    }

    /// The type that is meant where none is stated.
    fn meant(&mut self, face: &Face<'s>) -> Types {
        let meant = relevant(face);
        if !meant.is_all() {
            let why = "no type is stated; the keywords are those of one type";
            self.report.add(ChangeKind::Narrowed, face.pointer(), "type", why);
        }
        meant
    }

    fn of_type(&mut self, face: &Face<'s>, one: Types) -> Shape<'s> {
        let kind = match one {
            Types::OBJECT => {
                let properties: Vec<(&'s str, Vec<Spot<'s>>)> =
                    face.properties.iter().map(|(name, spot)| (*name, vec![spot.clone()])).collect();
                self.object(face, &properties, &face.required)
            }
            Types::ARRAY => {
                let prefix = face.prefix.iter().map(|spot| self.shape(spot)).collect();
                let items = face.items.as_ref().map(|spot| Box::new(self.shape(spot)));
                Kind::Array(Array { items, prefix })
            }
            Types::STRING => Kind::Text,
            Types::INTEGER => Kind::Integer,
            Types::NUMBER => Kind::Number,
            Types::BOOLEAN => Kind::Boolean,
            _ => Kind::Null,
        };
        let mut shape = annotated(face, kind);
        shape.bounds = face.bounds.iter().filter(|bound| concerns(bound.keyword, one)).cloned().collect();
        shape
    }

    /// The object with these properties; names that are required without being declared are added.
    pub(super) fn object(
        &mut self,
        face: &Face<'s>,
        properties: &Properties<'s>,
        required: &[&'s str],
    ) -> Kind<'s> {
        let rest = match &face.unlisted {
            Unlisted::Silent => Rest::Silent,
            Unlisted::Refused => Rest::Refused,
            Unlisted::Free => Rest::Free,
            Unlisted::Of(spot) => Rest::Of(Box::new(self.shape(spot))),
        };
        let mut object = Object { fields: Vec::new(), rest };
        for (name, spots) in properties {
            let required = required.contains(name);
            let shape = self.alternatives(spots);
            if matches!(shape.kind, Kind::Never) {
                let why = "nothing is accepted there";
                self.report.add(ChangeKind::Dropped, &shape.pointer, "property", why);
            } else {
                object.fields.push(Field { name, required, shape });
            }
        }
        if !matches!(face.unlisted, Unlisted::Refused) {
            for name in required.iter().filter(|name| !properties.iter().any(|(known, _)| known == *name)) {
                let shape = match &face.unlisted {
                    Unlisted::Of(spot) => self.shape(spot),
                    _ => Shape::of(&format!("{}/required", face.pointer()), Kind::Any),
                };
                object.fields.push(Field { name, required: true, shape });
            }
        }
        Kind::Object(object)
    }

    fn alternatives(&mut self, spots: &[Spot<'s>]) -> Shape<'s> {
        let mut shapes: Vec<Shape<'s>> = Vec::new();
        let mut known: Vec<Vec<&'s Value>> = Vec::new();
        for spot in spots {
            let schemas: Vec<&'s Value> = spot.iter().map(|place| place.schema).collect();
            if !known.contains(&schemas) {
                known.push(schemas);
                shapes.push(self.shape(spot));
            }
        }
        if shapes.len() == 1 {
            return shapes.remove(0);
        }
        let pointer = shapes.first().map(|shape| shape.pointer.clone()).unwrap_or_default();
        let literals: Option<Vec<&'s Value>> =
            shapes.iter().try_fold(Vec::new(), |mut all, shape| match &shape.kind {
                Kind::Literals(values) => {
                    all.extend(
                        values.iter().filter(|value| !all.contains(*value)).copied().collect::<Vec<_>>(),
                    );
                    Some(all)
                }
                _ => None,
            });
        let nullable = shapes.iter().any(|shape| shape.nullable);
        let description = shapes.iter().find_map(|shape| shape.description);
        let mut shape = match literals {
            Some(literals) => Shape::of(&pointer, Kind::Literals(literals)),
            None => Shape::of(&pointer, Kind::Union(shapes)),
        };
        shape.description = description.filter(|_| matches!(shape.kind, Kind::Literals(_)));
        shape.nullable = nullable;
        shape
    }
}

/// The types that the keywords of a face speak about; all where they speak of none or several.
pub(super) fn relevant(face: &Face<'_>) -> Types {
    let of_bounds = |one: Types| face.bounds.iter().any(|bound| concerns(bound.keyword, one));
    let of_conditions = |names: &[&str]| face.conditions.iter().any(|one| names.contains(&one.keyword));
    let speaks = [
        (
            Types::OBJECT,
            !face.properties.is_empty()
                || !face.required.is_empty()
                || !matches!(face.unlisted, Unlisted::Silent)
                || of_conditions(&[
                    "patternProperties",
                    "propertyNames",
                    "dependentRequired",
                    "dependentSchemas",
                ])
                || of_bounds(Types::OBJECT),
        ),
        (
            Types::ARRAY,
            face.items.is_some()
                || !face.prefix.is_empty()
                || of_conditions(&["contains"])
                || of_bounds(Types::ARRAY),
        ),
        (Types::STRING, of_bounds(Types::STRING)),
        (Types::NUMBER, of_bounds(Types::NUMBER)),
    ];
    let mut spoken = speaks.into_iter().filter(|(_, speaks)| *speaks);
    match (spoken.next(), spoken.next()) {
        (Some((only, _)), None) => only,
        _ => Types::ALL,
    }
}

/// Whether a bound says something about values of a type.
fn concerns(keyword: &str, one: Types) -> bool {
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            one == Types::INTEGER || one == Types::NUMBER
        }
        "minItems" | "maxItems" | "uniqueItems" => one == Types::ARRAY,
        "minProperties" | "maxProperties" => one == Types::OBJECT,
        // A format of numbers, such as int32, says nothing about texts, and the other way round.
        "format" => matches!(one, Types::STRING | Types::INTEGER | Types::NUMBER),
        _ => one == Types::STRING,
    }
}
