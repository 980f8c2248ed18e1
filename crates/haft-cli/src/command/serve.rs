//! `haft serve`: the tools for MCP clients.

use std::time::Duration;

use haft::{CancellationToken, serve::mcp::McpService};

use crate::{
    asking,
    host::{Exit, Host},
    server::{self, Server},
    settings::Serve,
    stderr,
    workbench::Workbench,
};

/// How long clients wait for slow servers; tools that come later are told to them as a change.
const PATIENCE: Duration = Duration::from_secs(4);

pub(super) fn run(settings: &Serve, host: &mut Host) -> anyhow::Result<Exit> {
    // Some programs that start one never read what it says there.
    stderr::wait_for_nobody();
    let mut bench = Workbench::open(&settings.configuration, host)?;
    // A child, so that an end by SIGTERM is told from one by a person.
    let stop = host.interrupt.cancels().child_token();
    super::block_on(async {
        // Before anything is started, so that all of it is ended.
        let terminated = server::termination();
        let connected = bench.connect_within(PATIENCE, host);
        tokio::pin!(terminated);
        tokio::select! {
            () = connected => {}
            () = stop.cancelled() => {}
            () = &mut terminated => stop.cancel(),
        }
        if stop.is_cancelled() {
            bench.close().await;
            return Ok(());
        }
        let mut dispatcher = asking::attend_clients(bench.dispatcher(), settings.yes);
        if let Some(concurrency) = settings.concurrency {
            dispatcher = dispatcher.concurrency(concurrency);
        }
        let service = McpService::builder(dispatcher.build()).more_instructions(bench.instructions());
        let service = service.shutdown(stop.clone()).build();
        let served = serve(&service, settings, (&stop, terminated), (&mut bench, host)).await;
        bench.close().await;
        served
    })??;
    Ok(host.interrupt.outcome(Exit::Success))
}

/// Serves until the client leaves or haft is told to end, and tells meanwhile what happens to servers.
async fn serve(
    service: &McpService,
    settings: &Serve,
    (stop, terminated): (&CancellationToken, impl Future<Output = ()>),
    (bench, host): (&mut Workbench, &mut Host),
) -> anyhow::Result<()> {
    let http = match &settings.http {
        Some(http) => Some(Server::bind(service, http, host).await?),
        None => None,
    };
    let serving = async {
        match http {
            Some(server) => {
                server.run(stop).await;
                Ok(())
            }
            None => Ok(service.stdio().await?),
        }
    };
    tokio::pin!(serving);
    tokio::select! {
        served = &mut serving => return served,
        () = terminated => stop.cancel(),
        () = bench.watch(host) => {}
    }
    serving.await
}
