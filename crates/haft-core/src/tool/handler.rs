//! Functions as handlers: any function whose parameters can be extracted.

use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

use crate::{
    ask::Suspension,
    error::ToolError,
    tool::{
        CallInput, CallRequest, Extract, IntoToolOutput, MissingState, ReadArguments, Requirements, States,
        ToolOutput,
    },
};

/// How a function ended.
pub(crate) type Outcome = Result<ToolOutput, ToolError>;

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A function that has been started.
pub(crate) enum Started {
    /// It is done: a synchronous function, or parameters that could not be made.
    Done(Outcome),
    /// It has to be polled.
    Future(BoxFuture<Outcome>),
    /// It blocks its thread, so it wants one of its own.
    Blocking(Box<dyn FnOnce() -> Outcome + Send>),
}

/// A handler before its state is known.
pub(crate) trait Bind: Send + Sync {
    /// What the function asks for: put together each time, as few ask and many tools are held.
    fn requirements(&self) -> Requirements;
    fn bind(&self, states: &States) -> Result<Arc<dyn Run>, MissingState>;

    /// Whether there is no function, since the client runs the tool.
    fn is_external(&self) -> bool {
        false
    }

    /// Whether it blocks its thread.
    fn is_blocking(&self) -> bool {
        false
    }

    /// Whether what it returns is text and nothing else.
    fn returns_text(&self) -> bool {
        false
    }
}

/// A handler that can be called.
pub(crate) trait Run: Send + Sync {
    fn start(&self, input: &mut CallInput<'_>) -> Started;

    /// How argument text is read for it alone; none where others look at the arguments before it does.
    fn reader(&self) -> Option<ReadArguments> {
        None
    }

    /// Whether it waits for a thread before it begins.
    fn is_blocking(&self) -> bool {
        false
    }

    /// Whether it can be started with argument text that nobody has read yet.
    fn reads_text(&self) -> bool {
        false
    }
}

/// An asynchronous function whose parameters can all be extracted.
///
/// `M` only tells implementations apart; there is nothing to implement by hand.
#[diagnostic::on_unimplemented(
    message = "this function can not be a tool",
    note = "it has to be an `async` function or closure of up to 8 extractors, returning what a tool can return",
    note = "its future has to be `Send`: no `Rc`, no lock guard of `std` across an `.await`"
)]
pub trait Handler<M>: Send + Sync + 'static {
    /// What the function returns, awaited.
    type Output: IntoToolOutput;
    #[doc(hidden)]
    type Bound: Send + Sync + 'static;

    #[doc(hidden)]
    fn requirements() -> Requirements;
    #[doc(hidden)]
    fn bind(states: &States) -> Result<Self::Bound, MissingState>;
    #[doc(hidden)]
    fn invoke(
        &self,
        bound: &Self::Bound,
        request: &mut CallRequest<'_>,
    ) -> Result<impl Future<Output = Self::Output> + Send + 'static, ToolError>;
}

/// A synchronous function whose parameters can all be extracted.
///
/// `M` only tells implementations apart; there is nothing to implement by hand.
#[diagnostic::on_unimplemented(
    message = "this function can not be a tool",
    note = "it has to be a function or closure of up to 8 extractors, returning what a tool can return"
)]
pub trait SyncHandler<M>: Send + Sync + 'static {
    /// What the function returns.
    type Output: IntoToolOutput;
    #[doc(hidden)]
    type Bound: Send + Sync + 'static;

    #[doc(hidden)]
    fn requirements() -> Requirements;
    #[doc(hidden)]
    fn bind(states: &States) -> Result<Self::Bound, MissingState>;
    #[doc(hidden)]
    fn invoke(
        self: Arc<Self>,
        bound: &Self::Bound,
        request: &mut CallRequest<'_>,
    ) -> Result<impl FnOnce() -> Self::Output + Send + 'static, ToolError>;
}

