//! CPU time of this process, so that what else the machine does is not measured.

use std::time::Duration;

/// CPU time spent so far, in user and system mode, by all threads.
#[cfg(unix)]
pub(crate) fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Time since the first call: the best there is without a dependency on the system's own interface.
#[cfg(not(unix))]
pub(crate) fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
