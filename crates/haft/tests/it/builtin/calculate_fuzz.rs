//! Mutated expressions: whatever the bytes, there is an answer, of bounded size.

use haft::builtin::evaluate;

use crate::fuzzing::Random;

/// The fuzz body: takes any bytes.
fn answers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match evaluate(&text) {
        Ok(result) => {
            assert!(result.len() <= 2_100, "{} bytes of result for {text:?}", result.len());
            assert_eq!(
                evaluate(&result).map(|_| ()).map_err(|error| error.is_syntax()).err(),
                None,
                "{text:?}"
            );
        }
        Err(error) => {
            let message = error.to_string();
            assert!(message.len() < 400, "{message}");
            assert!(!message.contains(char::is_control), "{message:?}");
        }
    }
}

const CORPUS: &[&str] = &[
    "0.1+0.2",
    "-2^2**3",
    "((1+2)*3-4)/5%6",
    "1e-999*1e999",
    "9**9**9",
    "1/3*3 + .5 − 2÷7 × 1E+3",
    "10^999/7^1000%13",
    "__import__('os').system('id')",
    "(((((((((1)))))))))",
    "0^-1",
];

const FRAGMENTS: &[&str] = &[
    "(",
    ")",
    "^",
    "**",
    "-",
    "+",
    "*",
    "/",
    "%",
    ".",
    "e",
    "9",
    "0",
    "1e9",
    "^-",
    " ",
    "999999999",
    "−",
    "\u{0}",
];

fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    match random.below(5) {
        0 => {
            let fragment = FRAGMENTS[random.below(FRAGMENTS.len())];
            bytes.splice(at..at, fragment.bytes());
        }
        1 if at < bytes.len() => {
            bytes.remove(at);
        }
        2 if at < bytes.len() => bytes[at] = u8::try_from(random.below(256)).unwrap(),
        3 => {
            let other = CORPUS[random.below(CORPUS.len())].as_bytes();
            let from = random.below(other.len());
            bytes.splice(at..at, other[from..].iter().copied());
        }
        _ => {
            let end = at + random.below(bytes.len() - at + 1);
            let repeated = bytes[at..end].repeat(random.below(20));
            bytes.splice(at..at, repeated);
        }
    }
    bytes.truncate(6_000);
}

#[test]
fn every_text_gets_an_answer() {
    let mut random = Random::new();
    for seed in CORPUS {
        answers(seed.as_bytes());
        for _ in 0..400 {
            let mut bytes = seed.as_bytes().to_vec();
            for _ in 0..=random.below(8) {
                mutate(&mut random, &mut bytes);
            }
            answers(&bytes);
        }
    }
}
