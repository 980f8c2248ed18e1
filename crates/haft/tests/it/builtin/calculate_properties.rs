//! Random expressions agree with integer arithmetic, and the laws of fractions hold through the text.

use haft::builtin::evaluate;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

fn config() -> Config {
    Config { cases: 512, rng_seed: RngSeed::Fixed(2_024), failure_persistence: None, ..Config::default() }
}

#[derive(Clone, Debug)]
enum Tree {
    Number(u32),
    Negate(Box<Tree>),
    Binary(Box<Tree>, &'static str, Box<Tree>),
    Power(Box<Tree>, u32),
}

impl Tree {
    fn any() -> impl Strategy<Value = Tree> {
        let leaf = (0_u32..1_000).prop_map(Tree::Number);
        leaf.prop_recursive(6, 48, 2, |inner| {
            prop_oneof![
                1 => inner.clone().prop_map(|operand| Tree::Negate(Box::new(operand))),
                6 => (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/", "%"]), inner.clone())
                    .prop_map(|(left, operator, right)| Tree::Binary(Box::new(left), operator, Box::new(right))),
                1 => (inner, 0_u32..4).prop_map(|(base, exponent)| Tree::Power(Box::new(base), exponent)),
            ]
        })
    }

    /// What it is worth in whole numbers; `None` where it is none, or more than 128 bits hold.
    fn worth(&self) -> Option<i128> {
        match self {
            Tree::Number(number) => Some(i128::from(*number)),
            Tree::Negate(operand) => operand.worth()?.checked_neg(),
            Tree::Power(base, exponent) => base.worth()?.checked_pow(*exponent),
            Tree::Binary(left, operator, right) => {
                let (left, right) = (left.worth()?, right.worth()?);
                match *operator {
                    "+" => left.checked_add(right),
                    "-" => left.checked_sub(right),
                    "*" => left.checked_mul(right),
                    "/" => left.checked_div(right).filter(|quotient| quotient * right == left),
                    _ => left
                        .checked_rem(right)
                        .map(|rest| if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }),
                }
            }
        }
    }

    fn binding(&self) -> u8 {
        match self {
            Tree::Number(_) => 5,
            Tree::Power(..) => 4,
            Tree::Negate(_) => 3,
            Tree::Binary(_, "+" | "-", _) => 1,
            Tree::Binary(..) => 2,
        }
    }

    /// Text with as few parentheses as the usual precedence allows.
    fn text(&self) -> String {
        let grouped = |tree: &Tree, at_least: u8| {
            let text = tree.text();
            if tree.binding() < at_least { format!("({text})") } else { text }
        };
        match self {
            Tree::Number(number) => number.to_string(),
            Tree::Negate(operand) => format!("-{}", grouped(operand, 3)),
            Tree::Power(base, exponent) => format!("{}^{exponent}", grouped(base, 5)),
            Tree::Binary(left, operator, right) => {
                let binding = self.binding();
                format!("{} {operator} {}", grouped(left, binding), grouped(right, binding + 1))
            }
        }
    }
}

#[test]
fn agrees_with_integer_arithmetic() {
    use std::cell::Cell;
    let compared = Cell::new(0);
    let mut runner = proptest::test_runner::TestRunner::new(Config { cases: 2_048, ..config() });
    runner
        .run(&Tree::any(), |tree| {
            if let Some(worth) = tree.worth() {
                compared.set(compared.get() + 1);
                prop_assert_eq!(evaluate(&tree.text()), Ok(worth.to_string()), "{}", tree.text());
            }
            Ok(())
        })
        .unwrap();
    assert!(compared.get() > 800, "only {} of the expressions have an integer worth", compared.get());
}

/// A decimal literal and the tenths to the sixth that it stands for.
fn decimal() -> impl Strategy<Value = (String, i128)> {
    (0_i128..10_000_000_000).prop_map(|millionths| {
        (format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000), millionths)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn decimals_are_exact((left, left_worth) in decimal(), (right, right_worth) in decimal()) {
        let sum = evaluate(&format!("({left} + {right}) * 1e6")).unwrap();
        prop_assert_eq!(sum, (left_worth + right_worth).to_string());
        let product = evaluate(&format!("{left} * {right} * 1e12")).unwrap();
        prop_assert_eq!(product, (left_worth * right_worth).to_string());
    }

    #[test]
    fn laws_of_fractions(a in -9_999_i64..9_999, b in 1_i64..9_999, c in -9_999_i64..9_999, d in 1_i64..9_999) {
        for law in [
            format!("{a}/{b} + {c}/{d} - ({a}*{d} + {c}*{b}) / ({b}*{d})"),
            format!("({a}/{b}) * ({c}/{d}) - ({a}*{c}) / ({b}*{d})"),
            format!("({a}/{b}) / ({d}/{b}) - {a}/{d}"),
            format!("{a}/{b}*{b} - {a}"),
            format!("({a}/{b})^3 - {a}/{b}*{a}/{b}*{a}/{b} + ({a}/{b} - {a}/{b})"),
            format!("({b}/{d})^-2 - ({d}/{b})^2"),
            // Floored: what divides out, and the remainder, make up the whole.
            format!("({a}/{b} - {a}/{b} % {d}) / {d} % 1"),
        ] {
            prop_assert_eq!(evaluate(&law), Ok("0".to_owned()), "{}", law);
        }
    }

    #[test]
    fn a_result_is_plain_decimal_text_that_evaluates_to_itself(tree in Tree::any()) {
        if let Ok(text) = evaluate(&tree.text()) {
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte)), "{}", text);
            if let Some((_, fraction)) = text.split_once('.') {
                prop_assert!(!fraction.is_empty() && !fraction.ends_with('0'), "{}", text);
            }
            let whole = text.trim_start_matches('-').split('.').next().unwrap();
            prop_assert!(whole == "0" || !whole.starts_with('0'), "{}", text);
            prop_assert_eq!(evaluate(&text), Ok(text));
        }
    }

    #[test]
    fn quotients_are_the_nearest_of_34_digits(numerator in 1_u64.., denominator in 1_u64..) {
        let text = evaluate(&format!("{numerator}/{denominator}")).unwrap();
        if evaluate(&format!("{text}*{denominator}")) != Ok(numerator.to_string()) {
            let digits = text.replace('.', "");
            let significant = digits.trim_start_matches('0').len();
            prop_assert!((1..=34).contains(&significant), "{}", text);
            // How far off, in halves of the last of 34 digits; what was left out at the end are zeros.
            let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len()) + 34 - significant;
            let halves = evaluate(&format!("({text} - {numerator}/{denominator}) * 2e{places}")).unwrap();
            prop_assert!(halves.parse::<f64>().unwrap().abs() <= 1.0, "{} {}", text, halves);
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in ".{0,200}") {
        let _ = evaluate(&text);
    }
}
