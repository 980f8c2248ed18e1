//! The weekday of a date, with exact reasons where the text is no date.

use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;

use super::DateError;
use super::error::excerpt;

/// The English name of the weekday on which a date falls, by the Gregorian calendar.
///
/// `date` is `YYYY-MM-DD`. A time may follow (`2024-02-29T23:30:00-08:00`, also with a zone in brackets); the weekday is
/// that of the date as written, where the time's own offset holds, and no conversion takes place.
///
/// # Errors
///
/// A [`DateError`] that says which part is wrong.
///
/// # Examples
///
/// ```
/// use haft::builtin::weekday_name;
///
/// assert_eq!(weekday_name("2024-02-29")?, "Thursday");
/// assert_eq!(
///     weekday_name("2023-02-29").unwrap_err().to_string(),
///     "there is no day 29: February 2023 has 28 days",
/// );
/// # Ok::<(), haft::builtin::DateError>(())
/// ```
pub fn weekday_name(date: &str) -> Result<String, DateError> {
    let text = date.trim();
    let not_a_date = || DateError::NotADate { found: excerpt(text) };
    let (date, rest) = text.split_at_checked("YYYY-MM-DD".len()).ok_or_else(not_a_date)?;
    let (year, month, day) = fields(date).ok_or_else(not_a_date)?;
    let date = checked_date(year, month, day)?;
    if !rest.is_empty() && Pieces::parse(text).is_err() {
        // A digit makes another number of the day, so that there is no date at all.
        let goes_on = rest.starts_with(|next: char| next.is_ascii_digit());
        return Err(if goes_on { not_a_date() } else { DateError::NotATime { found: excerpt(rest) } });
    }
    Ok(date.strftime("%A").to_string())
}

fn fields(date: &str) -> Option<(u16, u8, u8)> {
    let mut parts = date.split('-');
    let mut part = |length: usize| {
        parts.next().filter(|part| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
}

fn checked_date(year: u16, month: u8, day: u8) -> Result<Date, DateError> {
    let date = |day: u8| {
        let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
        Date::new(i16::try_from(year).ok()?, month, day).ok()
    };
    let first = date(1).ok_or(DateError::NoSuchMonth { month })?;
    date(day).ok_or_else(|| DateError::NoSuchDay {
        year,
        month: first.strftime("%B").to_string(),
        day,
        days: first.days_in_month().unsigned_abs(),
    })
}
