//! What a schema says about values, free of how JSON Schema writes it: what targets with few keywords are written from.

use serde_json::Value;

use super::reader::Assertion;

/// What is said about one value.
#[derive(Debug)]
pub(super) struct Shape<'s> {
    /// JSON pointer of where it is said.
    pub(super) pointer: String,
    pub(super) description: Option<&'s str>,
    pub(super) default: Option<&'s Value>,
    /// Whether `null` will do as well.
    pub(super) nullable: bool,
    pub(super) kind: Kind<'s>,
    /// Bounds that concern its kind.
    pub(super) bounds: Vec<Assertion<'s>>,
    /// What no bound can say.
    pub(super) conditions: Vec<Assertion<'s>>,
    /// Rules that are in words already.
    pub(super) rules: Vec<String>,
}

/// What kind of value.
#[derive(Debug)]
pub(super) enum Kind<'s> {
    /// Anything.
    Any,
    /// Nothing is accepted.
    Never,
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    /// One of these, none of them null.
    Literals(Vec<&'s Value>),
    Object(Object<'s>),
    Array(Array<'s>),
    /// One of several; at least two.
    Union(Vec<Shape<'s>>),
    /// The definition at this JSON pointer, which it stands in itself.
    Reference(String),
}

#[derive(Debug, Default)]
pub(super) struct Object<'s> {
    pub(super) fields: Vec<Field<'s>>,
    pub(super) rest: Rest<'s>,
}

#[derive(Debug)]
pub(super) struct Field<'s> {
    pub(super) name: &'s str,
    pub(super) required: bool,
    pub(super) shape: Shape<'s>,
}

/// What becomes of properties that are not listed.
#[derive(Debug, Default)]
pub(super) enum Rest<'s> {
    /// Nothing is said.
    #[default]
    Silent,
    Refused,
    /// Nothing is said, and there is nothing to be said: no arguments.
    Nothing,
    /// Anything may be there.
    Free,
    /// Each is one of these.
    Of(Box<Shape<'s>>),
}

#[derive(Debug, Default)]
pub(super) struct Array<'s> {
    pub(super) items: Option<Box<Shape<'s>>>,
    /// The first items, by position.
    pub(super) prefix: Vec<Shape<'s>>,
}

impl<'s> Shape<'s> {
    pub(super) fn of(pointer: &str, kind: Kind<'s>) -> Self {
        Self {
            pointer: pointer.to_owned(),
            description: None,
            default: None,
            nullable: false,
            kind,
            bounds: Vec::new(),
            conditions: Vec::new(),
            rules: Vec::new(),
        }
    }
}

/// A free object: any properties.
pub(super) fn free_object<'s>() -> Kind<'s> {
    Kind::Object(Object { fields: Vec::new(), rest: Rest::Free })
}
