//! Sets of JSON types.

use serde_json::Value;

use super::super::canon::whole;

/// A set of JSON types; numbers that are no integers are one of their own. Everything, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 2);
    pub(super) const NUMBER: Self = Self((1 << 2) | (1 << 3));
    pub(super) const STRING: Self = Self(1 << 4);
    pub(super) const ARRAY: Self = Self(1 << 5);
    pub(super) const OBJECT: Self = Self(1 << 6);
    pub(super) const ALL: Self = Self(0x7f);

    /// Each with the name that JSON Schema has for it; `number` before `integer`, which it holds.
    const NAMED: [(Self, &'static str); 7] = [
        (Self::OBJECT, "object"),
        (Self::ARRAY, "array"),
        (Self::STRING, "string"),
        (Self::NUMBER, "number"),
        (Self::INTEGER, "integer"),
        (Self::BOOLEAN, "boolean"),
        (Self::NULL, "null"),
    ];

    /// What the value of the keyword `type` names.
    pub(super) fn of(keyword: &Value) -> Self {
        let names: Vec<&Value> = match keyword {
            Value::Array(names) => names.iter().collect(),
            name => vec![name],
        };
        let named = |name: &Value| Self::NAMED.iter().find(|(_, known)| name == known).map(|(one, _)| *one);
        names.into_iter().filter_map(named).fold(Self::NONE, Self::union)
    }

    pub(super) fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) => {
                let is_whole =
                    number.is_i64() || number.is_u64() || number.as_f64().and_then(whole).is_some();
                if is_whole { Self::INTEGER } else { Self::NUMBER }
            }
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn accepts(self, value: &Value) -> bool {
        let own = match Self::of_value(value) {
            Self::NUMBER => Self(1 << 3),
            own => own,
        };
        self.0 & own.0 == own.0
    }

    pub(super) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) const fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(super) fn is_all(self) -> bool {
        self == Self::ALL
    }

    /// The fewest types that make up the set.
    pub(super) fn each(self) -> impl Iterator<Item = (Self, &'static str)> {
        let mut rest = self;
        Self::NAMED.into_iter().filter(move |(one, _)| {
            let held = rest.contains(*one) && !one.is_none();
            if held {
                rest = rest.without(*one);
            }
            held
        })
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::ALL
    }
}
