//! Where the peers are: below the folder that `HAFT_INTEROP` names.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, sync::OnceLock};

/// The peers, or `None` with a line that says what is skipped.
pub(crate) fn peers(test: &str) -> Option<&'static Peers> {
    static PEERS: OnceLock<Option<Peers>> = OnceLock::new();
    let peers =
        PEERS.get_or_init(|| std::env::var_os("HAFT_INTEROP").map(|path| Peers { folder: path.into() }));
    if peers.is_none() {
        eprintln!("skipped: {test}: HAFT_INTEROP is not set; `cargo xtask test interop` sets it");
    }
    peers.as_ref()
}

/// The folder that they are installed in.
#[derive(Debug)]
pub(crate) struct Peers {
    folder: PathBuf,
}

impl Peers {
    pub(crate) fn node(&self) -> PathBuf {
        self.folder.join("bin/node")
    }

    /// A script of an npm package.
    pub(crate) fn npm(&self, path: &str) -> PathBuf {
        self.folder.join("npm/node_modules").join(path)
    }

    /// A program of a Python package, or python itself.
    pub(crate) fn python(&self, name: &str) -> PathBuf {
        self.folder.join("python/bin").join(name)
    }

    /// One of our own scripts, run with the packages of the peers.
    pub(crate) fn script(&self, name: &str) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop/peers").join(name);
        let mut command = Command::new(self.python("python"));
        command.arg(script).env("PYTHONDONTWRITEBYTECODE", "1").env("NO_PROXY", "*");
        command
    }
}

/// A folder for a test's files, gone with it.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("interop-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file; its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
