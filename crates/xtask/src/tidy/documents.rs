//! Rules on documents: their length, what ARCHITECTURE.md must name, and links that lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::workspace::Workspace;

/// Documents that must exist, with the most lines each may have.
const DOCUMENTS: [(&str, usize); 2] = [("README.md", 150), (ARCHITECTURE, 200)];
const ARCHITECTURE: &str = "ARCHITECTURE.md";

pub(super) fn check(
    workspace: &Workspace,
    files: &[PathBuf],
    failures: &mut Vec<String>,
) -> anyhow::Result<()> {
    for (name, most) in DOCUMENTS {
        if !files.iter().any(|path| path == Path::new(name)) {
            failures.push(format!("{name}: is missing"));
            continue;
        }
        let text = workspace.text(Path::new(name))?.unwrap_or_default();
        let lines = text.lines().count();
        if lines > most {
            failures.push(format!("{name}: {lines} lines, the most is {most}"));
        }
        if name == ARCHITECTURE {
            let parts =
                workspace.packages.iter().map(|package| package.name.clone()).chain(core_modules(files));
            failures.extend(
                parts
                    .filter(|part| !names(&text, part))
                    .map(|part| format!("{ARCHITECTURE}: does not name `{part}`; say what it is for")),
            );
        }
    }
    let markdown = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "md");
    for path in files.iter().filter(markdown) {
        let text = workspace.text(path)?.unwrap_or_default();
        let folder = workspace.root.join(path.parent().unwrap_or(Path::new("")));
        for (line, target) in links(&text) {
            if !folder.join(target).exists() {
                failures.push(format!("{}:{line}: the link to {target} leads nowhere", path.display()));
            }
        }
    }
    Ok(())
}

/// The modules at the top of haft-core, told by its files.
fn core_modules(files: &[PathBuf]) -> BTreeSet<String> {
    files
        .iter()
        .filter_map(|path| path.strip_prefix("crates/haft-core/src").ok())
        .filter_map(|path| path.components().next())
        .filter_map(|first| Path::new(first.as_os_str()).file_stem())
        .filter_map(|stem| stem.to_str())
        .filter(|stem| *stem != "lib")
        .map(str::to_owned)
        .collect()
}

/// Whether a text names a part as code or as a path: `` `part` ``, `part/`, `part.rs`, `::part`.
fn names(text: &str, part: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(part).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + part.len()..).unwrap_or_default();
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let marked = before.ends_with('`') || before.ends_with("::") || before.ends_with('/');
        whole && (marked || after.starts_with('/') || after.starts_with(".rs"))
    })
}

/// The relative links of a Markdown text outside code blocks, with their line numbers.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for link in line.split("](").skip(1) {
            let target = link.split([')', '#', ' ']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                found.push((index + 1, target));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_of_core_are_its_first_components() {
        let files = ["lib.rs", "tool/mod.rs", "tool/name.rs", "event.rs"]
            .map(|file| PathBuf::from(format!("crates/haft-core/src/{file}")));
        assert_eq!(Vec::from_iter(core_modules(&files)), ["event", "tool"]);
    }

    #[test]
    fn a_part_is_named_as_code_or_as_a_path() {
        for text in ["`tool`", "a tool/ folder", "tool.rs", "`haft_core::tool`", "src/tool holds"] {
            assert!(names(text, "tool"), "{text}");
        }
        for text in ["a tool", "`toolkit`", "subtool/", "`haft-tool`"] {
            assert!(!names(text, "tool"), "{text}");
        }
    }

    #[test]
    fn relative_links_are_found_outside_code() {
        let text = "[a](b.md#c) [d](https://example.org) [e](#f)\n```\n[g](h)\n```\n![i](j/k.png \"l\")\n";
        assert_eq!(links(text), [(1, "b.md"), (5, "j/k.png")]);
    }
}
