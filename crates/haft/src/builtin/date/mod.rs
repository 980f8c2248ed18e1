//! Dates and times: the weekday of a date, and what a clock's instant reads as in a zone.

mod error;
mod now;
mod tool;
mod weekday;
mod zone;

pub use error::DateError;
pub use now::date_and_time;
pub use tool::{current_date, day_name};
pub use weekday::weekday_name;
