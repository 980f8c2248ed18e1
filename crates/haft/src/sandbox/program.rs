//! A program, and its run.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};

use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    task::JoinSet,
    time::timeout,
};

use super::{environment::variables, tail::Tail};

/// So long a program may take to end by itself once its input is closed, and once more when it is told to.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// A program to be started.
#[derive(Clone)]
pub(crate) struct Program {
    pub(crate) command: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    pub(crate) folder: Option<PathBuf>,
    /// The `haft` that owns the program, so that it ends even where this process is killed.
    pub(crate) supervisor: Option<PathBuf>,
}

impl fmt::Debug for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Program").field("command", &self.command).finish_non_exhaustive()
    }
}

impl Program {
    /// The folder that it would run in, where that is not there. The system would only say that something is not there, and
    /// everybody look for the program.
    pub(crate) fn missing_folder(&self) -> Option<&Path> {
        self.folder.as_deref().filter(|folder| !folder.is_dir())
    }

    /// Starts it. What it writes to standard error is read all the time.
    pub(crate) fn start(&self) -> io::Result<(Running, ChildStdin, ChildStdout)> {
        let variables = variables(&self.environment);
        let command = resolved(&self.command, &variables);
        if self.supervisor.is_some() && !is_there(&command, &variables, self.folder.as_deref()) {
            // The supervisor would say so, but not as an error of this program's.
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such program"));
        }
        let mut command = match &self.supervisor {
            Some(supervisor) => supervised(supervisor.as_os_str(), &command),
            None => new_command(&command),
        };
        command.args(&self.arguments).env_clear().envs(variables);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        #[cfg(unix)]
        command.process_group(0);
        // A supervisor has to outlive this process long enough to end its group.
        command.kill_on_drop(self.supervisor.is_none());
        let mut child = command.spawn()?;
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = child.stdin.take().ok_or_else(closed)?;
        let output = child.stdout.take().ok_or_else(closed)?;
        let (tail, mut draining) = (Arc::new(Tail::default()), JoinSet::new());
        if let Some(errors) = child.stderr.take() {
            let tail = Arc::clone(&tail);
            draining.spawn(async move { tail.drain(errors).await });
        }
        let group = child.id();
        let supervised = self.supervisor.is_some();
        Ok((Running { child, group, supervised, tail, draining, over: false }, input, output))
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where processes are started")]
fn new_command(program: &OsStr) -> Command {
    Command::new(program)
}

fn supervised(supervisor: &OsStr, program: &OsStr) -> Command {
    let mut command = new_command(supervisor);
    command.arg("supervise").arg("--").arg(program);
    command
}

/// Whether there is a file that a program can be started from.
fn is_there(command: &OsStr, variables: &BTreeMap<OsString, OsString>, folder: Option<&Path>) -> bool {
    let path = Path::new(command);
    if path.components().count() > 1 || path.is_absolute() {
        return folder.map_or_else(|| path.to_owned(), |folder| folder.join(path)).is_file();
    }
    // Without the variable the system looks where it wants.
    let Some(places) = variables.get(OsStr::new("PATH")) else { return true };
    std::env::split_paths(places)
        .map(|place| folder.map_or_else(|| place.clone(), |folder| folder.join(&place)))
        .any(|place| place.join(path).is_file())
}

/// On Windows a name without an extension may be that of a script, such as `npx.cmd`, that only its full name starts.
fn resolved(command: &OsStr, variables: &BTreeMap<OsString, OsString>) -> OsString {
    if !cfg!(windows) {
        return command.to_owned();
    }
    let named =
        |name: &str| variables.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let (path, extensions) = (named("PATH").cloned().unwrap_or_default(), named("PATHEXT"));
    let extensions =
        extensions.map_or_else(|| ".COM;.EXE;.BAT;.CMD".into(), |value| value.to_string_lossy().into_owned());
    script(command, &path, &extensions, Path::is_file).unwrap_or_else(|| command.to_owned())
}

/// The file that a bare name means, by the extensions that a system starts.
fn script(
    command: &OsStr,
    path: &OsStr,
    extensions: &str,
    exists: impl Fn(&Path) -> bool,
) -> Option<OsString> {
    let bare = Path::new(command);
    if bare.extension().is_some() || bare.components().count() != 1 {
        return None;
    }
    std::env::split_paths(path).find_map(|folder| {
        extensions.split(';').filter(|extension| !extension.is_empty()).find_map(|extension| {
            let mut name = command.to_owned();
            name.push(extension.to_ascii_lowercase());
            let file = folder.join(name);
            exists(&file).then(|| file.into_os_string())
        })
    })
}

/// A program that runs. Dropping it ends the program and everything that it started.
pub(crate) struct Running {
    child: Child,
    /// Its process group.
    group: Option<u32>,
    supervised: bool,
    tail: Arc<Tail>,
    draining: JoinSet<()>,
    over: bool,
}

impl Running {
    /// The last lines of its standard error.
    pub(crate) fn tail(&self) -> Arc<Tail> {
        Arc::clone(&self.tail)
    }

    /// Waits until it has ended by itself; what it left behind is ended then. Dropping the future loses nothing.
    pub(crate) async fn exited(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await?;
        self.end_rest().await;
        Ok(status)
    }

    /// Ends it: its input has to be closed already. First it may end by itself, then it is told to, then it is killed.
    pub(crate) async fn end(mut self) -> Option<ExitStatus> {
        // A supervisor takes these steps itself, and needs the time for them.
        let grace = if self.supervised { GRACE * 3 } else { GRACE };
        let status = match timeout(grace, self.child.wait()).await {
            Ok(status) => status.ok(),
            Err(_) => {
                self.signal(Signal::Terminate);
                match timeout(GRACE, self.child.wait()).await {
                    Ok(status) => status.ok(),
                    Err(_) => {
                        self.signal(Signal::Kill);
                        drop(self.child.start_kill());
                        timeout(GRACE, self.child.wait()).await.ok().and_then(Result::ok)
                    }
                }
            }
        };
        self.end_rest().await;
        status
    }

    /// Ends what is left of the group once the program itself has ended.
    async fn end_rest(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        self.signal(Signal::Terminate);
        for _ in 0..10 {
            if !self.signal(Signal::Nothing) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.signal(Signal::Kill);
        // Its last words are worth a moment.
        drop(timeout(Duration::from_millis(200), self.draining.join_next()).await);
    }

    /// Signals the whole group; `false` where nothing of it is left.
    fn signal(&self, signal: Signal) -> bool {
        #[cfg(unix)]
        {
            let group =
                self.group.and_then(|group| rustix::process::Pid::from_raw(i32::try_from(group).ok()?));
            let Some(group) = group else { return false };
            let sent = match signal {
                Signal::Nothing => rustix::process::test_kill_process_group(group),
                Signal::Terminate => {
                    rustix::process::kill_process_group(group, rustix::process::Signal::TERM)
                }
                Signal::Kill => rustix::process::kill_process_group(group, rustix::process::Signal::KILL),
            };
            sent.is_ok()
        }
        #[cfg(not(unix))]
        {
            let _ = (signal, self.group);
            false
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Signal {
    Nothing,
    Terminate,
    Kill,
}

impl Drop for Running {
    fn drop(&mut self) {
        // The supervisor sees that its input is closed.
        if !self.over && !self.supervised {
            self.signal(Signal::Kill);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, ffi::OsStr, path::Path};

    use super::{is_there, script};

    #[test]
    fn a_program_is_looked_for_where_the_system_would() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = |value: &str| BTreeMap::from([("PATH".into(), value.into())]);
        for (command, variables, folder, found) in [
            ("Cargo.toml", path(env!("CARGO_MANIFEST_DIR")), None, true),
            ("no-such-program", path(env!("CARGO_MANIFEST_DIR")), None, false),
            // Entries of PATH that are no full path begin where the program runs.
            ("lib.rs", path("src"), Some(here), true),
            ("lib.rs", path("src"), Some(Path::new("/")), false),
            ("src/lib.rs", path(""), Some(here), true),
            ("src/no-such-program", path(""), Some(here), false),
            // Where nothing says where to look, only starting it tells.
            ("no-such-program", BTreeMap::new(), None, true),
        ] {
            assert_eq!(is_there(OsStr::new(command), &variables, folder), found, "{command} {variables:?}");
        }
    }

    #[test]
    fn a_bare_name_finds_the_script_that_it_means() {
        let separator = if cfg!(windows) { ";" } else { ":" };
        let path = ["/one", "/two"].join(separator);
        let find = |name: &str| {
            script(OsStr::new(name), OsStr::new(&path), ".EXE;.CMD", |file| {
                file == Path::new("/two").join("npx.cmd")
            })
        };
        assert_eq!(find("npx"), Some(Path::new("/two").join("npx.cmd").into_os_string()));
        assert_eq!(find("npx.cmd"), None);
        assert_eq!(find("./npx"), None);
        assert_eq!(find("node"), None);
    }
}
