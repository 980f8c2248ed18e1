//! What an instant reads as, in UTC and in a zone.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::{DateError, zone};

/// Describes an instant in four lines, each a name, a tab and a value: `utc`, `local` (with its offset), `zone` and
/// `weekday` (of the local date).
///
/// `milliseconds` counts from 1970-01-01T00:00:00Z; the text is to the second, rounded down. `zone` is an IANA name
/// in any case, `None` stands for UTC. Zone rules come with haft, not from the machine.
///
/// # Errors
///
/// [`DateError::UnknownZone`] with the most similar names; [`DateError::ClockOutOfRange`].
///
/// # Examples
///
/// ```
/// use haft::builtin::date_and_time;
///
/// assert_eq!(
///     date_and_time(1_796_000_523_000, Some("Europe/Berlin"))?,
///     "utc\t2026-11-30T01:02:03Z\nlocal\t2026-11-30T02:02:03+01:00\nzone\tEurope/Berlin\nweekday\tMonday",
/// );
/// # Ok::<(), haft::builtin::DateError>(())
/// ```
pub fn date_and_time(milliseconds: i64, zone: Option<&str>) -> Result<String, DateError> {
    let zone = zone.map_or(Ok(TimeZone::UTC), zone::find)?;
    // Rounded down before jiff sees it, which would round towards 1970.
    let instant = Timestamp::from_second(milliseconds.div_euclid(1_000))
        .map_err(|_| DateError::ClockOutOfRange { milliseconds })?;
    let name = zone.iana_name().unwrap_or("UTC").to_owned();
    let local = instant.to_zoned_datetime(zone);
    Ok(format!(
        "utc\t{instant}\nlocal\t{}\nzone\t{name}\nweekday\t{}",
        local.strftime("%Y-%m-%dT%H:%M:%S%:z"),
        local.strftime("%A"),
    ))
}
