//! Parameters of a tool's function: what it asks for by type.

use std::{
    any::{TypeId, type_name},
    fmt,
    ops::Deref,
    sync::Arc,
};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    error::{ErrorCode, ToolError},
    schema::{InputSchema, Issue},
    tool::{CallRequest, Effective, MissingState, Progress, Requirements, States, ToolContext, same},
};

/// A type that a tool's function can have as a parameter.
///
/// One's own extractor reads what the caller brought:
///
/// ```
/// use haft_core::{CallRequest, Extract, MissingState, ToolError};
///
/// struct Caller { name: String }
/// struct CallerName(String);
///
/// impl Extract for CallerName {
///     type Bound = ();
///
///     fn extract(_: &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
///         let caller = request.extension::<Caller>().ok_or_else(|| ToolError::new("no caller"))?;
///         Ok(Self(caller.name.clone()))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a parameter that a tool's function can have",
    label = "not an extractor",
    note = "arguments come in one `Args<T>`, host state in `State<T>`, what the caller brought in `Extension<T>`",
    note = "`ToolContext`, `Progress` and `CancellationToken` stand for themselves"
)]
pub trait Extract: Sized + Send + 'static {
    /// What is looked up once, when the registry is built.
    type Bound: BoundState;

    /// Adds to what the function asks for.
    #[doc(hidden)]
    fn declare(_: &mut Requirements) {}

    /// Looks up what does not change from call to call.
    #[doc(hidden)]
    fn bind(_: &States) -> Result<Self::Bound, MissingState> {
        Self::Bound::unbound().ok_or(MissingState { type_name: type_name::<Self>() })
    }

    /// Makes the parameter for one call.
    ///
    /// # Errors
    /// When it can not be made: the call then fails with the error, and the function does not run.
    fn extract(bound: &Self::Bound, request: &mut CallRequest<'_>) -> Result<Self, ToolError>;
}

/// What an extractor keeps between calls.
#[doc(hidden)]
pub trait BoundState: Send + Sync + Sized + 'static {
    /// The value for extractors that look nothing up.
    fn unbound() -> Option<Self> {
        None
    }
}

impl BoundState for () {
    fn unbound() -> Option<Self> {
        Some(())
    }
}

impl<T: Send + Sync + 'static> BoundState for Arc<T> {}

/// The arguments of a call, as a type whose schema is the tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_structs, reason = "a wrapper that users match in parameters")]
pub struct Args<T>(pub T);

impl<T: DeserializeOwned + JsonSchema + Send + 'static> Extract for Args<T> {
    type Bound = ();

    fn declare(requirements: &mut Requirements) {
        requirements.needs_arguments(InputSchema::typed::<T>, read::<T>);
    }

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        if let Some(unread) = request.unread() {
            // Whoever handed out the text asks whether it was decided on, and does not look at the error.
            return unread.read().map(Self).ok_or_else(|| ToolError::of(ErrorCode::Arguments, "undecided"));
        }
        let value = match request.take_arguments() {
            Effective::Value(value) if TypeId::of::<T>() == TypeId::of::<Value>() => {
                return same(value).map(Self).ok_or_else(|| unreadable(&"no value"));
            }
            Effective::Value(value) => value,
            Effective::Typed(typed) => match typed.downcast::<T>() {
                Ok(arguments) => return Ok(Self(*arguments)),
                Err(_) => Value::Null,
            },
        };
        T::deserialize(value).map(Self).map_err(|error| unreadable(&error))
    }
}

fn unreadable(error: &dyn fmt::Display) -> ToolError {
    let issue = Issue::told("", "arguments that the tool can read", "others".to_owned(), error.to_string());
    ToolError::of(ErrorCode::Arguments, format!("the tool can not read the arguments: {error}"))
        .detail(|details| details.issues = Some(vec![issue]))
}

/// Reads argument text as `T`; a JSON value stays what everybody can look at.
fn read<T: DeserializeOwned + Send + 'static>(schema: &InputSchema, arguments: &str) -> Option<Effective> {
    if TypeId::of::<T>() == TypeId::of::<Value>() {
        return schema.read_value(arguments).map(Effective::Value);
    }
    Some(Effective::Typed(Box::new(schema.read_typed::<T>(arguments)?)))
}

/// State of the host, bound when the registry is built; missing state is an error of that build.
pub struct State<T>(Arc<T>);

impl<T: Send + Sync + 'static> Extract for State<T> {
    type Bound = Arc<T>;

    fn declare(requirements: &mut Requirements) {
        requirements.needs_state::<T>();
    }

    fn bind(states: &States) -> Result<Arc<T>, MissingState> {
        states.get::<T>().ok_or(MissingState { type_name: type_name::<T>() })
    }

    fn extract(bound: &Arc<T>, _: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        Ok(Self(Arc::clone(bound)))
    }
}

impl<T> State<T> {
    /// State for calling a tool's function as the plain function it is, in a test.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The shared value.
    pub fn into_inner(self) -> Arc<T> {
        self.0
    }
}

/// What the caller of a turn brought; a turn that calls the tool without it does not start.
pub struct Extension<T>(Arc<T>);

impl<T: Send + Sync + 'static> Extract for Extension<T> {
    type Bound = ();

    fn declare(requirements: &mut Requirements) {
        requirements.needs_extension::<T>();
    }

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        request.extension::<T>().map(Self).ok_or_else(|| {
            ToolError::of(ErrorCode::NotRun, format!("the caller brought no {}", type_name::<T>()))
        })
    }
}

impl<T> Extension<T> {
    /// An extension for calling a tool's function as the plain function it is, in a test.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The shared value.
    pub fn into_inner(self) -> Arc<T> {
        self.0
    }
}

macro_rules! shared {
    ($name:ident) => {
        impl<T> Deref for $name<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.0
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                Self(Arc::clone(&self.0))
            }
        }

        // The value may hold secrets of the host.
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(formatter, concat!(stringify!($name), "<{}>"), type_name::<T>())
            }
        }
    };
}

shared!(State);
shared!(Extension);

impl Extract for ToolContext {
    type Bound = ();

    fn declare(requirements: &mut Requirements) {
        requirements.needs_context();
    }

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        Ok(request.context())
    }
}

impl Extract for Progress {
    type Bound = ();

    fn declare(requirements: &mut Requirements) {
        requirements.needs_context();
    }

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        Ok(Self(request.context()))
    }
}

impl Extract for CancellationToken {
    type Bound = ();

    fn declare(requirements: &mut Requirements) {
        requirements.needs_context();
    }

    fn extract((): &(), request: &mut CallRequest<'_>) -> Result<Self, ToolError> {
        Ok(request.context().cancellation().clone())
    }
}
