//! How a subschema is used, and where each definition is put for each use.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::dialect::Dialect;
use super::super::pointer;

/// How a subschema is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// It describes a value by itself: it is closed.
    Whole,
    /// It is a part of a composed object: it stays open, what lies inside its properties is closed.
    Part,
    /// It is only tested (`if`, `not`, `contains`), or other parts describe the same fields: nothing in it is changed.
    Test,
}

impl Mode {
    fn suffix(self) -> &'static str {
        match self {
            Self::Whole => "closed",
            Self::Part => "open",
            Self::Test => "test",
        }
    }
}

/// A definition that is written a second time.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    /// JSON pointer of what is copied.
    pub(super) place: String,
    pub(super) mode: Mode,
    /// `$defs` or `definitions`.
    pub(super) keyword: &'static str,
    /// Its name among the definitions.
    pub(super) name: String,
}

/// Where each demanded definition is found.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The mode in which a definition stands under its own name.
    homes: BTreeMap<String, Mode>,
    copies: BTreeMap<(String, Mode), Copy>,
}

impl Places {
    /// Gives each demanded definition a place: the strictest mode keeps the name, others become copies.
    pub(super) fn settle(mut demanded: Vec<(String, Mode)>, schema: &Value, dialect: Dialect) -> Self {
        demanded.sort();
        let keyword = if dialect >= Dialect::Draft201909 { "$defs" } else { "definitions" };
        let mut places = Self::default();
        for (place, mode) in demanded {
            let movable = matches!(pointer::tokens(&place).collect::<Vec<_>>().as_slice(),
                [keyword, _] if keyword == "$defs" || keyword == "definitions");
            let home = if movable { *places.homes.entry(place.clone()).or_insert(mode) } else { Mode::Whole };
            if home != mode {
                let name = places.free_name(schema, keyword, &place, mode);
                let copy = Copy { place: place.clone(), mode, keyword, name };
                places.copies.insert((place, mode), copy);
            }
        }
        places
    }

    fn free_name(&self, schema: &Value, keyword: &str, place: &str, mode: Mode) -> String {
        let base = pointer::last(place).unwrap_or_else(|| "root".to_owned());
        let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
        let base: String = base.chars().map(plain).collect();
        let taken = |name: &str| {
            schema.get(keyword).is_some_and(|definitions| definitions.get(name).is_some())
                || self.copies.values().any(|copy| copy.name == name)
        };
        let mut name = format!("{base}-{}", mode.suffix());
        let mut number = 1;
        while taken(&name) {
            number += 1;
            name = format!("{base}-{}-{number}", mode.suffix());
        }
        name
    }

    /// The mode in which the definition at `place` keeps its name.
    pub(super) fn home(&self, place: &str) -> Mode {
        self.homes.get(place).copied().unwrap_or(Mode::Whole)
    }

    /// The reference to the copy of `place` for `mode`, when it is not at home there.
    pub(super) fn reference(&self, place: &str, mode: Mode) -> Option<String> {
        let copy = self.copies.get(&(place.to_owned(), mode))?;
        Some(format!("#/{}/{}", copy.keyword, copy.name))
    }

    pub(super) fn copies(&self) -> Vec<Copy> {
        self.copies.values().cloned().collect()
    }
}
