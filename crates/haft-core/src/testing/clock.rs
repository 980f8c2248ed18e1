//! A clock that goes on when it is told to.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::clock::Clock;

/// A clock that goes on when it is told to. A clone is the same clock.
///
/// ```
/// use haft_core::{Clock, testing::TestClock};
/// use std::time::Duration;
///
/// let clock = TestClock::at(1_000);
/// clock.advance(Duration::from_secs(2));
/// assert_eq!(clock.now_millis(), 3_000);
/// ```
#[derive(Debug, Clone, Default)]
pub struct TestClock(Arc<AtomicU64>);

impl TestClock {
    /// A clock that stands at so many milliseconds since the beginning of 1970, UTC.
    pub fn at(millis: u64) -> Self {
        Self(Arc::new(AtomicU64::new(millis)))
    }

    /// Lets time go on.
    pub fn advance(&self, time: Duration) {
        self.0.fetch_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now_millis(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
