//! How long something may take, as people write it: `500ms`, `30s`, `2m`, `1h 30m`.

use std::time::Duration;

/// What is expected where a duration stands.
pub(super) const EXPECTED: &str =
    "a time with its unit, such as \"500ms\", \"30s\" or \"1m 30s\", over zero and within a day";

/// The most that is taken: what is longer is a slip.
const MOST: Duration = Duration::from_secs(24 * 3_600);

/// The time that a text stands for.
pub(super) fn read(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    for part in text.split_whitespace() {
        let digits = part.find(|c: char| !c.is_ascii_digit())?;
        let (number, unit) = part.split_at(digits);
        let number: u32 = number.parse().ok()?;
        let unit = match unit {
            "ms" => Duration::from_millis(1),
            "s" => Duration::from_secs(1),
            "m" => Duration::from_secs(60),
            "h" => Duration::from_secs(3_600),
            _ => return None,
        };
        total = total.checked_add(unit.checked_mul(number)?)?;
    }
    within(total)
}

/// The time, where it is one that makes sense.
pub(super) fn within(time: Duration) -> Option<Duration> {
    (time > Duration::ZERO && time <= MOST).then_some(time)
}

/// A time as it is written in a configuration.
pub(super) fn write(time: Duration) -> String {
    let milliseconds = time.as_millis();
    if milliseconds.is_multiple_of(1_000) {
        format!("{}s", milliseconds / 1_000)
    } else {
        format!("{milliseconds}ms")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_unit_alone() {
        for (text, milliseconds) in
            [("500ms", 500), ("30s", 30_000), ("2m", 120_000), ("1h 30m", 5_400_000), (" 1m  5s ", 65_000)]
        {
            assert_eq!(read(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in
            ["", "30", "s", "0s", "1.5s", "-1s", "25h", "1d", "5 s", "99999999999s", "4294967295h", "é", "1é"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(write(Duration::from_secs(90)), "90s");
        assert_eq!(write(Duration::from_millis(1_500)), "1500ms");
    }
}
