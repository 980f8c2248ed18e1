//! Which types a required text can have.

use std::{borrow::Cow, sync::Arc};

/// A parameter with `#[required = "…"]` has to be a text.
pub const fn required_text<T: RequiredText>() {}

/// The types that are texts.
#[diagnostic::on_unimplemented(
    message = "`#[required = \"…\"]` is for texts, and `{Self}` is none",
    label = "not a text",
    note = "take a `String`; a parameter of any other type is required unless it is an `Option` or has a default"
)]
pub trait RequiredText {}

impl RequiredText for String {}
impl RequiredText for Box<str> {}
impl RequiredText for Arc<str> {}
impl RequiredText for Cow<'static, str> {}