macro_rules! handlers {
    ($($parameter:ident),*) => {
        #[allow(non_snake_case, unused_variables, unused_mut, clippy::unused_unit, clippy::too_many_arguments, reason = "written for every number of parameters")]
        impl<F, Fut, Out, $($parameter,)*> Handler<(Fut, $($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output = Out> + Send + 'static,
            Out: IntoToolOutput,
            $($parameter: Extract,)*
        {
            type Output = Out;
            type Bound = ($($parameter::Bound,)*);

            fn requirements() -> Requirements {
                let mut requirements = Requirements::default();
                $(
                    $parameter::declare(&mut requirements);
                    requirements.parameters += 1;
                )*
                requirements
            }

            fn bind(states: &States) -> Result<Self::Bound, MissingState> {
                Ok(($($parameter::bind(states)?,)*))
            }

            fn invoke(
                &self,
                bound: &Self::Bound,
                request: &mut CallRequest<'_>,
            ) -> Result<impl Future<Output = Out> + Send + 'static, ToolError> {
                let ($($parameter,)*) = bound;
                $(let $parameter = <$parameter as Extract>::extract($parameter, request)?;)*
                Ok(self($($parameter),*))
            }
        }

        #[allow(non_snake_case, unused_variables, unused_mut, clippy::unused_unit, clippy::too_many_arguments, reason = "written for every number of parameters")]
        impl<F, Out, $($parameter,)*> SyncHandler<($($parameter,)*)> for F
        where
            F: Fn($($parameter),*) -> Out + Send + Sync + 'static,
            Out: IntoToolOutput,
            $($parameter: Extract,)*
        {
            type Output = Out;
            type Bound = ($($parameter::Bound,)*);

            fn requirements() -> Requirements {
                let mut requirements = Requirements::default();
                $(
                    $parameter::declare(&mut requirements);
                    requirements.parameters += 1;
                )*
                requirements
            }

            fn bind(states: &States) -> Result<Self::Bound, MissingState> {
                Ok(($($parameter::bind(states)?,)*))
            }

            fn invoke(
                self: Arc<Self>,
                bound: &Self::Bound,
                request: &mut CallRequest<'_>,
            ) -> Result<impl FnOnce() -> Out + Send + 'static, ToolError> {
                let ($($parameter,)*) = bound;
                $(let $parameter = <$parameter as Extract>::extract($parameter, request)?;)*
                Ok(move || self($($parameter),*))
            }
        }
    };
}

handlers!();
handlers!(A);
handlers!(A, B);
handlers!(A, B, C);
handlers!(A, B, C, D);
handlers!(A, B, C, D, E);
handlers!(A, B, C, D, E, G);
handlers!(A, B, C, D, E, G, H);
handlers!(A, B, C, D, E, G, H, I);

/// The three ways to run a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Inline,
    Blocking,
}

/// An asynchronous function, erased.
pub(crate) struct Asynchronous<F, M> {
    function: Arc<F>,
    marker: PhantomData<fn() -> M>,
}

impl<F: Handler<M>, M: 'static> Asynchronous<F, M> {
    pub(crate) fn new(function: F) -> Self {
        Self { function: Arc::new(function), marker: PhantomData }
    }
}

impl<F: Handler<M>, M: 'static> Bind for Asynchronous<F, M> {
    fn requirements(&self) -> Requirements {
        F::requirements()
    }

    fn returns_text(&self) -> bool {
        F::Output::is_text()
    }

    fn bind(&self, states: &States) -> Result<Arc<dyn Run>, MissingState> {
        let requirements = F::requirements();
        Ok(Arc::new(BoundAsync {
            function: Arc::clone(&self.function),
            bound: F::bind(states)?,
            reader: requirements.reader(),
            reads_text: requirements.reads_text(),
            marker: PhantomData,
        }))
    }
}

struct BoundAsync<F: Handler<M>, M> {
    function: Arc<F>,
    bound: F::Bound,
    reader: Option<ReadArguments>,
    reads_text: bool,
    marker: PhantomData<fn() -> M>,
}

