//! What is wrong with a configuration: where, what, and what to do.

use std::{fmt, io, path::PathBuf};

use super::tree::Place;

/// What kind of mistake it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigProblemKind {
    /// The file can not be read.
    Unreadable,
    /// The text is neither TOML nor JSON, as its name says it is.
    Syntax,
    /// A key that haft does not know.
    UnknownKey,
    /// A value that does not go with its key.
    Value,
    /// A built-in tool that haft does not have, or not yet.
    Builtin,
    /// A server that can not be reached by what is said of it.
    Server,
    /// A variable of the environment that is not set.
    MissingVariable,
    /// A placeholder that haft can not fill.
    Placeholder,
    /// What starts programs, in a folder that nobody has trusted yet.
    Untrusted,
}

impl ConfigProblemKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Unreadable,
        Self::Syntax,
        Self::UnknownKey,
        Self::Value,
        Self::Builtin,
        Self::Server,
        Self::MissingVariable,
        Self::Placeholder,
        Self::Untrusted,
    ];

    /// The stable number.
    pub const fn code(self) -> u16 {
        match self {
            Self::Unreadable => 2901,
            Self::Syntax => 2902,
            Self::UnknownKey => 2903,
            Self::Value => 2904,
            Self::Builtin => 2905,
            Self::Server => 2906,
            Self::MissingVariable => 2907,
            Self::Placeholder => 2908,
            Self::Untrusted => 2909,
        }
    }
}

/// One mistake in a configuration. Its text is one line, begins with the place, and holds no value of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// What kind of mistake it is.
    pub kind: ConfigProblemKind,
    /// The file.
    pub file: PathBuf,
    /// The line and the column, both from 1, where it is at one place.
    pub place: Option<(usize, usize)>,
    /// The server that is left out for it; none where the whole file can not be used.
    pub server: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
}

impl ConfigProblem {
    pub(super) fn new(kind: ConfigProblemKind, file: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self { kind, file: file.into(), place: None, server: None, message: message.into() }
    }

    pub(super) fn at(kind: ConfigProblemKind, place: Place, message: impl Into<String>) -> Self {
        let Place { file, line, column } = place;
        Self { place: Some((line, column)), ..Self::new(kind, file, message) }
    }

    pub(super) fn of_server(mut self, name: &str) -> Self {
        self.server = Some(name.to_owned());
        self
    }

    /// The stable number.
    pub fn code(&self) -> u16 {
        self.kind.code()
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file.display())?;
        if let Some((line, column)) = self.place {
            write!(formatter, ":{line}:{column}")?;
        }
        match &self.server {
            Some(server) => write!(formatter, ": the server {server:?} is left out: {}", self.message),
            None => write!(formatter, ": {}", self.message),
        }
    }
}

/// A configuration that can not be used, with all that is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    problems: Vec<ConfigProblem>,
}

impl ConfigError {
    /// None where there is no problem.
    pub(super) fn of(problems: Vec<ConfigProblem>) -> Option<Self> {
        (!problems.is_empty()).then_some(Self { problems })
    }

    /// All that is wrong; never empty.
    pub fn problems(&self) -> &[ConfigProblem] {
        &self.problems
    }

    /// The stable number, of the first problem.
    pub fn code(&self) -> u16 {
        self.problems.first().map_or(ConfigProblemKind::Unreadable.code(), ConfigProblem::code)
    }
}

impl From<ConfigProblem> for ConfigError {
    fn from(problem: ConfigProblem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, problem) in self.problems.iter().enumerate() {
            let separator = if position == 0 { "" } else { "; " };
            write!(formatter, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigError {}

/// Why a file can not be read or written; the path goes before it.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "may not be read; look at its permissions".to_owned(),
        _ => error.to_string(),
    }
}
