//! Text that may not stand in the repository: paths of one machine, and registries other than crates.io.

use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// Spelled in parts, so that this file passes its own rule.
const MACHINE_PATHS: [&str; 3] = [concat!("/", "work/"), concat!("/", "root/"), concat!("/", "Users/")];
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub(super) fn check(
    workspace: &Workspace,
    files: &[PathBuf],
    failures: &mut Vec<String>,
) -> anyhow::Result<()> {
    for path in files {
        let Some(text) = workspace.text(path)? else { continue };
        for (index, line) in text.lines().enumerate() {
            if let Some(why) = fault(path, line) {
                failures.push(format!("{}:{}: {why}", path.display(), index + 1));
            }
        }
    }
    Ok(())
}

fn fault(path: &Path, line: &str) -> Option<String> {
    if let Some(found) = MACHINE_PATHS.into_iter().find(|found| names_machine_path(line, found)) {
        return Some(format!("`{found}…` is a path of one machine"));
    }
    let name = path.file_name()?.to_str()?;
    if name == "Cargo.lock" {
        let source = line.strip_prefix("source = ")?.trim_matches('"');
        return (source != CRATES_IO).then(|| format!("{source} is not crates.io"));
    }
    let chooses =
        ["[source.", "[registries", "replace-with"].iter().any(|key| line.trim_start().starts_with(key));
    let is_cargo_file = path.extension().is_some_and(|extension| extension == "toml");
    (is_cargo_file && chooses)
        .then(|| "a registry is the choice of the machine, not of the repository".to_owned())
}

/// Whether the line holds the path itself, rather than a longer path or a URL that contains it.
fn names_machine_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        before
            .is_none_or(|before| !before.is_alphanumeric() && !matches!(before, '.' | '-' | '_' | '~' | '}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_fault(path: &str, line: &str) -> bool {
        fault(Path::new(path), line).is_some()
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        let path = ["", "work", "main"].join("/");
        assert!(is_fault("README.md", &format!("see {path}/README.md")));
        assert!(is_fault("a.rs", &format!("\"file://{path}/x\"")));
        assert!(is_fault("a.rs", &format!("{path}/x")));
    }

    #[test]
    fn longer_paths_and_addresses_are_not() {
        let path = ["", "work", "item"].join("/");
        assert!(!is_fault("a.md", &format!("https://example.org{path}")));
        assert!(!is_fault("a.md", &format!("target{path}")));
        assert!(!is_fault("a.md", "the workspace/work folder"));
    }

    #[test]
    fn a_lock_file_names_crates_io_only() {
        assert!(!is_fault("Cargo.lock", &format!("source = \"{CRATES_IO}\"")));
        assert!(is_fault("Cargo.lock", "source = \"registry+https://example.org/index\""));
        assert!(is_fault("Cargo.lock", "source = \"git+https://example.org/x\""));
        assert!(is_fault(".cargo/config.toml", "[source.crates-io]"));
        assert!(!is_fault("Cargo.toml", "[dependencies]"));
    }
}
