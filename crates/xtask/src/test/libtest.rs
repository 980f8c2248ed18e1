//! Reads what `cargo test -- --show-output` prints: how many tests ran, and what was skipped.

/// Something that a test did not check, with the reason.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Skip {
    pub(crate) name: String,
    pub(crate) why: String,
}

/// What the output of one `cargo test` run says.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Tests that passed, without those that said that they skipped something.
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: Vec<Skip>,
}

/// Reads the output of any number of test binaries, one after another.
pub(crate) fn read(output: &str) -> Summary {
    let mut summary = Summary::default();
    // Of one binary; a test that skipped something has passed for libtest.
    let (mut not_checked, mut said) = (0, None);
    for line in output.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            summary.passed += count(counts, "passed").saturating_sub(not_checked);
            summary.failed += count(counts, "failed");
            (not_checked, said) = (0, None);
        } else if line == "successes:" {
            said = Some(false);
        } else if line == "failures:" {
            said = None;
        } else if line.starts_with("---- ") && line.ends_with(" stdout ----") {
            said = said.map(|_| false);
        } else if let Some(skip) = announced(line) {
            not_checked += usize::from(said == Some(false));
            said = said.map(|_| true);
            summary.skipped.push(skip);
        } else if let Some(skip) = ignored(line) {
            summary.skipped.push(skip);
        }
    }
    summary
}

/// The output without what passing tests said, so that a failure stands alone.
pub(crate) fn without_successes(output: &str) -> String {
    let mut kept = String::new();
    let mut in_successes = false;
    for line in output.lines() {
        if line == "successes:" {
            in_successes = true;
        } else if line == "failures:" || line.starts_with("test result: ") {
            in_successes = false;
        }
        let passed = line.starts_with("test ") && line.ends_with(" ... ok");
        if !in_successes && !passed {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// The number in front of `word` in `ok. 3 passed; 0 failed; …`.
fn count(counts: &str, word: &str) -> usize {
    let mut words = counts.split([' ', ';', '.']).filter(|text| !text.is_empty());
    let mut last = None;
    words
        .find_map(|text| {
            let number = if text == word { last } else { None };
            last = text.parse().ok();
            number
        })
        .unwrap_or(0)
}

/// A test's own line `skipped: NAME: WHY`.
fn announced(line: &str) -> Option<Skip> {
    let (name, why) = line.strip_prefix("skipped: ")?.split_once(": ")?;
    Some(Skip { name: name.trim().to_owned(), why: why.trim().to_owned() })
}

/// libtest's line for a test that is marked `#[ignore]`, or for a code block that is.
fn ignored(line: &str) -> Option<Skip> {
    let (name, verdict) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let why = verdict.strip_prefix("ignored")?;
    let why = why.strip_prefix(", ").map_or("marked as ignored", str::trim);
    Some(Skip { name: name.trim().to_owned(), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "\
running 3 tests
test corpus ... ok
test slow ... ignored, takes an hour
test plain ... ok

successes:

---- corpus stdout ----
skipped: corpus: HAFT_DATA is not set

test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

running 2 tests
test crates/haft-core/src/lib.rs - (line 3) ... ignored
test crates/haft-core/src/lib.rs - tool (line 9) ... FAILED

test result: FAILED. 12 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s
";

    #[test]
    fn counts_are_added_over_binaries() {
        let summary = read(OUTPUT);
        // One of the first two has skipped something.
        assert_eq!((summary.passed, summary.failed), (13, 1));
    }

    #[test]
    fn a_test_that_skips_twice_is_one_that_did_not_pass() {
        let output = "\
successes:

---- cases stdout ----
skipped: case 1: HAFT_CASES is not set
skipped: case 2: HAFT_CASES is not set

---- noisy stdout ----
nothing of note

---- corpus stdout ----
skipped: corpus: HAFT_DATA is not set

failures:

---- broken stdout ----
skipped: half of it: HAFT_DATA is not set

test result: FAILED. 5 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        let summary = read(output);
        assert_eq!((summary.passed, summary.failed, summary.skipped.len()), (3, 1, 4));
    }

    #[test]
    fn announced_and_ignored_checks_are_skips() {
        let skipped: Vec<(String, String)> =
            read(OUTPUT).skipped.into_iter().map(|skip| (skip.name, skip.why)).collect();
        let expected = [
            ("slow", "takes an hour"),
            ("corpus", "HAFT_DATA is not set"),
            ("crates/haft-core/src/lib.rs - (line 3)", "marked as ignored"),
        ];
        assert_eq!(skipped, expected.map(|(name, why)| (name.to_owned(), why.to_owned())));
    }

    #[test]
    fn only_failures_are_shown_in_full() {
        let output = "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nsuccesses:\n\n---- a stdout ----\nloud\n\n\nsuccesses:\n    a\n\nfailures:\n\n---- b stdout ----\nbroken\n";
        let expected = "running 2 tests\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nbroken\n";
        assert_eq!(without_successes(output), expected);
    }

    #[test]
    fn a_why_may_hold_colons_and_other_text_is_no_skip() {
        assert_eq!(
            announced("skipped: data: HAFT_DATA: not set"),
            Some(Skip { name: "data".into(), why: "HAFT_DATA: not set".into() })
        );
        assert_eq!(announced("tests skipped: none: really"), None);
        assert_eq!(announced("skipped: no reason"), None);
        assert_eq!(ignored("test that names ignored things ... ok"), None);
    }
}
