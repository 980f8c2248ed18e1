//! A definition that keeps its types: checked, called and answered in typed values.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{ErrorCode, ToolError},
    schema::Leniency,
    tool::{Args, DefinitionError, IntoTool, Json, Tool, ToolBuilder, ToolContext},
};

type TypedFuture<O> = Pin<Box<dyn Future<Output = Result<O, ToolError>> + Send>>;
type TypedFunction<A, O> = dyn Fn(A, ToolContext) -> TypedFuture<O> + Send + Sync;

/// A tool whose arguments and output are known as types; [`tool`](Self::tool) is the erased one.
///
/// ```
/// use haft_core::{Tool, ToolContext, ToolError, TypedTool};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Point { x: i32, y: i32 }
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let norm = TypedTool::new(
///     Tool::builder("norm").description("The Manhattan norm of a point."),
///     |point: Point, _| async move { Ok::<_, ToolError>(point.x.abs() + point.y.abs()) },
/// )?;
/// let point = norm.check(r#"{"x": 3, "y": -4}"#).map_err(|error| error.to_string())?;
/// assert_eq!(norm.call(point, ToolContext::detached()).await.map_err(|error| error.to_string())?, 7);
/// # Ok(())
/// # }
/// ```
pub struct TypedTool<A, O> {
    tool: Tool,
    function: Arc<TypedFunction<A, O>>,
}

impl<A, O> TypedTool<A, O>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + JsonSchema + Send + 'static,
{
    /// Ends a definition with a function from one type to another.
    ///
    /// # Errors
    /// Everything that is wrong with the definition, at once.
    pub fn new<F, Fut, E>(builder: ToolBuilder, function: F) -> Result<Self, DefinitionError>
    where
        F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        E: Into<ToolError>,
    {
        let function: Arc<TypedFunction<A, O>> = Arc::new(move |arguments, context| {
            let running = function(arguments, context);
            Box::pin(async move { running.await.map_err(Into::into) })
        });
        let erased = Arc::clone(&function);
        let tool = builder.run(move |Args(arguments): Args<A>, context: ToolContext| {
            let running = erased(arguments, context);
            async move { running.await.map(Json) }
        })?;
        Ok(Self { tool, function })
    }

    /// Checks argument text and reads it as the type.
    ///
    /// # Errors
    /// Every way in which the text does not match.
    pub fn check(&self, arguments: &str) -> Result<A, ToolError> {
        if let Some(read) = self.tool.definition().input.read_typed(arguments) {
            return Ok(read);
        }
        let checked = crate::dispatch::check_arguments(&self.tool, arguments, &Leniency::default())?;
        A::deserialize(checked.effective.into_value().unwrap_or_default())
            .map_err(|error| ToolError::of(ErrorCode::Arguments, error.to_string()))
    }

    /// Calls the function with typed arguments.
    ///
    /// # Errors
    /// The function's own.
    pub async fn call(&self, arguments: A, context: ToolContext) -> Result<O, ToolError> {
        (self.function)(arguments, context).await
    }
}

impl<A, O> TypedTool<A, O> {
    /// The tool without its types.
    pub fn tool(&self) -> &Tool {
        &self.tool
    }
}

impl<A, O> Clone for TypedTool<A, O> {
    fn clone(&self) -> Self {
        Self { tool: self.tool.clone(), function: Arc::clone(&self.function) }
    }
}

impl<A, O> fmt::Debug for TypedTool<A, O> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("TypedTool").field(&self.tool.name()).finish()
    }
}

impl<A, O> From<TypedTool<A, O>> for Tool {
    fn from(typed: TypedTool<A, O>) -> Self {
        typed.tool
    }
}

impl<A, O> IntoTool for TypedTool<A, O> {
    fn into_tool(self) -> Result<Tool, DefinitionError> {
        Ok(self.tool)
    }
}
