//! The workspace as cargo and git see it: its root, its packages, its files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Deserialize;

use crate::command::Command;

/// The workspace that xtask is a member of.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) targets: Vec<Target>,
    pub(crate) features: std::collections::BTreeMap<String, Vec<String>>,
}

/// Something that cargo builds from a package.
#[derive(Debug, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) kind: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    packages: Vec<Package>,
}

impl Workspace {
    pub(crate) fn load() -> anyhow::Result<Self> {
        let text = Command::cargo(["metadata", "--format-version=1", "--no-deps"]).stdout()?;
        let Metadata { workspace_root, target_directory, packages } =
            serde_json::from_str(&text).context("cannot read the output of cargo metadata")?;
        Ok(Self { root: workspace_root, target: target_directory, packages })
    }

    /// The files that are in git or would be added: relative to the root, sorted, existing.
    pub(crate) fn files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let text = Command::new("git", ["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(&self.root)
            .stdout()
            .context("the files of the workspace are listed by git")?;
        let mut files: Vec<PathBuf> =
            text.lines().map(PathBuf::from).filter(|path| self.root.join(path).is_file()).collect();
        files.sort();
        files.dedup();
        Ok(files)
    }

    /// The text of a file, or `None` where it is not UTF-8 text.
    pub(crate) fn text(&self, path: &Path) -> anyhow::Result<Option<String>> {
        let bytes =
            fs::read(self.root.join(path)).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(String::from_utf8(bytes).ok())
    }
}

impl Package {
    /// The folder that holds the manifest.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    pub(crate) fn targets_of(&self, kind: &str) -> impl Iterator<Item = &Target> {
        self.targets.iter().filter(move |target| target.kind.iter().any(|k| k == kind))
    }
}
