//! The kinds of advice, each with its id.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A kind of advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Lint {
    /// `refused`: the tool has no form for the provider, or is none at all.
    Refused,
    /// `not-strict`: the tool goes out without strict mode.
    NotStrict,
    /// `dropped`: the provider is not told of a constraint.
    Dropped,
    /// `weakened`: the provider is told less than holds.
    Weakened,
    /// `narrowed`: the model can not send everything that is accepted.
    Narrowed,
    /// `renamed`: the tool or an argument has another name there.
    Renamed,
    /// `long-description`: some servers of this form refuse so long a description.
    LongDescription,
    /// `vague-name`: one word that says little.
    VagueName,
    /// `short-description`: under 20 characters.
    ShortDescription,
    /// `description-is-name`: the description says nothing more than the name.
    DescriptionIsName,
    /// `undescribed-parameter`: a parameter without a description.
    UndescribedParameter,
    /// `unstated-default`: a parameter may be left out, and nothing says what that means.
    UnstatedDefault,
    /// `text-output`: the function returns text, where an output schema is declared.
    TextOutput,
    /// `blocking-without-timeout`: the function blocks its thread for as long as it likes.
    BlockingWithoutTimeout,
}

/// How much advice weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum LintLevel {
    /// It would do better otherwise.
    Advice,
    /// The provider gets less than there is.
    Weakened,
    /// The provider would not get the tool.
    Refused,
}

impl LintLevel {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Advice => "advice",
            Self::Weakened => "weakened",
            Self::Refused => "refused",
        }
    }
}

impl Lint {
    /// Every lint.
    pub const ALL: [Self; 14] = [
        Self::Refused,
        Self::NotStrict,
        Self::Dropped,
        Self::Weakened,
        Self::Narrowed,
        Self::Renamed,
        Self::LongDescription,
        Self::VagueName,
        Self::ShortDescription,
        Self::DescriptionIsName,
        Self::UndescribedParameter,
        Self::UnstatedDefault,
        Self::TextOutput,
        Self::BlockingWithoutTimeout,
    ];

    /// The id, by which it is allowed.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::NotStrict => "not-strict",
            Self::Dropped => "dropped",
            Self::Weakened => "weakened",
            Self::Narrowed => "narrowed",
            Self::Renamed => "renamed",
            Self::LongDescription => "long-description",
            Self::VagueName => "vague-name",
            Self::ShortDescription => "short-description",
            Self::DescriptionIsName => "description-is-name",
            Self::UndescribedParameter => "undescribed-parameter",
            Self::UnstatedDefault => "unstated-default",
            Self::TextOutput => "text-output",
            Self::BlockingWithoutTimeout => "blocking-without-timeout",
        }
    }

    /// The lint of that id.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|lint| lint.id() == id)
    }

    /// How much it weighs.
    pub const fn level(self) -> LintLevel {
        match self {
            Self::Refused => LintLevel::Refused,
            Self::NotStrict | Self::Dropped | Self::Weakened | Self::Narrowed => LintLevel::Weakened,
            _ => LintLevel::Advice,
        }
    }

    /// How to mend it.
    pub const fn mend(self) -> &'static str {
        match self {
            Self::Refused => {
                "change the schema at that place; until then the tool is left out of this provider's list"
            }
            Self::NotStrict => "list the properties of every object, or leave the tool out of strict mode",
            Self::Dropped => {
                "nothing has to be done: it holds at a call; say it in the parameter's description as well"
            }
            Self::Weakened => "say it with plain properties, types and enums, or in the description",
            Self::Narrowed => "give it one type and one way to be left out",
            Self::Renamed => "name it with letters, digits and _, beginning with a letter",
            Self::LongDescription => {
                "say in 1,024 characters what it does, and the rest in the parameters' descriptions"
            }
            Self::VagueName => "name what it acts on as well, such as search_customers",
            Self::ShortDescription => "say what it does, when to call it and what comes back",
            Self::DescriptionIsName => "say what the name does not say",
            Self::UndescribedParameter => "describe it, with its form or an example",
            Self::UnstatedDefault => {
                "give it a \"default\", or say in its description what happens without it"
            }
            Self::TextOutput => "return structured output (`Json`), or take the output schema away",
            Self::BlockingWithoutTimeout => "give the tool a timeout",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}

impl Serialize for Lint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// An id that no lint has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no lint {id:?}; there are {known}", known = Lint::ALL.map(Lint::id).join(", "))]
#[non_exhaustive]
pub struct UnknownLint {
    /// The id that was given.
    pub id: String,
}

impl UnknownLint {
    /// The stable number.
    #[expect(clippy::unused_self, reason = "asked of every error alike")]
    pub const fn code(&self) -> u16 {
        2104
    }
}

impl FromStr for Lint {
    type Err = UnknownLint;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        Self::parse(id).ok_or_else(|| UnknownLint { id: id.to_owned() })
    }
}
