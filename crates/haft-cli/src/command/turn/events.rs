//! The events of a turn, written as they happen.

use std::{
    fs::File,
    io::{self, Write},
};

use anyhow::Context as _;
use haft::ToolEvents;

use crate::{output, settings::Sink};

/// Where events are written to, one JSON object a line.
pub(super) struct EventLog {
    name: String,
    out: Box<dyn Write>,
}

impl EventLog {
    /// Begins the log, before anything runs, so that nothing runs unseen.
    pub(super) fn open(sink: &Sink) -> anyhow::Result<Self> {
        Ok(match sink {
            Sink::Stderr => Self { name: "standard error".to_owned(), out: Box::new(io::stderr()) },
            Sink::File(path) => {
                let name = format!("the file {}", path.display());
                let file =
                    File::create(path).with_context(|| format!("events can not be written to {name}"))?;
                Self { name, out: Box::new(file) }
            }
        })
    }

    /// Writes each event as it comes, until the turn has ended; says why where one can not be written.
    pub(super) async fn write(mut self, mut events: ToolEvents) -> Result<(), String> {
        while let Some(event) = events.next().await {
            let line = output::json(&*event).map_err(io::Error::from).map(|line| line + "\n");
            line.and_then(|line| self.out.write_all(line.as_bytes()))
                .map_err(|error| format!("no more events can be written to {}: {error}", self.name))?;
        }
        Ok(())
    }
}
