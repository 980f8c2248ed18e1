//! The events of a turn, written as they happen.

use std::{
    fs::File,
    future,
    io::{self, BufWriter, Write},
};

use anyhow::Context as _;
use haft::ToolEvents;

use crate::{output, settings::Sink};

/// Where events are written to, one JSON object a line.
pub(super) struct EventLog {
    name: String,
    out: BufWriter<Box<dyn Write>>,
}

impl EventLog {
    /// Begins the log, before anything runs, so that nothing runs unseen.
    pub(super) fn open(sink: &Sink) -> anyhow::Result<Self> {
        Ok(match sink {
            Sink::Stderr => Self { name: "standard error".to_owned(), out: buffered(io::stderr()) },
            Sink::File(path) => {
                let name = format!("the file {}", path.display());
                let file =
                    File::create(path).with_context(|| format!("events can not be written to {name}"))?;
                Self { name, out: buffered(file) }
            }
        })
    }

    /// Writes each event as it comes, until the turn has ended; says why where one can not be written.
    ///
    /// Events that come faster than they are written are dropped by the turn, which does not wait; `events.lagged` says so.
    pub(super) async fn write(mut self, mut events: ToolEvents) -> Result<(), String> {
        let written = loop {
            let event = tokio::select! {
                biased;
                event = events.next() => event,
                // None waits, so whoever reads the log gets what there is.
                () = future::ready(()) => match self.out.flush() {
                    Ok(()) => events.next().await,
                    Err(error) => break Err(error),
                },
            };
            let Some(event) = event else { break self.out.flush() };
            if let Err(error) = output::write_json(&mut self.out, &*event) {
                break Err(error);
            }
        };
        written.map_err(|error| format!("no more events can be written to {}: {error}", self.name))
    }
}

fn buffered(out: impl Write + 'static) -> BufWriter<Box<dyn Write>> {
    BufWriter::with_capacity(64 * 1024, Box::new(out))
}