impl<F: Handler<M>, M: 'static> Run for BoundAsync<F, M> {
    fn reader(&self) -> Option<ReadArguments> {
        self.reader
    }

    fn reads_text(&self) -> bool {
        self.reads_text
    }

    fn start(&self, input: &mut CallInput<'_>) -> Started {
        match self.function.invoke(&self.bound, &mut input.request()) {
            Ok(future) => Started::Future(Box::pin(Converted::Running { future })),
            Err(error) => Started::Done(Err(error)),
        }
    }
}

pin_project! {
    /// What a function returns, as an outcome. An `async` block of the same would hold the function's future twice.
    #[project = ConvertedProjection]
    enum Converted<F> {
        Running { #[pin] future: F },
        Done,
    }
}

impl<F: Future<Output: IntoToolOutput>> Future for Converted<F> {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let ConvertedProjection::Running { future } = self.as_mut().project() else { return Poll::Pending };
        let Poll::Ready(output) = future.poll(context) else { return Poll::Pending };
        // What the function held is dropped before its end is known.
        self.set(Self::Done);
        Poll::Ready(output.into_tool_output())
    }
}

/// A synchronous function, erased.
pub(crate) struct Synchronous<F, M> {
    function: Arc<F>,
    mode: Mode,
    marker: PhantomData<fn() -> M>,
}

impl<F: SyncHandler<M>, M: 'static> Synchronous<F, M> {
    pub(crate) fn new(function: F, mode: Mode) -> Self {
        Self { function: Arc::new(function), mode, marker: PhantomData }
    }
}

impl<F: SyncHandler<M>, M: 'static> Bind for Synchronous<F, M> {
    fn requirements(&self) -> Requirements {
        F::requirements()
    }

    fn is_blocking(&self) -> bool {
        self.mode == Mode::Blocking
    }

    fn returns_text(&self) -> bool {
        F::Output::is_text()
    }

    fn bind(&self, states: &States) -> Result<Arc<dyn Run>, MissingState> {
        let (function, bound) = (Arc::clone(&self.function), F::bind(states)?);
        let requirements = F::requirements();
        let (reader, reads_text) = (requirements.reader(), requirements.reads_text());
        Ok(Arc::new(BoundSync { function, mode: self.mode, bound, reader, reads_text, marker: PhantomData }))
    }
}

struct BoundSync<F: SyncHandler<M>, M> {
    function: Arc<F>,
    mode: Mode,
    bound: F::Bound,
    reader: Option<ReadArguments>,
    reads_text: bool,
    marker: PhantomData<fn() -> M>,
}

impl<F: SyncHandler<M>, M: 'static> Run for BoundSync<F, M> {
    fn reader(&self) -> Option<ReadArguments> {
        self.reader
    }

    fn is_blocking(&self) -> bool {
        self.mode == Mode::Blocking
    }

    fn reads_text(&self) -> bool {
        self.reads_text
    }

    fn start(&self, input: &mut CallInput<'_>) -> Started {
        let call = match Arc::clone(&self.function).invoke(&self.bound, &mut input.request()) {
            Ok(call) => call,
            Err(error) => return Started::Done(Err(error)),
        };
        match self.mode {
            Mode::Inline => Started::Done(call().into_tool_output()),
            Mode::Blocking => Started::Blocking(Box::new(move || call().into_tool_output())),
        }
    }
}

/// No function: the client runs the tool.
#[derive(Debug, Default)]
pub(crate) struct External;

impl Bind for External {
    fn requirements(&self) -> Requirements {
        Requirements::default()
    }

    fn bind(&self, _: &States) -> Result<Arc<dyn Run>, MissingState> {
        Ok(Arc::new(Self))
    }

    fn is_external(&self) -> bool {
        true
    }
}

impl Run for External {
    fn start(&self, input: &mut CallInput<'_>) -> Started {
        Started::Done(Err(ToolError::suspend(Suspension::external(&input.request().context().key()))))
    }
}
