//! Group `size`: how many crates a user gets with haft.

use std::collections::BTreeSet;

use super::figure::{Figure, Goal};
use crate::command::Command;
use crate::workspace::Workspace;

pub(super) const ABOUT: &str = "\
Distinct crates (name and version) that a package pulls in with its default features on this platform: normal and build
dependencies, procedural macros and members of this workspace included, the package itself and its tests' dependencies left out.
More than half of haft-core's come with jsonschema, the validator behind the complete road; `haft-core-crates-without-jsonschema`
counts the others. Its default features are off already, and every registry needs it to refuse schemas that are none.";

pub(super) fn measure(workspace: &Workspace) -> anyhow::Result<Vec<Figure>> {
    Ok(vec![
        crates(workspace, "haft-core", None)?,
        crates(workspace, "haft-core", Some("jsonschema"))?,
        crates(workspace, "haft", None)?,
    ])
}

/// How many crates a package pulls in, or would without one of its dependencies.
fn crates(workspace: &Workspace, package: &str, without: Option<&str>) -> anyhow::Result<Figure> {
    let package_of = format!("--package={package}");
    let mut arguments =
        vec!["tree", &package_of, "--edges=normal,build", "--prefix=none", "--no-dedupe", "--format={p}"];
    arguments.extend(without.iter().flat_map(|without| ["--prune", without]));
    let tree = Command::cargo(arguments).current_dir(&workspace.root).stdout()?;
    #[expect(clippy::cast_precision_loss, reason = "a count of crates is small")]
    let value = count(&tree) as f64;
    let without = without.map_or_else(String::new, |without| format!("-without-{without}"));
    Ok(Figure { name: format!("size/{package}-crates{without}"), value, goal: Goal::None })
}

/// Counts the distinct `name vVERSION` of a tree's lines, without the root, which stands first.
fn count(tree: &str) -> usize {
    let crates: BTreeSet<(&str, &str)> = tree.lines().filter_map(name_and_version).collect();
    crates.len().saturating_sub(1)
}

fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split(' ');
    Some((words.next()?, words.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_count_apart_and_repeats_once() {
        let tree =
            "haft v0.1.0 (/a/b)\nsyn v2.0.0\nsyn v3.0.0\nserde_derive v1.0.0 (proc-macro)\nsyn v2.0.0\n";
        assert_eq!(count(tree), 3);
    }
}
