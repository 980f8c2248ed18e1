//! One thing that was looked at, and all of them.

use std::io::{self, Write};

use serde::Serialize;

use crate::{host::Host, output};

/// How a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// As it should be.
    Ok,
    /// Good to know; nothing has to be done.
    Note,
    /// Not in use, because somebody wants it so.
    Off,
    /// To be mended.
    Wrong,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Note => "note",
            Self::Off => "off",
            Self::Wrong => "wrong",
        }
    }
}

/// One thing that was looked at; not yet safe for a terminal.
#[derive(Debug, Serialize)]
pub(super) struct Check {
    /// `configuration`, `server` or `platform`.
    pub(super) area: &'static str,
    pub(super) name: String,
    pub(super) state: State,
    pub(super) message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mend: Option<String>,
    /// What else is known of a server.
    #[serde(flatten)]
    pub(super) facts: Option<serde_json::Map<String, serde_json::Value>>,
}

impl Check {
    pub(super) fn new(
        area: &'static str,
        name: impl Into<String>,
        state: State,
        message: impl Into<String>,
    ) -> Self {
        Self { area, name: name.into(), state, message: message.into(), mend: None, facts: None }
    }

    pub(super) fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = Some(mend.into());
        self
    }
}

/// Everything that was looked at.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether nothing is to be mended.
    pub(super) healthy: bool,
    haft: &'static str,
    checks: Vec<Check>,
}

impl Report {
    pub(super) fn of(checks: Vec<Check>) -> Self {
        let healthy = checks.iter().all(|check| check.state != State::Wrong);
        Self { healthy, haft: env!("CARGO_PKG_VERSION"), checks }
    }

    /// A line for each thing, under its area, and what to do below it.
    pub(super) fn print(&self, host: &mut Host) -> io::Result<()> {
        let bold = host.heading();
        let mut area = "";
        for check in &self.checks {
            if check.area != area {
                area = check.area;
                writeln!(host.stdout, "{bold}{area}{bold:#}")?;
            }
            let (name, message) = (output::line(&check.name), output::line(&check.message));
            let state = check.state.as_str();
            writeln!(host.stdout, "  {state:5}  {bold}{name}{bold:#}: {message}")?;
            for line in check.mend.iter().flat_map(|mend| mend.lines()) {
                writeln!(host.stdout, "         {}", output::line(line))?;
            }
        }
        let wrong = self.checks.iter().filter(|check| check.state == State::Wrong).count();
        match wrong {
            0 => writeln!(host.stdout, "all is well"),
            1 => writeln!(host.stdout, "one thing is to be mended"),
            more => writeln!(host.stdout, "{more} things are to be mended"),
        }
    }
}
