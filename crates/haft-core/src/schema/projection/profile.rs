//! Servers that speak OpenAI's form with rules of their own: small variations of it.
//!
//! What else is known of compatible servers needs none: xAI refuses a tool without `parameters` and Mistral one where they are
//! null, and both are always there; Mistral's check of schemas knows no boolean `exclusiveMinimum`, which is always written
//! as a number; Amazon Bedrock refuses `properties` that are null, which are never sent, and wants Anthropic's names of arguments.

use std::fmt;

use serde_json::Value;

use super::plain::Habit;
use super::{Projected, ProjectedTool, Projection, ProjectionError};
use crate::tool::Tool;

/// A server that speaks OpenAI's form, with a habit of its own.
///
/// ```
/// use haft_core::Profile;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
/// let projected = Profile::Groq.schema(&schema)?;
/// assert_eq!(projected.value["properties"]["city"]["type"], json!(["string", "null"]));
/// # Ok::<(), haft_core::ProjectionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// Groq checks calls itself and refuses them before anyone sees them, and its models send `null` for what they leave
    /// out: a property that may be left out may be null.
    Groq,
    /// Mistral takes what `openai` writes.
    Mistral,
    /// Ollama reads one type where JSON Schema allows a list, and no references.
    Ollama,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Groq, Self::Mistral, Self::Ollama];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Groq => "groq",
            Self::Mistral => "mistral",
            Self::Ollama => "ollama",
        }
    }

    /// The profile of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// The projection that it varies.
    #[expect(clippy::unused_self, reason = "profiles of other forms may follow")]
    pub const fn projection(self) -> Projection {
        Projection::OpenAi
    }

    /// A bare schema of arguments, as this server takes it.
    ///
    /// # Errors
    /// As [`Projection::schema`].
    pub fn schema(self, schema: &Value) -> Result<Projected, ProjectionError> {
        let projected = self.projection().schema_with(schema, Some(self));
        projected.map_err(|error| ProjectionError { profile: Some(self), ..error })
    }

    /// The tool as this server takes it.
    ///
    /// # Errors
    /// As [`Projection::tool`].
    pub fn tool(self, tool: &Tool) -> Result<ProjectedTool, ProjectionError> {
        ProjectedTool::make(self.into(), tool, tool.name().to_owned())
    }

    /// What it wants written in another way than `openai` does.
    pub(super) const fn habits(self) -> &'static [Habit] {
        const GROQ: &[Habit] =
            &[Habit::Modern, Habit::ItemsAlways, Habit::NoLookAround, Habit::NullWhereLeftOut];
        const MISTRAL: &[Habit] = &[Habit::Modern, Habit::ItemsAlways, Habit::NoLookAround];
        const OLLAMA: &[Habit] = &[
            Habit::Modern,
            Habit::ItemsAlways,
            Habit::NoLookAround,
            Habit::OneWayToLeaveOut,
            Habit::SingleType,
            Habit::NoReferences,
        ];
        match self {
            Self::Groq => GROQ,
            Self::Mistral => MISTRAL,
            Self::Ollama => OLLAMA,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
