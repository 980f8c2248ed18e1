//! The form in which a function's value becomes output: as it is, or as JSON.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;

use crate::tool::{Content, IntoToolOutput, Json, Rows, ToolOutput};

/// Stands for the type that a function returns.
#[derive(Debug)]
pub struct ReturnedProbe<V>(PhantomData<fn() -> V>);

/// The probe of a value's type.
pub const fn returned<V>(_: &V) -> ReturnedProbe<V> {
    ReturnedProbe(PhantomData)
}

/// A `Result` stands where only the output can: the model would read `{"Ok": …}`.
pub trait WithResultInside<V>: Sized {
    /// Does not compile.
    fn output(self, _: V) -> ToolOutput
    where
        V: PlainOutput,
    {
        ToolOutput::empty()
    }
}

impl<T, E> WithResultInside<Json<Result<T, E>>> for &&&&&&&ReturnedProbe<Json<Result<T, E>>> {}
impl<T, E, F> WithResultInside<Result<Json<Result<T, E>>, F>>
    for &&&&&&&ReturnedProbe<Result<Json<Result<T, E>>, F>>
{
}
impl<T, E, F> WithResultInside<Result<Result<T, E>, F>> for &&&&&&&ReturnedProbe<Result<Result<T, E>, F>> {}

/// A `Result` of what is output already.
pub trait OkOutput<V>: Sized {
    /// Keeps it.
    fn output(self, value: V) -> V {
        value
    }
}

impl<T: IntoToolOutput, E> OkOutput<Result<T, E>> for &&&&&&ReturnedProbe<Result<T, E>> {}

/// A `Result` of any other value with a schema.
pub trait OkValue<T, E>: Sized {
    /// Makes the value JSON.
    ///
    /// # Errors
    /// The value's own.
    fn output(self, value: Result<T, E>) -> Result<Json<T>, E> {
        value.map(Json)
    }
}

impl<T: Serialize + JsonSchema, E> OkValue<T, E> for &&&&&ReturnedProbe<Result<T, E>> {}

/// A `Result` of what can not be output.
pub trait OkUnsuited<T, E>: Sized {
    /// Does not compile.
    ///
    /// # Errors
    /// The value's own.
    fn output(self, value: Result<T, E>) -> Result<ToolOutput, E>
    where
        T: Returnable,
    {
        value.map(Returnable::output)
    }
}

impl<T, E> OkUnsuited<T, E> for &&&&ReturnedProbe<Result<T, E>> {}

/// What is output already.
pub trait Output<V>: Sized {
    /// Keeps it.
    fn output(self, value: V) -> V {
        value
    }
}

impl<V: IntoToolOutput> Output<V> for &&&ReturnedProbe<V> {}

/// Any other value with a schema.
pub trait Value<V>: Sized {
    /// Makes the value JSON.
    fn output(self, value: V) -> Json<V> {
        Json(value)
    }
}

impl<V: Serialize + JsonSchema> Value<V> for &&ReturnedProbe<V> {}

/// What can not be output.
pub trait Unsuitable<V>: Sized {
    /// Does not compile.
    fn output(self, value: V) -> ToolOutput
    where
        V: Returnable,
    {
        value.output()
    }
}

impl<V> Unsuitable<V> for &ReturnedProbe<V> {}

#[diagnostic::on_unimplemented(
    message = "a tool can not return `{Self}`: a `Result` stands inside its output",
    label = "the model would read `{{\"Ok\": …}}` or `{{\"Err\": …}}`, and a failed call would count as a success",
    note = "return `Result<T, E>` or `Result<Json<T>, E>`: what is in `Ok` becomes the output, what is in `Err` the failure"
)]
pub trait PlainOutput {}

#[diagnostic::do_not_recommend]
impl PlainOutput for ToolOutput {}

#[diagnostic::on_unimplemented(
    message = "a tool can not return `{Self}`",
    label = "neither an output nor a value with a schema",
    note = "add `#[derive(serde::Serialize, schemars::JsonSchema)]` to the type: it then becomes JSON with an output schema",
    note = "or return text, `Rows`, `ToolOutput`, `Vec<Content>` or `()`"
)]
pub trait Returnable {
    fn output(self) -> ToolOutput;
}

impl Returnable for ToolOutput {
    fn output(self) -> ToolOutput {
        self
    }
}

impl Returnable for String {
    fn output(self) -> ToolOutput {
        ToolOutput::text(self)
    }
}

impl Returnable for Rows {
    fn output(self) -> ToolOutput {
        ToolOutput::text(self.to_string())
    }
}

impl Returnable for Vec<Content> {
    fn output(self) -> ToolOutput {
        ToolOutput::blocks(self)
    }
}
