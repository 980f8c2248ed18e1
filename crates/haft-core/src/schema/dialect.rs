//! Which dialect of JSON Schema a schema speaks, as far as its meaning differs here.

use serde_json::Value;

/// A dialect, by age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

impl Dialect {
    /// The dialect that `schema` declares; 2020-12 where it declares none.
    pub(super) fn of(schema: &Value) -> Self {
        let declared = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let known = [
            ("draft-04", Self::Draft4),
            ("draft-06", Self::Draft6),
            ("draft-07", Self::Draft7),
            ("draft/2019-09", Self::Draft201909),
        ];
        known
            .iter()
            .find(|(name, _)| declared.contains(name))
            .map_or(Self::Draft202012, |(_, dialect)| *dialect)
    }

    /// Whether keywords beside `$ref` are ignored.
    pub(super) fn reference_hides_siblings(self) -> bool {
        self <= Self::Draft7
    }

    /// The keyword that names a schema resource.
    pub(super) fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }
}
