//! From text to steps in postfix order. Operators wait on a list instead of the call stack, so no text can exhaust it.

use super::cursor::{Cursor, Literal, OPERATOR};
use super::{ExpressionError, MAX_CHARACTERS, MAX_NESTING};

/// One step of a computation: push a number, or replace the newest one or two by a result.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) column: usize,
    pub(super) action: Action,
}

#[derive(Debug)]
pub(super) enum Action {
    Push(Literal),
    Negate,
    Apply(Operator),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

/// What waits for its right-hand side, or for its closing parenthesis.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    Open { column: usize },
    Negate { column: usize },
    Apply { column: usize, operator: Operator },
}

impl Waiting {
    /// How tightly it holds its operands; a parenthesis holds nothing until it is closed.
    fn binding(self) -> u8 {
        match self {
            Self::Open { .. } => 0,
            Self::Negate { .. } => 3,
            Self::Apply { operator, .. } => operator.binding(),
        }
    }
}

impl Operator {
    fn binding(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => 1,
            Self::Multiply | Self::Divide | Self::Remainder => 2,
            Self::Power => 4,
        }
    }

    /// Whether what waits is computed before this operator takes its result as left-hand side.
    fn yields_to(self, waiting: Waiting) -> bool {
        match self {
            Self::Power => waiting.binding() > self.binding(),
            _ => waiting.binding() >= self.binding(),
        }
    }
}

const OPERAND: &str = "a number or `(`";

/// Reads an expression; the steps leave exactly one value.
pub(super) fn parse(text: &str) -> Result<Vec<Step>, ExpressionError> {
    if text.chars().nth(MAX_CHARACTERS).is_some() {
        return Err(ExpressionError::TooLong);
    }
    let mut parser = Parser { cursor: Cursor::new(text), steps: Vec::new(), waiting: Vec::new(), open: 0 };
    loop {
        parser.operand()?;
        if !parser.operator()? {
            return parser.finish();
        }
    }
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
    open: usize,
}

impl Parser<'_> {
    /// Signs and opening parentheses, then one number.
    fn operand(&mut self) -> Result<(), ExpressionError> {
        loop {
            let column = self.cursor.skip_space();
            match self.cursor.peek() {
                Some('+') => {}
                Some('-') => self.waiting.push(Waiting::Negate { column }),
                Some('(') => {
                    self.open += 1;
                    if self.open > MAX_NESTING {
                        return Err(ExpressionError::TooDeep { column });
                    }
                    self.waiting.push(Waiting::Open { column });
                }
                Some(start) if start.is_ascii_digit() || start == '.' => {
                    let literal = self.cursor.literal()?;
                    self.steps.push(Step { column, action: Action::Push(literal) });
                    return Ok(());
                }
                _ => return Err(self.cursor.unexpected(OPERAND)),
            }
            self.cursor.next();
        }
    }

    /// Closing parentheses, then one operator (true) or the end (false).
    fn operator(&mut self) -> Result<bool, ExpressionError> {
        loop {
            let column = self.cursor.skip_space();
            let operator = match self.cursor.peek() {
                None => return Ok(false),
                Some(')') => {
                    self.close()?;
                    continue;
                }
                Some('+') => Operator::Add,
                Some('-') => Operator::Subtract,
                Some('*') => Operator::Multiply,
                Some('/') => Operator::Divide,
                Some('%') => Operator::Remainder,
                Some('^') => Operator::Power,
                Some(_) => return Err(self.cursor.unexpected(OPERATOR)),
            };
            self.cursor.next();
            let operator = match operator {
                Operator::Multiply if self.cursor.take('*') => Operator::Power,
                other => other,
            };
            while let Some(waiting) = self.waiting.pop_if(|waiting| operator.yields_to(*waiting)) {
                self.settle(waiting);
            }
            self.waiting.push(Waiting::Apply { column, operator });
            return Ok(true);
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if self.open == 0 {
            let mut error = self.cursor.unexpected(OPERATOR);
            if let ExpressionError::Syntax { found, .. } = &mut error {
                found.push_str(", which closes nothing");
            }
            return Err(error);
        }
        self.settle_to_open();
        self.open -= 1;
        self.cursor.next();
        Ok(())
    }

    /// Turns what waits into steps, from the newest to the last opening parenthesis, which is taken off.
    fn settle_to_open(&mut self) -> Option<usize> {
        while let Some(waiting) = self.waiting.pop() {
            if let Waiting::Open { column } = waiting {
                return Some(column);
            }
            self.settle(waiting);
        }
        None
    }

    fn settle(&mut self, waiting: Waiting) {
        let (column, action) = match waiting {
            Waiting::Open { .. } => return,
            Waiting::Negate { column } => (column, Action::Negate),
            Waiting::Apply { column, operator } => (column, Action::Apply(operator)),
        };
        self.steps.push(Step { column, action });
    }

    fn finish(mut self) -> Result<Vec<Step>, ExpressionError> {
        match self.settle_to_open() {
            None => Ok(self.steps),
            Some(opened) => Err(ExpressionError::Syntax {
                column: self.cursor.column(),
                expected: "`)`",
                found: format!("the end; the `(` at column {opened} is not closed"),
            }),
        }
    }
}
