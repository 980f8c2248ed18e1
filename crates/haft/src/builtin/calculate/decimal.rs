//! Writes an exact fraction as plain decimal text, rounding only where the decimal form does not end.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Pow, Zero};

use super::{MAX_DIGITS, ROUNDED_DIGITS};

pub(super) fn to_plain_text(value: &BigRational) -> String {
    let numerator = value.numer().magnitude();
    let denominator = value.denom().magnitude();
    let (digits, places) = match finite_places(denominator) {
        Some(places) => (numerator * ten_to(places) / denominator, i32::from(places)),
        None => rounded(numerator, denominator),
    };
    let text = place_point(digits.to_string(), places);
    if *value.numer() < BigInt::ZERO { format!("-{text}") } else { text }
}

fn ten_to(power: u16) -> BigUint {
    BigUint::from(10_u32).pow(power)
}

/// Decimal places that end the fraction: the larger power of the denominator's factors 2 and 5, if it has no others.
fn finite_places(denominator: &BigUint) -> Option<u16> {
    let twos = u16::try_from(denominator.trailing_zeros().unwrap_or(0)).ok()?;
    let mut rest = denominator >> twos;
    let five = BigUint::from(5_u32);
    let mut fives = 0;
    while (&rest % &five).is_zero() && fives <= MAX_DIGITS {
        rest /= &five;
        fives += 1;
    }
    Some(twos.max(fives)).filter(|&places| rest.is_one() && places <= MAX_DIGITS)
}

/// The 34 significant digits nearest to the fraction, and how many of them are decimal places (may be negative).
fn rounded(numerator: &BigUint, denominator: &BigUint) -> (BigUint, i32) {
    let length = |number: &BigUint| i32::try_from(number.to_string().len()).unwrap_or(i32::MAX);
    // The quotient of the lengths is off by one at most, which the second try mends.
    let places = ROUNDED_DIGITS + length(denominator) - length(numerator);
    let (digits, twice_rest) = divide_scaled(numerator, denominator, places);
    let (digits, twice_rest, places) = if length(&digits) > ROUNDED_DIGITS {
        let (digits, twice_rest) = divide_scaled(numerator, denominator, places - 1);
        (digits, twice_rest, places - 1)
    } else {
        (digits, twice_rest, places)
    };
    let up = match twice_rest {
        Ordering::Greater => true,
        Ordering::Equal => digits.bit(0),
        Ordering::Less => false,
    };
    (if up { digits + 1_u32 } else { digits }, places)
}

/// The whole part of `numerator × 10^places / denominator`, and how what is left compares to one half.
fn divide_scaled(numerator: &BigUint, denominator: &BigUint, places: i32) -> (BigUint, Ordering) {
    let scale = ten_to(u16::try_from(places.unsigned_abs()).unwrap_or(u16::MAX));
    let (numerator, denominator) = if places < 0 {
        (numerator.clone(), denominator * scale)
    } else {
        (numerator * scale, denominator.clone())
    };
    let whole = &numerator / &denominator;
    let rest = numerator - &whole * &denominator;
    (whole, (rest * 2_u32).cmp(&denominator))
}

fn place_point(digits: String, places: i32) -> String {
    let count = usize::try_from(places.unsigned_abs()).unwrap_or(0);
    if places <= 0 {
        return if digits == "0" { digits } else { digits + &"0".repeat(count) };
    }
    let padded = format!("{digits:0>width$}", width = count + 1);
    match padded.split_at_checked(padded.len() - count) {
        Some((whole, fraction)) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
        }
        None => padded,
    }
}
