//! Servers that are started for a command, watched while they start, and ended with it.

use std::{collections::HashMap, time::Duration};

use haft::{
    CancellationToken, ToolRegistry,
    source::mcp::{
        McpInstructions, McpServer, McpServerChange, McpServerEvent, McpServerEvents, McpServerStatus,
        McpServers,
    },
};
use tokio::{task::JoinHandle, time};

use crate::host::Host;

/// Servers that were started together.
pub(super) struct Connection {
    names: Vec<String>,
    events: McpServerEvents,
    /// What they say to models.
    pub(super) instructions: McpInstructions,
    /// How long each took until its tools could be called.
    took: HashMap<String, Duration>,
    servers: Servers,
}

enum Servers {
    Starting(JoinHandle<McpServers>),
    Started(McpServers),
    /// The task that started them is gone.
    Lost,
}

impl Connection {
    /// Starts servers, whose tools become ones of the registry as they come.
    pub(super) fn start(
        servers: Vec<McpServer>,
        supervisor: Option<&std::path::Path>,
        registry: &ToolRegistry,
    ) -> Self {
        let names = servers.iter().map(|server| server.name().to_owned()).collect();
        let mut builder = McpServers::builder().servers(servers);
        if let Some(supervisor) = supervisor {
            builder = builder.supervisor(supervisor);
        }
        let (events, instructions, registry) =
            (builder.subscribe(), builder.instructions(), registry.clone());
        let task = tokio::spawn(async move { builder.connect(&registry).await });
        Self { names, events, instructions, took: HashMap::new(), servers: Servers::Starting(task) }
    }

    pub(super) fn has(&self, server: &str) -> bool {
        self.names.iter().any(|name| name == server)
    }

    /// Waits until each server has been tried, at most for a while, and not longer than a person wants to.
    pub(super) async fn settle(
        &mut self,
        limit: Option<Duration>,
        stop: &CancellationToken,
        host: &mut Host,
    ) {
        let Servers::Starting(task) = &mut self.servers else { return };
        let until = limit.map(|limit| time::Instant::now() + limit);
        let late = async {
            match until {
                Some(until) => time::sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(late);
        let mut waiting = self.names.clone();
        let mut told = true;
        loop {
            host.progress(&progress(&waiting, self.names.len()));
            tokio::select! {
                started = &mut *task => {
                    self.servers = started.map_or(Servers::Lost, Servers::Started);
                    break;
                }
                event = self.events.next(), if told => match event {
                    Some(event) if ends_attempt(&event, &mut self.took) => waiting.retain(|name| *name != *event.server),
                    Some(_) => {}
                    None => told = false,
                },
                () = &mut late => break,
                () = stop.cancelled() => break,
            }
        }
        host.progress("");
        // They may have started before all of it was heard.
        while matches!(self.servers, Servers::Started(_))
            && let Some(event) = self.heard().await
        {
            ends_attempt(&event, &mut self.took);
        }
    }

    /// What has happened already and was not heard.
    async fn heard(&mut self) -> Option<McpServerEvent> {
        tokio::select! {
            biased;
            event = self.events.next() => event,
            () = std::future::ready(()) => None,
        }
    }

    /// The next thing that happens to the servers; it is waited for ever where nothing can.
    pub(super) async fn next(&mut self) -> McpServerEvent {
        match self.events.next().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }

    /// How the servers are; nothing of those that are being started still.
    pub(super) fn status(&self) -> Vec<McpServerStatus> {
        match &self.servers {
            Servers::Started(servers) => servers.status(),
            Servers::Starting(_) | Servers::Lost => Vec::new(),
        }
    }

    pub(super) fn took(&self, server: &str) -> Option<Duration> {
        self.took.get(server).copied()
    }

    /// Ends the servers, and returns once they have ended.
    pub(super) async fn close(self) {
        match self.servers {
            Servers::Started(servers) => servers.close().await,
            Servers::Starting(task) => {
                task.abort();
                // One that was started just then is ended as any other.
                if let Ok(servers) = task.await {
                    servers.close().await;
                }
            }
            Servers::Lost => {}
        }
    }
}

/// Whether a server's attempt is over with this; notes how long it took.
fn ends_attempt(event: &McpServerEvent, took: &mut HashMap<String, Duration>) -> bool {
    if let McpServerChange::Ready { after, .. } = event.what {
        took.insert(event.server.to_string(), after);
    }
    matches!(event.what, McpServerChange::Ready { .. } | McpServerChange::Failed { .. })
}

/// What a person at the terminal sees while servers start.
fn progress(waiting: &[String], all: usize) -> String {
    let ready = all - waiting.len();
    match waiting {
        [] => "servers have been started".to_owned(),
        [one] => format!("starting {one} ({ready} of {all} done)"),
        [first, .., last] => format!("starting {first} … {last} ({ready} of {all} done)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_what_is_waited_for() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(progress(&names, 3), "starting a … c (0 of 3 done)");
        assert_eq!(progress(&names[2..], 3), "starting c (2 of 3 done)");
        assert_eq!(progress(&[], 3), "servers have been started");
    }
}
