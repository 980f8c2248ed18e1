//! Numbers, `true`, `false` and `null`.

use serde_json::{Number, Value};

use super::fault::Fault;
use super::source::Source;

/// A number as read; one that does not fit is told by its kind.
#[derive(Debug)]
pub(super) enum Numeral {
    Fits(Number),
    IntegerRange(String),
    FloatRange(String),
}

/// Reads a number; the cursor stands on its sign or first digit.
pub(super) fn number(source: &mut Source<'_>) -> Result<Numeral, Fault> {
    const INSIDE: &str = "inside a number";
    let start = source.offset();
    source.take(b'-');
    let leading_zero = source.peek() == Some(b'0');
    let digits = source.take_digits();
    if digits == 0 {
        return Err(source.unexpected("a digit", INSIDE));
    }
    if leading_zero && digits > 1 {
        return Err(source.malformed("a number has a leading zero"));
    }
    let mut integer = true;
    if source.take(b'.') {
        integer = false;
        if source.take_digits() == 0 {
            return Err(source.unexpected("a digit after the decimal point", INSIDE));
        }
    }
    if matches!(source.peek(), Some(b'e' | b'E')) {
        integer = false;
        source.advance(1);
        if matches!(source.peek(), Some(b'+' | b'-')) {
            source.advance(1);
        }
        if source.take_digits() == 0 {
            return Err(source.unexpected("a digit of the exponent", INSIDE));
        }
    }
    let literal = source.since(start);
    Ok(if integer { whole(literal) } else { fraction(literal) })
}

fn whole(literal: &str) -> Numeral {
    let signed = literal.parse::<i64>().map(Number::from);
    match signed.or_else(|_| literal.parse::<u64>().map(Number::from)) {
        Ok(number) => Numeral::Fits(number),
        Err(_) => Numeral::IntegerRange(literal.to_owned()),
    }
}

fn fraction(literal: &str) -> Numeral {
    match literal.parse::<f64>().ok().and_then(Number::from_f64) {
        Some(number) => Numeral::Fits(number),
        None => Numeral::FloatRange(literal.to_owned()),
    }
}

/// Reads `true`, `false` or `null`; the cursor stands on its first letter.
pub(super) fn word(source: &mut Source<'_>) -> Result<Value, Fault> {
    let words = [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
    for (word, value) in words {
        if source.rest().starts_with(word) {
            source.advance(word.len());
            return Ok(value);
        }
        if word.starts_with(source.rest()) {
            return Err(source.truncated("inside a word"));
        }
    }
    Err(source.unexpected("a value (object, array, string, number, true, false or null)", "before a value"))
}
