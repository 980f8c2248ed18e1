//! Configuration: what files say, what is wrong with them, and who has trusted them.

mod expansion;
mod files;
mod fuzz;
mod guide;
mod limits;
mod schema;
mod search;
mod secrets;
mod trust;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

use haft::config::{Config, ConfigError, ConfigSource, Environment};

/// The value of the variable `TOKEN` in every test.
const SECRET: &str = "s3cr3t-of-the-environment";
/// What stands for a secret in files that hold one.
const LITERAL: &str = "s3cr3t-literal";

/// Where files to read lie.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/config").canonicalize().unwrap()
}

/// An environment with a few variables, in a folder.
fn environment(folder: &Path) -> Environment {
    Environment::empty(folder).with_home("/home/me").with_variable("TOKEN", SECRET).with_variable("EMPTY", "")
}

/// Loads one file, named.
fn named(path: &Path) -> Result<Config, ConfigError> {
    let folder = path.parent().unwrap();
    Config::load(&environment(folder), &ConfigSource::File(path.to_owned()))
}

/// A folder for a test's files, gone with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("config-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
