//! The members of an object, one after another, then the properties that are filled.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor};
use serde_json::Value;

use super::cursor::{Cursor, Stop};
use super::keys::Keys;
use super::node::{Kinds, Node};
use super::typed::Reader;

pub(super) struct Members<'r, 't, 'c> {
    cursor: &'r mut Cursor<'t, 'c>,
    node: &'c Node,
    fills: bool,
    keys: Keys,
    next: Next<'c>,
}

/// What comes next.
enum Next<'c> {
    First,
    Member,
    /// The value of a member, read against its node.
    Value(&'c Node),
    /// The text has ended; properties from this place on may be filled.
    Filling(usize),
    /// The value of a property that is filled.
    Default(usize, &'c Value),
    Done,
}

impl<'r, 't, 'c> Members<'r, 't, 'c> {
    pub(super) fn enter(reader: Reader<'r, 't, 'c>) -> Result<Self, Stop> {
        let Reader { cursor, node, fills } = reader;
        if !node.kinds.meets(Kinds::OBJECT) {
            return Err(Stop::Refused);
        }
        cursor.enter()?;
        Ok(Self { cursor, node, fills, keys: Keys::default(), next: Next::First })
    }

    /// Whether the object was read to its end; an enum stops behind its one member.
    #[inline]
    pub(super) fn ended(&mut self) -> Result<(), Stop> {
        if let Next::Member = self.next {
            self.cursor.skip_whitespace();
            if self.cursor.peek() == Some(b'}') {
                self.end()?;
            }
        }
        match self.next {
            Next::Done => Ok(()),
            Next::Filling(place) if self.filled(place).is_none() => Ok(()),
            _ => Err(Stop::Undecided),
        }
    }

    /// The next key; none behind the last one.
    #[inline]
    fn key(&mut self) -> Result<Option<Cow<'t, str>>, Stop> {
        match self.next {
            Next::First if self.cursor.peek() == Some(b'}') => self.end()?,
            Next::First => return self.member(),
            Next::Member => {
                self.cursor.skip_whitespace();
                if self.cursor.peek() != Some(b'}') {
                    self.cursor.expect(b',')?;
                    return self.member();
                }
                self.end()?;
            }
            Next::Filling(_) | Next::Done => {}
            Next::Value(_) | Next::Default(..) => return Err(Stop::Undecided),
        }
        Ok(None)
    }

    #[inline]
    fn member(&mut self) -> Result<Option<Cow<'t, str>>, Stop> {
        let (name, node) = self.keys.next(self.node, self.cursor)?;
        self.next = Next::Value(node);
        Ok(Some(name))
    }

    #[inline]
    fn end(&mut self) -> Result<(), Stop> {
        self.cursor.leave();
        let filling = self.node.object.as_ref().filter(|object| self.fills && object.fills);
        let filled = filling.map_or(0, |object| self.keys.count_filled(object));
        self.keys.accept(self.node, filled)?;
        self.next = if filled > 0 { Next::Filling(0) } else { Next::Done };
        Ok(())
    }

    fn filled(&self, place: usize) -> Option<(usize, &'c str, &'c Value)> {
        let (at, property, default) = self.keys.next_filled(self.node.object.as_ref()?, place)?;
        Some((at, &property.name, default))
    }

    #[inline]
    pub(super) fn read_value<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, Stop> {
        match self.next {
            Next::Value(node) => {
                self.next = Next::Member;
                seed.deserialize(Reader { cursor: self.cursor, node, fills: self.fills })
            }
            Next::Default(place, default) => {
                self.next = Next::Filling(place + 1);
                seed.deserialize(default.clone()).map_err(|_| Stop::Undecided)
            }
            _ => Err(Stop::Undecided),
        }
    }

    #[inline]
    pub(super) fn read_key<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Stop> {
        match self.key()? {
            Some(Cow::Borrowed(name)) => seed.deserialize(Key(name)).map(Some),
            Some(Cow::Owned(name)) => {
                seed.deserialize(IntoDeserializer::<Stop>::into_deserializer(name)).map(Some)
            }
            None => {
                let Next::Filling(place) = self.next else { return Ok(None) };
                let Some((at, name, default)) = self.filled(place) else { return Ok(None) };
                self.next = Next::Default(at, default);
                seed.deserialize(IntoDeserializer::<Stop>::into_deserializer(name)).map(Some)
            }
        }
    }
}

impl<'t> MapAccess<'t> for &mut Members<'_, 't, '_> {
    type Error = Stop;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Stop> {
        self.read_key(seed)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, Stop> {
        self.read_value(seed)
    }
}

/// A key; one that stands for a number is read as the complete road reads it.
struct Key<'t>(&'t str);

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
            let digits = self.0.strip_prefix('-').unwrap_or(self.0);
            let plain = !digits.is_empty()
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && (digits == "0" || !digits.starts_with('0'));
            if !plain || self.0 == "-0" {
                return Err(Stop::Undecided);
            }
            match self.0.parse::<u64>() {
                Ok(value) => visitor.visit_u64(value),
                Err(_) => visitor.visit_i64(self.0.parse().map_err(|_| Stop::Undecided)?),
            }
        })*
    };
}

impl<'t> Deserializer<'t> for Key<'t> {
    type Error = Stop;

    #[inline]
    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        visitor.visit_borrowed_str(self.0)
    }

    numbers!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64);
    numbers!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64);

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, Stop> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Stop> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        visitor.visit_enum(IntoDeserializer::<Stop>::into_deserializer(self.0))
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct
        identifier ignored_any
    }
}
