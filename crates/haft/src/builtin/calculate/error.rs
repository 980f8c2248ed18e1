//! What can be wrong with an expression: its text, or what it asks to compute.

use super::{MAX_CHARACTERS, MAX_DIGITS, MAX_NESTING};

/// Why an expression has no result. Columns count characters from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionError {
    /// The text is no expression.
    #[error("the expression does not parse at column {column}: expected {expected}, found {found}")]
    Syntax {
        /// Where the text stops to make sense.
        column: usize,
        /// What could have stood there.
        expected: &'static str,
        /// What stands there, with advice where there is some.
        found: String,
    },
    /// A division, a remainder or a negative power of zero.
    #[error("the operator at column {column} divides by zero")]
    DivisionByZero {
        /// The operator.
        column: usize,
    },
    /// The exponent is no whole number.
    #[error("the exponent of the operator at column {column} is not a whole number; roots are not computed")]
    FractionalExponent {
        /// The operator.
        column: usize,
    },
    /// A value needs more digits than are computed.
    #[error(
        "the value at column {column} is too large: it or its denominator has more than about {MAX_DIGITS} digits"
    )]
    TooLarge {
        /// The operator or number.
        column: usize,
    },
    /// The text is longer than an expression may be.
    #[error("the expression is too long: at most {MAX_CHARACTERS} characters are read; compute it in parts")]
    TooLong,
    /// Too many parentheses are open at once.
    #[error(
        "the parenthesis at column {column} is nested too deep: at most {MAX_NESTING} may be open at once"
    )]
    TooDeep {
        /// The opening parenthesis.
        column: usize,
    },
    /// Each step is small enough, all of them are not.
    #[error("the expression takes too much work, reached at column {column}: compute it in parts")]
    TooMuchWork {
        /// The operator that was not computed any more.
        column: usize,
    },
}

impl ExpressionError {
    /// Whether the text itself is at fault, so that writing it differently can help; otherwise it is an expression
    /// that cannot be computed.
    pub fn is_syntax(&self) -> bool {
        matches!(self, Self::Syntax { .. })
    }
}
