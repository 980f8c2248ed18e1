//! Listening to what is told in the log on one thread, while other tests run on others.

use std::sync::LazyLock;

use tracing::{
    Dispatch, Subscriber,
    subscriber::{DefaultGuard, NoSubscriber},
};

/// Somebody who is not interested. While there is nobody else but the listener, a place in the code that tells something asks
/// the thread that first comes by, whose answer is then kept for all of them; of several, each is asked.
static ANOTHER: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::default()));

/// Has a listener hear what is told on this thread.
pub(crate) fn listen(listener: impl Subscriber + Send + Sync + 'static) -> DefaultGuard {
    LazyLock::force(&ANOTHER);
    tracing::subscriber::set_default(listener)
}
