//! Times as people write them: `30s`, `1m 30s`, `500ms`.

/// The milliseconds of a time.
pub(super) fn milliseconds(text: &str) -> Result<u64, String> {
    let wrong =
        || format!("{text:?} is no time: write it like \"30s\", \"500ms\", \"5m\", \"1m 30s\" or \"1h\"");
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    let mut sum = 0_u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, tail) = rest.split_at(digits);
        let tail = tail.trim_start();
        let (unit, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len()));
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            _ => return Err(wrong()),
        };
        let number: u64 = number.parse().map_err(|_| wrong())?;
        sum = number.checked_mul(factor).and_then(|part| sum.checked_add(part)).ok_or_else(wrong)?;
        rest = tail.trim_start();
    }
    if sum == 0 { Err("a timeout of zero would let no call run".to_owned()) } else { Ok(sum) }
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn times_are_sums_of_numbers_with_units() {
        for (text, wanted) in
            [("30s", 30_000), ("500 ms", 500), ("5m", 300_000), ("1m 30s", 90_000), ("1h2min", 3_720_000)]
        {
            assert_eq!(milliseconds(text), Ok(wanted), "{text}");
        }
        for text in
            ["", "30", "s", "-1s", "1.5s", "1 day", "0s", "99999999999999999999h", "9999999999999999999h"]
        {
            assert!(milliseconds(text).is_err(), "{text}");
        }
    }
}
