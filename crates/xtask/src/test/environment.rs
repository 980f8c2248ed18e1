//! The environment variables that say where test data lies and how strict a run is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use super::libtest::Skip;
use crate::command::Command;

/// Variables that name a folder of test data, and what to say when one is not set.
const FOLDERS: [(&str, &str); 2] =
    [("HAFT_DATA", "the folder of recorded data"), ("HAFT_CASES", "the folder that holds cases.jsonl")];

/// What the run was told by its environment.
#[derive(Debug)]
pub(crate) struct Environment {
    /// A skipped check fails its step.
    pub(crate) strict: bool,
    folders: Vec<(&'static str, Option<PathBuf>)>,
}

impl Environment {
    pub(crate) fn read() -> anyhow::Result<Self> {
        let strict = is_on("HAFT_STRICT")?;
        if strict && is_on("HAFT_BLESS")? {
            bail!("HAFT_BLESS rewrites golden files instead of comparing them: unset it or HAFT_STRICT");
        }
        let here = std::env::current_dir().context("cannot tell the current folder")?;
        let mut folders = Vec::new();
        for (name, _) in FOLDERS {
            let value = std::env::var_os(name).filter(|value| !value.is_empty());
            folders.push((name, value.map(|value| absolute(name, &value, &here)).transpose()?));
        }
        Ok(Self { strict, folders })
    }

    /// Hands the variables to a program that runs in another folder.
    pub(crate) fn apply(&self, mut command: Command) -> Command {
        for (name, folder) in &self.folders {
            if let Some(folder) = folder {
                command = command.env(name, folder.clone().into_os_string());
            }
        }
        command
    }

    /// What to set to have these run.
    pub(crate) fn advice(&self, skipped: &[&Skip]) -> Vec<String> {
        let unset = |name: &str| self.folders.iter().any(|(n, folder)| *n == name && folder.is_none());
        FOLDERS
            .iter()
            .filter(|(name, _)| unset(name) && skipped.iter().any(|skip| skip.why.contains(name)))
            .map(|(name, what)| format!("set {name} to {what} to run what needs it"))
            .collect()
    }
}

fn is_on(name: &str) -> anyhow::Result<bool> {
    match std::env::var(name) {
        Err(std::env::VarError::NotPresent) => Ok(false),
        Ok(value) if value.is_empty() || value == "0" => Ok(false),
        Ok(value) if value == "1" => Ok(true),
        other => bail!("{name} is {other:?}; it takes 0 or 1"),
    }
}

/// Tests run in the folder of their crate, so a relative path must be resolved before.
fn absolute(name: &str, value: &OsString, here: &Path) -> anyhow::Result<PathBuf> {
    let folder = here.join(value);
    if !folder.is_dir() {
        bail!("{name} is {}, which is no folder; correct or unset it", folder.display());
    }
    folder.canonicalize().with_context(|| format!("cannot resolve {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_folder_is_resolved_against_the_invocation() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = absolute("HAFT_DATA", &OsString::from("../xtask/src"), here).unwrap();
        assert_eq!(folder, here.join("src").canonicalize().unwrap());
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_variable() {
        let error = absolute("HAFT_DATA", &OsString::from("no/such"), Path::new(".")).unwrap_err();
        assert!(error.to_string().starts_with("HAFT_DATA is "), "{error}");
    }
}
