//! When time is over.

use std::time::Duration;

use tokio::time::Instant;

/// The time that is `limit` from now; `None` when it is too far away to be told.
pub(super) fn after(limit: Duration) -> Option<Instant> {
    Instant::now().checked_add(limit)
}
