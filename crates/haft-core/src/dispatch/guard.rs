//! A panic of a tool is a failed call, nothing more.

use std::{
    any::Any,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use crate::{error::ToolError, tool::Outcome};

/// Runs a function; a panic becomes an error.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, ToolError> {
    catch_unwind(AssertUnwindSafe(run)).map_err(panicked)
}

/// Runs a blocking function; a panic becomes an error.
pub(crate) fn guarded_job(job: Box<dyn FnOnce() -> Outcome + Send>) -> Outcome {
    guarded(job).unwrap_or_else(Err)
}

/// The error of a panic, with its message where it has one.
pub(super) fn panicked(payload: Box<dyn Any + Send>) -> ToolError {
    let said = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let said = said.or_else(|| payload.downcast_ref::<String>().cloned());
    let message =
        said.map_or_else(|| "the tool panicked".to_owned(), |text| format!("the tool panicked: {text}"));
    discard(payload);
    ToolError::new(message).with_name("ToolPanicError")
}

/// Drops a payload, which may panic again; what that panic carries may too, so it is never dropped.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(again);
    }
}

/// Awaits code of the host; a panic becomes an error, also one on the way to its future.
pub(super) async fn caught<'a, T>(
    begin: impl FnOnce() -> Pin<Box<dyn Future<Output = T> + Send + 'a>>,
) -> Result<T, ToolError> {
    let mut future = guarded(begin)?;
    std::future::poll_fn(|context| match guarded(|| future.as_mut().poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(value)) => Poll::Ready(Ok(value)),
        Err(error) => Poll::Ready(Err(error)),
    })
    .await
}

/// A tool's future whose panics are errors, in `poll` and in `drop`.
///
/// Its future is made by us: when that is done, all that it held has been dropped, and just its memory is left.
pub(super) struct Guarded(Option<Pin<Box<dyn Future<Output = Outcome> + Send>>>);

impl Guarded {
    pub(super) fn new(future: Pin<Box<dyn Future<Output = Outcome> + Send>>) -> Self {
        Self(Some(future))
    }

    fn discard(&mut self) -> Option<ToolError> {
        let future = self.0.take();
        guarded(move || drop(future)).err()
    }
}

impl Future for Guarded {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let Some(future) = self.0.as_mut() else { return Poll::Pending };
        match guarded(|| future.as_mut().poll(context)) {
            Ok(poll) => poll,
            Err(error) => {
                // One that has panicked may still hold something.
                let _ = self.discard();
                Poll::Ready(Err(error))
            }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.discard();
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, sync::Arc, task::Waker};

    use super::*;

    /// A future made by hand still has what it captured when it panics, unlike an `async` block.
    #[test]
    fn what_a_panicked_function_held_is_dropped_before_its_end_is_known() {
        let held = Arc::new(());
        let captured = Arc::clone(&held);
        let mut guarded = Guarded::new(Box::pin(poll_fn(move |_| {
            assert_eq!(Arc::strong_count(&captured), 2);
            std::panic::resume_unwind(Box::new("no ink"))
        })));
        let end = Pin::new(&mut guarded).poll(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(end, Poll::Ready(Err(error)) if error.message() == "the tool panicked: no ink"));
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
