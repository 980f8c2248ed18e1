//! Why a schema has no projection.

use super::Projection;

/// A schema, or a tool, that a provider can not be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {} form: {}{reason}", .projection.name(), place(.pointer, .reason))]
#[non_exhaustive]
pub struct ProjectionError {
    /// Which projection refused it.
    pub projection: Projection,
    /// JSON pointer of the fault in the schema, `""` for its root.
    pub pointer: String,
    /// What is wrong there, and what to do.
    pub reason: String,
}

impl ProjectionError {
    /// The stable number.
    #[expect(clippy::unused_self, reason = "asked of every error alike")]
    pub const fn code(&self) -> u16 {
        2031
    }
}

/// The place as a message shows it; nothing where the reason names it already.
fn place(pointer: &str, reason: &str) -> String {
    match pointer {
        "" => String::new(),
        named if reason.contains(named) => String::new(),
        other => format!("at `{other}`: "),
    }
}

/// A fault before it is known for whom: JSON pointer and reason.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) pointer: String,
    pub(super) reason: String,
}

impl Fault {
    pub(super) fn new(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), reason: reason.into() }
    }

    pub(super) fn of(self, projection: Projection) -> ProjectionError {
        ProjectionError { projection, pointer: self.pointer, reason: self.reason }
    }
}

/// A name that no projection has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no projection {name:?}; there are {known}", known = Projection::ALL.map(Projection::name).join(", "))]
#[non_exhaustive]
pub struct UnknownProjection {
    /// The name that was given.
    pub name: String,
}

impl UnknownProjection {
    /// The stable number.
    #[expect(clippy::unused_self, reason = "asked of every error alike")]
    pub const fn code(&self) -> u16 {
        2103
    }
}
