//! What the process was started with: the one place where variables, folders and the program's own path are read.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt, io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

/// The variable that tells a program how many haft are above it.
pub(super) const DEPTH: &str = "HAFT_DEPTH";

/// What a process was started with. Values of variables are shown nowhere.
///
/// ```
/// use haft::config::Environment;
///
/// let environment = Environment::empty("/srv/app").with_variable("TOKEN", "s3cr3t");
/// assert_eq!(environment.variable("TOKEN").as_deref(), Some("s3cr3t"));
/// assert!(!format!("{environment:?}").contains("s3cr3t"));
/// ```
#[derive(Clone)]
pub struct Environment {
    folder: PathBuf,
    variables: BTreeMap<OsString, OsString>,
    home: Option<PathBuf>,
    config: Option<PathBuf>,
    state: Option<PathBuf>,
    program: Option<PathBuf>,
}

impl Environment {
    /// That of this process, as it is now.
    ///
    /// # Errors
    /// The working directory does not exist any more, or may not be looked at.
    #[expect(clippy::disallowed_methods, reason = "this is where the environment is read")]
    pub fn of_process() -> io::Result<Self> {
        let strategy = etcetera::choose_base_strategy().ok();
        let config = strategy.as_ref().map(|strategy| strategy.config_dir().join("haft"));
        let state =
            strategy.as_ref().and_then(|strategy| strategy.state_dir().map(|state| state.join("haft")));
        Ok(Self {
            folder: std::env::current_dir().map_err(|error| {
                io::Error::new(error.kind(), format!("the working directory can not be found: {error}"))
            })?,
            variables: std::env::vars_os().collect(),
            home: strategy.as_ref().map(|strategy| strategy.home_dir().to_owned()),
            state: state.or_else(|| config.clone()),
            config,
            program: std::env::current_exe().ok(),
        })
    }

    /// One without variables and without folders of a user.
    pub fn empty(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            variables: BTreeMap::new(),
            home: None,
            config: None,
            state: None,
            program: None,
        }
    }

    /// The same with a variable set.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The same with the folder of the user's configuration of haft.
    #[must_use]
    pub fn with_config_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.config = Some(folder.into());
        self
    }

    /// The same with the folder where haft keeps what it has to remember for the user.
    #[must_use]
    pub fn with_state_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state = Some(folder.into());
        self
    }

    /// The same with the user's own folder.
    #[must_use]
    pub fn with_home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.home = Some(folder.into());
        self
    }

    /// The working directory.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The value of a variable; none where it is not set, or no text.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(OsStr::new(name))?.to_str().map(str::to_owned)
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The folder of the user's configuration of haft, such as `~/.config/haft`.
    pub fn config_folder(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// The folder where haft keeps what it has to remember for the user, such as `~/.local/state/haft`.
    pub fn state_folder(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// How many haft there are above this one, each a server of the next.
    pub(super) fn depth(&self) -> u32 {
        self.variable(DEPTH).and_then(|depth| depth.parse().ok()).unwrap_or(0)
    }

    /// The program that runs, where the system tells it.
    pub fn program(&self) -> Option<&Path> {
        self.program.as_deref()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Environment")
            .field("folder", &self.folder)
            .field("variables", &self.variables.len())
            .field("config", &self.config)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
