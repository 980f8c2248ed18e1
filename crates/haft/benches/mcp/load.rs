//! What a time of load was like.

use std::time::Duration;

/// How long each call took, and all of them together.
#[derive(Default)]
pub(crate) struct Load {
    pub(crate) waits: Vec<Duration>,
    pub(crate) time: Duration,
}

impl Load {
    /// Calls a second.
    pub(crate) fn rate(&self) -> f64 {
        self.calls() / self.time.as_secs_f64()
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of calls is small")]
    pub(crate) fn calls(&self) -> f64 {
        self.waits.len() as f64
    }

    /// The wait of the middle call, in microseconds.
    pub(crate) fn middle(&self) -> f64 {
        let mut waits = self.waits.clone();
        waits.sort_unstable();
        waits[waits.len() / 2].as_secs_f64() * 1e6
    }
}
