//! Whether the type of a parameter can be an argument; if not, the reason is told at the parameter.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::tool::Extract;

/// Stands for the type of a parameter.
#[derive(Debug)]
pub struct ArgumentProbe<T>(PhantomData<fn() -> T>);

/// The probe of a type.
pub const fn argument<T>() -> ArgumentProbe<T> {
    ArgumentProbe(PhantomData)
}

/// A parameter that the attribute takes for an extractor has to be one.
pub const fn extractor<T: Extract>() {}

/// The type can be read and has a schema.
pub trait Complete: Sized {
    /// Nothing is wrong.
    fn check(self) {}
}

impl<T: DeserializeOwned + JsonSchema> Complete for &&&&&ArgumentProbe<T> {}

/// The type is an extractor.
pub trait Extracted<T>: Sized {
    /// Does not compile.
    fn check(self)
    where
        Self: NoExtractor<T>,
    {
    }
}

impl<T: Extract> Extracted<T> for &&&&ArgumentProbe<T> {}

/// The type can be read but has no schema.
pub trait WithoutSchema<T>: Sized {
    /// Does not compile.
    fn check(self)
    where
        Self: HasSchema<T>,
    {
    }
}

impl<T: DeserializeOwned> WithoutSchema<T> for &&&ArgumentProbe<T> {}

/// The type has a schema but can not be read.
pub trait Unreadable<T>: Sized {
    /// Does not compile.
    fn check(self)
    where
        Self: IsReadable<T>,
    {
    }
}

impl<T: JsonSchema> Unreadable<T> for &&ArgumentProbe<T> {}

/// The type is none of these.
pub trait Unsuited<T>: Sized {
    /// Does not compile.
    fn check(self)
    where
        Self: IsArgument<T>,
    {
    }
}

impl<T> Unsuited<T> for &ArgumentProbe<T> {}

#[diagnostic::on_unimplemented(
    message = "`{T}` is an extractor, but this parameter is taken for an argument",
    label = "an extractor under another name",
    note = "put `#[extract]` before the parameter: the attribute knows haft's own extractors only by their names"
)]
pub trait NoExtractor<T> {}

#[diagnostic::do_not_recommend]
impl<T> NoExtractor<T> for () {}

#[diagnostic::on_unimplemented(
    message = "the parameter's type `{T}` has no schema",
    label = "does not implement `JsonSchema`",
    note = "every parameter is an argument that the model sends, unless it is an extractor",
    note = "add `#[derive(schemars::JsonSchema)]` to the type, or say `#[schemars(with = \"…\")]` before the parameter"
)]
pub trait HasSchema<T> {}

#[diagnostic::do_not_recommend]
impl<T> HasSchema<T> for () {}

#[diagnostic::on_unimplemented(
    message = "the parameter's type `{T}` can not be read from what a model sends",
    label = "does not implement `Deserialize`",
    note = "every parameter is an argument that the model sends, unless it is an extractor",
    note = "add `#[derive(serde::Deserialize)]` to the type, or say `#[serde(with = \"…\")]` before the parameter"
)]
pub trait IsReadable<T> {}

#[diagnostic::do_not_recommend]
impl<T> IsReadable<T> for () {}

#[diagnostic::on_unimplemented(
    message = "the parameter's type `{T}` can be no argument: it has no schema and can not be read",
    label = "neither implements `Deserialize` and `JsonSchema` nor is an extractor",
    note = "every parameter is an argument that the model sends, unless it is an extractor",
    note = "add `#[derive(serde::Deserialize, schemars::JsonSchema)]` to the type",
    note = "host state comes in `State<T>`, what the caller brought in `Extension<T>`"
)]
pub trait IsArgument<T> {}

#[diagnostic::do_not_recommend]
impl<T> IsArgument<T> for () {}
