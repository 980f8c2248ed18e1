//! Numbers, as the complete road's reader has them.

use super::cursor::{Cursor, Stop};

/// A number as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Numeral {
    Positive(u64),
    Negative(i64),
    /// Written with a fraction or an exponent.
    Fraction(f64),
}

impl Numeral {
    pub(super) fn integer(self) -> Option<i128> {
        match self {
            Self::Positive(value) => Some(value.into()),
            Self::Negative(value) => Some(value.into()),
            Self::Fraction(_) => None,
        }
    }
}

impl Cursor<'_, '_> {
    /// Reads a number; the cursor stands on its sign or first digit.
    #[inline]
    pub(super) fn numeral(&mut self) -> Result<Numeral, Stop> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let first = self.at;
        let mut value = 0_u64;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        let digits = self.at - first;
        let leading_zero = digits > 1 && self.text.as_bytes().get(first) == Some(&b'0');
        if digits == 0 || leading_zero {
            return Err(Stop::Undecided);
        }
        if let Some(b'.' | b'e' | b'E') = self.peek() {
            return self.fraction(start);
        }
        // As many digits always fit.
        if digits > 19 {
            value =
                self.text.get(first..self.at).and_then(|text| text.parse().ok()).ok_or(Stop::Undecided)?;
        }
        if negative {
            // The least integer has no positive counterpart.
            return 0_i64.checked_sub_unsigned(value).map(Numeral::Negative).ok_or(Stop::Undecided);
        }
        Ok(Numeral::Positive(value))
    }

    /// Reads on behind the whole part of a number that began at `start`.
    fn fraction(&mut self, start: usize) -> Result<Numeral, Stop> {
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        match self.since(start)?.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Numeral::Fraction(value)),
            _ => Err(Stop::Undecided),
        }
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(Stop::Undecided) } else { Ok(()) }
    }
}
