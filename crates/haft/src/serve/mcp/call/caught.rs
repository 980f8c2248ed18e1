//! A panic of the host's code beside a tool: its call has an answer all the same.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    task::Poll,
};

use rmcp::ErrorData;

/// Awaits an answer; where its making panics, the answer is that. The panic's words are for the host alone, which has them.
pub(super) async fn caught<T>(answer: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    let mut answer = pin!(answer);
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))) {
        Ok(polled) => polled,
        Err(payload) => {
            discard(payload);
            Poll::Ready(Err(ErrorData::internal_error(
                "the call could not be finished: the server's code panicked",
                None,
            )))
        }
    })
    .await
}

/// Drops what a panic carries, which may panic again; what that one carries may too, so it is never dropped.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(again);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Again;

    impl Drop for Again {
        fn drop(&mut self) {
            panic!("again");
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_whenever_it_comes_and_whatever_it_carries() {
        assert_eq!(caught(async { Ok(7) }).await, Ok(7));
        for (late, again) in [(false, false), (true, false), (true, true)] {
            let broken = caught(async {
                if late {
                    tokio::task::yield_now().await;
                }
                if again {
                    std::panic::panic_any(Again);
                }
                panic!("a secret of the host");
                #[expect(unreachable_code, reason = "it says what is answered")]
                Ok(())
            });
            let error = broken.await.expect_err("a panic");
            assert_eq!(error.code, rmcp::model::ErrorCode::INTERNAL_ERROR);
            assert!(!error.message.contains("secret"), "{error:?}");
        }
    }
}
