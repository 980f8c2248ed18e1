//! The tools `day_name` and `current_date`.

use haft_core::{Args, Clock, DefinitionError, Tool, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{DateError, date_and_time, weekday_name};
use crate::builtin::read_only;

#[derive(Deserialize, JsonSchema)]
struct DayNameArguments {
    /// ISO date, `YYYY-MM-DD`. A time may follow it and changes nothing: the date counts as it is written.
    date: String,
}

/// The tool `day_name {date}`: the weekday of a date, by [`weekday_name`].
///
/// What is no date is an error of kind `validation`.
///
/// # Errors
/// None in practice, as for [`tools`](crate::builtin::tools).
pub fn day_name() -> Result<Tool, DefinitionError> {
    read_only("day_name")
        .display_name("Day of the week")
        .description("Returns the English name of the weekday on which a date falls, such as Thursday.")
        .idempotent(true)
        .run_sync(|Args(DayNameArguments { date })| {
            weekday_name(&date).map_err(|error| refuse("date", "an ISO date, YYYY-MM-DD", date, error))
        })
}

#[derive(Deserialize, JsonSchema)]
struct CurrentDateArguments {
    /// IANA name of the time zone to tell the local time in, such as `Europe/Berlin`; UTC when left out.
    zone: Option<String>,
}

/// The tool `current_date {zone?}`: what `clock` shows, by [`date_and_time`].
///
/// A zone that is not known is an error of kind `validation`, with the most similar names.
///
/// # Errors
/// None in practice, as for [`tools`](crate::builtin::tools).
pub fn current_date(clock: impl Clock + 'static) -> Result<Tool, DefinitionError> {
    read_only("current_date")
        .display_name("Current date and time")
        .description(
            "Returns the current date and time as four lines, each a name, a tab and a value: utc, local (with its \
             offset from UTC), zone, weekday. Use it whenever an answer depends on today's date or the time.",
        )
        .run_sync(move |Args(CurrentDateArguments { zone })| {
            let now = i64::try_from(clock.now_millis()).unwrap_or(i64::MAX);
            // Models send "" for what they leave out.
            date_and_time(now, zone.as_deref().filter(|zone| !zone.trim().is_empty()))
                .map_err(|error| refuse("zone", "the name of an IANA time zone", zone.unwrap_or_default(), error))
        })
}

fn refuse(field: &str, expected: &str, got: String, error: DateError) -> ToolError {
    if error.is_input() {
        ToolError::argument(field, expected, got, error.to_string())
    } else {
        ToolError::from(error)
    }
}
