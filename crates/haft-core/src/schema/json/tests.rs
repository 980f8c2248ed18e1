//! The reader against `serde_json`, and each way in which it is stricter.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;

use super::{Defect, Fault, FaultKind, Limits, read};

fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

fn fault(text: &str) -> Fault {
    read(text, &Limits::default()).expect_err(text)
}

fn defects(text: &str) -> Vec<Defect> {
    read(text, &Limits::default()).expect(text).defects
}

/// What the reader and `serde_json` say of one text; panics where they differ otherwise than by design.
fn agree(text: &str) {
    let ours = read(text, &Limits { depth: 127, ..Limits::default() });
    let theirs = serde_json::from_str::<Value>(text);
    match (ours, theirs) {
        (Ok(reading), Ok(value)) if reading.defects.is_empty() => {
            assert!(same(&reading.value, &value), "{text:?}: {} is not {value}", reading.value);
        }
        // Duplicate keys and integers beyond 64 bits are taken silently by `serde_json`.
        (Ok(reading), Ok(_)) => assert!(!reading.defects.is_empty()),
        // A float that overflows is a syntax error to it (and kept as text with `arbitrary_precision`).
        (Ok(reading), Err(error)) => {
            let float = reading.defects.iter().any(|defect| matches!(defect, Defect::FloatRange { .. }));
            assert!(float && error.to_string().contains("out of range"), "{text:?}: {error}");
        }
        (Err(fault), Err(error)) => {
            let truncated = fault.kind == FaultKind::Truncated;
            // Both stop at the first fault; only these two kinds of text are told differently.
            let told_alike = truncated == error.is_eof()
                || error.to_string().contains("out of range")
                || error.to_string().contains("surrogate")
                || error.to_string().contains("hex escape")
                // It takes four characters of an escape before it looks at them.
                || (error.is_eof() && fault.reason.contains("hexadecimal"));
            assert!(told_alike, "{text:?}: {fault:?} against {error}");
        }
        (Err(fault), Ok(value)) => panic!("{text:?}: {fault:?}, but serde_json reads {value}"),
    }
}

/// Equal, numbers by value: a literal such as `-0` or `1e2` has several representations.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one.as_i64().map(i128::from).or(one.as_u64().map(i128::from))
                == other.as_i64().map(i128::from).or(other.as_u64().map(i128::from))
                || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other)))
        }
        _ => one == other,
    }
}

fn json_text() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|integer| integer.to_string()),
        any::<f64>().prop_filter("finite", |float| float.is_finite()).prop_map(|float| format!("{float:e}")),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?",
        ".{0,8}".prop_map(|text| Value::from(text).to_string()),
        "\"(\\\\u[0-9a-fA-F]{4}|\\\\[\"\\\\/bfnrt]|[a-z]){0,4}\"",
    ];
    scalar.prop_recursive(5, 40, 5, |inner| {
        let key = prop_oneof![
            "\"[a-c]\"",
            "\"\\\\u006[1-3]\"",
            ".{0,4}".prop_map(|text| Value::from(text).to_string())
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(" , "))),
            prop::collection::vec((key, inner), 0..5).prop_map(|members| {
                let members: Vec<_> =
                    members.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
                format!("{{{}}}", members.join(",\n"))
            }),
        ]
    })
}

#[test]
fn reads_what_serde_json_reads() {
    runner(3_000)
        .run(&json_text(), |text| {
            agree(&text);
            Ok(())
        })
        .expect("the readers agree");
}

/// Every proper prefix of an object, array or string is truncated, never malformed and never a value.
#[test]
fn prefixes_are_truncated() {
    let texts =
        json_text().prop_filter("closed by a bracket or quote", |text| text.starts_with(['{', '[', '"']));
    runner(500)
        .run(&texts, |text| {
            // A text with a fault of its own is told as malformed from that place on.
            let sound = read(&text, &Limits::default()).is_ok();
            for (end, _) in text.char_indices().filter(|_| sound) {
                let prefix = text.get(..end).expect("a character boundary");
                let fault = fault(prefix);
                prop_assert_eq!(fault.kind, FaultKind::Truncated, "{:?}", prefix);
                prop_assert_eq!(fault.position.offset, end);
            }
            Ok(())
        })
        .expect("prefixes are truncated");
}

/// The body of a fuzz test: no input panics, and what is read agrees with `serde_json`.
fn fuzz(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        agree(text);
    }
}

#[test]
fn mutated_texts_agree() {
    const CORPUS: [&str; 6] = [
        r#"{"a":[1,-2.5e3,true,null,"x\n\u00e9\ud83d\ude00"],"b":{"c":{}},"d":[]}"#,
        "[0,-0,0.0,1e400,18446744073709551616,-9223372036854775809,1E+2]",
        r#"{"n":2,"n":3,"\u006e":4}"#,
        "\u{feff}{}",
        r#"["\ud800","\udc00\ud800",""]"#,
        " \t\r\n[ 1 , 2 ] \n",
    ];
    const PIECES: [&[u8]; 12] =
        [b"{", b"}", b"[", b"]", b",", b":", b"\"", b"\\", b"\\ud83d", b"1e", b"\x00", b"nul"];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("fits")
    };
    for _ in 0..30_000 {
        let mut bytes = CORPUS[random(CORPUS.len())].as_bytes().to_vec();
        for _ in 0..=random(3) {
            let at = random(bytes.len() + 1);
            match random(4) {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..at, PIECES[random(PIECES.len())].iter().copied())),
                2 if at < bytes.len() => drop(bytes.remove(at)),
                _ if at < bytes.len() => bytes[at] = u8::try_from(random(128)).expect("fits"),
                _ => {}
            }
        }
        fuzz(&bytes);
    }
}

