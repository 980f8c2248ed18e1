//! Schemas and tools as each provider takes them, with a report of what was changed.
//!
//! One file per target holds that provider's rules and where they are documented. What a projection drops still holds at
//! a call: arguments are always checked against the whole schema.

mod anthropic;
mod build;
mod build_object;
mod choices;
mod definitions;
mod error;
mod foreign;
mod gemini;
mod inline;
mod keyword;
mod lean;
mod list;
mod mcp;
mod null;
mod openai;
mod openai_strict;
mod order;
mod parameters;
mod pattern;
mod plain;
mod profile;
mod reader;
mod reference;
mod rename;
mod report;
mod root;
mod shape;
mod strict_limits;
mod target;
mod tool;
mod types;
mod words;
mod write;

pub use error::{ProjectionError, UnknownProjection};
pub(crate) use list::ListCache;
pub use list::{ProjectedTools, RefusedTool};
pub(crate) use parameters::parameters;
pub use profile::Profile;
pub use rename::Renamed;
pub use report::{ChangeKind, ProjectionReport, ReportRow};
pub use target::Target;
pub use tool::ProjectedTool;
pub(crate) use tool::{Reports, ToolCache};

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::error::SchemaError;
use super::input::objects_only;
use super::{bounds, check, pointer};
use crate::registry::ToolRegistry;
use crate::tool::Tool;
use error::Fault;

/// Whose form a schema or a tool takes.
///
/// ```
/// use haft_core::{ChangeKind, Projection};
/// use serde_json::json;
///
/// let schema = json!({
///     "properties": {"title": {"type": "string"}, "body": {"type": "string"}},
///     "anyOf": [{"required": ["title"]}, {"required": ["body"]}],
/// });
/// let projected = Projection::Anthropic.schema(&schema)?;
/// assert_eq!(projected.value["type"], "object");
/// assert_eq!(projected.value["description"], "At least one of these must be given: title; body.");
/// assert!(projected.report.has(ChangeKind::Weakened));
///
/// let error = Projection::Anthropic.schema(&json!({"properties": {"x": "string"}})).unwrap_err();
/// assert_eq!(error.pointer, "/properties/x");
/// # Ok::<(), haft_core::ProjectionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Projection {
    /// An MCP tool, as conservative as clients need it.
    Mcp,
    /// A function of OpenAI chat completions, not strict.
    OpenAi,
    /// A function of OpenAI chat completions in strict mode, where that can say it.
    OpenAiStrict,
    /// An Anthropic tool.
    Anthropic,
    /// A Gemini function declaration.
    Gemini,
    /// The shortest listing from which a tool can be called.
    Lean,
}

impl Projection {
    /// Every projection.
    pub const ALL: [Self; 6] =
        [Self::Mcp, Self::OpenAi, Self::OpenAiStrict, Self::Anthropic, Self::Gemini, Self::Lean];

