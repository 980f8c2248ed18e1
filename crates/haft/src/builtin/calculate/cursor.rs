//! Walks over the characters of an expression: reads numbers, and says what stands where it should not.

use std::iter::Peekable;
use std::str::Chars;

use super::ExpressionError;

pub(super) const OPERATOR: &str = "an operator (one of + - * / % ^) or the end";

/// A number as written: `digits × 10^exponent`. Its size is not judged here.
#[derive(Debug)]
pub(super) struct Literal {
    pub(super) digits: String,
    pub(super) exponent: i64,
}

/// The text still to read, with the typographic signs already read as their plain ones.
pub(super) struct Cursor<'a> {
    rest: Peekable<Chars<'a>>,
    column: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.chars().peekable(), column: 1 }
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    pub(super) fn peek(&mut self) -> Option<char> {
        Some(match *self.rest.peek()? {
            '−' => '-',
            '×' => '*',
            '÷' => '/',
            other => other,
        })
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest.next();
        self.column += 1;
        Some(next)
    }

    pub(super) fn take(&mut self, wanted: char) -> bool {
        self.peek() == Some(wanted) && self.next().is_some()
    }

    /// Skips white space; returns the column of what follows.
    pub(super) fn skip_space(&mut self) -> usize {
        while self.peek().is_some_and(char::is_whitespace) {
            self.next();
        }
        self.column
    }

    /// Moves digits to `digits`; returns how many.
    fn digits(&mut self, digits: &mut String) -> i64 {
        let mut count = 0;
        while let Some(digit) = self.peek().filter(char::is_ascii_digit) {
            digits.push(digit);
            self.next();
            count += 1;
        }
        count
    }

    pub(super) fn literal(&mut self) -> Result<Literal, ExpressionError> {
        let mut digits = String::new();
        self.digits(&mut digits);
        let mut exponent = 0;
        if self.take('.') {
            exponent = -self.digits(&mut digits);
        }
        if digits.is_empty() {
            return Err(self.unexpected("a digit"));
        }
        if self.take('e') || self.take('E') {
            let negative = self.take('-');
            if !negative {
                self.take('+');
            }
            let mut written = String::new();
            if self.digits(&mut written) == 0 {
                return Err(self.unexpected("the digits of the exponent"));
            }
            // An exponent beyond i32 is far beyond every limit; its exact size no longer matters.
            let size = i64::from(written.parse::<i32>().unwrap_or(i32::MAX));
            exponent += if negative { -size } else { size };
        }
        Ok(Literal { digits, exponent })
    }

    /// The error for what stands at the cursor, with advice for what models and people often write.
    pub(super) fn unexpected(&mut self, expected: &'static str) -> ExpressionError {
        let column = self.column;
        let found = match self.peek() {
            None if column == 1 => "nothing: the expression is empty".to_owned(),
            None => "the end".to_owned(),
            Some(start) if start.is_alphabetic() || start == '_' => {
                let name: String = self
                    .rest
                    .by_ref()
                    .take_while(|&next| next.is_alphanumeric() || next == '_')
                    .take(32)
                    .collect();
                format!(
                    "`{name}`; only numbers, operators and parentheses are understood, no names, functions or code"
                )
            }
            Some(',') => "`,`; numbers are written without separators, as in 1000000".to_owned(),
            Some(start)
                if expected == OPERATOR && (start == '(' || start == '.' || start.is_ascii_digit()) =>
            {
                format!("`{start}`; multiplication is written with *")
            }
            Some(other) => format!("`{}`", other.escape_debug()),
        };
        ExpressionError::Syntax { column, expected, found }
    }
}
