//! Rules on Rust files: a purpose line in each, and none too long.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// Lines of code over which a file is a design fault.
const MOST_LINES: usize = 600;
/// What half of the files, and nine of ten, are meant to stay within.
const MEDIAN_GOAL: usize = 120;
const NINE_OF_TEN_GOAL: usize = 350;

/// How long the files of the product are, in lines of code outside tests.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    lines: Vec<usize>,
    longest: Option<(usize, PathBuf)>,
}

pub(super) fn check(
    workspace: &Workspace,
    files: &[PathBuf],
    failures: &mut Vec<String>,
) -> anyhow::Result<Sizes> {
    let mut sizes = Sizes::default();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")) {
        let Some(text) = workspace.text(path)? else {
            failures.push(format!("{}: is not UTF-8", path.display()));
            continue;
        };
        if let Err(why) = purpose(&text) {
            failures.push(format!("{}:1: {why}", path.display()));
        }
        for (index, line) in text.lines().enumerate() {
            if is_guard_with_let(line) {
                let path = path.display();
                let why = "an arm's guard with `if let` is newer than the Rust that is promised";
                failures.push(format!("{path}:{}: {why}", index + 1));
            }
        }
        if !is_test_file(path) {
            let lines = code_lines(&text);
            if lines > MOST_LINES {
                let path = path.display();
                failures.push(format!(
                    "{path}: {lines} lines of code, the most is {MOST_LINES}; split it by concept"
                ));
            }
            sizes.add(lines, path);
        }
    }
    sizes.lines.sort_unstable();
    Ok(sizes)
}

/// Whether an arm of a `match` has a guard with a pattern, which Rust has had since 1.95: the first of what a compiler
/// of the present accepts and the promised one does not. `rustfmt` leaves such a guard on one line, where it fits.
fn is_guard_with_let(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("if let ").any(|(at, _)| {
        let mut depth = 0_usize;
        let mut before = ' ';
        for character in code.get(at..).unwrap_or_default().chars() {
            match character {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' | ',' | ';' if depth == 0 => return false,
                ')' | ']' | '}' => depth -= 1,
                '>' if depth == 0 && before == '=' => return true,
                _ => {}
            }
            before = character;
        }
        false
    })
}

/// A file starts with `//!` and what it is for.
fn purpose(text: &str) -> Result<(), &'static str> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let Some(purpose) = first.strip_prefix("//!") else {
        return Err("the first line must be `//!` and what the file is for");
    };
    if purpose.trim().len() < 12 || purpose.to_lowercase().contains("placeholder") {
        return Err("the `//!` line does not say what the file is for");
    }
    Ok(())
}

fn is_test_file(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "benches")
        || path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .is_some_and(|stem| stem == "tests" || stem.ends_with("_tests"))
}

/// Lines that are neither blank nor comment, without the items marked `#[cfg(test)]`.
fn code_lines(text: &str) -> usize {
    let mut count = 0;
    let mut in_comment = false;
    let mut in_test = false;
    for line in text.lines() {
        let code = line.trim();
        if in_comment {
            in_comment = !code.contains("*/");
            continue;
        }
        if in_test {
            // rustfmt ends a top-level item with a line that is not indented.
            in_test = !(line == "}" || (line.ends_with(';') && !line.starts_with(char::is_whitespace)));
            continue;
        }
        if line == "#[cfg(test)]" {
            in_test = true;
        } else if code.starts_with("/*") {
            in_comment = !code.contains("*/");
        } else if !code.is_empty() && !code.starts_with("//") {
            count += 1;
        }
    }
    count
}

impl Sizes {
    fn add(&mut self, lines: usize, path: &Path) {
        self.lines.push(lines);
        if self.longest.as_ref().is_none_or(|(most, _)| lines > *most) {
            self.longest = Some((lines, path.to_owned()));
        }
    }

    /// The length that `tenths` of ten files do not exceed (nearest rank).
    fn rank(&self, tenths: usize) -> usize {
        let rank = (self.lines.len() * tenths).div_ceil(10).saturating_sub(1);
        self.lines.get(rank).copied().unwrap_or(0)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (median, most) = (self.rank(5), self.rank(9));
        write!(
            f,
            "lines of code: median {median} (goal {MEDIAN_GOAL}), p90 {most} (goal {NINE_OF_TEN_GOAL})"
        )?;
        if let Some((lines, path)) = &self.longest {
            write!(f, ", longest {lines} in {}", path.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_says_what_it_is_for() {
        assert!(purpose("//! Reads what a model sent.\n").is_ok());
        assert!(purpose("\n//! Reads what a model sent.\n").is_ok());
        assert!(purpose("use std::fmt;\n//! Too late for this.\n").is_err());
        assert!(purpose("//! placeholder\n").is_err());
        assert!(purpose("//! TODO\n").is_err());
        assert!(purpose("").is_err());
    }

    #[test]
    fn guards_with_patterns_are_found() {
        let keyword = "if let";
        for guard in [
            "_ KEY Some(meant) = meant(name) => {",
            "KEY Named { name, .. } = named",
            "A(b) KEY [c] = b[..] => c,",
        ] {
            let line = guard.replace("KEY", keyword);
            assert_eq!(is_guard_with_let(&line), line.contains("=>"), "{line}");
        }
        for other in [
            "A => KEY Some(b) = c { d } else { e },",
            "KEY Some(a) = match b { C => d, _ => e } {",
            "} else KEY Some(a) = b.map(|b| b >= c) {",
            "A if b == c => d, // KEY e = f => g",
            "run(|a| KEY Some(b) = a { c } else { d }, E => f)",
        ] {
            let line = other.replace("KEY", keyword);
            assert!(!is_guard_with_let(&line), "{line}");
        }
    }

    #[test]
    fn blank_lines_comments_and_tests_are_no_code() {
        let text = "\
//! Purpose.

use std::fmt; // counts

/* a block
   comment */
/// Documentation.
fn a() {
    // why
    b();
}

#[cfg(test)]
use std::fs;

#[cfg(test)]
mod tests {
    fn c() {
    }
}

fn d() {}
";
        assert_eq!(code_lines(text), 5);
    }

    #[test]
    fn ranks_are_nearest_ranks() {
        let lines = (1..=10).collect();
        let sizes = Sizes { lines, longest: None };
        assert_eq!((sizes.rank(5), sizes.rank(9)), (5, 9));
        assert_eq!(Sizes::default().rank(9), 0);
    }

    #[test]
    fn tests_are_told_by_their_folder_or_name() {
        assert!(is_test_file(Path::new("crates/haft/tests/it/main.rs")));
        assert!(is_test_file(Path::new("crates/haft/src/schema/tests.rs")));
        assert!(is_test_file(Path::new("crates/haft/src/schema/canon_tests.rs")));
        assert!(!is_test_file(Path::new("crates/xtask/src/test/step.rs")));
    }
}
