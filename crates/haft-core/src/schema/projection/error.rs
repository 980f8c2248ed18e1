//! Why a schema has no projection.

use super::{Profile, Projection};

/// A schema, or a tool, that a provider can not be given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no {} form: {}{reason}", name(*.projection, *.profile), place(.pointer, .reason))]
#[non_exhaustive]
pub struct ProjectionError {
    /// Which projection refused it.
    pub projection: Projection,
    /// For which server's variation of it.
    pub profile: Option<Profile>,
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

fn name(projection: Projection, profile: Option<Profile>) -> &'static str {
    profile.map_or_else(|| projection.name(), Profile::name)
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
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) pointer: String,
    pub(super) reason: String,
}

impl Fault {
    pub(super) fn new(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), reason: reason.into() }
    }

    pub(super) fn of(self, projection: Projection) -> ProjectionError {
        ProjectionError { projection, profile: None, pointer: self.pointer, reason: self.reason }
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
