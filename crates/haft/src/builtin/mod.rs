//! The tools that come with haft: arithmetic and dates, each a pure function of its arguments and a given clock.

mod calculate;
mod date;

pub use calculate::{ExpressionError, evaluate};
pub use date::{DateError, date_and_time, weekday_name};
