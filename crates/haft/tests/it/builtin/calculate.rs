//! Tables of expressions with their results, or with the exact reason why there is none.

use haft::builtin::{ExpressionError, evaluate};

#[test]
fn results() {
    let table = [
        // Exact decimals.
        ("0.1+0.2", "0.3"),
        ("1.10 * 3", "3.3"),
        ("100 * 1.1", "110"),
        ("1e3", "1000"),
        ("1.5E-3", "0.0015"),
        ("1e+2", "100"),
        (".5 + 5.", "5.5"),
        ("007", "7"),
        ("0.000", "0"),
        ("-0", "0"),
        ("0e999999999999", "0"),
        ("123456789012345678901234567890 + 1", "123456789012345678901234567891"),
        // Precedence and grouping.
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("10 - 4 - 3", "3"),
        ("100 / 10 / 5", "2"),
        ("8 / 4 * 2", "4"),
        ("2^10", "1024"),
        ("2**10", "1024"),
        ("2^3^2", "512"),
        ("2**3**2", "512"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^-1", "0.5"),
        ("2^-2^2", "0.0625"),
        ("2*-3+1", "-5"),
        ("--3", "3"),
        ("+-+3", "-3"),
        ("1 - -1", "2"),
        ("-3*-3", "9"),
        ("\t( 1 )\n", "1"),
        ("6 ÷ 4 × 2 − 1", "2"),
        ("1e−1", "0.1"),
        // Division: exact, or 34 digits, rounded once.
        ("1/8", "0.125"),
        ("1/3", "0.3333333333333333333333333333333333"),
        ("-2/3", "-0.6666666666666666666666666666666667"),
        ("1/3*3", "1"),
        ("1/3 + 1/6", "0.5"),
        ("(1/3) * 3 - 1", "0"),
        ("10^40/3", "3333333333333333333333333333333333000000"),
        ("1/30000", "0.00003333333333333333333333333333333333"),
        ("9999999999999999999999999999999999999/7*7", "9999999999999999999999999999999999999"),
        // The quotient rounds up into one more digit.
        ("29999999999999999999999999999999999999999/3", "10000000000000000000000000000000000000000"),
        // Remainder: the sign of the divisor.
        ("7 % 3", "1"),
        ("-7 % 3", "2"),
        ("7 % -3", "-2"),
        ("-7 % -3", "-1"),
        ("5.5 % 2", "1.5"),
        ("1 % (1/3)", "0"),
        ("6 % 3", "0"),
        ("0 % 3", "0"),
        // Powers that stay small, however large the exponent.
        ("0^0", "1"),
        ("1^1000000000000", "1"),
        ("(-1)^1000000000001", "-1"),
        ("0^99999999999", "0"),
        ("(1/2)^-3", "8"),
        ("1.5^2", "2.25"),
        ("4^(6/3)", "16"),
    ];
    for (expression, expected) in table {
        assert_eq!(evaluate(expression).as_deref(), Ok(expected), "{expression}");
    }
}

#[test]
fn texts_that_are_no_expression() {
    let table = [
        ("", "column 1: expected a number or `(`, found nothing: the expression is empty"),
        ("  ", "column 3: expected a number or `(`, found the end"),
        ("1 +", "column 4: expected a number or `(`, found the end"),
        ("1; x", "column 2: expected an operator (one of + - * / % ^) or the end, found `;`"),
        (
            "__import__('os').system('id')",
            "column 1: expected a number or `(`, found `__import__`; only numbers, operators and parentheses are \
             understood, no names, functions or code",
        ),
        ("().__class__", "column 2: expected a number or `(`, found `)`"),
        (
            "2pi",
            "column 2: expected an operator (one of + - * / % ^) or the end, found `pi`; only numbers, operators and \
             parentheses are understood, no names, functions or code",
        ),
        (
            "2(3)",
            "column 2: expected an operator (one of + - * / % ^) or the end, found `(`; multiplication is written \
             with *",
        ),
        (
            "1,000",
            "column 2: expected an operator (one of + - * / % ^) or the end, found `,`; numbers are written without \
             separators, as in 1000000",
        ),
        ("(1 + 2", "column 7: expected `)`, found the end; the `(` at column 1 is not closed"),
        (
            "1)",
            "column 2: expected an operator (one of + - * / % ^) or the end, found `)`, which closes nothing",
        ),
        ("1e", "column 3: expected the digits of the exponent, found the end"),
        (".", "column 2: expected a digit, found the end"),
        ("1 */ 2", "column 4: expected a number or `(`, found `/`"),
        ("20%", "column 4: expected a number or `(`, found the end"),
        ("1\u{7}", "column 2: expected an operator (one of + - * / % ^) or the end, found `\\u{7}`"),
        // What does not parse is said first, also where the beginning could not be computed.
        (
            "1/0 )",
            "column 5: expected an operator (one of + - * / % ^) or the end, found `)`, which closes nothing",
        ),
    ];
    for (text, expected) in table {
        let error = evaluate(text).unwrap_err();
        assert_eq!(error.to_string(), format!("the expression does not parse at {expected}"), "{text}");
        assert!(error.is_syntax(), "{text}");
    }
    for text in ["1_000", "1 000", "0x10", "1=1", "a", "∞", "2!", "1.2.3", "'1'", "eval(1)", "\u{1F600}"] {
        assert!(evaluate(text).unwrap_err().is_syntax(), "{text}");
    }
}

#[test]
fn expressions_that_cannot_be_computed() {
    use ExpressionError::{DivisionByZero, FractionalExponent, TooDeep, TooLarge, TooLong, TooMuchWork};
    let deep = |depth: usize| format!("{}1+1{}", "(".repeat(depth), ")".repeat(depth));
    let table = [
        ("1/0".to_owned(), DivisionByZero { column: 2 }),
        ("5 % (1 - 1)".to_owned(), DivisionByZero { column: 3 }),
        ("0^-1".to_owned(), DivisionByZero { column: 2 }),
        ("2^0.5".to_owned(), FractionalExponent { column: 2 }),
        ("9**9**9".to_owned(), TooLarge { column: 2 }),
        ("9^9^9".to_owned(), TooLarge { column: 2 }),
        ("9^9^9^9".to_owned(), TooLarge { column: 4 }),
        ("10**1000000000".to_owned(), TooLarge { column: 3 }),
        ("10^-1000000000".to_owned(), TooLarge { column: 3 }),
        ("0.1^999999999999999999999".to_owned(), TooLarge { column: 4 }),
        ("1e1000000000".to_owned(), TooLarge { column: 1 }),
        ("1e-99999999999999999999999".to_owned(), TooLarge { column: 1 }),
        ("9".repeat(1_001), TooLarge { column: 1 }),
        ("10^999 * 10".to_owned(), TooLarge { column: 8 }),
        (deep(10_000), TooLong),
        (deep(201), TooDeep { column: 201 }),
        ("1+".repeat(2_048) + "1", TooLong),
        (format!("7^1000{}", "/3".repeat(600)), TooMuchWork { column: 813 }),
    ];
    for (expression, expected) in table {
        let error = evaluate(&expression).unwrap_err();
        assert_eq!(error, expected, "{expression}");
        assert!(!error.is_syntax(), "{expression}");
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn limits_leave_room_for_what_is_usual() {
    let deep = format!("{}7{}", "(".repeat(200), ")".repeat(200));
    assert_eq!(evaluate(&deep).as_deref(), Ok("7"));
    let towering = "2".to_owned() + &"^1".repeat(2_000);
    assert_eq!(evaluate(&towering).as_deref(), Ok("2"));
    let signs = "-".repeat(4_095) + "1";
    assert_eq!(evaluate(&signs).as_deref(), Ok("-1"));
    let long_sum = vec!["1"; 2_048].join("+");
    assert_eq!(evaluate(&long_sum).as_deref(), Ok("2048"));
    let invoice = vec!["1234.56*1.19"; 300].join("+");
    assert_eq!(evaluate(&invoice).as_deref(), Ok("440737.92"));
    assert_eq!(evaluate("10^999").unwrap().len(), 1_000);
    assert_eq!(evaluate("2^3000 / 2^3000").as_deref(), Ok("1"));
    // Ends after more than 1,000 decimal places, so it is rounded.
    let rounded = format!("0.{}7362151829022862675436866177144965", "0".repeat(331));
    assert_eq!(evaluate("2^-1100"), Ok(rounded));
}

#[test]
fn ties_go_to_the_even_digit() {
    // 35 digits that end in 5, more than 1,000 places down.
    let tiny = |digits: &str| format!("0.{}{digits}", "0".repeat(985));
    assert_eq!(evaluate("2^-1020 * 5^-971"), Ok(tiny("1776356839400250464677810668945312")));
    assert_eq!(evaluate("3 * 2^-1020 * 5^-972"), Ok(tiny("1065814103640150278806686401367188")));
}
