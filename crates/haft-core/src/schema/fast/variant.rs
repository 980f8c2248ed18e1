//! The variant of an enum that is written as an object of one member.

use serde::de::{DeserializeSeed, EnumAccess, VariantAccess, Visitor};

use super::cursor::Stop;
use super::members::Members;

pub(super) struct Variant<'m, 'r, 't, 'c>(pub(super) &'m mut Members<'r, 't, 'c>);

impl<'t> EnumAccess<'t> for Variant<'_, '_, 't, '_> {
    type Error = Stop;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<(S::Value, Self), Stop> {
        let variant = self.0.read_key(seed)?.ok_or(Stop::Undecided)?;
        Ok((variant, self))
    }
}

impl<'t> VariantAccess<'t> for Variant<'_, '_, 't, '_> {
    type Error = Stop;

    fn unit_variant(self) -> Result<(), Stop> {
        self.0.read_value(std::marker::PhantomData::<()>)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<S::Value, Stop> {
        self.0.read_value(seed)
    }

    fn tuple_variant<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, Stop> {
        self.0.read_value(Sequence(visitor))
    }

    fn struct_variant<V: Visitor<'t>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Stop> {
        self.0.read_value(Structure(visitor))
    }
}

struct Sequence<V>(V);

impl<'t, V: Visitor<'t>> DeserializeSeed<'t> for Sequence<V> {
    type Value = V::Value;

    fn deserialize<D: serde::Deserializer<'t>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_seq(self.0)
    }
}

struct Structure<V>(V);

impl<'t, V: Visitor<'t>> DeserializeSeed<'t> for Structure<V> {
    type Value = V::Value;

    fn deserialize<D: serde::Deserializer<'t>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        deserializer.deserialize_map(self.0)
    }
}
