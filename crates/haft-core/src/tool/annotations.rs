//! What a tool says of its effects.

use serde::Serialize;

/// Hints about a tool's effects; what is unset is unknown and left out of listings.
///
/// ```
/// use haft_core::ToolAnnotations;
///
/// let annotations = ToolAnnotations::new().read_only(true);
/// assert_eq!(annotations.read_only, Some(true));
/// assert_eq!(annotations.destructive, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The tool changes nothing.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The tool removes or overwrites what it cannot give back.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Repeating a call adds nothing.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The tool reaches beyond the host.
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Nothing is known.
    pub const fn new() -> Self {
        Self { read_only: None, destructive: None, idempotent: None, open_world: None }
    }

    /// Says whether the tool changes nothing.
    #[must_use]
    pub const fn read_only(mut self, value: bool) -> Self {
        self.read_only = Some(value);
        self
    }

    /// Says whether the tool removes or overwrites what it cannot give back.
    #[must_use]
    pub const fn destructive(mut self, value: bool) -> Self {
        self.destructive = Some(value);
        self
    }

    /// Says whether repeating a call adds nothing.
    #[must_use]
    pub const fn idempotent(mut self, value: bool) -> Self {
        self.idempotent = Some(value);
        self
    }

    /// Says whether the tool reaches beyond the host.
    #[must_use]
    pub const fn open_world(mut self, value: bool) -> Self {
        self.open_world = Some(value);
        self
    }

    /// Whether nothing is known.
    pub fn is_empty(self) -> bool {
        self == Self::new()
    }
}
