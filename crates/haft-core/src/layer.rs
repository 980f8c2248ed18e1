//! `tower` layers around a tool's function: below policy, once a call may run.

mod breaker;
mod rate_limit;
mod retry;
mod service;

pub use breaker::{CircuitBreakerLayer, CircuitBreakerService};
pub use rate_limit::{RateLimitLayer, RateLimitService};
pub use retry::{RetryLayer, RetryService};
pub use service::{ToolRequest, ToolService};
pub(crate) use service::{Wrap, wrap};
