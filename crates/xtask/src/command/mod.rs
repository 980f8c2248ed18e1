//! Running other programs with their output captured, so that only what failed is shown.

#[cfg(unix)]
mod bounded;
#[cfg(unix)]
mod group;

use std::ffi::OsString;
use std::fmt;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, bail};

#[cfg(unix)]
pub(crate) use self::bounded::Background;

/// A program to run; `Display` is what a person would type.
#[derive(Debug)]
pub(crate) struct Command {
    typed: Vec<String>,
    environment: Vec<(String, OsString)>,
    inner: std::process::Command,
}

/// What a program said, with both of its streams in the order they were written.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) success: bool,
    pub(crate) text: String,
}

impl Command {
    pub(crate) fn new<'a>(program: &str, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let mut inner = std::process::Command::new(program);
        inner.stdin(Stdio::null());
        Self { typed: vec![program.to_owned()], environment: Vec::new(), inner }.args(arguments)
    }

    /// The cargo that runs xtask.
    pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let program = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let mut command = Self::new(&program, arguments);
        if let Some(first) = command.typed.first_mut() {
            "cargo".clone_into(first);
        }
        command
    }

    pub(crate) fn args<'a>(mut self, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        for argument in arguments {
            self.inner.arg(argument);
            self.typed.push(argument.to_owned());
        }
        self
    }

    /// A program by its path.
    #[cfg(unix)]
    pub(crate) fn at(path: &Path) -> Self {
        let mut inner = std::process::Command::new(path);
        inner.stdin(Stdio::null());
        Self { typed: vec![path.display().to_string()], environment: Vec::new(), inner }
    }

    /// Adds an argument that is a path.
    #[cfg(unix)]
    pub(crate) fn arg(mut self, path: &Path) -> Self {
        self.inner.arg(path);
        self.typed.push(path.display().to_string());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        let value = value.into();
        self.inner.env(name, &value);
        self.environment.push((name.to_owned(), value));
        self
    }

    pub(crate) fn current_dir(mut self, folder: &Path) -> Self {
        self.inner.current_dir(folder);
        self
    }

    /// Runs to the end with both streams in one buffer.
    pub(crate) fn output(mut self) -> anyhow::Result<Output> {
        let (mut reader, writer) = std::io::pipe().context("cannot make a pipe")?;
        self.inner.stdout(writer.try_clone().context("cannot make a pipe")?).stderr(writer);
        let mut child = self.inner.spawn().with_context(|| format!("cannot start `{self}`"))?;
        // The command holds the pipe's writing end: while it lives, the reader would never see the end.
        drop(self.inner);
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).context("cannot read the program's output")?;
        let status = child.wait().context("cannot wait for the program")?;
        Ok(Output { success: status.success(), text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// Runs to the end and gives standard output, with standard error shown as it comes; an error if the program fails.
    pub(crate) fn stdout(mut self) -> anyhow::Result<String> {
        let output =
            self.inner.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{self}`"))?;
        if !output.status.success() {
            bail!("`{self}` failed ({})", output.status);
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{self}` wrote something that is no UTF-8"))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.environment {
            let value = value.to_string_lossy();
            if value.contains(' ') {
                write!(f, "{name}=\"{value}\" ")?;
            } else {
                write!(f, "{name}={value} ")?;
            }
        }
        f.write_str(&self.typed.join(" "))
    }
}
