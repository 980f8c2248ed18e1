//! Reads any value against its node: into a JSON value, or only to check it.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use super::bounds::accept_text;
use super::cursor::{Cursor, Stop};
use super::keys::Keys;
use super::node::{ArrayChecks, Kinds, Node, NodeId};
use super::number::Numeral;

/// What is made of a text while it is checked.
pub(super) trait Build: Sized {
    type Items: Default;
    type Members: Default;

    fn null() -> Self;
    fn boolean(value: bool) -> Self;
    fn number(numeral: Numeral) -> Option<Self>;
    fn text(text: Cow<'_, str>) -> Self;
    fn push(items: &mut Self::Items, item: Self);
    fn insert(members: &mut Self::Members, name: Cow<'_, str>, member: Self);
    /// Puts a default in.
    fn fill(members: &mut Self::Members, name: &str, default: &Value);
    fn array(items: Self::Items) -> Self;
    fn object(members: Self::Members) -> Self;
}

/// Nothing: the text is only checked.
impl Build for () {
    type Items = ();
    type Members = ();

    fn null() {}
    fn boolean(_: bool) {}
    fn number(_: Numeral) -> Option<()> {
        Some(())
    }
    fn text(_: Cow<'_, str>) {}
    fn push((): &mut (), (): ()) {}
    fn insert((): &mut (), _: Cow<'_, str>, (): ()) {}
    fn fill((): &mut (), _: &str, _: &Value) {}
    fn array((): ()) {}
    fn object((): ()) {}
}

impl Build for Value {
    type Items = Vec<Value>;
    type Members = Map<String, Value>;

    fn null() -> Self {
        Self::Null
    }

    fn boolean(value: bool) -> Self {
        Self::Bool(value)
    }

    fn number(numeral: Numeral) -> Option<Self> {
        Some(Self::Number(match numeral {
            Numeral::Positive(value) => value.into(),
            Numeral::Negative(value) => value.into(),
            Numeral::Fraction(value) => Number::from_f64(value)?,
        }))
    }

    fn text(text: Cow<'_, str>) -> Self {
        Self::String(text.into_owned())
    }

    fn push(items: &mut Vec<Self>, item: Self) {
        items.push(item);
    }

    fn insert(members: &mut Map<String, Self>, name: Cow<'_, str>, member: Self) {
        members.insert(name.into_owned(), member);
    }

    fn fill(members: &mut Map<String, Self>, name: &str, default: &Self) {
        members.insert(name.to_owned(), default.clone());
    }

    fn array(items: Vec<Self>) -> Self {
        Self::Array(items)
    }

    fn object(members: Map<String, Self>) -> Self {
        Self::Object(members)
    }
}

impl<'c> Cursor<'_, 'c> {
    /// Reads the value at the cursor. `fills` says whether absent properties get their defaults, here and below.
    pub(super) fn value<B: Build>(&mut self, node: &'c Node, fills: bool) -> Result<B, Stop> {
        self.spend()?;
        let (node, picked) = self.resolved(node)?;
        let fills = fills && !picked;
        match self.peek().ok_or(Stop::Undecided)? {
            b'"' => {
                let text = self.string()?;
                accept_text(node, &text)?;
                Ok(B::text(text))
            }
            b'{' => self.object(node, fills),
            b'[' => self.array(node, fills),
            b'-' | b'0'..=b'9' => {
                let numeral = self.checked_number(node)?;
                B::number(numeral).ok_or(Stop::Undecided)
            }
            _ => self.literal(node),
        }
    }

    /// Reads `true`, `false` or `null`.
    fn literal<B: Build>(&mut self, node: &Node) -> Result<B, Stop> {
        let (word, kind, built) = match self.peek() {
            Some(b't') => ("true", Kinds::TRUE, B::boolean(true)),
            Some(b'f') => ("false", Kinds::FALSE, B::boolean(false)),
            _ => ("null", Kinds::NULL, B::null()),
        };
        self.word(word)?;
        if node.kinds.meets(kind) { Ok(built) } else { Err(Stop::Refused) }
    }

    fn object<B: Build>(&mut self, node: &'c Node, fills: bool) -> Result<B, Stop> {
        if !node.kinds.meets(Kinds::OBJECT) {
            return Err(Stop::Refused);
        }
        let mut members = B::Members::default();
        let mut keys = Keys::default();
        self.enter()?;
        if self.peek() != Some(b'}') {
            loop {
                let (name, below) = keys.next(node, self)?;
                let member = self.value(below, fills)?;
                B::insert(&mut members, name, member);
                self.skip_whitespace();
                if self.peek() == Some(b'}') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        self.leave();
        let mut filled = 0;
        if let Some(object) = node.object.as_ref().filter(|object| fills && object.fills) {
            let mut place = 0;
            while let Some((at, property, default)) = keys.next_filled(object, place) {
                B::fill(&mut members, &property.name, default);
                (place, filled) = (at + 1, filled + 1);
            }
        }
        keys.accept(node, filled)?;
        Ok(B::object(members))
    }

    fn array<B: Build>(&mut self, node: &'c Node, fills: bool) -> Result<B, Stop> {
        if !node.kinds.meets(Kinds::ARRAY) {
            return Err(Stop::Refused);
        }
        let checks = node.array.as_deref();
        let (mut items, mut count) = (B::Items::default(), 0);
        self.enter()?;
        if self.peek() != Some(b']') {
            loop {
                let below = self.node(item(checks, count)?)?;
                let built = self.value(below, fills)?;
                B::push(&mut items, built);
                count += 1;
                self.skip_whitespace();
                if self.peek() == Some(b']') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        self.leave();
        accept_count(checks, count)?;
        Ok(B::array(items))
    }
}

impl<'t> Cursor<'t, '_> {
    /// Reads a key and moves to the value behind it.
    #[inline]
    pub(super) fn key(&mut self) -> Result<Cow<'t, str>, Stop> {
        if self.peek() != Some(b'"') {
            return Err(Stop::Undecided);
        }
        let name = self.string()?;
        self.skip_whitespace();
        self.expect(b':')?;
        Ok(name)
    }

    /// As [`key`](Self::key), when the key is `name`, which has nothing in it that would have to be escaped; else the
    /// cursor stays where it is.
    #[inline]
    pub(super) fn key_is(&mut self, name: &str) -> Result<bool, Stop> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let same = rest
            .strip_prefix(b"\"")
            .and_then(|rest| rest.strip_prefix(name.as_bytes()))
            .is_some_and(|rest| rest.first() == Some(&b'"'));
        if same {
            self.at += name.len() + 2;
            self.skip_whitespace();
            self.expect(b':')?;
        }
        Ok(same)
    }
}

/// What holds for the item at `index`.
#[inline]
pub(super) fn item(checks: Option<&ArrayChecks>, index: usize) -> Result<NodeId, Stop> {
    let Some(checks) = checks else { return Ok(NodeId::ANY) };
    // Whether two are alike is not looked at here.
    if checks.unique && index > 0 {
        return Err(Stop::Undecided);
    }
    Ok(checks.first.get(index).copied().unwrap_or(checks.others))
}

/// Whether as many items are accepted.
#[inline]
pub(super) fn accept_count(checks: Option<&ArrayChecks>, count: usize) -> Result<(), Stop> {
    let fits = checks.is_none_or(|checks| count >= checks.least && count <= checks.most);
    if fits { Ok(()) } else { Err(Stop::Refused) }
}
