//! `tower` layers around a tool's function: below policy, once a call may run.

mod breaker;
mod rate_limit;
mod retry;
mod service;

use std::time::Duration;

use tokio::time::Instant;

pub use breaker::{CircuitBreakerLayer, CircuitBreakerService};
pub use rate_limit::{RateLimitLayer, RateLimitService};
pub use retry::{RetryLayer, RetryService};
pub use service::{ToolRequest, ToolService};
pub(crate) use service::{Wrap, wrap};
/// A time from another one; what lies too far ahead to be told counts as decades.
fn later(than: Instant, by: Duration) -> Instant {
    const DECADES: Duration = Duration::from_secs(30 * 365 * 86_400);
    than.checked_add(by).unwrap_or(than + DECADES)
}
