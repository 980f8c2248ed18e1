//! Why a schema was refused when a tool was defined.

use serde_json::Value;

use super::issue::shown;

/// A schema that no tool can be defined with.
///
/// The message names the place by JSON pointer and says how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// 2021: a keyword has a value that JSON Schema does not allow there.
    #[error("the schema is not valid JSON Schema at {}: {reason}", place(pointer))]
    #[non_exhaustive]
    Invalid {
        /// JSON pointer of the fault in the schema, `""` for its root.
        pointer: String,
        /// What is wrong there.
        reason: String,
    },
    /// 2022: the schema cannot describe arguments, which are always one object.
    #[error(
        "the schema cannot describe arguments: at {} it is {found}, but arguments are always one object; give it \
         \"type\": \"object\" and put each argument under \"properties\"",
        place(pointer)
    )]
    #[non_exhaustive]
    NotAnObject {
        /// JSON pointer of the place.
        pointer: String,
        /// What stands there.
        found: String,
    },
    /// 2023: a `$ref` leads nowhere.
    #[error(
        "the reference {reference:?} at {} leads nowhere: define its target in the schema, under \"$defs\"",
        place(pointer)
    )]
    #[non_exhaustive]
    UnresolvedReference {
        /// JSON pointer of the `$ref`.
        pointer: String,
        /// The reference as written.
        reference: String,
    },
    /// 2024: the schema declares a dialect of JSON Schema that is not known.
    #[error(
        "the schema declares the unknown dialect {dialect:?} in `/$schema`: declare \"https://json-schema.org/draft/2020-12/schema\" \
         or an earlier draft, or leave it out for 2020-12"
    )]
    #[non_exhaustive]
    UnknownDialect {
        /// The value of `$schema`.
        dialect: String,
    },
    /// 2025: a `$ref` leads out of the schema; nothing is ever fetched.
    #[error(
        "the reference {reference:?} at {} leads out of the schema, and nothing is fetched: copy what it refers to into the \
         schema, under \"$defs\"",
        place(pointer)
    )]
    #[non_exhaustive]
    RemoteReference {
        /// JSON pointer of the place.
        pointer: String,
        /// The reference as written.
        reference: String,
    },
    /// 2026: a required name is declared nowhere, so that the object, once closed, could never be accepted.
    #[error(
        "{name:?} is required at {}, but no part of the object declares it, so nothing could be accepted there: add it under \
         \"properties\" or take it out of \"required\"",
        place(pointer)
    )]
    #[non_exhaustive]
    RequiredUndeclared {
        /// JSON pointer of the object's schema.
        pointer: String,
        /// The name.
        name: String,
    },
    /// 2027: the schema is too large, too deep or too costly to check.
    #[error("the schema is too large: {reason}")]
    #[non_exhaustive]
    TooLarge {
        /// Which bound it passes and by how much.
        reason: String,
    },
    /// 2028: a `Result` stands inside of `Json`.
    #[error(
        "a `Result` stands inside of `Json`: the model would read {{\"Ok\": …}} or {{\"Err\": …}}, and a failed call would \
         count as a success; return `Result<Json<T>, E>`"
    )]
    ResultInside,
}

impl SchemaError {
    /// The stable number.
    pub const fn code(&self) -> u16 {
        match self {
            Self::Invalid { .. } => 2021,
            Self::NotAnObject { .. } => 2022,
            Self::UnknownDialect { .. } => 2024,
            Self::UnresolvedReference { .. } => 2023,
            Self::RemoteReference { .. } => 2025,
            Self::RequiredUndeclared { .. } => 2026,
            Self::TooLarge { .. } => 2027,
            Self::ResultInside => 2028,
        }
    }

    /// JSON pointer of the fault in the schema, where one place can be named.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Invalid { pointer, .. }
            | Self::NotAnObject { pointer, .. }
            | Self::UnresolvedReference { pointer, .. }
            | Self::RemoteReference { pointer, .. }
            | Self::RequiredUndeclared { pointer, .. } => Some(pointer),
            Self::UnknownDialect { .. } => Some("/$schema"),
            Self::TooLarge { .. } | Self::ResultInside => None,
        }
    }

    pub(super) fn invalid(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Invalid { pointer: pointer.into(), reason: reason.into() }
    }

    pub(super) fn not_an_object(pointer: impl Into<String>, found: &Value) -> Self {
        Self::NotAnObject { pointer: pointer.into(), found: shown(found) }
    }
}

/// A JSON pointer as a message shows it.
fn place(pointer: &str) -> String {
    if pointer.is_empty() { "its root".to_owned() } else { format!("`{pointer}`") }
}
