//! Whether the function's future can move between threads; if not, the reason is told at the function's name.

use std::{
    future::{Future, Pending, pending},
    marker::PhantomData,
};

/// Stands for the type of a future.
#[derive(Debug)]
pub struct FutureProbe<F>(PhantomData<fn() -> F>);

/// The probe of a future's type.
pub const fn future<F: Future>(_: &F) -> FutureProbe<F> {
    FutureProbe(PhantomData)
}

/// The future can move.
pub trait Movable<F>: Sized {
    /// Keeps it.
    fn pass(self, future: F) -> F {
        future
    }
}

impl<F: Future + Send> Movable<F> for &&FutureProbe<F> {}

/// The future can not move.
pub trait Immovable<F: Future>: Sized {
    /// Does not compile; what it gives can move, so that nothing else fails.
    fn pass(self, future: F) -> Pending<F::Output>
    where
        F: Send,
    {
        drop(future);
        pending()
    }
}

impl<F: Future> Immovable<F> for &FutureProbe<F> {}
