//! Reads a value against its node into any type: the deserializer.
//!
//! It gives a type what the complete road's value would give it, so that both roads make the same of one text.

use std::borrow::Cow;

use serde::de::{Deserializer, IntoDeserializer, Visitor};

use super::bounds::accept_text;
use super::cursor::{Cursor, Stop};
use super::items::Items;
use super::members::Members;
use super::node::{Kinds, Node};
use super::number::Numeral;
use super::variant::Variant;

/// One value of the text, and the node that it is read against.
pub(super) struct Reader<'r, 't, 'c> {
    pub(super) cursor: &'r mut Cursor<'t, 'c>,
    pub(super) node: &'c Node,
    /// Whether absent properties get their defaults.
    pub(super) fills: bool,
}

impl<'r, 't, 'c> Reader<'r, 't, 'c> {
    /// The whole text, which has to be one object.
    pub(super) fn root(cursor: &'r mut Cursor<'t, 'c>) -> Option<Self> {
        let node = cursor.checks.root()?;
        (cursor.peek() == Some(b'{')).then_some(Self { cursor, node, fills: true })
    }

    #[inline]
    fn resolve(&mut self) -> Result<(), Stop> {
        if self.node.union.is_some() {
            let (node, picked) = self.cursor.resolved(self.node)?;
            self.node = node;
            self.fills &= !picked;
        }
        Ok(())
    }

    #[inline]
    fn begins_with(&self, byte: u8) -> bool {
        self.cursor.peek() == Some(byte)
    }

    #[inline]
    fn number<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        match self.cursor.checked_number(self.node)? {
            Numeral::Positive(value) => visitor.visit_u64(value),
            // As the complete road has it, where `-0` is the integer 0.
            Numeral::Negative(0) => visitor.visit_u64(0),
            Numeral::Negative(value) => visitor.visit_i64(value),
            Numeral::Fraction(value) => visitor.visit_f64(value),
        }
    }

    #[inline]
    fn text<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        let text = self.checked_text()?;
        match text {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    #[inline]
    fn checked_text(self) -> Result<Cow<'t, str>, Stop> {
        let text = self.cursor.string()?;
        accept_text(self.node, &text)?;
        Ok(text)
    }

    #[inline]
    fn object<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        let mut members = Members::enter(self)?;
        let value = visitor.visit_map(&mut members)?;
        members.ended()?;
        Ok(value)
    }

    #[inline]
    fn array<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        let mut items = Items::enter(self)?;
        let value = visitor.visit_seq(&mut items)?;
        items.ended()?;
        Ok(value)
    }

    fn word<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        let (word, kind) = match self.cursor.peek() {
            Some(b't') => ("true", Kinds::TRUE),
            Some(b'f') => ("false", Kinds::FALSE),
            _ => ("null", Kinds::NULL),
        };
        self.cursor.word(word)?;
        if !self.node.kinds.meets(kind) {
            return Err(Stop::Refused);
        }
        match kind {
            Kinds::NULL => visitor.visit_unit(),
            kind => visitor.visit_bool(kind == Kinds::TRUE),
        }
    }
}

macro_rules! any {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
            self.deserialize_any(visitor)
        })*
    };
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'t>>(mut self, visitor: V) -> Result<V::Value, Stop> {
            self.resolve()?;
            match self.cursor.peek() {
                Some(b'-' | b'0'..=b'9') => self.number(visitor),
                _ => Err(Stop::Undecided),
            }
        })*
    };
}

macro_rules! texts {
    ($($method:ident)*) => {
        $(#[inline]
        fn $method<V: Visitor<'t>>(mut self, visitor: V) -> Result<V::Value, Stop> {
            self.resolve()?;
            if self.begins_with(b'"') { self.text(visitor) } else { Err(Stop::Undecided) }
        })*
    };
}

impl<'t> Deserializer<'t> for Reader<'_, 't, '_> {
    type Error = Stop;

    fn deserialize_any<V: Visitor<'t>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        self.resolve()?;
        match self.cursor.peek().ok_or(Stop::Undecided)? {
            b'"' => self.text(visitor),
            b'{' => self.object(visitor),
            b'[' => self.array(visitor),
            b'-' | b'0'..=b'9' => self.number(visitor),
            _ => self.word(visitor),
        }
    }

    any!(deserialize_bool deserialize_unit);
    numbers!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128);
    numbers!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128);
    numbers!(deserialize_f32 deserialize_f64);
    texts!(deserialize_char deserialize_str deserialize_string deserialize_identifier);

    // JSON has no bytes, and types differ in what they take for them.
    fn deserialize_bytes<V: Visitor<'t>>(self, _: V) -> Result<V::Value, Stop> {
        Err(Stop::Undecided)
    }

    fn deserialize_byte_buf<V: Visitor<'t>>(self, _: V) -> Result<V::Value, Stop> {
        Err(Stop::Undecided)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'t>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        if !self.begins_with(b'n') {
            return visitor.visit_some(self);
        }
        self.resolve()?;
        if !self.node.kinds.meets(Kinds::NULL) {
            return Err(Stop::Refused);
        }
        self.cursor.word("null")?;
        visitor.visit_none()
    }

    fn deserialize_unit_struct<V: Visitor<'t>>(self, _: &'static str, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_any(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        // serde_json gives some names a meaning of its own.
        if name.starts_with('$') { Err(Stop::Undecided) } else { visitor.visit_newtype_struct(self) }
    }

    #[inline]
    fn deserialize_seq<V: Visitor<'t>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        self.resolve()?;
        if self.begins_with(b'[') { self.array(visitor) } else { Err(Stop::Undecided) }
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, Stop> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.deserialize_seq(visitor)
    }

    #[inline]
    fn deserialize_map<V: Visitor<'t>>(mut self, visitor: V) -> Result<V::Value, Stop> {
        self.resolve()?;
        if self.begins_with(b'{') { self.object(visitor) } else { Err(Stop::Undecided) }
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'t>>(
        mut self,
        name: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        if name.starts_with('$') {
            return Err(Stop::Undecided);
        }
        self.resolve()?;
        match self.cursor.peek() {
            Some(b'{') => self.object(visitor),
            Some(b'[') => self.array(visitor),
            _ => Err(Stop::Undecided),
        }
    }

    fn deserialize_enum<V: Visitor<'t>>(
        mut self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.resolve()?;
        match self.cursor.peek() {
            Some(b'"') => {
                let text = self.checked_text()?;
                visitor.visit_enum(IntoDeserializer::<Stop>::into_deserializer(text))
            }
            Some(b'{') => {
                let mut members = Members::enter(self)?;
                let value = visitor.visit_enum(Variant(&mut members))?;
                members.ended()?;
                Ok(value)
            }
            _ => Err(Stop::Undecided),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        self.cursor.value::<()>(self.node, self.fills)?;
        visitor.visit_unit()
    }
}
