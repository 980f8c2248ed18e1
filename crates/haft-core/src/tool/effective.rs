//! Arguments on their way from the check into the function.

use std::{any::Any, fmt};

use serde_json::Value;

use crate::schema::InputSchema;

/// Arguments that were checked, with all that was repaired and filled.
pub(crate) enum Effective {
    /// As a value that anybody can look at.
    Value(Value),
    /// As the type that the function takes: nobody else had to see them.
    Typed(Box<dyn Any + Send>),
}

/// Reads argument text that plainly matches, in the form that the function takes.
pub(crate) type ReadArguments = fn(&InputSchema, &str) -> Option<Effective>;

impl Effective {
    /// The value, where there is one.
    pub(crate) fn value(&self) -> Option<&Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Typed(_) => None,
        }
    }

    /// The value itself, where there is one.
    pub(crate) fn into_value(self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Typed(_) => None,
        }
    }
}

impl fmt::Debug for Effective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(formatter),
            Self::Typed(_) => formatter.write_str("Typed(…)"),
        }
    }
}
