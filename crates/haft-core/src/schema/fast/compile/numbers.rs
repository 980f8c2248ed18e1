//! Bounds of numbers.

use serde_json::Value;

use super::super::node::{Kinds, Node, NumberChecks};

/// Integers up to here are the same as a float.
const EXACT: i128 = 1 << 53;

/// A bound: exactly, where it is whole, and as a float.
struct Bound {
    /// The least integer that is not below it, and the greatest that is not above it.
    ceiling: i128,
    floor: i128,
    float: f64,
}

impl Bound {
    fn of(value: &Value) -> Option<Self> {
        let number = value.as_number()?;
        let whole = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
        let float = number.as_f64().filter(|float| float.is_finite())?;
        if let Some(whole) = whole {
            return Some(Self { ceiling: whole, floor: whole, float });
        }
        #[expect(clippy::cast_precision_loss, reason = "a power of two")]
        let exact = float.abs() <= EXACT as f64;
        #[expect(clippy::cast_possible_truncation, reason = "it is within the exact integers")]
        let bound = Self { ceiling: float.ceil() as i128, floor: float.floor() as i128, float };
        exact.then_some(bound)
    }
}

pub(super) fn add(checks: &mut NumberChecks, keyword: &str, value: &Value) -> Option<()> {
    let bound = Bound::of(value)?;
    let twice = |present: f64| if present.is_finite() { None } else { Some(()) };
    match keyword {
        "minimum" => {
            twice(checks.low)?;
            (checks.least, checks.low) = (bound.ceiling, bound.float);
        }
        "maximum" => {
            twice(checks.high)?;
            (checks.most, checks.high) = (bound.floor, bound.float);
        }
        "exclusiveMinimum" => {
            twice(checks.low)?;
            (checks.least, checks.low, checks.low_excluded) = (bound.floor + 1, bound.float, true);
        }
        "exclusiveMaximum" => {
            twice(checks.high)?;
            (checks.most, checks.high, checks.high_excluded) = (bound.ceiling - 1, bound.float, true);
        }
        _ => checks.multiple_of = Some(bound.floor).filter(|unit| *unit > 0 && bound.ceiling == *unit),
    }
    (keyword != "multipleOf" || checks.multiple_of.is_some()).then_some(())
}

/// Fractions are compared as floats: bounds beyond the exact integers hold for integers only.
pub(super) fn settle(node: &Node) -> Option<()> {
    let Some(checks) = node.number.as_ref().filter(|_| node.kinds.meets(Kinds::NUMBER)) else {
        return Some(());
    };
    let exact = |bound: i128| bound.abs() <= EXACT + 1;
    let settled = (checks.least == i128::MIN || exact(checks.least))
        && (checks.most == i128::MAX || exact(checks.most));
    settled.then_some(())
}
