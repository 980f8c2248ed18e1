//! The error side of what a function returns.

use std::{error::Error, marker::PhantomData};

use crate::error::ToolError;

/// Stands for the type that a function returns.
#[derive(Debug)]
pub struct FailureProbe<V>(PhantomData<fn() -> V>);

/// The probe of a value's type.
pub const fn failure<V>(_: &V) -> FailureProbe<V> {
    FailureProbe(PhantomData)
}

/// A `Result` whose error turns into a [`ToolError`].
pub trait Convertible<V>: Sized {
    /// Keeps it.
    fn convert(self, value: V) -> V {
        value
    }
}

impl<T, E: Into<ToolError>> Convertible<Result<T, E>> for &&&&FailureProbe<Result<T, E>> {}

/// A `Result` whose error is a boxed one, as `anyhow` makes them.
pub trait AnyError<T, E: Into<Box<dyn Error + Send + Sync>>>: Sized {
    /// Turns the error into a [`ToolError`].
    ///
    /// # Errors
    /// The value's own.
    fn convert(self, value: Result<T, E>) -> Result<T, ToolError> {
        value.map_err(|error| ToolError::from_boxed(error.into()))
    }
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> AnyError<T, E> for &&&FailureProbe<Result<T, E>> {}

/// A `Result` of any other error.
pub trait Foreign<T, E>: Sized {
    /// Does not compile.
    ///
    /// # Errors
    /// The value's own.
    fn convert(self, value: Result<T, E>) -> Result<T, ToolError>
    where
        E: ToolFailure,
    {
        value.map_err(ToolFailure::into_tool_error)
    }
}

impl<T, E> Foreign<T, E> for &&FailureProbe<Result<T, E>> {}

/// No `Result` at all.
pub trait NoFailure<V>: Sized {
    /// Keeps it.
    fn convert(self, value: V) -> V {
        value
    }
}

impl<V> NoFailure<V> for &FailureProbe<V> {}

#[diagnostic::on_unimplemented(
    message = "`{Self}` is no error that a tool can fail with",
    label = "does not turn into a `ToolError`",
    note = "implement `std::error::Error` for `{Self}`, or `From<{Self}>` for `haft::ToolError`"
)]
pub trait ToolFailure {
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl ToolFailure for ToolError {
    fn into_tool_error(self) -> ToolError {
        self
    }
}
