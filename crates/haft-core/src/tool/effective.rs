//! Arguments on their way from the check into the function.

use std::{
    any::{Any, TypeId},
    cell::Cell,
    fmt,
};

use serde::de::DeserializeOwned;
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

/// Argument text that the function reads itself: what it reads is checked by that.
pub(crate) struct Unread<'a> {
    schema: &'a InputSchema,
    text: &'a str,
    undecided: Cell<bool>,
}

impl<'a> Unread<'a> {
    pub(crate) fn new(schema: &'a InputSchema, text: &'a str) -> Self {
        Self { schema, text, undecided: Cell::new(false) }
    }

    /// The arguments, where they plainly match; else the complete road has to decide on them.
    pub(crate) fn read<T: DeserializeOwned + 'static>(&self) -> Option<T> {
        let read = if TypeId::of::<T>() == TypeId::of::<Value>() {
            self.schema.read_value(self.text).and_then(same)
        } else {
            self.schema.read_typed(self.text)
        };
        self.undecided.set(read.is_none());
        read
    }

    /// Whether they did not plainly match; the function has not run.
    pub(crate) fn is_undecided(&self) -> bool {
        self.undecided.get()
    }
}

/// The value as what it is, where that is known.
pub(crate) fn same<T: 'static, U: 'static>(value: T) -> Option<U> {
    let mut value = Some(value);
    let value: &mut dyn Any = &mut value;
    value.downcast_mut::<Option<U>>().and_then(Option::take)
}

impl fmt::Debug for Effective {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(formatter),
            Self::Typed(_) => formatter.write_str("Typed(…)"),
        }
    }
}
