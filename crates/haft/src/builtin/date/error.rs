//! What can be wrong with a date, a zone, or the clock.

/// Why there is no answer about a date or time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DateError {
    /// The text does not have the form of a date.
    #[error("expected an ISO date, YYYY-MM-DD as in 2024-02-29, found `{found}`")]
    NotADate {
        /// The beginning of the text, escaped.
        found: String,
    },
    /// The month is not one of the twelve.
    #[error("there is no month {month:02}: months are 01 to 12")]
    NoSuchMonth {
        /// The month as written.
        month: u8,
    },
    /// The month has no such day.
    #[error("there is no day {day:02}: {month} {year:04} has {days} days")]
    NoSuchDay {
        /// The year as written.
        year: u16,
        /// The month's English name.
        month: String,
        /// The day as written.
        day: u8,
        /// How many days the month has.
        days: u8,
    },
    /// The date is right; what follows it is no time.
    #[error(
        "the date is right, but `{found}` after it is not an ISO time as in T09:30:00+01:00: correct it or leave it out"
    )]
    NotATime {
        /// The beginning of what follows the date, escaped.
        found: String,
    },
    /// The time-zone database does not list the zone.
    #[error("`{zone}` is not the name of an IANA time zone, as Europe/Berlin is{}", offer(.nearest))]
    UnknownZone {
        /// The beginning of the name, escaped.
        zone: String,
        /// The most similar names, best first.
        nearest: Vec<String>,
    },
    /// The clock shows a year beyond those of the calendar, -9999 to 9999.
    #[error("the clock shows {milliseconds} ms since 1970, which is outside the years -9999 to 9999")]
    ClockOutOfRange {
        /// What the clock shows: milliseconds since 1970-01-01T00:00:00Z.
        milliseconds: i64,
    },
}

impl DateError {
    /// Whether the text that was given is at fault, so that writing it differently helps.
    pub fn is_input(&self) -> bool {
        !matches!(self, Self::ClockOutOfRange { .. })
    }
}

fn offer(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; the most similar names: {}", names.join(", ")) }
}

/// The beginning of what was given for a date, a time or a zone.
pub(super) fn excerpt(text: &str) -> String {
    crate::excerpt::excerpt(text, 40)
}
