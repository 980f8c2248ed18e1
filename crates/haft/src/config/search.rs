//! Where configuration files are looked for, the nearest first.

use std::path::{Path, PathBuf};

use super::{environment::Environment, file::ConfigOrigin};

/// Which files count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigSource {
    /// Those of the working directory, then those of the user.
    #[default]
    Found,
    /// This one alone. Who names it trusts it.
    File(PathBuf),
    /// None.
    Nothing,
}

/// The files of a working directory.
pub(super) const OF_FOLDER: [&str; 3] = ["haft.toml", ".mcp.json", "mcp.json"];
/// The files of the user's configuration directory.
const OF_USER: [&str; 2] = ["haft.toml", "mcp.json"];

/// The places to look at.
pub(super) fn places(environment: &Environment, source: &ConfigSource) -> Vec<(PathBuf, ConfigOrigin)> {
    let of_folder = OF_FOLDER.map(|name| (environment.folder().join(name), ConfigOrigin::Folder));
    match source {
        ConfigSource::Nothing => Vec::new(),
        ConfigSource::File(path) => vec![(environment.folder().join(path), ConfigOrigin::Named)],
        ConfigSource::Found => {
            let Some(user) = environment.config_folder() else { return of_folder.to_vec() };
            let of_user = OF_USER.map(|name| (user.join(name), ConfigOrigin::User));
            // Someone who stands in the configuration directory reads no file twice.
            let of_folder = of_folder
                .into_iter()
                .filter(|(path, _)| !of_user.iter().any(|(user, _)| is_same(path, user)));
            of_folder.chain(of_user.clone()).collect()
        }
    }
}

/// Whether a mistake in the file is one of everything: an `mcp.json` that was found may not even be meant for haft.
pub(super) fn is_needed(path: &Path, origin: ConfigOrigin) -> bool {
    origin == ConfigOrigin::Named || path.file_name().is_some_and(|name| name == "haft.toml")
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
