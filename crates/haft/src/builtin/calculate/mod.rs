//! Exact arithmetic on a small grammar of numbers and operators: parse, compute in fractions, write as a decimal.

mod compute;
mod cursor;
mod decimal;
mod error;
mod parse;
mod tool;

pub use error::ExpressionError;
pub use tool::calculate;

/// Characters that an expression may have.
const MAX_CHARACTERS: usize = 4_096;
/// Parentheses that may be open at once.
const MAX_NESTING: usize = 200;
/// Decimal digits, roughly, of the numerator and of the denominator of any value on the way.
const MAX_DIGITS: u16 = 1_000;
/// Significant digits of a result whose decimal form does not end within [`MAX_DIGITS`].
const ROUNDED_DIGITS: i32 = 34;

/// Computes an arithmetic expression and returns the result as plain decimal text.
///
/// - **Numbers**: digits with an optional fraction and exponent (`12`, `0.5`, `.5`, `1e-3`); no separators within.
/// - **Operators**, from loose to tight: `+ -`; `* / %`; a sign in front; `^`, also written `**`, which groups from
///   the right. So `-2^2` is `-4` and `2^3^2` is `512`. `−`, `×` and `÷` are read as `-`, `*` and `/`.
/// - **`%`** is the remainder of the floored division; it has the sign of the divisor, so `-7 % 3` is `2`.
/// - **Exponents** are whole numbers of either sign; `0^0` is `1`.
///
/// Values on the way are exact fractions, so `1/3*3` is `1`. Rounding happens once, at the end, and only where the
/// decimal form does not end within 1,000 digits: then to 34 significant digits, half to even. The result never has an
/// exponent or trailing zeros.
///
/// Length (4,096 characters), nesting (200), the size of every value (about 1,000 digits) and the total work are
/// bounded, each before the costly step.
///
/// # Errors
///
/// [`ExpressionError::Syntax`] when the text is no expression of this grammar; any other variant when it is one that
/// cannot be computed, or that is beyond a limit.
///
/// # Examples
///
/// ```
/// use haft::builtin::evaluate;
///
/// assert_eq!(evaluate("0.1 + 0.2")?, "0.3");
/// assert_eq!(evaluate("2^10")?, "1024");
/// assert_eq!(evaluate("2/3")?, "0.6666666666666666666666666666666667");
/// assert!(evaluate("9^9^9").is_err());
/// # Ok::<(), haft::builtin::ExpressionError>(())
/// ```
pub fn evaluate(expression: &str) -> Result<String, ExpressionError> {
    let steps = parse::parse(expression)?;
    let value = compute::compute(&steps)?;
    Ok(decimal::to_plain_text(&value))
}