    /// The name at the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Lean => "lean",
        }
    }

    /// The projection of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|projection| projection.name() == name)
    }

    /// A bare schema of arguments, as this target takes it.
    ///
    /// # Errors
    /// The schema is no valid JSON Schema, too large, or can not be said in this form; the place is named.
    pub fn schema(self, schema: &Value) -> Result<Projected, ProjectionError> {
        self.schema_with(schema, None)
    }

    fn schema_with(self, schema: &Value, profile: Option<Profile>) -> Result<Projected, ProjectionError> {
        let refused =
            |error: &SchemaError| Fault::new(error.pointer().unwrap_or_default(), error.to_string()).of(self);
        bounds::check(schema).map_err(|error| refused(&error))?;
        let mut report = ProjectionReport::default();
        let mended = match schema {
            Value::Object(_) => foreign::mended(schema, &mut report).map_err(|fault| fault.of(self))?,
            _ => schema.clone(),
        };
        let mended = objects_only(mended).map_err(|error| refused(&error))?;
        check::refuse_unsound(&mended).map_err(|error| refused(&error))?;
        self.checked(&mended, profile, report)
    }

    /// The tool as this target takes it; made once and kept.
    ///
    /// # Errors
    /// As [`Projection::schema`].
    pub fn tool(self, tool: &Tool) -> Result<Arc<ProjectedTool>, ProjectionError> {
        tool.projections().get(self, tool)
    }

    /// The tools of a registry as this target takes them, in the order of their registration; made once and kept.
    ///
    /// A tool that has no such form is left out and named, and does not hinder the others.
    pub fn list(self, registry: &ToolRegistry) -> Arc<ProjectedTools> {
        registry.snapshot().lists().get(self, &registry.snapshot())
    }

    /// The name of a tool as this target takes it.
    pub(crate) fn tool_name(self, name: &str) -> String {
        if self == Self::Gemini { gemini::tool_name(name) } else { name.to_owned() }
    }

    /// The projection of a schema that is known to be valid.
    fn checked(
        self,
        schema: &Value,
        profile: Option<Profile>,
        mut report: ProjectionReport,
    ) -> Result<Projected, ProjectionError> {
        // Whatever order the build's JSON keeps, the same schema gives the same text.
        let made = self.made(&order::canonical(schema), profile, &mut report)?;
        Ok(Projected {
            value: order::ordered(made.value),
            report,
            strict: made.strict,
            renamed: made.renamed,
        })
    }

    /// What the target's rules make of a valid schema that has its keys in order.
    fn made(
        self,
        schema: &Value,
        profile: Option<Profile>,
        report: &mut ProjectionReport,
    ) -> Result<Made, ProjectionError> {
        let made = match self {
            Self::Mcp => Ok(mcp::schema(schema, report)),
            Self::OpenAi => match profile {
                Some(profile) => openai::varied(schema, profile.habits(), report),
                None => openai::schema(schema, report),
            },
            Self::OpenAiStrict => openai_strict::schema(schema, report),
            Self::Anthropic => anthropic::schema(schema, report),
            Self::Gemini => gemini::schema(schema, report),
            Self::Lean => lean::schema(schema, report),
        };
        made.map_err(|fault| fault.of(self))
    }
}

impl fmt::Display for Projection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Projection {
    type Err = UnknownProjection;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::parse(name).ok_or_else(|| UnknownProjection { name: name.to_owned() })
    }
}

impl Serialize for Projection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A schema in the form of a target.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Projected {
    /// The schema; keys are sorted, whatever order they had.
    pub value: Value,
    /// What was changed.
    pub report: ProjectionReport,
    /// Whether the target may be told to be strict about it; `None` where it knows no such thing.
    pub strict: Option<bool>,
    /// Arguments that have another name in this form.
    pub renamed: Vec<Renamed>,
}

/// The names, other than its own, that a provider may know a tool by.
pub(crate) fn names_of(name: &str) -> impl Iterator<Item = String> {
    let sent = gemini::tool_name(name);
    let apart = rename::hashed(&sent, name);
    [sent, apart].into_iter().take(if gemini::tool_name(name) == name { 0 } else { 2 })
}

/// `schema` with what is no JSON Schema, but plainly meant, written as such; untouched where there is nothing of the kind.
pub(super) fn mended(schema: Value) -> Result<Value, SchemaError> {
    // No schema at all is judged elsewhere.
    if !schema.is_object() {
        return Ok(schema);
    }
    let mut report = ProjectionReport::default();
    let mended = foreign::mended(&schema, &mut report)
        .map_err(|Fault { pointer, reason }| SchemaError::invalid(pointer, reason))?;
    Ok(if report.is_empty() { schema } else { mended })
}

/// What a target's rules make of a schema.
#[derive(Debug, Default)]
struct Made {
    value: Value,
    strict: Option<bool>,
    renamed: Vec<Renamed>,
}
