//! One run of cargo over all files: a package that has each as a binary, and depends on what a user's would.
//!
//! It shares the folder of build artifacts, so that dependencies are not checked once more.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// One thing that the compiler said.
pub(super) struct Diagnostic {
    pub(super) case: String,
    pub(super) is_error: bool,
    pub(super) line: u64,
    pub(super) column: u64,
    end: (u64, u64),
    message: String,
    /// As people see it, with all notes.
    pub(super) rendered: String,
}

impl Diagnostic {
    fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let message = value.get("message").filter(|_| value["reason"] == "compiler-message")?;
        // The last word, "aborting due to …", has no place.
        let spans = message["spans"].as_array()?;
        let span = spans.iter().find(|span| span["is_primary"] == true)?;
        let number = |name: &str| span[name].as_u64().unwrap();
        Some(Self {
            case: value["target"]["name"].as_str()?.to_owned(),
            is_error: message["level"] == "error",
            line: number("line_start"),
            column: number("column_start"),
            end: (number("line_end"), number("column_end")),
            message: message["message"].as_str()?.to_owned(),
            rendered: message["rendered"].as_str()?.to_owned(),
        })
    }

    pub(super) fn begins(&self) -> String {
        format!("{}:{}", self.line, self.column)
    }

    pub(super) fn in_brief(&self) -> String {
        format!("{} to {}:{}: {}", self.begins(), self.end.0, self.end.1, self.message)
    }
}

/// The names of the files.
pub(super) fn cases(folder: &Path) -> Vec<String> {
    let mut cases: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    cases.sort();
    cases
}

/// Everything that the compiler says of the files.
pub(super) fn check(folder: &Path, cases: &[String]) -> Vec<Diagnostic> {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let package = package(temporary, folder, cases);
    let output = Command::new(std::env::var_os("CARGO").unwrap())
        .args(["check", "--offline", "--keep-going", "--bins", "--message-format=json", "--target-dir"])
        .arg(temporary.parent().unwrap())
        .current_dir(package)
        .output()
        .unwrap();
    let diagnostics: Vec<Diagnostic> =
        String::from_utf8_lossy(&output.stdout).lines().filter_map(Diagnostic::read).collect();
    assert!(!diagnostics.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    diagnostics
}

/// Writes the package.
fn package(temporary: &Path, folder: &Path, cases: &[String]) -> PathBuf {
    let package = temporary.join("ui");
    fs::create_dir_all(&package).unwrap();
    let haft = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut manifest = format!(
        "[package]\nname = \"ui\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n\
         [workspace]\n\n\
         [profile.dev]\ndebug = \"line-tables-only\"\n\n\
         [dependencies]\nhaft = {{ path = '{}', default-features = false, features = [\"macros\"] }}\n\
         schemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n",
        haft.display()
    );
    for case in cases {
        let path = folder.join(case).with_extension("rs");
        write!(manifest, "\n[[bin]]\nname = {case:?}\npath = '{}'\n", path.display()).unwrap();
    }
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // The versions are those of the workspace: nothing is fetched.
    fs::copy(haft.join("../../Cargo.lock"), package.join("Cargo.lock")).unwrap();
    package
}
