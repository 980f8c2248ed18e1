//! Return types of tool functions.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    error::{ErrorCode, ToolError},
    schema::{OutputSchema, SchemaError},
    tool::{Content, Json, Rows, ToolOutput},
};

/// A type that a tool function can return.
///
/// Text, [`Rows`], [`Json`], blocks of [`Content`], [`ToolOutput`] and `()` are such types, and so is a `Result` of
/// one of them whose error turns into a [`ToolError`]; every [`std::error::Error`] does.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what a tool can return",
    label = "not a tool output",
    note = "return text, `Rows`, `Json<T>`, `ToolOutput`, `Vec<Content>`, `()`, or a `Result` of one of these",
    note = "wrap a type that implements `Serialize` and `JsonSchema` in `haft::Json`"
)]
pub trait IntoToolOutput {
    /// Turns the value into an output.
    ///
    /// # Errors
    /// When the function failed, or when its value can not be written as JSON.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;

    /// The schema of the structured output, where the type has one.
    fn output_schema() -> Option<Result<OutputSchema, SchemaError>> {
        None
    }

    /// Whether the value is text and nothing else, so that it can never match an output schema.
    fn is_text() -> bool {
        false
    }
}

impl IntoToolOutput for ToolOutput {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

impl IntoToolOutput for () {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::empty())
    }
}

impl IntoToolOutput for String {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }

    fn is_text() -> bool {
        true
    }
}

impl IntoToolOutput for &'static str {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self))
    }

    fn is_text() -> bool {
        true
    }
}

impl IntoToolOutput for Rows {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(self.to_string()))
    }

    fn is_text() -> bool {
        true
    }
}

impl IntoToolOutput for Content {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::blocks(vec![self]))
    }
}

impl IntoToolOutput for Vec<Content> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::blocks(self))
    }
}

impl<T: Serialize + JsonSchema> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        serde_json::to_string(&self.0).map(ToolOutput::json_text).map_err(|error| {
            ToolError::of(
                ErrorCode::Output,
                format!("what the tool returned can not be written as JSON: {error}"),
            )
        })
    }

    fn output_schema() -> Option<Result<OutputSchema, SchemaError>> {
        // No bound excludes a type; the attribute, which sees the one type, refuses it when it compiles.
        let is_result = T::schema_id().starts_with("Result<");
        Some(if is_result { Err(SchemaError::ResultInside) } else { OutputSchema::typed::<T>() })
    }
}

impl<T: IntoToolOutput, E: Into<ToolError>> IntoToolOutput for Result<T, E> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        self.map_err(Into::into)?.into_tool_output()
    }

    fn output_schema() -> Option<Result<OutputSchema, SchemaError>> {
        T::output_schema()
    }

    fn is_text() -> bool {
        T::is_text()
    }
}
