//! The clock of the machine, for those who run tools; the core reads none itself.

use std::time::{SystemTime, UNIX_EPOCH};

use haft_core::Clock;

/// The machine's clock. One that is set to a time before 1970 reads as 1970.
///
/// ```
/// use haft::{Clock, SystemClock};
///
/// assert!(SystemClock.now_millis() > 1_700_000_000_000);
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "a unit that users construct")]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one that reads the wall clock")]
    fn now_millis(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