#[test]
fn faults_say_what_and_where() {
    let told = |text: &str| {
        let fault = fault(text);
        format!("{:?} at {}: {}", fault.kind, fault.position, fault.reason)
    };
    let faults: Vec<String> = [
        "",
        "{",
        r#"{"a""#,
        r#"{"a":1"#,
        "[1,",
        "\"ab",
        "\"\\u12",
        "tru",
        "-",
        "1.",
        "1e+",
        "\"\\ud83d",
        "[1] x",
        "\u{feff}{}",
        "[01]",
        "[1,]",
        "{a:1}",
        "{\"a\" 1}",
        "\"\\x\"",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "\"\\ud800\\u0041\"",
        "\"a\nb\"",
        "{\n \"é\": nul }",
        "[+1]",
        "'a'",
        "NaN",
    ]
    .iter()
    .map(|text| told(text))
    .collect();
    insta::assert_debug_snapshot!(faults, @r###"
    [
        "Truncated at line 1, column 1 (byte 0): the text ends before a value",
        "Truncated at line 1, column 2 (byte 1): the text ends inside an object or array",
        "Truncated at line 1, column 5 (byte 4): the text ends inside an object or array",
        "Truncated at line 1, column 7 (byte 6): the text ends inside an object or array",
        "Truncated at line 1, column 4 (byte 3): the text ends inside an object or array",
        "Truncated at line 1, column 4 (byte 3): the text ends inside a string",
        "Truncated at line 1, column 6 (byte 5): the text ends inside a string",
        "Truncated at line 1, column 4 (byte 3): the text ends inside a word",
        "Truncated at line 1, column 2 (byte 1): the text ends inside a number",
        "Truncated at line 1, column 3 (byte 2): the text ends inside a number",
        "Truncated at line 1, column 4 (byte 3): the text ends inside a number",
        "Truncated at line 1, column 8 (byte 7): the text ends inside a string",
        "Malformed at line 1, column 5 (byte 4): expected nothing more behind the value, found `x`",
        "Malformed at line 1, column 1 (byte 0): the text begins with a byte order mark",
        "Malformed at line 1, column 4 (byte 3): a number has a leading zero",
        "Malformed at line 1, column 4 (byte 3): expected a value (object, array, string, number, true, false or null), found `]`",
        "Malformed at line 1, column 2 (byte 1): expected a key in double quotes, found `a`",
        "Malformed at line 1, column 6 (byte 5): expected `:` behind a key, found `1`",
        "Malformed at line 1, column 3 (byte 2): expected an escape (one of \" \\ / b f n r t u; a backslash itself is written `\\\\`), found `x`",
        "Malformed at line 1, column 2 (byte 1): \\ud800 is half of a surrogate pair without its other half",
        "Malformed at line 1, column 2 (byte 1): \\udc00 is half of a surrogate pair without its other half",
        "Malformed at line 1, column 2 (byte 1): \\ud800 is half of a surrogate pair without its other half",
        "Malformed at line 1, column 3 (byte 2): a string holds the raw control character U+000A, to be written `\\n`,",
        "Malformed at line 2, column 7 (byte 9): expected a value (object, array, string, number, true, false or null), found `n`",
        "Malformed at line 1, column 2 (byte 1): expected a value (object, array, string, number, true, false or null), found `+`",
        "Malformed at line 1, column 1 (byte 0): expected a value (object, array, string, number, true, false or null), found `'`",
        "Malformed at line 1, column 1 (byte 0): expected a value (object, array, string, number, true, false or null), found `N`",
    ]
    "###);
}

#[test]
fn defects_have_their_path() {
    let duplicate =
        |path: &str, key: &str| Defect::DuplicateKey { path: path.to_owned(), key: key.to_owned() };
    assert_eq!(
        defects(r#"{"a":1,"b":{"x/y":[0,{"~":1,"\u007e":2}]},"a":2}"#),
        [duplicate("/b/x~1y/1/~0", "~"), duplicate("/a", "a"),]
    );
    assert_eq!(
        defects("[1,[18446744073709551616]]"),
        [Defect::IntegerRange { path: "/1/0".to_owned(), digits: "18446744073709551616".to_owned() }]
    );
    assert_eq!(defects("-1e400"), [Defect::FloatRange { path: String::new(), digits: "-1e400".to_owned() }]);
    assert!(defects("[18446744073709551615,-9223372036854775808,1e308,1e-400]").is_empty());
}

#[test]
fn limits_hold() {
    let limits = Limits { bytes: 60, depth: 3, nodes: 10 };
    let kind = |text: &str| read(text, &limits).err().map(|fault| fault.kind);
    assert_eq!(kind("[[[1]]]"), None);
    assert_eq!(kind("[[[[1]]]]"), Some(FaultKind::TooLarge));
    assert_eq!(kind("[1,2,3,4,5,6,7,8,9]"), None);
    assert_eq!(kind("[1,2,3,4,5,6,7,8,9,10]"), Some(FaultKind::TooLarge));
    assert_eq!(kind(&format!("{:60}", 1)), None);
    assert_eq!(kind(&format!("{:61}", 1)), Some(FaultKind::TooLarge));
    // Far beyond any stack.
    assert_eq!(fault(&"[".repeat(1_000_000)).kind, FaultKind::TooLarge);
    assert_eq!(fault(&"{\"a\":".repeat(500_000)).kind, FaultKind::TooLarge);
}
