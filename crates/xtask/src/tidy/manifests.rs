//! Rules on manifests and lint settings: every crate is built and judged the same way.

use std::path::Path;

use crate::workspace::{Package, Workspace};

/// Where the settings that all crates share end in a crate's own `clippy.toml`.
const OWN_PART: &str = "# What this crate may not use.";

pub(super) fn check(workspace: &Workspace, failures: &mut Vec<String>) -> anyhow::Result<()> {
    let shared = workspace.text(Path::new("clippy.toml"))?.unwrap_or_default();
    for package in &workspace.packages {
        let name = &package.name;
        if package.folder().file_name().is_none_or(|folder| folder != name.as_str()) {
            failures.push(format!("{name}: the folder of a crate has its name"));
        }
        let manifest = workspace.text(&package.manifest_path)?.unwrap_or_default();
        if !inherits_lints(&manifest) {
            failures.push(format!("{name}: Cargo.toml lacks `[lints]` with `workspace = true`"));
        }
        if let Some(fault) = test_binaries(package) {
            failures.push(fault);
        }
        let own = package.folder().join("clippy.toml");
        if own.is_file() && !starts_like(&workspace.text(&own)?.unwrap_or_default(), &shared) {
            failures.push(format!(
                "{name}: clippy.toml must begin with the text of the workspace's, since clippy reads only the nearest"
            ));
        }
    }
    Ok(())
}

fn inherits_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim);
    lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
}

/// Each integration-test binary links the world once more. What needs other programs, `interop`, runs on its own.
fn test_binaries(package: &Package) -> Option<String> {
    let names = package.targets_of("test").map(|target| target.name.as_str());
    let names: Vec<&str> = names.filter(|name| *name != "interop").collect();
    (names.len() > 1).then(|| {
        format!(
            "{}: integration tests are modules of the one binary tests/it, found {}",
            package.name,
            names.join(", ")
        )
    })
}

fn starts_like(own: &str, shared: &str) -> bool {
    own.split_once(OWN_PART).is_some_and(|(start, _)| start.trim() == shared.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lints_come_from_the_workspace() {
        assert!(inherits_lints("[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n"));
        assert!(!inherits_lints("[package]\nname = \"a\"\n"));
        assert!(!inherits_lints("[lints]\nrust.unsafe_code = \"allow\"\n"));
    }

    #[test]
    fn lint_settings_of_a_crate_repeat_the_shared_ones() {
        let own = format!("msrv = \"1.90\"\n\n{OWN_PART}\ndisallowed-methods = []\n");
        assert!(starts_like(&own, "msrv = \"1.90\"\n"));
        assert!(!starts_like(&own, "msrv = \"1.91\"\n"));
        assert!(!starts_like("msrv = \"1.90\"\n", "msrv = \"1.90\"\n"));
    }
}
