//! Whose form is meant: that of a projection, or of a server with habits of its own.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::build::Unrolled;
use super::{
    Profile, Projected, ProjectedTool, ProjectedTools, Projection, ProjectionError, ProjectionReport, gemini,
    lean,
};
use crate::registry::ToolRegistry;
use crate::tool::Tool;

/// A projection, or a server's variation of one.
///
/// ```
/// use haft_core::{Profile, Projection, Target};
///
/// assert_eq!(Target::parse("gemini"), Some(Projection::Gemini.into()));
/// assert_eq!(Target::from(Profile::Groq).projection(), Projection::OpenAi);
/// assert_eq!(Target::from(Profile::Groq).to_string(), "groq");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Target {
    /// A projection as it is.
    Projection(Projection),
    /// What one server wants of it.
    Profile(Profile),
}

impl Target {
    /// The name at the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Projection(projection) => projection.name(),
            Self::Profile(profile) => profile.name(),
        }
    }

    /// The target of that name.
    pub fn parse(name: &str) -> Option<Self> {
        let projection = Projection::parse(name).map(Self::Projection);
        projection.or_else(|| Profile::parse(name).map(Self::Profile))
    }

    /// The projection that it is or varies.
    pub const fn projection(self) -> Projection {
        match self {
            Self::Projection(projection) => projection,
            Self::Profile(profile) => profile.projection(),
        }
    }

    pub(super) const fn profile(self) -> Option<Profile> {
        match self {
            Self::Projection(_) => None,
            Self::Profile(profile) => Some(profile),
        }
    }

    /// The projection of a schema that is known to be valid.
    pub(super) fn checked(self, schema: &Value) -> Result<Projected, ProjectionError> {
        let projected = self.projection().checked(schema, self.profile(), ProjectionReport::default());
        projected.map_err(|error| self.named(error))
    }

    /// What is changed in a schema that is known to be valid, and has its keys in order.
    pub(super) fn changes(self, schema: &Value) -> Result<ProjectionReport, ProjectionError> {
        let mut report = ProjectionReport::default();
        match self.projection().made(schema, self.profile(), &mut report) {
            Ok(_) => Ok(report),
            Err(error) => Err(self.named(error)),
        }
    }

    /// The same where the shape of such a schema is known, for the projections that are written from that.
    pub(super) fn changes_of(self, known: &Unrolled<'_>) -> Result<ProjectionReport, ProjectionError> {
        let mut report = known.report.clone();
        let made = match self.projection() {
            Projection::Gemini => Ok(gemini::written(&known.shape, &mut report)),
            _ => lean::written(&known.shape, &mut report),
        };
        made.map(|_| report).map_err(|fault| self.named(fault.of(self.projection())))
    }

    pub(super) fn named(self, error: ProjectionError) -> ProjectionError {
        ProjectionError { profile: self.profile(), ..error }
    }

    /// A bare schema of arguments, as this target takes it.
    ///
    /// # Errors
    /// As [`Projection::schema`].
    pub fn schema(self, schema: &Value) -> Result<Projected, ProjectionError> {
        match self {
            Self::Projection(projection) => projection.schema(schema),
            Self::Profile(profile) => profile.schema(schema),
        }
    }

    /// The tool as this target takes it.
    ///
    /// # Errors
    /// As [`Projection::tool`].
    pub fn tool(self, tool: &Tool) -> Result<Arc<ProjectedTool>, ProjectionError> {
        match self {
            Self::Projection(projection) => projection.tool(tool),
            Self::Profile(profile) => profile.tool(tool).map(Arc::new),
        }
    }

    /// The tools of a registry as this target takes them; as [`Projection::list`], but only that of a projection is kept.
    pub fn list(self, registry: &ToolRegistry) -> Arc<ProjectedTools> {
        match self {
            Self::Projection(projection) => projection.list(registry),
            Self::Profile(_) => Arc::new(ProjectedTools::make(self, &registry.snapshot())),
        }
    }
}

impl From<Projection> for Target {
    fn from(projection: Projection) -> Self {
        Self::Projection(projection)
    }
}

impl From<Profile> for Target {
    fn from(profile: Profile) -> Self {
        Self::Profile(profile)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl Serialize for Target {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
