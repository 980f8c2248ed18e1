//! The rules by their ids, and sets of them.

use std::fmt;

/// A repair of what models are known to send; tried only when the call as it stands is refused.
///
/// Each is unambiguous by itself: where a value could be meant in two ways, nothing is changed. Whatever was repaired has
/// passed the whole check, and stands on the record of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairRule {
    /// `json-text`: an object or array that was sent as JSON text where no text is taken, or all arguments so.
    JsonText,
    /// `scalar-text`: a number or boolean that was sent as text where no text is taken.
    ScalarText,
    /// `single-value`: one value where an array of such is taken.
    SingleValue,
    /// `enum-case`: one of the allowed values in another letter case.
    EnumCase,
    /// `empty-text`: `""` for an optional field that does not take it counts as left out.
    EmptyText,
    /// `surrounding-text`: text or code fences around one JSON object.
    SurroundingText,
    /// `name`: a tool's name in another letter case, or with other `-` and `_`.
    Name,
}

impl RepairRule {
    /// All rules.
    pub const ALL: [Self; 7] = [
        Self::JsonText,
        Self::ScalarText,
        Self::SingleValue,
        Self::EnumCase,
        Self::EmptyText,
        Self::SurroundingText,
        Self::Name,
    ];

    /// The id in records, events and settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JsonText => "json-text",
            Self::ScalarText => "scalar-text",
            Self::SingleValue => "single-value",
            Self::EnumCase => "enum-case",
            Self::EmptyText => "empty-text",
            Self::SurroundingText => "surrounding-text",
            Self::Name => "name",
        }
    }

    /// The rule of that id.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.as_str() == id)
    }
}

impl fmt::Display for RepairRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::schema) struct RepairRules(u8);

impl RepairRules {
    pub(in crate::schema) const NONE: Self = Self(0);
    pub(in crate::schema) const ALL: Self = Self(0x7F);

    pub(in crate::schema) fn with(self, rule: RepairRule, on: bool) -> Self {
        if on { Self(self.0 | bit(rule)) } else { Self(self.0 & !bit(rule)) }
    }

    pub(in crate::schema) fn has(self, rule: RepairRule) -> bool {
        self.0 & bit(rule) != 0
    }
}

const fn bit(rule: RepairRule) -> u8 {
    1 << rule as u8
}

impl fmt::Debug for RepairRules {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(RepairRule::ALL.into_iter().filter(|rule| self.has(*rule))).finish()
    }
}
