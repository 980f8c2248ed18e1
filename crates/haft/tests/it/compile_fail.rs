//! What the compiler says of mistakes: each file of `tests/ui` is compiled as a program of its own.
//!
//! A file with `//~ LINE:COLUMN TEXT` lines at its head must fail with an error that begins there and says so, among
//! whatever else the compiler has to say. One with `//~ nothing` must compile without a word. Any other must fail with
//! exactly the errors in the `.stderr` file beside it, all of them of the attribute's own making; `HAFT_BLESS=1` rewrites it.

mod cargo;

use std::{fmt::Write, fs, path::Path};

use self::cargo::Diagnostic;

/// What a file expects.
enum Expected {
    Nothing,
    Among(Vec<String>),
    Exactly,
}

impl Expected {
    fn of(source: &str) -> Self {
        let lines: Vec<String> =
            source.lines().filter_map(|line| line.strip_prefix("//~ ")).map(str::to_owned).collect();
        match lines.as_slice() {
            [] => Self::Exactly,
            [only] if only == "nothing" => Self::Nothing,
            _ => Self::Among(lines),
        }
    }
}

#[test]
fn mistakes_are_told_at_their_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let cases = cargo::cases(&folder);
    assert!(cases.len() > 10, "the files of {} are missing", folder.display());
    let diagnostics = cargo::check(&folder, &cases);

    let mut wrong = String::new();
    for case in &cases {
        let source = fs::read_to_string(folder.join(case).with_extension("rs")).unwrap();
        let said: Vec<&Diagnostic> = diagnostics.iter().filter(|said| said.case == *case).collect();
        let fault = match Expected::of(&source) {
            Expected::Nothing => nothing(&said),
            Expected::Among(lines) => among(&lines, &said),
            Expected::Exactly => exactly(&folder.join(case).with_extension("stderr"), &said),
        };
        if let Some(fault) = fault {
            writeln!(wrong, "\n== {case}.rs: {fault}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn nothing(said: &[&Diagnostic]) -> Option<String> {
    let all: String = said.iter().map(|said| said.rendered.as_str()).collect();
    (!all.is_empty()).then(|| format!("it has to compile without a word, and the compiler says\n{all}"))
}

fn among(lines: &[String], said: &[&Diagnostic]) -> Option<String> {
    let errors: Vec<&&Diagnostic> = said.iter().filter(|said| said.is_error).collect();
    let missing: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| {
            let (place, text) = line.split_once(' ').unwrap();
            !errors.iter().any(|error| error.begins() == place && error.rendered.contains(text))
        })
        .collect();
    let all: String = errors.iter().map(|error| error.rendered.as_str()).collect();
    (!missing.is_empty()).then(|| format!("no error is\n{}\nthe compiler says\n{all}", missing.join("\n")))
}

fn exactly(golden: &Path, said: &[&Diagnostic]) -> Option<String> {
    let mut errors: Vec<&&Diagnostic> = said.iter().filter(|said| said.is_error).collect();
    errors.sort_by_key(|error| (error.line, error.column));
    let mut all = String::new();
    for error in errors {
        writeln!(all, "{}", error.in_brief()).unwrap();
    }
    if all.is_empty() {
        return Some("it compiles".to_owned());
    }
    if std::env::var_os("HAFT_BLESS").is_some() {
        fs::write(golden, &all).unwrap();
    }
    let wanted = fs::read_to_string(golden).unwrap_or_default();
    (wanted != all).then(|| format!("wanted\n{wanted}\nthe compiler says\n{all}"))
}
