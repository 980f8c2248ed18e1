//! Runs the steps of an expression on exact fractions, and refuses a step before it costs too much.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Pow, Signed, ToPrimitive, Zero};

use super::cursor::Literal;
use super::parse::{Action, Operator, Step};
use super::{ExpressionError, MAX_DIGITS};

/// Bits of the largest numerator or denominator: 10^1000 needs 3,322.
const MAX_BITS: u64 = 3_321;
/// Machine words that all steps together may take in. An expression of a thousand everyday numbers takes 5,000.
const MAX_WORK: u64 = 20_000;

pub(super) fn compute(steps: &[Step]) -> Result<BigRational, ExpressionError> {
    let mut computation = Computation { values: Vec::new(), work: 0 };
    for step in steps {
        computation.run(step)?;
    }
    Ok(computation.pop())
}

struct Computation {
    values: Vec<BigRational>,
    work: u64,
}

impl Computation {
    fn run(&mut self, step: &Step) -> Result<(), ExpressionError> {
        let column = step.column;
        let value = match &step.action {
            Action::Push(literal) => self.read(literal, column)?,
            Action::Negate => -self.pop(),
            Action::Apply(operator) => {
                let right = self.pop();
                let left = self.pop();
                self.charge(&left, &right, column)?;
                apply(*operator, &left, &right, column)?
            }
        };
        // Sums, products and quotients of bounded values are cheap, so that the exact size is judged, not a guess.
        if bits(&value) > MAX_BITS {
            return Err(ExpressionError::TooLarge { column });
        }
        self.values.push(value);
        Ok(())
    }

    /// The parser leaves a value for every operator, so that the default is never taken.
    fn pop(&mut self) -> BigRational {
        self.values.pop().unwrap_or_else(BigRational::zero)
    }

    fn charge(
        &mut self,
        left: &BigRational,
        right: &BigRational,
        column: usize,
    ) -> Result<(), ExpressionError> {
        let words = [left.numer(), left.denom(), right.numer(), right.denom()].map(|part| part.bits() / 64);
        self.work += 1 + words.iter().sum::<u64>();
        if self.work > MAX_WORK {
            return Err(ExpressionError::TooMuchWork { column });
        }
        Ok(())
    }

    fn read(&mut self, literal: &Literal, column: usize) -> Result<BigRational, ExpressionError> {
        let Literal { digits, exponent } = literal;
        let kept = digits.trim_start_matches('0').trim_end_matches('0');
        let dropped = digits.len() - digits.trim_end_matches('0').len();
        if kept.is_empty() {
            return Ok(BigRational::zero());
        }
        let exponent = exponent.saturating_add(i64::try_from(dropped).unwrap_or(i64::MAX));
        let power = u16::try_from(exponent.unsigned_abs()).ok().filter(|&power| power <= MAX_DIGITS);
        let (Some(power), true) = (power, kept.len() <= usize::from(MAX_DIGITS)) else {
            return Err(ExpressionError::TooLarge { column });
        };
        let number = kept.parse::<BigInt>().unwrap_or_default();
        let scale = BigInt::from(10).pow(power);
        let value = if exponent < 0 {
            BigRational::new(number, scale)
        } else {
            BigRational::from_integer(number * scale)
        };
        self.charge(&value, &BigRational::zero(), column)?;
        Ok(value)
    }
}

fn bits(value: &BigRational) -> u64 {
    value.numer().bits().max(value.denom().bits())
}

fn apply(
    operator: Operator,
    left: &BigRational,
    right: &BigRational,
    column: usize,
) -> Result<BigRational, ExpressionError> {
    match operator {
        Operator::Add => Ok(left + right),
        Operator::Subtract => Ok(left - right),
        Operator::Multiply => Ok(left * right),
        Operator::Divide | Operator::Remainder if right.is_zero() => {
            Err(ExpressionError::DivisionByZero { column })
        }
        Operator::Divide => Ok(left / right),
        Operator::Remainder => Ok(left - right * (left / right).floor()),
        Operator::Power => power(left, right, column),
    }
}

fn power(base: &BigRational, exponent: &BigRational, column: usize) -> Result<BigRational, ExpressionError> {
    if !exponent.is_integer() {
        return Err(ExpressionError::FractionalExponent { column });
    }
    let exponent = exponent.numer();
    if exponent.is_zero() {
        return Ok(BigRational::one());
    }
    if base.is_zero() && exponent.is_negative() {
        return Err(ExpressionError::DivisionByZero { column });
    }
    if base.is_zero() || base.is_one() {
        return Ok(base.clone());
    }
    if (-base).is_one() {
        return Ok(if exponent.bit(0) { base.clone() } else { BigRational::one() });
    }
    // A number of n bits is at least 2^(n-1): what is refused here is too large for certain.
    exponent
        .to_i32()
        .filter(|times| (bits(base) - 1).saturating_mul(u64::from(times.unsigned_abs())) <= MAX_BITS)
        .map(|times| base.pow(times))
        .ok_or(ExpressionError::TooLarge { column })
}
