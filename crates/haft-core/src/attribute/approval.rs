//! Which calls a person has to approve, told by the arguments as a type.

use serde::{Deserialize as _, de::DeserializeOwned};
use serde_json::Value;

use crate::tool::Args;

/// What holds the arguments.
pub trait Whole {
    /// Their type.
    type Arguments: DeserializeOwned;
}

impl<T: DeserializeOwned> Whole for Args<T> {
    type Arguments = T;
}

/// A predicate over the effective arguments as JSON.
///
/// What can not be read as the type is asked about: the function will not run on it either.
pub fn approval<W, F>(predicate: F) -> impl Fn(&Value) -> bool + Send + Sync + 'static
where
    W: Whole,
    F: Fn(&W::Arguments) -> bool + Send + Sync + 'static,
{
    move |arguments| W::Arguments::deserialize(arguments).ok().is_none_or(|arguments| predicate(&arguments))
}
